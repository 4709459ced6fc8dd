"""What became of each field of a conversion, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from passhat.adapter import FidelityKind, FidelityNote

FIDELITY_SCHEMA = "passhat.fidelity/1"
KINDS: tuple[FidelityKind, ...] = ("lost", "approximated", "translated", "carried", "kept")
"""The kinds of notes, the gravest first."""

Side = Literal["read", "written"]


@dataclass(frozen=True, slots=True)
class FieldNote:
    """What became of one field.

    Attributes:
        case: The case's or trace's id; None for what is said of all.
        field: The field.
        kind: `kept`, `translated`, `carried`, `approximated` or `lost`.
        note: How, where to, or what changes.
        run: The smallest run that gets another verdict, where something is approximated and such a
            run is known.
        parts: The paths within the field that are meant; nothing where it is all of it.
        side: Whether it happened as the source was read or as the target was written.
        share: In how many of how many steps of the trace, where it is a field of those.
    """

    case: str | None
    field: str
    kind: FidelityKind
    note: str = ""
    run: str = ""
    parts: tuple[str, ...] = ()
    side: Side = "written"
    share: tuple[int, int] | None = None

    @property
    def told(self) -> str:
        """What became of it, in words.

        >>> FieldNote("t", "messages", "lost", "the system's words", share=(1, 4)).told
        "the system's words: 1 of 4"
        """
        share = "{} of {}".format(*self.share) if self.share else ""
        return ": ".join(filter(None, (self.note, share)))

    def to_dict(self) -> dict[str, Any]:
        """The note as JSON."""
        return {
            "case": self.case,
            "field": self.field,
            "kind": self.kind,
            "note": self.note,
            "run": self.run,
            "parts": list(self.parts),
            "side": self.side,
            "share": self.share and list(self.share),
        }


@dataclass(frozen=True, slots=True)
class FidelityReport:
    """The account of one conversion.

    Attributes:
        source: What was read.
        from_format: Its format.
        target: What was written.
        to_format: Its format.
        what: `suite` or `traces`.
        count: How many cases or traces were written.
        notes: What became of each field; for traces of those that were not kept.
        fields: For traces: each field that a trace states, with how many traces it was what in.
        written: Whether the target was written; it is not where `strict` forbids it.
        remarks: What is to be said of the source and is no field of it: comments that stay behind.
    """

    source: str
    from_format: str
    target: str
    to_format: str
    what: Literal["suite", "traces"]
    count: int
    notes: tuple[FieldNote, ...] = ()
    fields: Mapping[str, Mapping[FidelityKind, int]] = field(default_factory=dict)
    written: bool = True
    remarks: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[FidelityKind, int]:
        """How many fields were what, the gravest kind first."""
        found: Counter[FidelityKind] = Counter()
        if self.fields:
            for by_kind in self.fields.values():
                found.update(by_kind)
            found.update(note.kind for note in self.notes if note.side == "read")
        else:
            found.update(note.kind for note in self.notes)
        return {kind: found[kind] for kind in KINDS}

    @property
    def lossless(self) -> bool:
        """Whether nothing was approximated or lost."""
        return not any(note.kind in ("approximated", "lost") for note in self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The account as JSON: `passhat.fidelity/1`."""
        return {
            "schema": FIDELITY_SCHEMA,
            "source": self.source,
            "from": self.from_format,
            "target": self.target,
            "to": self.to_format,
            "what": self.what,
            "count": self.count,
            "written": self.written,
            "lossless": self.lossless,
            "counts": dict(self.counts),
            "fields": {name: dict(kinds) for name, kinds in self.fields.items()},
            "remarks": list(self.remarks),
            "notes": [note.to_dict() for note in self.notes],
        }


def from_adapter(notes: Iterable[FidelityNote], ids: set[str], side: Side) -> list[FieldNote]:
    """An adapter's notes, told apart by case and field.

    >>> from_adapter([FidelityNote("a: tags", "carried")], {"a"}, "written")[0].field
    'tags'
    """
    made = []
    for note in notes:
        case, name = told_apart(note.what, ids)
        made.append(
            FieldNote(case, name, note.kind, note.note, note.run, note.parts, side, note.share)
        )
    return made


def told_apart(what: str, ids: set[str]) -> tuple[str | None, str]:
    """The case and the field that a note speaks of.

    >>> told_apart("case a: b: mode", {"a: b"}), told_apart("criteria.x", {"a"})
    (('a: b', 'mode'), (None, 'criteria.x'))
    """
    for said in (what, what.removeprefix("case ")):
        if said in ids:
            return said, "case"
        at = said.find(": ")
        while at >= 0:
            if said[:at] in ids:
                return said[:at], said[at + 2 :]
            at = said.find(": ", at + 2)
    return None, what

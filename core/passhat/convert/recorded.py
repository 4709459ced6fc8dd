"""Traces from one form into another, one after the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import UNSET

from passhat.adapter import Adapter, FidelityKind
from passhat.convert.again import Again
from passhat.convert.ledger import KINDS, FidelityReport, FieldNote
from passhat.convert.sources import Source
from passhat.convert.targets import drafted
from passhat.convert.unrecorded import unrecorded
from passhat.errors import InputError, Place, TraceError
from passhat.recordings.fidelity import OPEN, PLURALS
from passhat.trace import Trace
from passhat.values.parts import parts_of

_HELD = frozenset({"initial_state", "final_state", "content"})
_MANY = 200
_PLACE = re.compile(r"\[\d+\]")


def convert_traces(
    source: Source, target: str, to: Adapter, *, force: bool, strict: bool
) -> FidelityReport:
    """Writes the traces of a source in another form; one that cannot be read costs itself.

    Raises:
        PasshatError: As `convert_file`.
    """
    tally = Tally(Again(source.adapter))
    with drafted(target, to.name, force=force, what="traces") as draft:
        fidelity = to.write_traces(tally.passing(source), draft.path)
        if not tally.count:
            if tally.unread:
                first = tally.unread[0]
                raise InputError(f"nothing could be read: {first.message}", first.place)
            raise InputError("nothing is recorded there", Place(source.given))
        notes = [_unread(error) for error in tally.unread]
        notes += unrecorded(source, tally.again)
        for note in fidelity.notes:
            trace, _, name = note.what.rpartition(": ")
            told = (note.kind, note.note, note.run, note.parts)
            notes.append(FieldNote(trace or None, name, *told, share=note.share))
        report = FidelityReport(
            source.given,
            source.format,
            target,
            to.name,
            "traces",
            tally.count,
            tuple(notes),
            tally.fields(notes),
        )
        if strict and not report.lossless:
            return replace(report, written=False)
        draft.commit()
    return report


def _unread(error: TraceError) -> FieldNote:
    return FieldNote(None, "trace", "lost", f"it cannot be read: {error}", side="read")


@dataclass
class Tally:
    """Counts, of the traces that pass, in how many each field is stated."""

    again: Again
    count: int = 0
    unread: list[TraceError] = field(default_factory=list)
    stated: Counter[str] = field(default_factory=Counter)

    def passing(self, source: Source) -> Iterator[Trace]:
        """The traces of a source, counted as they pass; what cannot be read is set aside."""
        for item in source.traces():
            if isinstance(item, TraceError):
                self.unread.append(item)
                continue
            self.count += 1
            self.take(item)
            yield item

    def take(self, trace: Trace) -> None:
        """Counts the fields of a trace."""
        self.stated.update(stated_in(trace))
        self.again.take(trace)

    def fields(self, notes: list[FieldNote]) -> dict[str, dict[FidelityKind, int]]:
        """For each field that a trace states, in how many traces it was what."""
        other: dict[str, Counter[FidelityKind]] = {}
        for note in notes:
            if note.side == "read":
                continue
            for name in self._named(note) or [note.field]:
                other.setdefault(name, Counter())[note.kind] += 1
        made: dict[str, dict[FidelityKind, int]] = {}
        for name in sorted({*self.stated, *other}):
            kinds = other.get(name, Counter())
            kept = self.stated[name] - sum(kinds.values())
            every: Counter[FidelityKind] = Counter(kinds)
            if kept > 0:
                every["kept"] += kept
            made[name] = {kind: every[kind] for kind in KINDS if every[kind]}
        return made

    def _named(self, note: FieldNote) -> list[str]:
        """The fields that a note speaks of: those of some steps, parts of one, or all of it."""
        if note.parts:
            return [_joined(note.field, part) for part in note.parts]
        begins = (f"{note.field}' ", f"{note.field}.", f"{note.field}[")
        return [name for name in self.stated if name == note.field or name.startswith(begins)]


def stated_in(trace: Trace) -> list[str]:
    """The fields that a trace states, with those of its steps and the paths inside of open ones.

    >>> from passhat.trace import Message
    >>> stated_in(Trace("t", steps=(Message("user", "hi"),), tags=("x",)))
    ['id', 'outcome', 'tags', "messages' role", "messages' text", "messages' turn"]
    """
    found: dict[str, None] = {}
    _note(trace, "", ("steps", "source"), found)
    for step in trace.steps:
        _note(step, f"{PLURALS[type(step).__name__]}' ", (), found)
    return list(found)


def _note(struct: Any, prefix: str, but: tuple[str, ...], found: dict[str, None]) -> None:
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        if name in but or _unsaid(value):
            continue
        parts = _parts(name, value)
        if parts:
            found.update(dict.fromkeys(_joined(f"{prefix}{name}", part) for part in parts))
        else:
            found[f"{prefix}{name}"] = None


def _parts(name: str, value: Any) -> tuple[str, ...]:
    """The paths within a field that others put keys into; of large ones what they hold first."""
    if name in OPEN:
        return parts_of(value)
    if name not in _HELD:
        return ()
    parts = parts_of(value, 3)
    return parts if len(parts) <= _MANY else parts_of(value, 1)


def _joined(name: str, part: str) -> str:
    """A field with a path in it, whatever the places in its lists."""
    path = _PLACE.sub("[]", part)
    return f"{name}{path}" if path.startswith("[") else f"{name}.{path}"


def _unsaid(value: Any) -> bool:
    return value is None or value is UNSET or value in ((), {}, "")

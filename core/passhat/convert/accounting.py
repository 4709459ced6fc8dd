"""The account of a suite's conversion: found by reading the target back, field by field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import asdict

from passhat.adapter import FidelityKind
from passhat.case import Case, Suite
from passhat.convert.ledger import KINDS, FieldNote
from passhat.values.parts import changed_parts, parts_of

_UNSAID = asdict(Case(""))
_OF_SUITE = ("name", "tools", "writes", "defaults", "checks", "metadata", "extensions")
_MANY = 200
_DEEP = frozenset({"extensions", "metadata"})


def account(before: Suite, after: Suite, claimed: Iterable[FieldNote]) -> list[FieldNote]:
    """What became of each field of a suite.

    Args:
        before: The suite.
        after: What the target says, read back.
        claimed: What the writer says it did. A field that is not what it was is lost or
            approximated, whatever is claimed.

    >>> one, other = Suite("s", (Case("a", "hi", tags=("x",)),)), Suite("s", (Case("a", "hi"),))
    >>> [(note.case, note.field, note.kind) for note in account(one, other, ())]
    [(None, 'name', 'kept'), ('a', 'id', 'kept'), ('a', 'input', 'kept'), ('a', 'tags', 'lost')]
    """
    told: dict[tuple[str | None, str], list[FieldNote]] = {}
    for note in claimed:
        told.setdefault((note.case, note.field), []).append(note)
    made: list[FieldNote] = []
    for name in _OF_SUITE:
        stated = getattr(before, name)
        if stated or getattr(after, name):
            made += _field(None, name, stated, getattr(after, name), told)
    back = {case.id: case for case in after.cases}
    inherited = Suite("", (Case(""),), before.tools, before.writes, before.defaults, before.checks)
    for case in before.cases:
        made += _case(case, back.get(case.id), inherited.cases[0], told)
    new = [case.id for case in after.cases if case.id not in before.by_id]
    made += [
        FieldNote(id, "case", "approximated", "a case that the source does not have") for id in new
    ]
    if not new and [c.id for c in before.cases if c.id in back] != [c.id for c in after.cases]:
        made.append(FieldNote(None, "cases", "approximated", "they stand in another order"))
    return [*made, *(note for notes in told.values() for note in notes)]


def _case(
    case: Case,
    after: Case | None,
    inherited: Case,
    told: dict[tuple[str | None, str], list[FieldNote]],
) -> list[FieldNote]:
    if after is None:
        return [FieldNote(case.id, "case", "lost", "the target does not have it")]
    made: list[FieldNote] = []
    for name in Case.__struct_fields__:
        old, new = getattr(case, name), getattr(after, name)
        own = old != _UNSAID[name] and old != getattr(inherited, name)
        if own or name == "id" or old != new:
            made += _field(case.id, name, old, new, told)
    return made


def _field(
    case: str | None,
    name: str,
    old: Any,
    new: Any,
    told: dict[tuple[str | None, str], list[FieldNote]],
) -> list[FieldNote]:
    claims = told.pop((case, name), [])
    if old != new:
        empty: tuple[Any, ...] = (None, (), {}, [])
        kind: FidelityKind = "lost" if new in empty else "approximated"
        said = "" if kind == "lost" else f"it came back as {new!r:.60}"
        return [
            FieldNote(
                case, name, kind, said, "", changed_parts(old, new) or parts_within(name, old)
            )
        ]
    parts = parts_within(name, old)
    if not claims:
        return [FieldNote(case, name, "kept", parts=parts)]
    worst = min(claims, key=lambda note: KINDS.index(note.kind))
    how = "; ".join(dict.fromkeys(note.note for note in claims if note.note))
    return [FieldNote(case, name, worst.kind, how, worst.run, worst.parts or parts, worst.side)]


def parts_within(name: str, value: Any) -> tuple[str, ...]:
    """The paths within a field that a report lists.

    What others put there is listed leaf by leaf, the rest three steps down; of what is large, such
    as a state with many rows, only what it holds first.
    """
    if name in _DEEP:
        return parts_of(value)
    parts = parts_of(value, 3)
    return parts if len(parts) <= _MANY else parts_of(value, 1)

"""Two tables: which of their rows may differ, paired by key or without one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import repeat
from typing import NamedTuple

from passhat.state.equality import Sameness, doubtful
from passhat.state.paths import Facing, Record
from passhat.state.patterns import States
from passhat.state.rowkeys import Columns, Row, declared_keys, found_key, key_values
from passhat.state.twins import twins
from passhat.values import ABSENT


class DeclaredKey(NamedTuple):
    """A declared key: its columns, and whether its table was named or it holds for every table."""

    columns: Columns
    named: bool


class Keyed(NamedTuple):
    """The key of a table, its value in each row before, and the rows after by theirs."""

    columns: Columns
    before: list[Hashable]
    after: dict[Hashable, Row]
    ignored: bool = False
    """Whether a part of it is ignored: then rows that it does not join may be the same by content."""
    passing: bool = False
    """Whether a part of it is ignored: then rows that it does not join may still be the same."""


def differing_rows(
    name: str,
    before: Sequence[Row],
    after: Sequence[Row],
    sameness: Sameness,
    states: States,
    key: DeclaredKey | Columns | None = None,
) -> tuple[list[Facing], str | None]:
    """The rows of two tables that may differ, and why more may be alike than is said, if so.

    Args:
        name: The table's name.
        before: Its rows on one side.
        after: Its rows on the other.
        sameness: When two values are the same.
        states: How far the patterns have come at the table.
        key: The declared key, which must hold; or that of a database, which may.

    Raises:
        InputError: The declared key is missing in a row, or stands twice.
        TooDeepError: There is no key, and a row is too deep to compare as a whole.
    """
    keyed = key_of(name, before, after, sameness, states, key)
    below = sameness.patterns.after(states, Record())
    if keyed is not None:
        joined = _by_key(before, after, keyed)
        return _by_content(joined, sameness, below) if keyed.ignored else (joined, None)
    found = twins(before, after, sameness, below)
    return [
        *(Facing(Record(at=i), before[i], after[j]) for i, j in found.pairs),
        *(Facing(Record(at=i), before[i], ABSENT) for i in found.removed),
        *(Facing(Record(at=j), ABSENT, after[j]) for j in found.added),
    ], found.gap


def _by_key(before: Sequence[Row], after: Sequence[Row], keyed: Keyed) -> list[Facing]:
    others = keyed.after
    facing = list(map(others.pop, keyed.before, repeat(ABSENT)))
    found = [
        Facing(_record(before[at], keyed.columns), before[at], facing[at])
        for at in doubtful(before, facing)
    ]
    came = set(map(id, others.values()))
    rows = (row for row in after if id(row) in came) if came else ()
    return found + [Facing(_record(row, keyed.columns), ABSENT, row) for row in rows]


def _by_content(
    joined: list[Facing], sameness: Sameness, states: States
) -> tuple[list[Facing], str | None]:
    """The rows with those paired by content that their key, which is ignored, did not join."""
    gone = [facing for facing in joined if facing.after is ABSENT]
    came = [facing for facing in joined if facing.before is ABSENT]
    left = twins([f.before for f in gone], [f.after for f in came], sameness, states)
    return [
        *(f for f in joined if f.before is not ABSENT and f.after is not ABSENT),
        *(Facing(gone[i].step, gone[i].before, came[j].after) for i, j in left.pairs),
        *(gone[i] for i in left.removed),
        *(came[j] for j in left.added),
    ], left.gap


def _record(row: Row, columns: Columns) -> Record:
    return Record(tuple(row[name] for name in columns))


def key_of(
    name: str,
    before: Sequence[Row],
    after: Sequence[Row],
    sameness: Sameness,
    states: States,
    key: DeclaredKey | Columns | None = None,
) -> Keyed | None:
    """The key of a table with its values, as `differing_rows` takes it; None if there is none.

    Raises:
        InputError: The declared key is missing in a row, or stands twice.
    """
    if isinstance(key, DeclaredKey):
        old = declared_keys(before, key.columns, name, "before")
        new = declared_keys(after, key.columns, name, "after")
        return Keyed(key.columns, old, dict(zip(new, after, strict=True)))
    ignored = _ignored_columns(before, after, sameness, states)
    if key is not None:
        values, others = key_values(before, key), key_values(after, key)
        if values is not None and others is not None:
            rows = dict(zip(others, after, strict=True))
            if len(set(values)) == len(before) and len(rows) == len(after):
                return Keyed(key, values, rows, not ignored.isdisjoint(key))
    found = found_key(name, before, after, ignored)
    if found is None:
        return None
    return Keyed((found.column,), found.before, found.after, found.column in ignored)


def _ignored_columns(
    before: Sequence[Row], after: Sequence[Row], sameness: Sameness, states: States
) -> set[str]:
    states = sameness.patterns.after(states, Record())
    if not states:
        return set()
    columns = {name for side in (before, after) for row in side[:1] for name in row}
    return {name for name in columns if sameness.ignored(sameness.patterns.after(states, name))}

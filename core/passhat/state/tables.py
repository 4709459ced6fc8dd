"""Two tables: which of their rows may differ, paired by key or without one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

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
    """Whether a part of it is ignored: then content goes before it."""


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


class Regrouped(NamedTuple):
    """Rows that an ignored key joined, paired anew by their content; each by its place among them.

    Attributes:
        same: Rows that are the same but for what is ignored.
        changed: Rows that changed.
        removed: Rows that went.
        added: Rows that came.
        gap: Why more rows may have changed than are said to have, if so.
    """

    same: list[tuple[int, int]]
    changed: list[tuple[int, int]]
    removed: list[int]
    added: list[int]
    gap: str | None


def regrouped(joined: Sequence[tuple[Any, Any]], sameness: Sameness, states: States) -> Regrouped:
    """The rows that a key joins of which the values are ignored, paired by content where they can be.

    Ids that are made anew may come in another order, or be those of other rows: what is the same but
    for them has not changed. What is left stays with the row of its key, where that is left as well;
    else it is paired as rows without a key are.

    Args:
        joined: Rows by their key, before and after; `ABSENT` where there is none.
        sameness: When two values are the same.
        states: How far the patterns have come at a row.

    Raises:
        TooDeepError: A row is too deep to compare as a whole.
    """
    sides = [
        {
            at: sameness.key(pair[side], states)
            for at, pair in enumerate(joined)
            if pair[side] is not ABSENT
        }
        for side in (0, 1)
    ]
    old, new = sides
    same = [(at, at) for at in old if at in new and old[at] == new[at]]
    for at, _ in same:
        del old[at], new[at]
    waiting: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at in reversed(new):
        waiting[new[at]].append(at)
    for at in list(old):
        if waiting[old[at]]:
            same.append((at, waiting[old[at]].pop()))
            del old[at], new[same[-1][1]]
    stayed = old.keys() & new.keys()
    changed = [(at, at) for at in old if at in stayed]
    gone, came = ([at for at in side if at not in stayed] for side in (old, new))
    left = twins([joined[at][0] for at in gone], [joined[at][1] for at in came], sameness, states)
    changed += [(gone[i], came[j]) for i, j in left.pairs]
    return Regrouped(
        same, changed, [gone[i] for i in left.removed], [came[j] for j in left.added], left.gap
    )


def _by_content(
    joined: Sequence[Facing], sameness: Sameness, states: States
) -> tuple[list[Facing], str | None]:
    found = regrouped([(f.before, f.after) for f in joined], sameness, states)
    return [
        *(Facing(joined[i].step, joined[i].before, joined[j].after) for i, j in found.changed),
        *(Facing(joined[i].step, joined[i].before, ABSENT) for i in found.removed),
        *(Facing(joined[j].step, ABSENT, joined[j].after) for j in found.added),
    ], found.gap


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

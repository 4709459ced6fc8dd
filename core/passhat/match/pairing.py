"""Pairing: which actual call stands for which expected one.

The pairing is a maximum one-to-one matching, never greedy. Among those: most required expected
calls, most optional ones, most actual calls that a mode may insist on, most successful calls,
fewest inversions, earliest. The first four are exact at any size: they weigh calls, not pairs, and
a matching that is best for the expected calls and one that is best for the actual calls always
combine into one that is best for both (Mendelsohn and Dulmage, 1958). The last two are exact while
the ways to pair are few, and sought by exchanges beyond that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from passhat.match.assignment import assignment, large_assignment

TIES_UP_TO = 200
"""Beyond this many calls, on both sides together, only the first two preferences are promised."""

_TRIES = 20_000


class Pair(NamedTuple):
    """An actual call and the expected call it satisfies, by their indexes."""

    actual: int
    expected: int


class Side(NamedTuple):
    """What pairing knows of each call: expected calls have groups, actual ones slots.

    Attributes:
        places: The group, or slot, of each call; calls that share one have no order.
        first: Calls that come first in preference: required ones, or those a mode insists on.
        second: Calls that come second: on the actual side, those that succeeded.
    """

    places: Sequence[int]
    first: Sequence[bool]
    second: Sequence[bool]


def pair_up(rows: Sequence[Sequence[int]], expected: Side, actual: Side) -> list[Pair]:
    """The best maximum matching, in the order of the expected calls.

    Args:
        rows: For each expected call, the actual calls that satisfy it, in order.
        expected: What is known of the expected calls.
        actual: What is known of the actual calls.

    >>> side = lambda n: Side(range(n), [True] * n, [True] * n)
    >>> pair_up([[0, 1], [0]], side(2), side(2))
    [Pair(actual=1, expected=0), Pair(actual=0, expected=1)]
    """
    single = [row[0] for row in rows if len(row) == 1]
    if len(set(single)) == sum(map(bool, rows)):
        return [Pair(columns[0], row) for row, columns in enumerate(rows) if columns]
    chosen = [-1] * len(rows)
    free = False
    for members, columns in _components(rows):
        if len(members) == 1 and len(columns) == 1:
            chosen[members[0]] = columns[0]
            continue
        alike = all(len(rows[row]) == len(columns) for row in members)
        free = free or not alike or len(members) != len(columns)
        if alike:
            _pair_alike(members, columns, expected, actual, chosen)
        else:
            _pair_by_weight(rows, members, columns, expected, actual, chosen)
    if free and len(rows) + len(actual.places) <= TIES_UP_TO:
        chosen = _settled(rows, chosen, expected, actual)
    return [Pair(column, row) for row, column in enumerate(chosen) if column >= 0]


def _components(rows: Sequence[Sequence[int]]) -> list[tuple[list[int], list[int]]]:
    """The connected parts of the graph: their rows and their columns, each in order.

    Rows that share one list of columns are walked once.
    """
    alike: dict[int, list[int]] = {}
    for row, columns in enumerate(rows):
        if columns:
            alike.setdefault(id(columns), []).append(row)
    kinds = list(alike.values())
    by_column: dict[int, list[int]] = {}
    for kind, members in enumerate(kinds):
        for column in rows[members[0]]:
            by_column.setdefault(column, []).append(kind)
    seen: set[int] = set()
    parts = []
    for start in range(len(kinds)):
        if start in seen:
            continue
        seen.add(start)
        found = [start]
        reached: set[int] = set()
        for kind in found:
            for column in rows[kinds[kind][0]]:
                if column not in reached:
                    reached.add(column)
                    fresh = [other for other in by_column[column] if other not in seen]
                    seen.update(fresh)
                    found += fresh
        parts.append((sorted(row for kind in found for row in kinds[kind]), sorted(reached)))
    return parts


def _pair_alike(
    members: list[int], columns: list[int], expected: Side, actual: Side, chosen: list[int]
) -> None:
    """Pairs a part in which every actual call satisfies every expected one."""
    size = min(len(members), len(columns))
    best = sorted(members, key=lambda row: not expected.first[row])[:size]
    good = sorted(columns, key=lambda at: (not actual.first[at], not actual.second[at]))[:size]
    for row, column in zip(sorted(best), sorted(good), strict=True):
        chosen[row] = column


def _pair_by_weight(
    rows: Sequence[Sequence[int]],
    members: list[int],
    columns: list[int],
    expected: Side,
    actual: Side,
    chosen: list[int],
) -> None:
    """Pairs a part by the assignment of greatest weight, keeping to the order where that is free."""
    size = min(len(members), len(columns)) + 1
    required, optional = size**3, size**2
    of_row = [required if expected.first[row] else optional for row in members]
    of_column = [
        (size if actual.first[column] else 0) + (1 if actual.second[column] else 0)
        for column in columns
    ]
    if len(members) + len(columns) > TIES_UP_TO:
        weigh = [rows[row] for row in members]
        for row, column in zip(
            members, large_assignment(weigh, of_row, columns, of_column), strict=True
        ):
            chosen[row] = column
        return
    at = {column: index for index, column in enumerate(columns)}
    # Products of ranks add up to the most where pairs do not cross.
    scale = len(members) * len(columns) * size + 1
    weights = []
    for index, row in enumerate(members):
        line = [0] * len(columns)
        for column in rows[row]:
            other = at[column]
            line[other] = (of_row[index] + of_column[other]) * scale + (index + 1) * (other + 1)
        weights.append(line)
    for row, index in zip(members, assignment(weights), strict=True):
        chosen[row] = columns[index] if index >= 0 else -1


def _settled(
    rows: Sequence[Sequence[int]], chosen: list[int], expected: Side, actual: Side
) -> list[int]:
    """The same expected calls with fewest inversions, then earliest, by bounded search."""
    matched = [row for row, column in enumerate(chosen) if column >= 0]
    worth = [
        (1 if first else 0, 1 if second else 0)
        for first, second in zip(actual.first, actual.second, strict=True)
    ]
    groups, slots = expected.places, actual.places

    def crossings(row: int, column: int, before: Sequence[tuple[int, int]]) -> int:
        group, slot = groups[row], slots[column]
        return sum(
            1
            for other, taken in before
            if (groups[other] < group and slots[taken] > slot)
            or (groups[other] > group and slots[taken] < slot)
        )

    pairs = [(row, chosen[row]) for row in matched]
    best = sum(crossings(row, column, pairs[:at]) for at, (row, column) in enumerate(pairs))
    best_columns = tuple(column for _, column in pairs)
    goal = (sum(worth[c][0] for c in best_columns), sum(worth[c][1] for c in best_columns))
    most = [[0, 0] for _ in range(len(matched) + 1)]
    for at in range(len(matched) - 1, -1, -1):
        for level in (0, 1):
            most[at][level] = most[at + 1][level] + max(
                worth[column][level] for column in rows[matched[at]]
            )
    twin = [
        next((b for b in range(at - 1, -1, -1) if rows[matched[b]] == rows[row]), -1)
        for at, row in enumerate(matched)
    ]
    tries = _TRIES // (1 + len(matched))
    path: list[tuple[int, int]] = []
    used: set[int] = set()
    # Each level: choices left, inversions so far, worth so far.
    levels = [(iter(rows[matched[0]]), 0, 0, 0)] if matched else []
    while levels and tries:
        choices, inversions, first, second = levels[-1]
        at = len(levels) - 1
        column = next(choices, None)
        if column is None:
            levels.pop()
            if path:
                used.discard(path.pop()[1])
            continue
        # Expected calls that accept the same calls take them in order: crossing them gains nothing.
        if column in used or (twin[at] >= 0 and path[twin[at]][1] > column):
            continue
        tries -= 1
        row = matched[at]
        total = inversions + crossings(row, column, path)
        gained = (first + worth[column][0], second + worth[column][1])
        if total > best or gained[0] + most[at + 1][0] < goal[0]:
            continue
        if gained[0] == goal[0] and gained[1] + most[at + 1][1] < goal[1]:
            continue
        if at + 1 == len(matched):
            columns = (*(taken for _, taken in path), column)
            if gained == goal and (total, columns) < (best, best_columns):
                best, best_columns = total, columns
            continue
        path.append((row, column))
        used.add(column)
        levels.append((iter(rows[matched[at + 1]]), total, *gained))
    settled = list(chosen)
    for row, column in zip(matched, best_columns, strict=True):
        settled[row] = column
    return settled

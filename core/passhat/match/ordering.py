"""Whether expected calls can be matched in order, where neither side is wholly ordered.

Calls of one request have no order among themselves (they share a *slot*), nor have the calls of an
expected group. A matching keeps the order if no two pairs cross: of two pairs in different groups,
the later group's call is not in an earlier slot. Its pairs then lie on a staircase in the grid of
groups and slots: group `g` uses the slots from `turns[g - 1]` to `turns[g]`, where the staircase
turns from one group to the next. On a given staircase the rest is plain bipartite matching.

The staircases on which all required expected calls can be covered are closed under taking the
lower of two, group by group; so are those on which all actual calls that must be matched can be.
So the lowest staircase good for both, if there is one, is found by raising a staircase to the
lowest one good for the first, then for the second, until it stays.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence

from passhat.match.assignment import augment

Rows = Sequence[Sequence[int]]


def in_order(
    rows: Rows,
    groups: Sequence[int],
    slots: Sequence[int],
    required: Collection[int],
    must: Collection[int],
) -> list[list[int]] | None:
    """The edges of a staircase on which a matching covers what it has to, or None.

    Args:
        rows: For each expected call, the actual calls that satisfy it.
        groups: The group of each expected call, counted from 0 without gaps, not decreasing.
        slots: The slot of each actual call, likewise.
        required: The expected calls to cover.
        must: The actual calls to cover.

    Returns:
        For each expected call, the actual calls it may be paired with; any matching along these
        keeps the order, and one of them covers all of `required` and all of `must`.

    >>> in_order([[1], [0]], groups=[0, 1], slots=[0, 1], required=[0, 1], must=[]) is None
    True
    >>> in_order([[1], [0]], groups=[0, 1], slots=[0, 0], required=[0, 1], must=[])
    [[1], [0]]
    """
    if not groups or not slots:
        return None if required or must else [[] for _ in rows]
    last_group, last_slot = groups[-1], slots[-1]
    columns: list[list[int]] = [[] for _ in slots]
    if must:
        for row in range(len(rows) - 1, -1, -1):
            for column in rows[row]:
                columns[column].append(row)
    back_groups = [last_slot - slot for slot in slots]
    back_slots = [last_group - group for group in groups]
    turns = [0] * last_group
    while True:
        raised = _lowest(rows, groups, slots, required, turns)
        if raised is None:
            return None
        flipped = _lowest(columns, back_groups, back_slots, must, _flip(raised, last_slot))
        if flipped is None:
            return None
        turns = _flip(flipped, last_group)
        if turns == raised:
            break
    low = [0, *turns]
    high = [*turns, last_slot]
    return [
        _between(satisfied, slots, low[group], high[group])
        for satisfied, group in zip(rows, groups, strict=True)
    ]


def _between(columns: Sequence[int], slots: Sequence[int], low: int, high: int) -> list[int]:
    """The columns whose slots lie in a range; they come in the order of their slots."""
    start = bisect_left(columns, low, key=slots.__getitem__)
    end = bisect_right(columns, high, lo=start, key=slots.__getitem__)
    return list(columns[start:end])


def _flip(turns: Sequence[int], last: int) -> list[int]:
    """The same staircase seen from the other end, with groups and slots exchanged.

    Args:
        turns: The slot (counted from 0) in which each group but the last hands over to the next.
        last: The last slot.
    """
    flipped: list[int] = []
    group = len(turns)
    for slot in range(last - 1, -1, -1):
        # The staircase goes from this slot to the next one in the first group that turns later.
        while group and turns[group - 1] > slot:
            group -= 1
        flipped.append(len(turns) - group)
    return flipped


def _lowest(
    rows: Rows,
    groups: Sequence[int],
    slots: Sequence[int],
    required: Collection[int],
    floor: Sequence[int],
) -> list[int] | None:
    """The lowest staircase, nowhere under `floor`, on which all required rows can be covered.

    The columns of each row come in the order of their slots.
    """
    last_group, last_slot = max(groups), max(slots)
    members: list[list[int]] = [[] for _ in range(last_group + 1)]
    for row in sorted(required):
        members[groups[row]].append(row)
    allowed: list[list[int]] = [[] for _ in rows]
    column_of = [-1] * len(rows)
    row_of: dict[int, int] = {}
    turns: list[int] = []
    low = 0
    for group, wanted in enumerate(members):
        high = last_slot if group == last_group else max(low, floor[group])
        for row in wanted:
            allowed[row] = _between(rows[row], slots, low, high)
        for row in wanted:
            while not augment(allowed, row, column_of, row_of):
                later = [
                    slots[rows[other][end]]
                    for other in wanted
                    if (end := bisect_right(rows[other], high, key=slots.__getitem__))
                    < len(rows[other])
                ]
                if not later:
                    return None
                high = min(later)
                for other in wanted:
                    allowed[other] += _between(rows[other], slots, high, high)
        if group < last_group:
            turns.append(high)
        low = high
    return turns

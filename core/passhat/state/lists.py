"""From one list to another: the shortest edit, and what has no equal where order is no matter."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple, TypeAlias

MOST_CELLS = 400_000
"""How many pairs of items are looked at for the shortest edit; beyond, a short one is given."""

NOTHING_SHARED = 2.0
"""The cost of turning an item into one that has nothing of it: as much as taking it out and
putting the other in, which is then what is said."""


class Edit(NamedTuple):
    """An item that does not stay as it is: where it was, and where it is; None for nowhere."""

    old: int | None
    new: int | None


class Edits(NamedTuple):
    """The edits in order, and whether there is certainly no shorter way."""

    edits: list[Edit]
    shortest: bool


Cost: TypeAlias = Callable[[int, int], float]
"""What it costs to turn one item into another, by their positions: 0 to 2."""


class _Span(NamedTuple):
    """Parts of the two lists that face each other: old[top:bottom] and new[left:right]."""

    top: int
    bottom: int
    left: int
    right: int


def shortest_edit(old: Sequence[Hashable], new: Sequence[Hashable], cost: Cost) -> Edits:
    """The edits that turn one list into the other at the least cost; to come or to go costs 1.

    Lists that are too long and too unlike for that are held together by what stands once in each.

    Args:
        old: The keys of the items before; items of equal keys are equal.
        new: The keys of the items after.
        cost: What it costs to turn one item into another.

    >>> old, new = "abcd", "xabd"
    >>> shortest_edit(old, new, lambda i, j: float(old[i] != new[j])).edits
    [Edit(old=None, new=0), Edit(old=2, new=None)]
    """
    whole = _trimmed(_Span(0, len(old), 0, len(new)), old, new)
    edits = _cheapest(whole, cost)
    if edits is not None:
        return Edits(edits, True)
    edits = []
    for span in _between_anchors(whole, old, new):
        edits += _cheapest(span, cost) or _by_position(span)
    return Edits(edits, False)


def unmatched(old: Iterable[Hashable], new: Sequence[Hashable]) -> tuple[list[int], list[int]]:
    """The positions of the items that have no equal on the other side, each counting once.

    >>> unmatched("aab", "bac")
    ([1], [2])
    """
    waiting = Counter(new)
    gone: list[int] = []
    for at, key in enumerate(old):
        if waiting.get(key):
            waiting[key] -= 1
        else:
            gone.append(at)
    came: list[int] = []
    if waiting.total():
        for at in range(len(new) - 1, -1, -1):
            if waiting[new[at]]:
                waiting[new[at]] -= 1
                came.append(at)
    return gone, came[::-1]


def _trimmed(span: _Span, old: Sequence[Hashable], new: Sequence[Hashable]) -> _Span:
    """The span without what is equal at its two ends."""
    top, bottom, left, right = span
    while top < bottom and left < right and old[top] == new[left]:
        top, left = top + 1, left + 1
    while top < bottom and left < right and old[bottom - 1] == new[right - 1]:
        bottom, right = bottom - 1, right - 1
    return _Span(top, bottom, left, right)


def _cheapest(span: _Span, cost: Cost) -> list[Edit] | None:
    """The edits of least cost, or None if there is too much to try.

    Each step off the diagonal costs 1, so a way that costs no more than the band is wide cannot be
    beaten by one that leaves it (Ukkonen, 1985).
    """
    rows, columns = span.bottom - span.top, span.right - span.left
    if not rows or not columns:
        return _by_position(span)
    width = max(4, abs(rows - columns))
    while True:
        if rows * min(2 * width + 1, columns) > MOST_CELLS:
            return None
        costs = _band(span, cost, width)
        if costs[rows][-1] <= width or width >= max(rows, columns):
            return _traced(span, cost, costs, width)
        width *= 2


def _band(span: _Span, cost: Cost, width: int) -> list[list[float]]:
    """The least cost of each pair of beginnings that lie near the diagonal, row by row."""
    columns = span.right - span.left
    costs: list[list[float]] = [[float(j) for j in range(min(columns, width) + 1)]]
    for i in range(1, span.bottom - span.top + 1):
        above, above_low = costs[-1], max(0, i - 1 - width)
        low, high = max(0, i - width), min(columns, i + width)
        row: list[float] = []
        for j in range(low, high + 1):
            at = j - above_low
            best = above[at] + 1 if at < len(above) else inf
            if j > low:
                best = min(best, row[-1] + 1)
            if at > 0 and j > 0:
                best = min(best, above[at - 1] + cost(span.top + i - 1, span.left + j - 1))
            row.append(best)
        costs.append(row)
    return costs


def _traced(span: _Span, cost: Cost, costs: list[list[float]], width: int) -> list[Edit]:
    """The edits of a way of least cost, read backwards; what came or went does so late."""
    edits: list[Edit] = []
    i, j = span.bottom - span.top, span.right - span.left

    def least(i: int, j: int) -> float:
        at = j - max(0, i - width)
        return costs[i][at] if 0 <= at < len(costs[i]) else inf

    while i or j:
        here = least(i, j)
        if j and here == least(i, j - 1) + 1:
            j -= 1
            edits.append(Edit(None, span.left + j))
        elif i and here == least(i - 1, j) + 1:
            i -= 1
            edits.append(Edit(span.top + i, None))
        else:
            i, j = i - 1, j - 1
            if cost(span.top + i, span.left + j):
                edits.append(Edit(span.top + i, span.left + j))
    return edits[::-1]


def _between_anchors(
    span: _Span, old: Sequence[Hashable], new: Sequence[Hashable]
) -> Iterator[_Span]:
    """The spans between items that stand once in each list and in the same order (patience)."""
    once = Counter(new[span.left : span.right])
    here = {new[j]: j for j in range(span.left, span.right) if once[new[j]] == 1}
    twice = Counter(old[span.top : span.bottom])
    common = [
        (i, here[old[i]])
        for i in range(span.top, span.bottom)
        if twice[old[i]] == 1 and old[i] in here
    ]
    top, left = span.top, span.left
    for i, j in (*_rising(common), (span.bottom, span.right)):
        yield _trimmed(_Span(top, i, left, j), old, new)
        top, left = i + 1, j + 1


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs whose second numbers rise."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else None)
        if length == len(ends):
            ends.append(j)
            last.append(at)
        else:
            ends[length], last[length] = j, at
    found: list[tuple[int, int]] = []
    at_last = last[-1] if last else None
    while at_last is not None:
        found.append(pairs[at_last])
        at_last = before[at_last]
    return found[::-1]


def _by_position(span: _Span) -> list[Edit]:
    """Item against item from the beginning; what is over came or went."""
    both = min(span.bottom - span.top, span.right - span.left)
    return [
        *(Edit(span.top + at, span.left + at) for at in range(both)),
        *(Edit(at, None) for at in range(span.top + both, span.bottom)),
        *(Edit(None, at) for at in range(span.left + both, span.right)),
    ]

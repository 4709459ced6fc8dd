"""Maximum matchings and assignments of greatest weight, small ones in Python, large ones in scipy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_SMALL = 40


def assignment(weights: Sequence[Sequence[int]]) -> list[int]:
    """The column given to each row so that the weights add up to the most; -1 for none.

    A weight of 0 is no edge. Rows and columns need not be equally many. Among equal sums the
    choice is deterministic.

    Args:
        weights: One list of non-negative integers a row, all of one length.

    >>> assignment([[5, 4], [4, 0]])
    [1, 0]
    """
    if not weights or not weights[0]:
        return [-1] * len(weights)
    if min(len(weights), len(weights[0])) > _SMALL:
        return _by_scipy(weights)
    if len(weights) > len(weights[0]):
        columns = _hungarian([list(column) for column in zip(*weights, strict=True)])
        chosen = [-1] * len(weights)
        for column, row in enumerate(columns):
            if row >= 0:
                chosen[row] = column
    else:
        chosen = _hungarian(weights)
    return [
        column if column >= 0 and weights[row][column] else -1 for row, column in enumerate(chosen)
    ]


def _hungarian(weights: Sequence[Sequence[int]]) -> list[int]:
    """The Hungarian method with potentials, rows at most as many as columns: O(rows² columns).

    Source: Kuhn (1955), in the shortest-augmenting-path form of Jonker and Volgenant (1987).
    """
    rows, columns = len(weights), len(weights[0])
    row_potential = [0] * (rows + 1)
    potential = [0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0] = row
        column = 0
        least: list[int | None] = [None] * (columns + 1)
        came_from = [0] * (columns + 1)
        used = [False] * (columns + 1)
        while owner[column]:
            used[column] = True
            here = owner[column]
            line = weights[here - 1]
            shift: int | None = None
            nearest = 0
            for other in range(1, columns + 1):
                if used[other]:
                    continue
                cost = -line[other - 1] - row_potential[here] - potential[other]
                known = least[other]
                if known is None or cost < known:
                    least[other] = known = cost
                    came_from[other] = column
                if shift is None or known < shift:
                    shift, nearest = known, other
            step = shift or 0
            for other in range(columns + 1):
                if used[other]:
                    row_potential[owner[other]] += step
                    potential[other] -= step
                elif (known := least[other]) is not None:
                    least[other] = known - step
            column = nearest
        while column:
            owner[column] = owner[came_from[column]]
            column = came_from[column]
    chosen = [-1] * rows
    for column in range(1, columns + 1):
        if owner[column]:
            chosen[owner[column] - 1] = column - 1
    return chosen


def _by_scipy(weights: Sequence[Sequence[int]]) -> list[int]:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    matrix = np.asarray(weights, dtype=np.float64)
    rows, columns = linear_sum_assignment(matrix, maximize=True)
    chosen = [-1] * len(weights)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        if weights[row][column]:
            chosen[row] = column
    return chosen


def large_assignment(
    rows: Sequence[Sequence[int]],
    of_row: Sequence[int],
    columns: Sequence[int],
    of_column: Sequence[int],
) -> list[int]:
    """The column given to each row so that the calls matched weigh the most; -1 for none.

    Args:
        rows: The columns each row may have; rows that are alike may share one list.
        of_row: The weight of each row, positive.
        columns: The columns there are, ascending.
        of_column: The weight of each of them.

    >>> large_assignment([[3, 5], [3]], [1, 1], [3, 5], [0, 0])
    [5, 3]
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    names = np.asarray(columns)
    weights = np.asarray(of_column, dtype=np.float64)
    matrix = np.zeros((len(rows), len(columns)))
    shared: dict[int, Any] = {}
    for index, row in enumerate(rows):
        if id(row) not in shared:
            places = np.searchsorted(names, np.asarray(row))
            shared[id(row)] = (places, weights[places])
        places, there = shared[id(row)]
        matrix[index, places] = of_row[index] + there
    chosen = [-1] * len(rows)
    taken, given = linear_sum_assignment(matrix, maximize=True)
    for at, column in zip(taken.tolist(), given.tolist(), strict=True):
        if matrix[at, column]:
            chosen[at] = columns[column]
    return chosen


def cover(rows: Sequence[Sequence[int]], wanted: Sequence[int]) -> list[int] | None:
    """The column of each row in a matching that covers all wanted rows, or None if there is none.

    Args:
        rows: The columns each row may have.
        wanted: The rows to cover; the others get -1.

    >>> cover([[0, 1], [0]], [0, 1])
    [1, 0]
    """
    column_of = [-1] * len(rows)
    row_of: dict[int, int] = {}
    for row in wanted:
        if not augment(rows, row, column_of, row_of):
            return None
    return column_of


def augment(
    rows: Sequence[Sequence[int]], start: int, column_of: list[int], row_of: dict[int, int]
) -> bool:
    """Adds one row to a matching along an augmenting path (breadth first), if there is one."""
    came_from: dict[int, int] = {}
    queue = [start]
    for row in queue:
        for column in rows[row]:
            if column in came_from:
                continue
            came_from[column] = row
            other = row_of.get(column)
            if other is not None:
                queue.append(other)
                continue
            while True:
                taker = came_from[column]
                freed = column_of[taker]
                column_of[taker], row_of[column] = column, taker
                if taker == start:
                    return True
                column = freed
    return False

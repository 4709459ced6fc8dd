"""How near left-over calls come to left-over expected ones: the share of arguments that match."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from passhat.match.assignment import assignment
from passhat.match.columns import Columns, positions_in
from passhat.match.expectations import Expectation
from passhat.match.terms import Term, token
from passhat.trace import ToolCall

_MANY = 2_500
_WHOLE = 1_000_000


def nearest(expected: Sequence[Expectation], actual: Sequence[ToolCall]) -> list[int]:
    """For each expectation the call that it is compared with, by index; -1 for none.

    One-to-one, so that the shares of matching arguments add up to the most.

    Args:
        expected: Expectations of one tool.
        actual: Calls of that tool.
    """
    if len(expected) == len(actual) == 1:
        return [0]
    if len(expected) * len(actual) > _MANY:
        return _nearest_of_many(expected, actual)
    return assignment(
        [
            [1 + _WHOLE * item.right(call) // max(len(item.terms), 1) for call in actual]
            for item in expected
        ]
    )


def _nearest_of_many(expected: Sequence[Expectation], actual: Sequence[ToolCall]) -> list[int]:
    """The same for many calls: a term is judged once on each of the values that there are."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    share = np.zeros((len(expected), len(actual)))
    asking: dict[Hashable, tuple[Term, list[int]]] = {}
    for row, item in enumerate(expected):
        for term in item.terms:
            asking.setdefault(token(term), (term, []))[1].append(row)
    calls = Columns(actual)
    for term, rows in asking.values():
        columns = positions_in(calls.having([term]), range(len(actual)))
        weights = np.array([1 / len(expected[row].terms) for row in rows])
        share[np.ix_(rows, columns)] += weights[:, None]
    chosen = [-1] * len(expected)
    taken, given = linear_sum_assignment(share, maximize=True)
    for row, column in zip(taken.tolist(), given.tolist(), strict=True):
        chosen[row] = column
    return chosen

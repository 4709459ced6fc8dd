"""How near left-over calls come to left-over expected ones: the share of arguments that match."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from passhat.match.assignment import assignment
from passhat.match.edges import NORMAL_FORMS, Expectation, Term, holds, token
from passhat.trace import ToolCall
from passhat.values import ABSENT, canonical

_MANY = 2_500
_WHOLE = 1_000_000


def nearest(expected: Sequence[Expectation], actual: Sequence[ToolCall]) -> list[int]:
    """For each expectation the call that it is compared with, by index; -1 for none.

    One-to-one, so that the shares of matching arguments add up to the most.

    Args:
        expected: Expectations of one tool.
        actual: Calls of that tool.
    """
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
    having: dict[Hashable, dict[Hashable, list[int]]] = {}
    for term, rows in asking.values():
        normal = NORMAL_FORMS.get(type(term.match))
        by = (term.name, normal or canonical)
        if by not in having:
            having[by] = _alike(actual, *by)
        if normal is not None:
            columns = having[by].get(normal(term.value), [])
        else:
            columns = [
                column
                for members in having[by].values()
                if holds(term, actual[members[0]])
                for column in members
            ]
        weights = np.array([1 / len(expected[row].terms) for row in rows])
        share[np.ix_(rows, columns)] += weights[:, None]
    chosen = [-1] * len(expected)
    taken, given = linear_sum_assignment(share, maximize=True)
    for row, column in zip(taken.tolist(), given.tolist(), strict=True):
        chosen[row] = column
    return chosen


def _alike(
    actual: Sequence[ToolCall], name: str, normal: Callable[[Any], Hashable]
) -> dict[Hashable, list[int]]:
    """The calls that parsed, put together by a normal form of one argument."""
    alike: dict[Hashable, list[int]] = {}
    for column, call in enumerate(actual):
        if call.args_error is None:
            alike.setdefault(normal(call.args.get(name, ABSENT)), []).append(column)
    return alike

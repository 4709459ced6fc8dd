"""Which of many calls are worth comparing: those that have a number near enough, or a value listed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Mapping, Sequence
from math import inf, isfinite
from typing import Any

from passhat.trace import ToolCall
from passhat.values import ABSENT, canonical
from passhat.values.matchers import Anything, Exact, Number, OneOf, Set, Text, as_number

_SURE = (type(None), Exact, Text, Set, Anything, Number, OneOf)
"""Matchers that answer whatever they are asked, so that not asking them hides nothing."""

_HALF = 0.5

Twins = Sequence[int]
"""Calls that are alike in all that an expectation looks at, by index."""


class Narrowing:
    """The calls of one tool, sorted by the values of their arguments as far as that was needed.

    Args:
        actual: All calls.
        twins: Those of the tool, alike ones together.
    """

    def __init__(self, actual: Sequence[ToolCall], twins: Sequence[Twins]) -> None:
        self._actual = actual
        self._twins = twins
        self._numbers: dict[str, tuple[list[float], list[Twins], list[Twins]]] = {}
        self._listed: dict[str, dict[Hashable, list[Twins]]] = {}

    def likely(self, terms: Sequence[tuple[str, Any, Any]]) -> Sequence[Twins]:
        """The calls that may satisfy the terms: all that do are among them.

        Args:
            terms: Of each argument asked for its name, its expected value and its matcher.
        """
        for name, value, match in terms:
            if type(match) not in _SURE:
                break
            if type(match) is OneOf:
                return self._of_values(name, value if match.values is ABSENT else match.values)
            if type(match) is Number and (found := self._near(name, value, match)) is not None:
                return found
        return self._twins

    def _of_values(self, name: str, values: Any) -> Sequence[Twins]:
        if not isinstance(values, list | tuple):
            return ()
        index = self._listed.get(name)
        if index is None:
            index = self._listed[name] = {}
            for twins, value in self._having(name):
                index.setdefault(canonical(value), []).append(twins)
        return [twins for key in set(map(canonical, values)) for twins in index.get(key, ())]

    def _near(self, name: str, value: Any, match: Number) -> Sequence[Twins] | None:
        wanted = as_number(value)
        if wanted is None:
            return ()
        reach = _reach(wanted, match)
        if reach is None:
            return None
        if name not in self._numbers:
            self._numbers[name] = self._sorted(name)
        numbers, twins, beyond = self._numbers[name]
        low = bisect_left(numbers, float(wanted) - reach)
        return [*twins[low : bisect_right(numbers, float(wanted) + reach)], *beyond]

    def _sorted(self, name: str) -> tuple[list[float], list[Twins], list[Twins]]:
        """The numbers in order with whose they are, and the calls whose numbers no float holds."""
        found: list[tuple[float, int, Twins]] = []
        beyond: list[Twins] = []
        for at, (twins, value) in enumerate(self._having(name)):
            number = as_number(value)
            if number is None or number != number:
                continue
            try:
                found.append((float(number), at, twins))
            except OverflowError:
                beyond.append(twins)
        found.sort()
        return [number for number, _, _ in found], [twins for _, _, twins in found], beyond

    def _having(self, name: str) -> list[tuple[Twins, Any]]:
        calls = [(twins, self._actual[twins[0]]) for twins in self._twins]
        return [
            (twins, call.args[name])
            for twins, call in calls
            if call.args_error is None and isinstance(call.args, Mapping) and name in call.args
        ]


def _reach(wanted: float, match: Number) -> float | None:
    """How far a number may be from the wanted one and still match; None where nothing bounds it.

    Never too little: the share is of the larger of the two, which is at most so much larger.
    """
    rel = match.rel if match.rel is not None else (1e-9 if match.abs is None else 0.0)
    far = match.abs or 0.0
    try:
        size = abs(float(wanted))
    except OverflowError:
        return None
    if not (0 <= rel <= _HALF and 0 <= far < inf and isfinite(size)):
        return None
    return max(far, rel * size / (1 - rel)) * (1 + 1e-9) + size * 1e-12

"""Many calls of one tool by the values of each argument, so that each value is compared once.

What an expected call says of an argument is judged on the values that there are, and the calls that
satisfy it are those that all its arguments have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress

from passhat.match.expectations import Expectation
from passhat.match.finding import accepting
from passhat.match.held import CallSet, Values, bits
from passhat.match.terms import Term
from passhat.trace import ToolCall
from passhat.values.matchers import Anything

_SPARSE = 16
_TRUTH = bytes.maketrans(b"01", b"\0\1")


class Columns:
    """The calls of one tool, by the values of each argument.

    Args:
        calls: The calls.

    >>> columns = Columns([ToolCall("f", {"x": at % 2}) for at in range(4)])
    >>> positions_in(columns.having([Term("x", 1, None)]), range(4))
    [1, 3]
    """

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self._calls = calls
        self._parsed = [at for at, call in enumerate(calls) if call.args_error is None]
        self._all_parsed = bits(self._parsed)
        self._by_name: dict[str, Values] = {}
        self._by_names: dict[frozenset[str], CallSet] | None = None

    def accepted(self, wanted: Expectation) -> CallSet:
        """The calls that satisfy an expectation of the tool."""
        if wanted.name_is_all:
            return (1 << len(self._calls)) - 1
        found = self.having(wanted.terms)
        return (
            found & self._within(wanted.allowed) if found and wanted.allowed is not None else found
        )

    def having(self, terms: Iterable[Term]) -> CallSet:
        """The calls that parsed and have all arguments as asked, each looked at where need be."""
        found = self._all_parsed
        for term in terms:
            if found and type(term.match) is not Anything:
                found &= accepting(self._values(term.name), term.match, term.value, found)
        return found

    def _values(self, name: str) -> Values:
        """The values of an argument."""
        values = self._by_name.get(name)
        if values is None:
            calls = self._calls
            values = self._by_name[name] = Values(
                (calls[at].args[name], 1 << at) for at in self._parsed if name in calls[at].args
            )
        return values

    def _within(self, allowed: frozenset[str]) -> CallSet:
        """The calls that have no arguments but those allowed."""
        if self._by_names is None:
            places: dict[frozenset[str], list[int]] = {}
            for at in self._parsed:
                places.setdefault(frozenset(self._calls[at].args), []).append(at)
            self._by_names = {names: bits(held) for names, held in places.items()}
        found = 0
        for names, held in self._by_names.items():
            if names <= allowed:
                found |= held
        return found


def positions_in(found: CallSet, names: Sequence[int]) -> list[int]:
    """What the calls of a set are called, in order.

    >>> positions_in(0b101, [7, 8, 9])
    [7, 9]
    """
    if found.bit_count() <= _SPARSE:
        few = []
        while found:
            lowest = found & -found
            few.append(names[lowest.bit_length() - 1])
            found ^= lowest
        return few
    return list(compress(names, bin(found)[:1:-1].encode().translate(_TRUTH)))

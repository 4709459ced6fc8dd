"""Which actual call satisfies which expected one: the edges that pairing chooses from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from passhat.match.columns import Columns, positions_in
from passhat.match.expectations import Expectation
from passhat.trace import ToolCall

_FEW = 16

Edges = list[list[int]]
"""For each expectation, the actual calls that satisfy it, in order."""


def edges(actual: Sequence[ToolCall], expected: Sequence[Expectation]) -> Edges:
    """For each expectation the actual calls that satisfy it, by index, in order.

    Comparisons are made once for each pair of different values, whatever the number of calls.
    """
    by_name: dict[str, list[int]] = {}
    for index, call in enumerate(actual):
        by_name.setdefault(call.name, []).append(index)
    wanted: dict[str, list[int]] = {}
    for index, expectation in enumerate(expected):
        wanted.setdefault(expectation.call.name, []).append(index)
    rows: Edges = [[] for _ in expected]
    for name, places in wanted.items():
        calls = by_name.get(name)
        if not calls:
            continue
        if len(calls) * len(places) <= _FEW:
            for place in places:
                accepts = expected[place].accepts
                rows[place] = [index for index in calls if accepts(actual[index])]
        else:
            columns = Columns([actual[index] for index in calls])
            known: dict[Hashable, list[int]] = {}
            for place in places:
                wanted_here = expected[place]
                signature = wanted_here.signature()
                if signature not in known:
                    known[signature] = positions_in(columns.accepted(wanted_here), calls)
                rows[place] = known[signature]
    return rows

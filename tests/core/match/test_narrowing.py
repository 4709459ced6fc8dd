"""Which of many calls are compared at all: none that matches is left out."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from passhat import ExpectedCall, match_trajectory
from passhat.match.edges import edges, expectations
from passhat.match.narrowing import Narrowing
from passhat.trace import ToolCall
from passhat.values.matchers import Number, OneOf

MANY = 40
NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.1 + 0.2, 0.3, 10**400, -(10**400), 2**53 + 1, 1e308, -1e308, 5e-324]),
)
VALUES = st.one_of(
    NUMBERS,
    st.none(),
    st.booleans(),
    st.sampled_from(["1", "1.0", "1,000", "a", "", " 3 "]),
    st.lists(st.integers(0, 1), max_size=2),
)
TOLERANCES = st.one_of(st.none(), st.floats(0, 3), st.sampled_from([0.0, 1e-9, 0.01, 1e300]))


def brute(calls: list[ToolCall], wanted: list[ExpectedCall]) -> list[list[int]]:
    return [
        [at for at, call in enumerate(calls) if expectation.accepts(call)]
        for expectation in expectations(wanted)
    ]


@given(
    st.lists(st.dictionaries(st.sampled_from("xy"), VALUES), min_size=18, max_size=MANY),
    st.lists(
        st.tuples(VALUES, TOLERANCES, TOLERANCES, st.lists(VALUES, max_size=4), st.booleans()),
        min_size=1,
        max_size=6,
    ),
)
def test_narrowing_leaves_out_no_call_that_matches(args, asked):
    calls = [ToolCall("t", each) for each in args]
    wanted = []
    for value, near, share, values, listed in asked:
        if listed:
            wanted.append(ExpectedCall("t", {"x": value}, match={"x": OneOf(tuple(values))}))
        else:
            wanted.append(ExpectedCall("t", {"x": value}, match={"x": Number(near, share)}))
    assert edges(calls, expectations(wanted)) == brute(calls, wanted)


def test_narrowing_compares_few_of_many():
    calls = [ToolCall("t", {"x": at / 10, "y": at}) for at in range(2000)]
    narrowing = Narrowing(calls, [[at] for at in range(2000)])
    near = narrowing.likely([("x", 50.0, Number(abs=0.2))])
    assert sorted(twins[0] for twins in near) == [498, 499, 500, 501, 502]
    assert narrowing.likely([("y", [7, 7.0, 9, True], OneOf())]) in ([[7], [9]], [[9], [7]])
    assert narrowing.likely([("x", "none", Number())]) == ()
    assert len(narrowing.likely([("x", math.inf, Number(abs=1))])) == 2000


def test_two_thousand_of_two_thousand_listed_values_pair_fully():
    calls = [{"name": "t", "args": {"k": [at]}} for at in range(2000)]
    expected = [
        ExpectedCall("t", {"k": [at]}, match={"k": {"one_of": [[at], [at - 1]]}})
        for at in reversed(range(2000))
    ]
    match = match_trajectory(calls, expected, "unordered")
    assert match.ok
    assert len(match.pairs) == 2000

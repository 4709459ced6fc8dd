"""Each matcher finds among many calls those that it accepts when it is asked of each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat import ExpectedCall, match_trajectory
from passhat.match.edges import edges
from passhat.match.expectations import expectations
from passhat.trace import ToolCall
from passhat.values.matchers import NotEvaluated, Number, OneOf

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
def test_numbers_and_listed_values_find_what_comparing_finds(args, asked):
    calls = [ToolCall("t", each) for each in args]
    wanted = []
    for value, near, share, values, listed in asked:
        if listed:
            wanted.append(ExpectedCall("t", {"x": value}, match={"x": OneOf(tuple(values))}))
        else:
            wanted.append(ExpectedCall("t", {"x": value}, match={"x": Number(near, share)}))
    assert edges(calls, expectations(wanted)) == brute(calls, wanted)


DATES = st.sampled_from([
    "2024-05-20", "May 20, 2024", "20.5.2024", "2024-05-20T10:00:00", "2024-05-20T10:00:00Z",
    "2024-05-20T12:00:00+02:00", "2024-05-21T01:00:00+14:00", "2024-05-20T10:00:00.000001Z",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "05/06/2024", "soon", "", 20240520,
])  # fmt: skip
TEXTS = st.sampled_from(["VPN on Mac", "vpn", "", " Mac ", "ﬁle", "file", "k", "a.c"])
NESTED = st.recursive(
    st.sampled_from([1, 1.0, True, None, "k", "vpn", "5", float("nan")]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("kab"), inner),
    max_leaves=5,
)
ANY = DATES | TEXTS | NESTED
SPECS = st.sampled_from([
    "date", "contains", "subset", "text", "set", "number", "one_of", "auto", "exact", "any",
    {"date": {"day_first": True}}, {"contains": "vpn"}, {"contains": ["k"]}, {"regex": "[a-zA-Z ]+"},
    {"regex": ".*a.*"}, {"schema": {"type": "string"}}, {"schema": {"required": ["k"]}},
])  # fmt: skip
TOOLS = {
    "t": {
        "properties": {
            "x": {"type": "object", "properties": {"k": {"type": "number"}, "a": {}}},
            "y": {"type": "array", "items": {"type": "string"}},
            "z": {"type": "number"},
        }
    }
}


@given(
    st.lists(
        st.tuples(st.dictionaries(st.sampled_from("xyz"), ANY, max_size=3), st.booleans()),
        min_size=18,
        max_size=MANY,
    ),
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from("xyz"), ANY, max_size=2),
            st.dictionaries(st.sampled_from("xyz"), SPECS, max_size=2),
            st.booleans(),
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_every_matcher_finds_what_comparing_finds(made, asked):
    calls = [ToolCall("t", args, args_error=None if parsed else "{x") for args, parsed in made]
    wanted = [
        ExpectedCall("t", args, match=match, extra_args="forbid" if alone else "allow")
        for args, match, alone in asked
    ]
    ready = expectations(wanted, "auto", TOOLS)
    assert edges(calls, ready) == [
        [at for at, call in enumerate(calls) if expectation.accepts(call)] for expectation in ready
    ]


def test_a_matcher_of_ones_own_is_asked_once_of_each_value_that_matters():
    asked = []

    def alike(actual, expected):
        asked.append((actual, expected))
        return actual == expected

    calls = [ToolCall("t", {"x": at % 2, "y": at % 5}) for at in range(100)]
    wanted = [
        ExpectedCall("t", {"x": 1, "y": at % 3}, match={"y": alike}, extra_args=extra)
        for at in range(6)
        for extra in ("allow", "forbid")
    ]
    assert edges(calls, expectations(wanted)) == brute(calls, wanted)
    asked.clear()
    edges(calls, expectations(wanted))
    assert sorted(asked) == [(actual, expected) for actual in range(5) for expected in range(3)]


def test_a_matcher_that_refuses_is_not_asked_where_another_argument_settles_it():
    calls = [ToolCall("t", {"x": at, "y": "meaning"}) for at in range(20)]
    wanted = [ExpectedCall("t", {"x": -1, "y": "sense"}, match={"y": "semantic"})]
    assert edges(calls, expectations(wanted)) == [[]]
    wanted = [ExpectedCall("t", {"x": 1, "y": "sense"}, match={"y": "semantic"})]
    with pytest.raises(NotEvaluated):
        edges(calls, expectations(wanted))


def test_two_thousand_of_two_thousand_listed_values_pair_fully():
    calls = [{"name": "t", "args": {"k": [at]}} for at in range(2000)]
    expected = [
        ExpectedCall("t", {"k": [at]}, match={"k": {"one_of": [[at], [at - 1]]}})
        for at in reversed(range(2000))
    ]
    match = match_trajectory(calls, expected, "unordered")
    assert match.ok
    assert len(match.pairs) == 2000

"""The edges that pairing chooses from: shared comparisons give what single ones give."""

from hypothesis import given
from hypothesis import strategies as st

from passhat.case import ExpectedCall
from passhat.match.edges import edges, expectations
from passhat.trace import ToolCall

values = st.sampled_from([1, 1.0, True, "1", " a", "A", None, [1, 2], [2, 1], {"k": 1}])
args = st.dictionaries(st.sampled_from("xyz"), values, max_size=3)
matchers = st.dictionaries(
    st.sampled_from("xyz"),
    st.sampled_from(["text", "set", "number", "any", {"one_of": [1, "A"]}, {"regex": "[0-9]"}]),
    max_size=2,
)
calls = st.lists(
    st.builds(
        lambda given, broken: ToolCall("f", {} if broken else given, args_error=broken),
        args,
        st.sampled_from([None, None, None, "{x"]),
    ),
    min_size=5,
    max_size=12,
)
expected = st.lists(
    st.builds(
        lambda given, match, extra: ExpectedCall("f", given, match, extra),
        st.none() | args,
        matchers,
        st.sampled_from(["allow", "allow", "forbid"]),
    ),
    min_size=4,
    max_size=8,
)


@given(calls, expected)
def test_shared_comparisons_give_what_single_ones_give(made, wanted):
    ready = expectations(tuple(wanted))
    found = edges(made, ready)
    assert found == [[i for i, call in enumerate(made) if r.accepts(call)] for r in ready]


@given(calls, expected)
def test_a_call_is_accepted_exactly_when_nothing_differs(made, wanted):
    for item in expectations(tuple(wanted)):
        for call in made:
            if call.args_error is None:
                assert item.accepts(call) is not bool(item.differences(call))

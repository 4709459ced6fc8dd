"""The edges that pairing chooses from: shared comparisons give what single ones give."""

from hypothesis import given
from hypothesis import strategies as st

from passhat.case import ExpectedCall
from passhat.match import match_trajectory
from passhat.match.edges import edges
from passhat.match.expectations import expectations
from passhat.match.plain import packed_args, plain_edges
from passhat.trace import ToolCall
from passhat.values.equality import packed, packed_each

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


odd = st.sampled_from([1, 1.0, True, "1", None, float("nan"), [1], [1.0], {"k": 1}, {1, 2}, 2**70])
bare = st.dictionaries(st.sampled_from("xyz"), odd, max_size=3)


@given(
    st.lists(
        st.builds(
            lambda name, given, broken: ToolCall(name, given, args_error=broken),
            st.sampled_from("fg"),
            bare,
            st.sampled_from([None, None, None, "{x"]),
        ),
        max_size=12,
    ),
    st.lists(st.builds(ExpectedCall, st.sampled_from("fg"), st.none() | bare), max_size=8),
)
def test_plain_comparisons_give_what_prepared_ones_give(made, wanted):
    haves = packed_each([call.args for call in made])
    found = plain_edges(made, wanted, [packed_args(call) for call in wanted], haves)
    assert found is not None
    rows, to_the_byte = found
    assert rows == [
        [i for i, call in enumerate(made) if call.name == r.call.name and r.accepts(call)]
        for r in expectations(tuple(wanted))
    ]
    assert to_the_byte is all(
        made[at].args_error is None and b"" != packed(made[at].args) == packed_args(call)
        for call, row in zip(wanted, rows, strict=True)
        for at in row
    )


def test_plain_comparisons_give_up_where_most_calls_look_alike():
    made = [ToolCall("f", {"x": [at % 3]}) for at in range(300)]
    wanted = [ExpectedCall("f", {"x": [at % 3]}) for at in range(300)]
    haves = packed_each([call.args for call in made])
    assert plain_edges(made, wanted, [packed_args(call) for call in wanted], haves) is None
    assert match_trajectory(made, wanted, "exact").ok
    assert match_trajectory(made[::-1], wanted, "unordered").ok

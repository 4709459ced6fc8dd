"""A before B: in an earlier request, successful, with the same join key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import UsageError
from passhat.match import precedence, read_rule
from passhat.trace import ToolCall


def counts(calls, rule):
    found = precedence(calls, rule)
    return found.satisfied, found.judged


def test_asked_for_together_is_not_before():
    together = [ToolCall("a", request=0), ToolCall("b", request=0)]
    assert counts(together, ["a", "b"]) == (0, 1)
    assert counts(["a", "b"], ["a", "b"]) == (1, 1)


def test_a_failed_or_pending_call_does_not_come_before():
    assert counts([ToolCall("a", error="no"), ToolCall("b")], ["a", "b"]) == (0, 1)
    assert counts([ToolCall("a", executed=False), ToolCall("b")], ["a", "b"]) == (0, 1)


def test_with_no_b_there_is_nothing_to_judge():
    assert counts(["a"], ["a", "b"]) == (0, 0)


def test_one_a_serves_every_later_b():
    assert counts(["a", "b", "b"], ["a", "b"]) == (2, 2)


def test_calls_are_joined_by_a_value():
    calls = [
        {"name": "lookup", "args": {"id": "A1"}},
        {"name": "refund", "args": {"order_id": "A1"}},
        {"name": "refund", "args": {"order_id": "A2"}},
        {"name": "refund", "args": {}},
    ]
    same = {"lookup": "id", "refund": "order_id"}
    found = precedence(calls, ["lookup", {"name": "refund", "same": same}])
    assert (found.satisfied, found.judged) == (1, 3)
    assert [violation.index for violation in found.violations] == [2, 3]
    assert found.violations[0].reason == "refund came without lookup for id='A2' before it"
    assert precedence(calls, ["lookup", "refund", {"same": same}]).violations == found.violations


def test_a_condition_joins_two_calls():
    calls = [
        {"name": "quote", "args": {"amount": 10}},
        {"name": "pay", "args": {"amount": 9}},
        {"name": "pay", "args": {"amount": 11}},
    ]
    rule = ["quote", "pay", {"where": "b.args.amount <= a.args.amount"}]
    assert counts(calls, rule) == (1, 2)


def test_sides_may_say_arguments():
    rule = [{"name": "auth", "args": {"level": 2}}, "pay"]
    assert counts([{"name": "auth", "args": {"level": 1}}, "pay"], rule) == (0, 1)
    assert counts([{"name": "auth", "args": {"level": 2}}, "pay"], rule) == (1, 1)


@pytest.mark.parametrize(
    "rule",
    ["ab", ["a"], ["a", "b", "c"], ["a", 3], [{"args": {}}, "b"], ["a", {"name": "b", "same": 3}]],
)
def test_what_is_no_rule_is_an_error(rule):
    with pytest.raises(UsageError, match=r"before:|expected call"):
        read_rule(rule)


calls = st.lists(
    st.builds(
        lambda name, key, gap, failed: (ToolCall(name, {"k": key}, error=failed), gap),
        st.sampled_from("ab"),
        st.integers(0, 2),
        st.booleans(),
        st.sampled_from([None, None, "no"]),
    ),
    max_size=8,
)


@given(calls, st.booleans())
def test_precedence_is_its_definition(drawn, joined):
    request, made = 0, []
    for call, gap in drawn:
        request += gap
        made.append(ToolCall(call.name, call.args, error=call.error, request=request))
    judged = [b for b in made if b.name == "b"]
    satisfied = [
        b
        for b in judged
        if any(
            a.name == "a"
            and not a.failed
            and a.request < b.request
            and (not joined or a.args["k"] == b.args["k"])
            for a in made
        )
    ]
    rule = ["a", "b", {"same": "k"}] if joined else ["a", "b"]
    assert counts(made, rule) == (len(satisfied), len(judged))

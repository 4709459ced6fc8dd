"""The checks of order: precedence and approval."""

import pytest

from passhat.case import Case
from passhat.trace import ToolCall, TraceBuilder

NEEDS_YES = Case("c", requires_approval=True, writes=["refund"])


def test_precedence_pools_the_calls_of_all_rules(run, judge):
    case = Case("c", before=[["lookup", "refund"], ["lookup", "email"], ["x", "never"]])
    result = judge("precedence", run("refund", "lookup", "refund", "email"), case)
    assert (result.status, result.evidence["hits"], result.evidence["of"]) == ("failed", 2, 3)
    assert result.reason == "refund came without lookup before it (call 0)"
    assert result.evidence["violations"][0]["rule"] == "lookup before refund"
    assert judge("precedence", run("lookup", "refund"), case).status == "passed"


def test_precedence_without_a_later_call_has_nothing_to_judge(run, judge):
    result = judge("precedence", run("lookup"), Case("c", before=[["lookup", "refund"]]))
    assert result.status == "not_evaluated"
    assert result.reason == "no call of refund, so nothing had to come before it"


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        (["agent: Refund it?", "user: Yes, please.", "refund"], "passed"),
        (["agent: Please confirm.", "user: Oh. Yes, go ahead", "refund"], "passed"),
        (["agent: Refund it?", "user: yes", "refund", "refund"], "passed"),
        (["agent: Refund it?", "user: Yes, but don't email me", "refund"], "passed"),
        (["refund"], "failed"),
        (["agent: I looked at it.", "user: Yes, refund it", "refund"], "failed"),
        (["agent: Refund it?", "user: Please make sure it is A1", "refund"], "failed"),
        (["agent: Refund it?", "user: No, thanks", "refund"], "failed"),
        (["agent: Refund it?", "user: No, thanks"], "passed"),
        (["agent: Refund it?", "user: I don't know. Yes?", "refund"], "failed"),
        (["agent: Refund it?", "user: yes", "agent: Done.", "user: Again", "refund"], "failed"),
        (["lookup"], "passed"),
    ],
)
def test_the_users_words_confirm_what_the_agent_asked(run, judge, steps, status):
    assert judge("approval", run(*steps), NEEDS_YES).status == status


def test_a_decline_and_no_word_at_all_are_told_apart(run, judge):
    declined = judge("approval", run("agent: Ok?", "user: no", "refund"), NEEDS_YES)
    assert declined.reason == "refund (call 0) was made although it had been declined"
    assert declined.evidence["calls"][0] == {
        "index": 0,
        "name": "refund",
        "confirmed": False,
        "by": "user",
    }
    silent = judge("approval", run("lookup", "refund"), NEEDS_YES)
    assert silent.reason == "refund (call 1) was made without a confirmation"


@pytest.mark.parametrize(
    ("result", "together", "status"),
    [
        ({"confirmed": True}, False, "passed"),
        ("yes", False, "passed"),
        ('{"confirmed": true}', False, "passed"),
        ({"confirmed": False}, False, "failed"),
        ("unclear", False, "failed"),
        ({"confirmed": True}, True, "failed"),
    ],
)
def test_a_confirmation_tool_answers_before_the_call_is_asked_for(
    run, call, judge, result, together, status
):
    asked = call("ask_user", result=result)
    trace = run([asked, "refund"]) if together else run(asked, "refund")
    assert judge("approval", trace, NEEDS_YES, confirm_tools=["ask_user"]).status == status


def test_a_confirmation_that_comes_after_is_none(run, call, judge):
    trace = run("refund", call("ask_user", result={"confirmed": True}))
    assert judge("approval", trace, NEEDS_YES, confirm_tools=["ask_user"]).status == "failed"


def interrupted(answer, *, pending=("1",), ran=True, resumed=True, second=None):
    build = TraceBuilder("t")
    build.user("Refund A1 and A2")
    calls = [ToolCall("refund", {"id": "A1"}, id="1")]
    if second:
        calls.append(ToolCall("refund", {"id": "A2"}, id="2"))
    build.assistant(calls=calls)
    build.interrupt("approve?", pending=pending)
    if resumed:
        build.resume(answer)
        for call in calls:
            build.result("ok" if ran else "declined", call_id=call.id, executed=ran)
        build.assistant("Done.")
    return build.trace()


@pytest.mark.parametrize(
    ("answer", "ran", "status"),
    [
        (True, True, "passed"),
        ("approve", True, "passed"),
        ({"decisions": [{"type": "approve"}]}, True, "passed"),
        ({"decisions": [{"type": "edit", "edited_action": {}}]}, True, "passed"),
        ([{"type": "accept"}], True, "passed"),
        ({"confirmed": True, "payload": {}}, True, "passed"),
        (False, True, "failed"),
        (False, False, "passed"),
        ({"decisions": [{"type": "reject", "message": "yes, but not now"}]}, True, "failed"),
        ({"type": "response", "args": "later"}, True, "failed"),
        ({"hint": "yes"}, True, "failed"),
        (None, True, "failed"),
        (7, True, "failed"),
    ],
)
@pytest.mark.parametrize("pending", [("1",), ()])
def test_an_interrupt_answers_for_the_call_that_waits(judge, answer, ran, status, pending):
    assert judge("approval", interrupted(answer, ran=ran, pending=pending), NEEDS_YES).status == (
        status
    )


def test_each_of_several_waiting_calls_has_its_own_answer(judge):
    answer = {"decisions": [{"type": "approve"}, {"type": "reject"}]}
    trace = interrupted(answer, pending=("1", "2"), second=True)
    result = judge("approval", trace, NEEDS_YES)
    assert (result.evidence["hits"], result.evidence["of"]) == (1, 2)


def test_a_call_that_still_waits_does_not_count(judge):
    result = judge("approval", interrupted(None, resumed=False), NEEDS_YES)
    assert (result.status, result.evidence["of"]) == ("passed", 0)


def test_which_tools_need_a_confirmation(run, judge):
    trace = run("refund")
    assert judge("approval", trace, Case("c", requires_approval=["refund"])).status == "failed"
    assert judge("approval", trace, Case("c", requires_approval=["email"])).status == "passed"
    assert judge("approval", trace, NEEDS_YES, tools=["email"]).status == "passed"
    unnamed = judge("approval", trace, Case("c", requires_approval=True))
    assert unnamed.status == "not_evaluated"


def test_words_can_be_named_or_turned_off(run, judge):
    trace = run("agent: ¿Confirma?", "user: Sí, claro", "refund")
    assert judge("approval", trace, NEEDS_YES).status == "failed"
    assert judge("approval", trace, NEEDS_YES, yes=["sí"]).status == "passed"
    english = run("agent: Ok?", "user: yes", "refund")
    assert judge("approval", english, NEEDS_YES, yes=[]).status == "failed"


def test_calls_inside_other_calls_need_their_confirmation_too(run, call, judge):
    assert judge("approval", run(call("refund", parent="x")), NEEDS_YES).status == "failed"


def test_in_a_turn_by_itself_the_first_message_is_taken_for_an_answer(run, judge):
    trace = run("agent: Refund it?", "user: Yes", "refund", says=None)
    assert judge("approval", trace.turns[1], NEEDS_YES).status == "passed"
    trace = run("agent: Refund it?", "user: Hm", "refund", says=None)
    assert judge("approval", trace.turns[1], NEEDS_YES).status == "failed"

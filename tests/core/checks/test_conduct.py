"""The checks of conduct: budget, loops, refusal, clarification."""

import pytest

from passhat.case import Case
from passhat.errors import UsageError
from passhat.trace import Message, ToolCall, Trace, TraceBuilder, Usage


@pytest.mark.parametrize(
    ("budget", "fields", "status", "reason"),
    [
        ({"tool_calls": 2, "turns": 1, "requests": 3}, {}, "passed", ""),
        ({"tool_calls": 1}, {}, "failed", "tool_calls 2 is over 1"),
        ({"requests": 2}, {}, "failed", "requests 3 is over 2"),
        ({"seconds": 5}, {}, "not_evaluated", "the trace does not tell all of seconds"),
        ({"seconds": 5}, {"started": 10, "ended": 14}, "passed", ""),
        ({"seconds": 3}, {"started": 10, "ended": 14}, "failed", "seconds 4 is over 3"),
        ({"tokens": 9, "tool_calls": 1}, {}, "failed", "tool_calls 2 is over 1"),
        ({"tokens": 15}, {"usage": Usage(10, 5)}, "passed", ""),
        ({"tokens": 14}, {"usage": Usage(10, 5)}, "failed", "tokens 15 is over 14"),
        ({"cost": 1}, {"usage": Usage(10, 5)}, "not_evaluated", "the trace does not tell all of cost"),
        ({"cost": 0.3}, {"usage": Usage(cost=0.1) + Usage(cost=0.2)}, "passed", ""),
    ],
)  # fmt: skip
def test_budget(run, judge, budget, fields, status, reason):
    result = judge("budget", run("a", "b", **fields), Case("c", budget=budget))
    assert (result.status, result.reason) == (status, reason)


def test_a_part_of_the_tokens_is_a_lower_bound(judge):
    steps = (
        Message("user", "hi"),
        Message("assistant", request=0, usage=Usage(100, 20)),
        Message("assistant", "bye", request=1),
    )
    trace = Trace("t", steps=steps)
    assert judge("budget", trace, Case("c", budget={"tokens": 119})).status == "failed"
    assert judge("budget", trace, Case("c", budget={"tokens": 500})).status == "not_evaluated"


def test_budget_options_go_with_the_cases_budget(run, judge):
    case = Case("c", budget={"tool_calls": 1, "turns": 5})
    assert judge("budget", run("a", "b"), case, tool_calls=2).status == "passed"
    assert judge("budget", run("a", "b"), Case("c"), turns=0).reason == "turns 1 is over 0"
    assert judge("budget", run("a"), Case("c")).status == "not_evaluated"


def test_a_budget_is_known_only_where_its_measure_is(run, judge):
    trace = run("a", gaps=("calls: one checkpoint was kept",))
    assert judge("budget", trace, Case("c", budget={"tool_calls": 5})).status == "not_evaluated"
    assert judge("budget", trace, Case("c", budget={"tool_calls": 0})).status == "failed"


@pytest.mark.parametrize(
    ("budget", "nested", "status"),
    [
        ({"tool_calls": 1}, None, "passed"),
        ({"tool_calls": 1}, "include", "not_evaluated"),
        ({"tool_calls": 0}, "include", "failed"),
        ({"requests": 9}, None, "not_evaluated"),
        ({"tokens": 9}, None, "not_evaluated"),
    ],
)
def test_what_was_spent_inside_calls_is_not_within_a_budget_where_nobody_saw_it(
    judge, budget, nested, status
):
    steps = (
        Message("assistant", request=0, usage=Usage(2, 2)),
        ToolCall("clerk", request=0),
        Message("assistant", "Done.", request=1, usage=Usage(2, 2)),
    )
    trace = Trace("t", steps=steps, gaps=("calls inside: nobody saw them",))
    assert judge("budget", trace, Case("c", budget=budget, nested=nested)).status == status


@pytest.mark.parametrize(
    "budget", [{"tool_call": 1}, {"turns": -1}, {"turns": "3"}, {"cost": True}]
)
def test_a_budget_that_is_none_is_the_suites_fault(run, judge, budget):
    with pytest.raises(UsageError, match="budget"):
        judge("budget", run("a"), Case("c", budget=budget))


@pytest.mark.parametrize(
    ("outcomes", "loops"),
    [
        ("FFF", [(0, 3)]),
        ("FF", []),
        ("FFS", []),
        ("FFSFF", []),
        ("SSSS", [(1, 3)]),
        ("SSS", []),
        ("STSTST", []),
        ("FFFF-FFF", [(0, 4), (5, 3)]),
        ("FF-F", []),
        ("???", [(0, 3)]),
    ],
)
def test_loops_are_equal_calls_in_a_row_that_bring_nothing_new(run, call, judge, outcomes, loops):
    """F fails, S and T succeed with two results, ? has no answer, - is another call."""
    made = {
        "F": call("a", {"x": 1}, error="no"),
        "S": call("a", {"x": 1.0}, result="s"),
        "T": call("a", {"x": 1}, result="t"),
        "?": call("a", {"x": 1}, error=None),
        "-": call("b"),
    }
    result = judge("loops", run(*(made[outcome] for outcome in outcomes)))
    assert [(loop["index"], loop["times"]) for loop in result.evidence["loops"]] == loops
    assert result.status == ("failed" if loops else "passed")


def test_loops_says_which_call_and_how_often(run, call, judge):
    trace = run(*[call("a", {"x": 1}, error="no")] * 3, *[call("a", {"x": 2}, error="no")] * 3)
    result = judge("loops", trace)
    assert result.reason == (
        "a(x=1) was made 3 times in a row and brought nothing new; "
        "a(x=2) was made 3 times in a row and brought nothing new"
    )
    assert judge("loops", trace, times=4).status == "passed"
    with pytest.raises(UsageError, match="2 or more"):
        judge("loops", trace, times=1)


@pytest.mark.parametrize(
    ("refuse", "steps", "says", "case", "status"),
    [
        (True, [], "I’m sorry, I can’t do that.", {}, "passed"),
        (True, [], "Of course, done!", {}, "failed"),
        (True, ["refund"], "I cannot do that.", {}, "failed"),
        (True, ["lookup"], "I cannot do that.", {"writes": ["refund"]}, "passed"),
        (True, ["refund"], "I cannot do that.", {"writes": ["refund"]}, "failed"),
        (True, ["lookup"], "I cannot do that.", {"optional_calls": ["lookup"]}, "passed"),
        (True, ["lookup"], "I cannot do that.", {"expected_calls": ["lookup"]}, "passed"),
        (True, [], None, {}, "failed"),
        (False, [], "Of course, done!", {}, "passed"),
        (False, [], "I am unable to do that.", {}, "failed"),
        (False, ["refund"], "I can't add more.", {"writes": ["refund"]}, "passed"),
        (False, ["lookup"], "I can't do it.", {"writes": ["refund"]}, "failed"),
        (False, ["lookup"], None, {}, "passed"),
        (False, [], None, {}, "not_evaluated"),
    ],
)
def test_refusal_both_ways(run, judge, refuse, steps, says, case, status):
    result = judge("refusal", run(*steps, says=says), Case("c", refuse=refuse, **case))
    assert result.status == status
    if status != "not_evaluated":
        assert result.evidence["expected"] is refuse
        assert result.evidence["refused"] is (refuse == (status == "passed"))


def test_a_failed_write_did_nothing(run, call, judge):
    case = Case("c", refuse=True, writes=["refund"])
    assert (
        judge("refusal", run(call("refund", error="no"), says="I can't."), case).status == "passed"
    )


def test_refusals_can_be_named(run, judge):
    case = Case("c", refuse=True)
    assert judge("refusal", run(says="Das geht nicht."), case).status == "failed"
    assert judge("refusal", run(says="Das geht nicht."), case, phrases=["geht nicht"]).score == 1


@pytest.mark.parametrize(
    ("steps", "case", "status"),
    [
        (["agent: Which order?", "user: A1", "refund"], {}, "passed"),
        (["refund", "agent: Which order?"], {}, "failed"),
        (["lookup", "agent: Which order?", "user: A1", "refund"], {"writes": ["refund"]}, "passed"),
        (["lookup", "agent: Which order?", "user: A1", "refund"], {}, "failed"),
        (["log", "agent: Which order?"], {"optional_calls": ["log"]}, "passed"),
        (["agent: I will look.", "user: ok", "refund"], {}, "failed"),
        ([], {}, "failed"),
        (["agent: どの注文ですか？"], {}, "passed"),
    ],
)
def test_clarification_asks_before_it_acts(run, judge, steps, case, status):
    assert judge("clarification", run(*steps), Case("c", clarify=True, **case)).status == status


def test_a_question_beside_a_call_waits_for_no_answer(judge, call):
    build = TraceBuilder("t")
    build.user("Refund it")
    build.assistant("Shall I?", [call("refund")])
    assert judge("clarification", build.trace()).status == "failed"
    asked = TraceBuilder("t")
    asked.user("Refund it")
    asked.interrupt("Which order?")
    assert judge("clarification", asked.trace()).evidence["question"] == "Which order?"

"""Ways to pass where nothing was tested, or to raise pass^k by failing cleverly: none of them works."""

import pytest

import passhat
from passhat.case import Case, Suite
from passhat.errors import EstimationError, UsageError
from passhat.grading import grade
from passhat.reliability import Results
from passhat.result import CheckResult
from passhat.trace import Message, ToolCall, Trace

ASKED = Trace("t", steps=(Message("user", "hi"),))
DELETED = Trace("t", steps=(Message("user", "hi"), ToolCall("del_db", request=0)))


@pytest.mark.parametrize(
    "case",
    [
        Case("c", expected_calls=[]),
        Case("c", expected_calls=["a"], mode="subset"),
        Case("c", expected_calls=[{"name": "a", "optional": True}]),
        Case("c", budget={"tool_calls": 3}),
    ],
)
def test_a_run_that_did_nothing_at_all_does_not_pass(case):
    assert grade(ASKED, case).status == "not_evaluated"


@pytest.mark.parametrize("mode", ["superset", "in_order"])
def test_expectations_that_no_run_can_fail_do_not_pass(mode):
    assert grade(DELETED, Case("c", expected_calls=[], mode=mode)).status == "not_evaluated"


def test_no_calls_stay_no_calls_under_a_default_mode_and_as_an_empty_group():
    suite = Suite("s", [Case("c", expected_calls=[])], defaults={"mode": "superset"})
    assert grade(DELETED, suite.cases[0]).status == "failed"
    assert grade(DELETED, Case("c", expected_calls=[[]])).status == "failed"


def test_a_turn_that_never_came_fails_whatever_the_case_expects():
    case = Case("c", turns=[{"input": "a"}, {"input": "b"}], response={"includes": ["ok"]})
    trace = Trace("t", steps=(Message("user", "a"), Message("assistant", "ok", request=0)))
    trial = grade(trace, case)
    assert trial.status == "failed"
    assert trial.reason == "turns: turn 1 never came: the trace has 1 turn"


def test_a_trace_that_says_it_failed_has_failed():
    case = Case("c", response={"includes": ["ok"]})
    steps = (Message("user", "a"), Message("assistant", "ok", request=0))
    assert grade(Trace("t", steps=steps, error="boom"), case).status == "agent_error"
    with pytest.raises(ValueError, match="'bogus' is no outcome"):
        Trace("t", outcome="bogus")


@pytest.mark.parametrize("status", ["error", "not_evaluated"])
def test_a_threshold_makes_no_pass_of_what_was_not_judged(status):
    class Broken:
        key, needs = "mine", ()

        def judge(self, trace, case):
            return CheckResult("mine", status, 0.9, "broke")

    trial = grade(DELETED, Case("c", checks={"mine": {"at_least": 0.5}}), [Broken()])
    assert not trial.passed
    assert trial.results[0].status == status


@pytest.mark.parametrize("amount", [10**400, float("inf"), float("nan"), -(10**400)])
def test_no_argument_breaks_a_check(amount):
    schema = {"properties": {"amount": {"type": "number", "multipleOf": 0.5}}}
    case = Case(
        "c",
        expected_calls=[
            {"name": "pay", "args": {"amount": 10}, "match": {"amount": {"number": {"abs": 0.01}}}}
        ],
        checks={"schema_valid": {}},
        tools={"pay": schema},
    )
    trial = grade(Trace("t", steps=(ToolCall("pay", {"amount": amount}),)), case)
    assert trial.status == "failed"


@pytest.mark.parametrize("args", [{}, {"y": "text"}, {"y": 2**70}, {"y": "\ud800"}])
def test_an_argument_left_out_is_no_excuse_for_what_must_come_before(args):
    case = Case("c", before=[["a", {"name": "b", "where": "a.args.x < b.args.y"}]])
    trace = Trace("t", steps=(ToolCall("a", {"x": 1}), ToolCall("b", args)))
    assert grade(trace, case).status == "failed"


@pytest.mark.parametrize(
    ("started", "ended", "usage"), [(1000.0, 10.0, None), (1e308, -1e308, None)]
)
def test_time_that_runs_backwards_is_unknown(started, ended, usage):
    trace = Trace("t", steps=DELETED.steps, started=started, ended=ended)
    assert trace.seconds is None
    assert grade(trace, Case("c", budget={"seconds": 5})).status == "not_evaluated"


def test_options_of_checks_merge_level_by_level():
    suite = Suite(
        "s",
        [Case("c", checks={"loops": {"times": 4}})],
        checks={"loops": {"required": False}},
        defaults={"checks": {"loops": {"at_least": 0.5}}},
    )
    assert suite.cases[0].checks == {"loops": {"required": False, "at_least": 0.5, "times": 4}}


def test_a_case_may_be_a_mapping_and_a_check_a_name():
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ok"}]
    case = {"id": "c", "response": {"includes": ["ok"]}, "expected_calls": ["pay"]}
    assert passhat.grade(messages, case).status == "failed"
    assert passhat.grade(messages, case, "response_includes").status == "passed"
    for wrong in ({"id": "c", "forbiden": []}, {"input": "x"}, "c"):
        with pytest.raises(UsageError, match="case"):
            passhat.grade(messages, wrong)


def test_nothing_judged_has_no_estimate():
    with pytest.raises(EstimationError, match="nothing was judged"):
        Results(()).summary([3])
    assert Results(()).summary().pass_hat_k == {}

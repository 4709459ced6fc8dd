"""From results to the status of a trial; green on nothing is the worst bug."""

import pickle
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.grading import FunctionCheck, Grader, check, grade
from passhat.grading.measuring import measures
from passhat.result import CheckResult, decode_trial, encode_trial
from passhat.trace import Message, ToolCall, Trace, TraceBuilder, Usage
from passhat.values import NotEvaluated


def run(*names, says="Done.", **fields):
    build = TraceBuilder("t")
    build.user("Please help.")
    for name in names:
        build.assistant(calls=[ToolCall(name, result="ok")])
    if says is not None:
        build.assistant(says)
    return build.trace(**fields)


def own(key, status="passed", *, required=True):
    return FunctionCheck(key, lambda trace, case: CheckResult(key, status, required=required))


@pytest.mark.parametrize(
    ("trace", "case", "reason"),
    [
        (run("a"), None, "the trace joins no case"),
        (run("a"), Case("c"), "the case requires no check"),
        (run("a"), Case("c", reference="x", tags=["t"]), "the case requires no check"),
        (run("a"), Case("c", forbidden_calls=[], before=[], budget={}), "the case requires no check"),
        (run("a"), Case("c", clarify=False, requires_approval=False), "the case requires no check"),
        (run("a"), Case("c", response={}), "the case requires no check"),
        (
            run("a"),
            Case("c", before=[["a", "b"]]),
            "precedence: no call of b, so nothing had to come before it",
        ),
        (
            run("a"),
            Case("c", expected_calls=["a"], budget={"seconds": 1}),
            "budget: the trace does not tell all of seconds",
        ),
        (
            run("a"),
            Case("c", expected_calls=["a"], checks={"schema_valid": {}}),
            "schema_valid: no tool catalogue: neither the suite nor the trace says which tools there are",
        ),
        (
            run("a", gaps=["calls: one checkpoint was kept"]),
            Case("c", expected_calls=["a"]),
            "trajectory: calls: one checkpoint was kept",
        ),
        (
            Trace("t"),
            Case("c", expected_calls=[]),
            "trajectory: the trace has no steps: nothing was observed",
        ),
        (
            Trace("t"),
            Case("c", forbidden_calls=["x"]),
            "forbidden_calls: the trace has no steps: nothing was observed",
        ),
        (
            Trace("t", steps=(ToolCall("a"),)),
            Case("c", response={"excludes": ["x"]}),
            "response_excludes: the trace has no messages",
        ),
        (
            run("a"),
            Case("c", expected_calls=["a"], match={"a": {"x": "semantic"}}, checks={"rouge1": {}}),
            "rouge1: the case states no reference to compare the answer with",
        ),
    ],
)  # fmt: skip
def test_green_on_nothing(trace, case, reason):
    trial = grade(trace, case)
    assert (trial.status, trial.reason) == ("not_evaluated", reason)
    assert not trial.passed
    assert trial.failure_class is None


@pytest.mark.parametrize(
    ("statuses", "status", "reason"),
    [
        (["passed", "passed"], "passed", ""),
        (["passed", "not_evaluated"], "not_evaluated", "k1"),
        (["not_evaluated", "error"], "check_error", "k1"),
        (["error", "not_evaluated", "failed"], "failed", "k2"),
    ],
)
def test_the_worst_required_check_decides(statuses, status, reason):
    checks = [own(f"k{at}", said) for at, said in enumerate(statuses)]
    trial = grade(run(), Case("c"), checks)
    assert (trial.status, trial.reason) == (status, reason)


@pytest.mark.parametrize(
    ("fields", "status", "reason"),
    [
        ({"outcome": "agent_error", "error": "KeyError"}, "agent_error", "KeyError"),
        ({"outcome": "limit"}, "agent_error", "limit"),
        ({"outcome": "infrastructure_error"}, "infrastructure_error", "the surroundings failed"),
        ({"outcome": "interrupted"}, "passed", ""),
    ],
)
def test_what_the_run_says_of_itself_comes_first(fields, status, reason):
    trial = grade(run("a", **fields), Case("c", expected_calls=["a"]))
    assert (trial.status, trial.reason) == (status, reason)


def test_a_trial_without_a_case_is_run_by_what_informs():
    trial = grade(run("a", case_id="unknown"), None)
    assert trial.case_id is None
    assert trial.results
    assert not any(result.required for result in trial.results)


def test_a_recorded_score_may_be_the_verdict():
    grader = Grader(success="reward")
    assert grader.grade(run(scores={"reward": 1.0}, case_id="7"), None).status == "passed"
    trial = grader.grade(run("a", scores={"reward": 0.0}), Case("c", expected_calls=["b"]))
    assert trial.status == "failed"
    assert [r.key for r in trial.results if r.required] == ["recorded_score"]
    stated = Case("c", checks={"recorded_score": {"score": "other"}})
    assert grader.grade(run(scores={"reward": 1.0}), stated).status == "passed"
    assert grader.grade(run(), Case("c")).status == "not_evaluated"


def test_required_results_come_first_and_informing_ones_can_be_left_out():
    case = Case("c", expected_calls=["a"], response={"includes": ["done"]})
    keys = [result.key for result in grade(run("a"), case).results]
    assert keys[:2] == ["trajectory", "response_includes"]
    assert "loops" in keys
    quiet = Grader(inform=False).grade(run("a"), case)
    assert [result.key for result in quiet.results] == keys[:2]


def test_a_check_may_only_inform():
    case = Case("c", expected_calls=["a"], checks={"error_rate": {"required": False}})
    case_or = Case("c", expected_calls=["a"], checks={"trajectory": {"required": False}})
    trace = Trace("t", steps=(ToolCall("a", error="no"), ToolCall("a", result=1)))
    trial = grade(trace, case)
    assert trial.status == "passed"
    assert trial.result("error_rate").status == "failed"
    assert grade(trace, case_or).status == "not_evaluated"


def broken(trace, case):
    raise KeyError("x")


def greets(trace, case):
    """The agent says hello.

    In the first message.
    """
    return False


def half_greets(trace, case):
    """Half a greeting."""
    return 0.5


def unsure(trace, case):
    raise NotEvaluated("no judge was given")


@pytest.mark.parametrize(
    ("function", "status", "reason"),
    [
        (broken, "error", "the check broke: KeyError: 'x'"),
        (unsure, "not_evaluated", "no judge was given"),
        (lambda t, c: True, "passed", ""),
        (lambda t, c: False, "failed", "does not hold"),
        (greets, "failed", "does not hold: The agent says hello."),
        (half_greets, "failed", "score 0.5: Half a greeting."),
        (lambda t, c: 1.0, "passed", "score 1"),
        (lambda t, c: 0.25, "failed", "score 0.25"),
        (lambda t, c: 2, "error", "the check broke: ValueError: a score is in 0..1, not 2.0"),
        (lambda t, c: float("nan"), "error", "the check broke: ValueError: a score is in 0..1, not nan"),
        (lambda t, c: "yes", "error",
         "the check broke: TypeError: a check gives a bool, a score or a CheckResult, not 'yes'"),
        (lambda t, c: CheckResult("other", "failed", 0.0, "no"), "failed", "no"),
        (lambda t, c: CheckResult("own", "fine"), "error",
         "the check broke: ValueError: a status is one of failed, error, not_evaluated, passed, not 'fine'"),
    ],
)  # fmt: skip
def test_own_checks_give_results_whatever_they_do(function, status, reason):
    (result,) = grade(run(), Case("c"), [FunctionCheck("own", function)]).results
    assert (result.key, result.status, result.reason) == ("own", status, reason)


def test_whether_a_check_is_required_is_not_for_the_check_to_say():
    trial = grade(run(), Case("c"), [own("k", "failed", required=False)])
    assert trial.status == "failed"


def test_a_check_that_gives_no_result_is_an_error():
    @dataclass(frozen=True)
    class Silent:
        key: str = "silent"
        needs: tuple[str, ...] = ()

        def judge(self, trace, case):
            return None

    trial = grade(run(), Case("c"), [Silent()])
    assert trial.status == "check_error"
    assert (
        trial.reason == "silent: the check broke: TypeError: a check gives a CheckResult, not None"
    )


def test_own_checks_are_named_in_suites(monkeypatch):
    monkeypatch.setattr("passhat.grading.catalogue._OWN", {})

    @check("no_discount", needs=("response",))
    def no_discount(trace, case):
        return "discount" not in (trace.final_response or "")

    case = Case("c", checks={"no_discount": {}})
    assert grade(run(says="With a discount"), case).status == "failed"
    assert grade(Trace("t", steps=(ToolCall("a"),)), case).status == "not_evaluated"
    assert no_discount(run(), case) is True
    with pytest.raises(UsageError, match="has no options: at"):
        grade(run(), Case("c", checks={"no_discount": {"at": 1}}))


@pytest.mark.parametrize("evidence", [{"of": 3}, {"hits": 1}, {"hits": "1", "of": "3"}])
def test_half_a_count_on_several_turns_is_none(monkeypatch, evidence):
    monkeypatch.setattr("passhat.grading.catalogue._OWN", {})

    @check("halved")
    def halved(trace, case):
        return CheckResult("halved", "passed", 1.0, "", evidence)

    case = Case("c", turns=[{"input": "a", "checks": {"halved": {}}}] * 2)
    build = TraceBuilder("t")
    for said in "ab":
        build.user(said)
        build.assistant("Done.")
    assert list(grade(build.trace(), case).result("halved").evidence) == ["turns"]


def test_a_grader_remembers_cases_and_not_traces_without_one():
    grader = Grader()
    case = Case("c", expected_calls=["a"])
    for number in range(5):
        grader.grade(run("a", case_id=f"unknown {number}"), None)
        grader.grade(run("a"), case)
    assert len(grader._plans) == 2


def test_trials_carry_what_the_run_was_and_pickle_and_encode():
    case = Case("c", expected_calls=["b"], tags=["x", "y"])
    trace = run("a", trial=3, tags=["y", "z"], usage=Usage(5, 6), started=1, ended=4, pins={"m": 1})
    trial = grade(trace, case)
    assert (trial.trial, trial.tags, trial.seconds) == (3, ("x", "y", "z"), 3)
    assert (trial.usage.tokens, trial.pins, trial.failure_class) == (11, {"m": 1}, "incomplete")
    assert pickle.loads(pickle.dumps(trial)) == trial
    assert decode_trial(encode_trial(trial)) == trial
    assert "✗ trajectory" in str(trial)


def test_graders_pickle():
    grader = Grader(checks={"tool_call_f1": {"at_least": 0.5}})
    case = Case("c", expected_calls=["a", "b"])
    before = grader.grade(run("a"), case)
    assert pickle.loads(pickle.dumps(grader)).grade(run("a"), case) == before


def test_cases_of_a_suite_are_judged_by_what_it_says_of_all():
    suite = Suite(
        "s",
        [Case("a", expected_calls=["a"]), Case("b", expected_calls=["b"])],
        checks={"tool_call_f1": {"at_least": 0.5}},
    )
    trials = [grade(run("a", "x"), case) for case in suite.cases]
    assert [trial.status for trial in trials] == ["passed", "failed"]


def test_a_clock_that_went_backwards_measures_nothing():
    said = Message("assistant", "Done.", request=0, started=5, ended=1, first_token=2)
    trace = Trace("t", steps=(ToolCall("a", result=1, started=3, ended=2), said), started=4)
    assert measures(trace) == {"turns": 1, "requests": 1, "tool_calls": 1, "tool_errors": 0}
    later = replace(said, ended=7, first_token=6)
    assert measures(replace(trace, steps=(later,)))["model_seconds"] == 2
    assert measures(replace(trace, steps=(later,)))["first_token_seconds"] == 2

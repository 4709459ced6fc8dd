"""Which checks judge what: thresholds, turns, options."""

import pytest

from passhat.case import Case, Turn
from passhat.errors import UsageError
from passhat.grading import FunctionCheck, grade
from passhat.result import CheckResult
from passhat.trace import ToolCall, TraceBuilder


def talk(*turns):
    """A trace of turns, each a list of tool names."""
    build = TraceBuilder("t")
    for names in turns:
        build.user("Go on.")
        for name in names:
            build.assistant(calls=[ToolCall(name, result="ok")])
        build.assistant(f"Did {', '.join(names)}.")
    return build.trace()


def scoring(score, status="failed", reason=""):
    return FunctionCheck("k", lambda t, c: CheckResult("k", status, score, reason))


@pytest.mark.parametrize(
    ("score", "options", "status", "reason"),
    [
        (0.8, {}, "failed", "why"),
        (0.8, {"at_least": 0.8}, "passed", "score 0.8 reaches 0.8: why"),
        (0.7999999999999999, {"at_least": 0.8}, "passed", "score 0.8 reaches 0.8: why"),
        (0.79, {"at_least": 0.8}, "failed", "score 0.79 is under 0.8: why"),
        (0.2, {"at_most": 0.2}, "passed", "score 0.2 is within 0.2: why"),
        (0.3, {"at_most": 0.2}, "failed", "score 0.3 is over 0.2: why"),
        (0.3, {"at_least": 0.2, "at_most": 0.4}, "passed", "score 0.3 is within 0.2 to 0.4: why"),
        (None, {"at_least": 0.5}, "failed", "why"),
    ],
)
def test_thresholds(score, options, status, reason):
    case = Case("c", checks={"k": options})
    result = grade(talk(["a"]), case, [scoring(score, reason="why")]).result("k")
    assert (result.status, result.reason, result.score) == (status, reason, score)


def test_a_score_is_said_once():
    half = FunctionCheck("k", lambda t, c: 0.5)
    for options, said in (
        ({}, ""),
        ({"at_least": 0.4}, " reaches 0.4"),
        ({"at_most": 0.4}, " is over 0.4"),
    ):
        result = grade(talk(["a"]), Case("c", checks={"k": options}), [half]).result("k")
        assert result.reason == f"score 0.5{said}"


def test_a_threshold_may_fail_what_the_check_passes_and_leaves_the_unjudged_alone():
    case = Case("c", checks={"k": {"at_most": 0.5}})
    assert grade(talk(["a"]), case, [scoring(0.9, "passed")]).status == "failed"
    for status in ("not_evaluated", "error"):
        assert grade(talk(["a"]), case, [scoring(None, status)]).result("k").status == status


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"at_least": 1.2}, "a score in 0..1, not 1.2"),
        ({"at_least": True}, "a score in 0..1, not True"),
        ({"at_most": "1"}, "a score in 0..1, not '1'"),
        ({"at_least": 0.9, "at_most": 0.1}, "nothing is at least 0.9 and at most 0.1"),
        ({"required": "no"}, "required is true or false, not 'no'"),
    ],
)
def test_options_of_grading_that_mean_nothing(options, match):
    with pytest.raises(UsageError, match=match):
        grade(talk(["a"]), Case("c", checks={"error_rate": options}))


def test_each_turn_is_judged_by_its_own_expectations():
    case = Case("c", turns=[Turn(expected_calls=["a"]), Turn(expected_calls=["b"])])
    assert grade(talk(["a"], ["b"]), case).status == "passed"
    trial = grade(talk(["a"], ["a"]), case)
    result = trial.result("trajectory")
    assert trial.status == "failed"
    assert result.reason.startswith("turn 1: b")
    assert result.score == 0.5
    assert [(part["where"], part["status"]) for part in result.evidence["turns"]] == [
        ("turn 0", "passed"),
        ("turn 1", "failed"),
    ]
    assert result.evidence["turns"][1]["missing"] == ["b"]
    assert result.evidence["alignment"].startswith("turn 1:\n")


def test_a_turn_that_never_came_fails():
    case = Case("c", turns=[Turn(expected_calls=["a"]), Turn(expected_calls=[])])
    trial = grade(talk(["a"]), case)
    assert trial.status == "failed"
    assert trial.reason == "trajectory: turn 1: it never came: the trace has 1 turn"


def test_what_informs_is_judged_turn_by_turn_as_well():
    case = Case("c", turns=[Turn(expected_calls=["a"]), Turn(expected_calls=["b"])])
    selection = grade(talk(["a"], ["b", "x"]), case).result("tool_selection")
    assert (selection.required, selection.status) == (False, "failed")
    assert (selection.evidence["hits"], selection.evidence["of"]) == (2, 3)


def test_the_whole_and_the_turns_are_judged_together():
    case = Case(
        "c",
        expected_calls=["a", "b"],
        mode="exact",
        turns=[Turn(expected_calls=["a"]), Turn(response={"includes": ["did b"]})],
    )
    result = grade(talk(["a"], ["b"]), case).result("trajectory")
    assert [part["where"] for part in result.evidence["turns"]] == ["whole trace", "turn 0"]
    assert grade(talk(["a"], ["b"]), case).status == "passed"
    assert grade(talk(["a"], ["a"]), case).status == "failed"


def test_a_turn_takes_over_what_holds_for_the_whole():
    turns = [Turn(expected_calls=["a"]), Turn(expected_calls=[])]
    trace = talk(["a", "log"], [])
    assert grade(trace, Case("c", mode="exact", turns=turns)).status == "failed"
    optional = Case("c", mode="exact", optional_calls=["log"], turns=turns)
    assert grade(trace, optional).status == "passed"
    assert grade(talk(["a"], ["x"]), Case("c", mode="superset", turns=turns)).status == "failed"


def test_options_of_a_case_hold_in_its_turns_and_a_turn_may_add_its_own():
    turns = [Turn(expected_calls=["a"]), Turn(expected_calls=["a"])]
    trace = talk(["a", "x"], ["a"])
    strict = Case("c", turns=turns, checks={"trajectory": {"mode": "exact"}})
    assert grade(trace, strict).status == "failed"
    eased = [Turn(expected_calls=["a"], checks={"trajectory": {"mode": "superset"}}), turns[1]]
    assert grade(trace, Case("c", turns=eased, checks=strict.checks)).status == "passed"


def test_a_turn_may_name_a_check_and_not_whether_it_is_required():
    named = Case("c", turns=[Turn(checks={"no_calls": {}}), Turn()])
    assert grade(talk([], ["a"]), named).status == "passed"
    assert grade(talk(["a"], ["a"]), named).reason == "no_calls: turn 0: called: a()"
    bad = Case("c", turns=[Turn(checks={"no_calls": {"required": False}})])
    with pytest.raises(UsageError, match="is said for the case"):
        grade(talk([]), bad)


def test_a_budget_of_a_turn_counts_that_turn_alone():
    case = Case("c", turns=[Turn(), Turn(budget={"turns": 1, "tool_calls": 1, "requests": 2})])
    assert grade(talk(["a", "b"], ["c"]), case).status == "passed"
    assert grade(talk(["a"], ["b", "c"]), case).status == "failed"


def test_one_part_that_cannot_be_judged_keeps_the_whole_from_passing():
    turns = [Turn(expected_calls=["a"], before=[["a", "b"]]), Turn(before=[["a", "b"]])]
    trial = grade(talk(["a"], ["a", "b"]), Case("c", turns=turns))
    assert trial.status == "not_evaluated"
    assert trial.result("precedence").evidence["of"] == 1


def test_two_checks_with_one_key_are_refused():
    with pytest.raises(UsageError, match="two checks with the key 'k'"):
        grade(talk([]), Case("c"), [scoring(1.0), scoring(0.5)])


def test_named_checks_are_required_and_may_say_otherwise():
    trace = talk(["a"])
    case = Case("c", expected_calls=["b"])
    assert [r.key for r in grade(trace, case, ["error_rate"]).results] == ["error_rate"]
    assert grade(trace, case, {"tool_call_f1": {"at_least": 0.0}}).status == "passed"
    informing = grade(trace, case, {"error_rate": {}, "trajectory": {"required": False}})
    assert informing.status == "passed"
    assert [r.required for r in informing.results] == [True, False]

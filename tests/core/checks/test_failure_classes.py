"""The class of a failed run: each rule with a run that it holds for, and which comes first."""

import pytest

from passhat.case import Case
from passhat.grading import Grader, grade
from passhat.result import FAILURE_CLASSES, CheckResult
from passhat.trace import Trace

WRITES = ["refund", "cancel", "close"]


def case(**keys):
    return Case("c", **{"writes": WRITES, **keys})


def classed(trace, of, checks=None):
    trial = grade(trace, of, checks)
    assert trial.status in ("failed", "agent_error"), trial
    return trial.failure_class, trial.failure


def test_what_the_agent_raised(run):
    kind, why = classed(run("a", error="KeyError: order", outcome="agent_error"), case())
    assert (kind, why.check, why.reason) == ("agent_error", None, "KeyError: order")


def test_a_run_that_hit_its_limit_going_round_in_circles_has_looped(run, call):
    again = [call("lookup", {"id": 1}, error="down")] * 3
    kind, why = classed(run(*again, says=None, outcome="limit"), case(checks={"loops": {}}))
    assert (kind, why.also) == ("looped", ("agent_error",))
    kind, why = classed(run(*again, outcome="agent_error"), case(checks={"loops": {}}))
    assert (kind, why.also) == ("agent_error", ("looped",))


@pytest.mark.parametrize(
    ("steps", "says", "keys", "expected", "check"),
    [
        (["cancel"], "Done.", {"forbidden_calls": ["cancel"]}, "policy_violation", "forbidden_calls"),
        (["refund"], "Done.", {"before": [["lookup", "refund"]]}, "policy_violation", "precedence"),
        (["refund"], "Done.", {"requires_approval": True}, "policy_violation", "approval"),
        (["refund"], "Done.", {"clarify": True}, "policy_violation", "clarification"),
        (["refund"], "Done.", {"refuse": True}, "policy_violation", "refusal"),
        (["refund"], "Done.", {"policies": [{"name": "p", "deny": "call.name == 'refund'"}]},
         "policy_violation", "policies"),
        ([], "I can't do that.", {"refuse": False}, "gave_up", "refusal"),
        ([], "I can't do that.", {"expected_calls": ["refund"]}, "gave_up", None),
        (["lookup", "transfer_to_human_agents"], "Bye.", {"expected_calls": ["refund"]}, "gave_up", None),
        (["cancel"], "Done.", {"expected_calls": ["refund"]}, "wrong_tool", "trajectory"),
        (["refund", "refund"], "Done.", {"expected_calls": ["refund"], "mode": "exact"},
         "wrong_tool", "trajectory"),
        (["a", "b"], "Done.", {"expected_calls": ["b", "a"], "mode": "exact"}, "wrong_tool", "trajectory"),
        (["lookup"], "Done.", {"expected_calls": ["lookup", "refund"]}, "incomplete", "trajectory"),
        (["lookup"], "I can't refund.", {"expected_calls": [{"name": "lookup", "args": {"id": 1}}]},
         "wrong_target", "trajectory"),
        (["refund"], "No.", {"response": {"includes": ["yes"]}}, "wrong_answer", "response_includes"),
        (["a", "a"], "Done.", {"budget": {"tool_calls": 1}}, "over_budget", "budget"),
        ([], "Done.", {"success_check": "state.n == 1"}, "incomplete", "success_check"),
    ],
)  # fmt: skip
def test_each_rule(run, steps, says, keys, expected, check):
    kind, why = classed(run(*steps, says=says, final_state={"n": 0}), case(**keys))
    assert (kind, why.check) == (expected, check)
    assert why.by == "rule"
    assert why.reason


def test_a_wrong_record_is_a_wrong_target_and_a_missing_one_is_incomplete(run):
    start = {"orders": [{"id": "A1", "status": "open"}, {"id": "A2", "status": "open"}]}
    wanted = {"orders": [{"id": "A1", "status": "closed"}]}
    other = {"orders": [{"id": "A1", "status": "open"}, {"id": "A2", "status": "closed"}]}
    made = {"refunds": [{"id": "R1"}]}
    of = case(initial_state=start, expected_final_state=wanted)
    assert classed(run("close", final_state=other), of)[0] == "wrong_target"
    of = case(initial_state={"refunds": []}, expected_final_state=made)
    assert classed(run("lookup", final_state={"refunds": []}), of)[0] == "incomplete"


def test_made_up_comes_before_claimed_and_both_before_incomplete(run, call):
    of = case(
        expected_calls=["refund"],
        checks={"provenance": {}, "claimed_action": {}},
        tools={"lookup": {}},
    )
    trace = run(call("lookup", {"order_id": "Z9911"}), says="I have refunded order Z9911.")
    kind, why = classed(trace, of)
    assert kind == "made_up_argument"
    assert why.also == ("claimed_action", "incomplete")
    kind, why = classed(run(says="I have refunded your order."), of)
    assert (kind, why.check) == ("claimed_action", "claimed_action")


def test_a_call_of_no_tool_there_is_and_informing_checks_tell_too(run):
    of = case(tools={"refund": {}}, response={"includes": ["yes"]})
    kind, why = classed(run("refnd", says="No."), of)
    assert (kind, why.check) == ("wrong_tool", "unknown_tools")
    trial = Grader(success="reward").grade(
        run("lookup", scores={"reward": 0}), case(expected_calls=["lookup", "refund"])
    )
    assert (trial.failure_class, trial.failure.check) == ("incomplete", "trajectory")


def test_measures_that_run_on_every_trace_decide_nothing(run):
    trial = Grader(success="reward").grade(
        run("lookup", "other", scores={"reward": 0}), case(expected_calls=["lookup"])
    )
    assert trial.failure_class == "unclassified"
    assert trial.failure.check == "recorded_score"


def test_turn_by_turn_evidence_is_read(run):
    of = case(
        turns=[
            {"input": "a", "expected_calls": ["lookup"]},
            {"input": "b", "expected_calls": ["refund"]},
        ]
    )
    trace = run("lookup", "agent: Done.", "user: And now refund", "lookup", says="Sorry.")
    kind, why = classed(trace, of)
    assert (kind, why.reason) == ("incomplete", "not called: refund")


def test_what_did_not_fail_has_no_class(run):
    for trace, of in ((run("a"), case(expected_calls=["a"])), (run("a"), None), (run("a"), case())):
        trial = grade(trace, of)
        assert (trial.failure_class, trial.failure) == (None, None)


def test_the_classes_stand_in_the_order_of_the_rules():
    from passhat.checks.failure_classes import _RULES

    classes = list(dict.fromkeys(name for name, _, _ in _RULES))
    assert [*classes, "unclassified"] == list(FAILURE_CLASSES)


def test_every_phrase_that_declines_has_a_sign_of_it():
    from passhat.checks.declining import _SIGNS, DECLINING

    assert all(any(sign in phrase for sign in _SIGNS) for phrase in DECLINING)


def test_evidence_of_another_shape_breaks_nothing():
    from passhat.checks.failure_classes import classify

    results = (CheckResult.of("final_state", False), CheckResult.of("trajectory", False, turns=7))
    assert classify(Trace("t"), Case("c"), "failed", results)[0] in FAILURE_CLASSES


@pytest.mark.parametrize(
    ("steps", "keys", "expected"),
    [
        (["lookup", "cancel"], {"expected_calls": ["lookup"]}, "wrong_tool"),
        (["refund", "refund"], {"expected_calls": ["refund"]}, "wrong_target"),
        (["refund", "refund"], {"expected_calls": [["refund", "refund"]]}, "unclassified"),
        (["lookup", "search"], {"expected_calls": ["lookup"]}, "unclassified"),
        (["lookup", "cancel"], {"expected_calls": ["lookup"], "optional_calls": ["cancel"]}, "unclassified"),
        (["cancel"], {}, "unclassified"),
        (["lookup", "cancel"], {"checks": {"state_unchanged": {"required": False}}}, "wrong_tool"),
        (["lookup"], {"checks": {"state_unchanged": {"required": False}}}, "unclassified"),
    ],
)  # fmt: skip
def test_changes_beyond_the_expected_ones_explain_a_recorded_score(
    run, call, steps, keys, expected
):
    trace = run(*[call(name, result="ok") for name in steps], scores={"reward": 0.0})
    trial = Grader(success="reward").grade(trace, case(**keys))
    assert trial.status == "failed"
    assert (trial.failure_class, trial.failure.check) == (expected, "recorded_score")

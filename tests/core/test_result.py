"""Verdicts: their file form, and how they print."""

import pickle

import pytest

from passhat.errors import InputError, Place
from passhat.result import CheckResult, Failure, TimelineStep, Trial, decode_trial, encode_trial
from passhat.trace import Usage

TRIAL = Trial(
    "refund",
    1,
    "t9",
    "failed",
    (
        CheckResult.of("trajectory", False, "refund(...) was not called", alignment="- refund"),
        CheckResult.of("budget", True),
        CheckResult.not_evaluated("route", "the trace has no node visits"),
        CheckResult("loops", "failed", 0.0, "three times", required=False),
    ),
    usage=Usage(10, 5, cost=0.25),
    seconds=1.5,
    measures={"tool_calls": 2},
    tags=("money",),
    pins={"model": "m"},
    failure_class="incomplete",
    failure=Failure(check="trajectory", reason="not called: refund", also=("looped",)),
    timeline=(TimelineStep("message", 0, "user", "Hi"), TimelineStep("call", name="f", index=0)),
)


def test_the_file_form_and_pickles_come_back_equal():
    assert decode_trial(encode_trial(TRIAL)) == TRIAL
    assert decode_trial(encode_trial(TRIAL).decode()) == TRIAL
    assert pickle.loads(pickle.dumps(TRIAL)) == TRIAL


def test_a_trial_prints_what_required_checks_said():
    assert str(TRIAL).splitlines() == [
        "refund trial 1: failed",
        "  ✗ trajectory: refund(...) was not called",
        "      - refund",
        "  ✓ budget",
        "  – route: the trace has no node visits",
        "  these inform, and do not hold: loops",
    ]
    crashed = Trial(None, 0, "t", "agent_error", reason="it hung")
    assert str(crashed) == "(no case) trial 0: agent_error (it hung)"


def test_results_are_found_by_key():
    assert TRIAL.result("budget").status == "passed"
    assert TRIAL.result("nothing") is None
    assert not TRIAL.passed


@pytest.mark.parametrize(
    ("status", "score"),
    [
        ("passed", 1.0),
        ("failed", 0.0),
        ("agent_error", 0.0),
        ("not_evaluated", None),
        ("check_error", None),
        ("infrastructure_error", None),
        ("not_run", None),
    ],
)
def test_a_trial_has_a_score_where_it_counts(status, score):
    assert Trial("refund", 0, "t", status).score == score


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not a result"),
        (b"[]", "not a result"),
        (b'{"case_id": "c", "trial": 0, "trace_id": "t", "status": "maybe"}', r"\$\.status"),
        (
            b'{"schema": "passhat.trace/1", "case_id": "c", "trial": 0, "trace_id": "t",'
            b' "status": "passed"}',
            "not 'passhat.result/1'",
        ),
    ],
)
def test_what_is_no_result_is_told_with_its_place(line, message):
    with pytest.raises(InputError, match=message) as caught:
        decode_trial(line, Place("results.jsonl", 3))
    assert str(caught.value).startswith("results.jsonl:3: ")

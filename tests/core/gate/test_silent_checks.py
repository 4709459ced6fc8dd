"""What a gate makes of checks that judged nothing, or broke."""

import pytest

from passhat.gate import decide
from passhat.reliability import Results
from passhat.result import CheckResult, Trial


def least(metric, limit, **more):
    return {"soft": [{"metric": metric, "min": limit, **more}]}


def silent(required=False):
    why = "no tool catalogue"
    found = CheckResult("unknown_tools", "not_evaluated", reason=why, required=required)
    return Results(tuple(Trial(f"c{at}", 0, f"t{at}", "passed", (found,)) for at in range(80)))


def test_a_profile_does_not_ask_for_what_nobody_required_and_nothing_could_judge():
    decision = decide(silent(), "production")
    assert decision.verdict == "accept"
    assert [rule.subject for rule in decision.rules] == ["success_rate"]
    told = "not asked, for it could judge no run: unknown_tools (no tool catalogue)"
    assert told in decision.notes


@pytest.mark.parametrize(
    ("results", "policy"),
    [(silent(required=True), "production"), (silent(), {"hard": [{"check": "unknown_tools"}]})],
    ids=["a case requires it", "the policy asks for it"],
)
def test_what_is_asked_for_and_could_not_be_judged_is_open_and_says_why(results, policy):
    decision = decide(results, policy)
    assert (decision.verdict, decision.exit_code) == ("inconclusive", 3)
    reason = decision.rules[0].reason
    assert (
        reason
        == "no trial could be judged by it; nothing to judge in 80 trials (no tool catalogue)"
    )


@pytest.mark.parametrize("metric", ["checks.rubric.mean", "checks.rubric.passed"])
def test_a_limit_on_a_check_is_open_where_the_check_broke(metric):
    broke = CheckResult("rubric", "error", reason="timed out", required=False)
    held = CheckResult.of("rubric", True, required=False)

    def results(broken):
        return Results(
            tuple(
                Trial(f"c{at}", 0, f"t{at}", "passed", (broke if at < broken else held,))
                for at in range(200)
            )
        )

    assert decide(results(0), least(metric, 0.9)).verdict == "accept"
    decision = decide(results(120), least(metric, 0.9))
    assert (decision.verdict, decision.exit_code) == ("inconclusive", 3)
    assert decision.rules[0].reason.startswith("the check itself broke in 120 trials; 100 %")
    assert "mending the check" in decision.rules[0].settling.words


def test_a_limit_on_a_check_tells_what_it_had_nothing_to_judge_in():
    none = CheckResult("rubric", "not_evaluated", reason="no answer", required=False)
    held = CheckResult.of("rubric", True, required=False)
    trials = [
        Trial(
            f"c{at}", 0, f"t{at}", "passed", (none if at % 4 == 0 else held,), tags=(f"g{at % 8}",)
        )
        for at in range(200)
    ]
    (rule,) = decide(Results(tuple(trials)), least("checks.rubric.mean", 0.9)).rules
    assert rule.reason.endswith("over 150 cases; nothing to judge in 50 trials")
    (rule,) = decide(Results(tuple(trials)), least("checks.rubric.mean", 0.8, tag="g1")).rules
    assert rule.reason.endswith("over 25 cases")

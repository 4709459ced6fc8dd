"""Stopping when it is decided: by a policy, looked at after every trial, whatever ends first."""

import asyncio
import io
import random
import threading
import time

import pytest

from passhat import Case, EstimationError, Suite, UsageError, run
from passhat.reliability import Results
from passhat.result import CheckResult, Trial
from passhat.trials.deciding import UntilDecided
from passhat.trials.runs import Run
from passhat.trials.showing import Lines

IDS = [f"c{i}" for i in range(60)]
AT_LEAST_80 = {"soft": [{"metric": "success_rate", "min": 0.8}]}


def trial(case_id, number, status="passed", *results):
    return Trial(case_id, number, f"{case_id}/{number}", status, results)


def fed(rule, status=lambda case_id, number: "passed", results=()):
    """The rule after the trials that it wants, one after the other."""
    for case_id, number in rule.order:
        if rule(trial(case_id, number, status(case_id, number), *results), {}).everything:
            break
    return rule


def test_it_accepts_and_rejects_long_before_the_end():
    good = fed(UntilDecided(IDS, 5, AT_LEAST_80))
    bad = fed(UntilDecided(IDS, 5, AT_LEAST_80), lambda *_: "failed")
    assert (good.verdict, bad.verdict) == ("accept", "reject")
    assert bad.taken < good.taken < good.planned / 4
    assert good.lines()[0] == (
        f"decided after {good.taken} of 300 trials: accept, success_rate at least 0.8"
    )
    assert "lean to the side decided" in good.lines()[-1]


def test_what_is_not_settled_is_left_to_the_gate():
    rng = random.Random(1)
    rule = fed(
        UntilDecided(IDS, 5, AT_LEAST_80), lambda *_: rng.choice(["passed"] * 4 + ["failed"])
    )
    assert (rule.verdict, rule.taken) == (None, 300)
    assert rule.lines()[0] == "not decided by 300 trials; passhat gate tells what would do"


def test_pass_hat_k_needs_k_rounds():
    policy = {"soft": [{"metric": "pass_hat_k.3", "min": 0.5}]}
    rule = fed(UntilDecided(IDS, 6, policy))
    assert rule.verdict == "accept"
    assert 120 < rule.taken <= 180


def test_a_margin_is_held_to_the_baseline_case_by_case():
    baseline = Results(
        tuple(trial(c, n, "passed" if n else "failed") for c in IDS for n in range(5))
    )
    policy = {"soft": [{"metric": "success_rate", "margin": 0.1}]}
    worse = fed(UntilDecided(IDS, 5, policy, baseline=baseline), lambda *_: "failed")
    better = fed(UntilDecided(IDS, 5, policy, baseline=baseline))
    assert (worse.verdict, better.verdict) == ("reject", "accept")
    assert "less the baseline's" in better.lines()[1]
    with pytest.raises(UsageError, match="no baseline"):
        UntilDecided(IDS, 5, policy)
    with pytest.raises(UsageError, match="none of these cases"):
        UntilDecided(["x"], 5, policy, baseline=baseline)


def test_a_hard_rule_rejects_at_once_and_every_case_must_be_tried():
    policy = {**AT_LEAST_80, "hard": [{"check": "forbidden_calls"}]}
    fine = (CheckResult("forbidden_calls", "passed"),)
    rule = fed(UntilDecided(IDS, 5, policy), results=fine)
    assert (rule.verdict, rule.taken) == ("accept", len(IDS))
    harm = (CheckResult("forbidden_calls", "failed"),)
    rule = fed(UntilDecided(IDS, 5, policy), lambda *_: "failed", results=harm)
    assert (rule.verdict, rule.taken) == ("reject", 1)
    assert rule.reason.startswith("forbidden_calls failed in c")


def test_rules_that_cannot_be_settled_keep_it_from_accepting():
    policy = {"soft": [*AT_LEAST_80["soft"], {"metric": "efficiency.cost.mean", "max": 1}]}
    rule = fed(UntilDecided(IDS, 5, policy))
    assert (rule.verdict, rule.taken) == (None, 300)
    assert any("never settled on the way: efficiency.cost.mean" in line for line in rule.lines())
    assert fed(UntilDecided(IDS, 5, policy), lambda *_: "failed").verdict == "reject"
    with pytest.raises(UsageError, match="nothing to settle"):
        UntilDecided(IDS, 5, {"soft": policy["soft"][1:]})


def test_errors_of_the_surroundings_settle_nothing():
    rule = fed(UntilDecided(IDS, 5, AT_LEAST_80), lambda *_: "infrastructure_error")
    assert (rule.verdict, rule.taken) == (None, 300)


def test_a_k_beyond_the_trials_is_refused():
    with pytest.raises(EstimationError, match="trials"):
        UntilDecided(IDS, 2, {"soft": [{"metric": "pass_hat_k.3", "min": 0.5}]})


SUITE = Suite("s", tuple(Case(name, name, response={"includes": ["yes"]}) for name in IDS))


def test_a_run_stops_and_says_so():
    results = run(lambda case: "yes", SUITE, trials=5, until="decided", policy=AT_LEAST_80)
    statuses = {trial.status for trial in results}
    assert statuses == {"passed"}
    assert len(results.trials) < 100
    assert all(trial.pins["until"] == "decided" for trial in results)
    assert results.summary().about["stopped"] == "when decided"


def test_failures_that_end_first_do_not_sway_it():
    """Those that fail are a hundred times as quick: an order by their end would see them alone."""
    rates = random.Random(3)
    fate = {(name, n): rates.random() < 0.9 for name in IDS for n in range(5)}
    numbers = dict.fromkeys(IDS, 0)

    async def agent(case):
        number = numbers[case.id]
        numbers[case.id] += 1
        good = fate[case.id, number]
        await asyncio.sleep(0.02 if good else 0)
        return "yes" if good else "no"

    with Run(
        agent, SUITE, trials=5, until="decided", policy=AT_LEAST_80, concurrency=40
    ) as running:
        running.play()
        decided = running.decided
    alone = UntilDecided(IDS, 5, AT_LEAST_80)
    fed(alone, lambda c, n: "passed" if fate[c, n] else "failed")
    assert decided.verdict == alone.verdict == "accept"
    assert decided.watched[0].test.taken == alone.watched[0].test.taken


def test_a_resumed_run_decides_as_one_that_went_through(tmp_path):
    journal = tmp_path / "j.db"
    options = {"trials": 5, "until": "decided", "policy": AT_LEAST_80, "journal": journal}
    first = run(lambda case: "yes", SUITE, max_seconds=0.001, **options)
    again = run(lambda case: "yes", SUITE, resume=True, **options)
    whole = run(lambda case: "yes", SUITE, fresh=True, **options)
    assert len(first.trials) == 300
    assert len(again.trials) < 100
    assert {(t.case_id, t.trial) for t in whole if t.status == "passed"} <= {
        (t.case_id, t.trial) for t in again
    } | {(t.case_id, t.trial) for t in whole}
    assert again.summary().pass_hat_k[1] == whole.summary().pass_hat_k[1] == 1.0


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(UsageError, match='for until="decided"'):
        run(lambda case: "yes", SUITE, policy="production")
    uneven = Suite("s", (Case("a", "a", trials=2), Case("b", "b", trials=3)))
    with pytest.raises(UsageError, match="ask for 2, 3 trials"):
        run(lambda case: "yes", uneven, until="decided", policy=AT_LEAST_80)


@pytest.mark.parametrize("name", ["j.journal", "j.jsonl"])
def test_two_runners_stop_when_it_is_decided_by_the_trials_of_both(tmp_path, name):
    suite = Suite("s", [Case(case_id, "?", response={"equals": "yes"}) for case_id in IDS])

    def agent(case):
        time.sleep(0.05)  # Long beside what a runner on a busy machine may wait for the journal.
        return "no"

    options = {"trials": 10, "concurrency": 4, "until": "decided", "policy": AT_LEAST_80}
    run(agent, suite, **options)  # What is loaded when first used holds neither of the two up.
    options["journal"] = tmp_path / name
    with Run(agent, suite, **options) as first, Run(agent, suite, resume=True, **options) as second:
        playing = threading.Thread(target=first.play)
        playing.start()
        second.play()
        playing.join()
        for runner in (first, second):
            results = list(runner.results())
            assert runner.decided.verdict == "reject"
            assert len(results) < 100
            assert len({(t.case_id, t.trial) for t in results}) == len(results)
            assert runner.saved == 600 - len(results)


def test_the_progress_tells_how_far_it_is_decided():
    suite = Suite("s", [Case(case_id, "?", response={"equals": "yes"}) for case_id in IDS])
    told = io.StringIO()
    watch = Lines(told, clock=iter(range(0, 10**6, 10)).__next__)
    with Run(
        lambda case: "no", suite, trials=5, until="decided", policy=AT_LEAST_80, concurrency=1
    ) as running:
        running.play(watch)
    lines = told.getvalue().splitlines()
    assert "undecided, success_rate 0 % to" in lines[0]
    assert "decided: reject" in running.standing.deciding()

"""When a run stops before its end: limits of cost and of time, and rules."""

import time

import pytest

from passhat.case import Case, Suite
from passhat.result import Trial
from passhat.trace import Message, Trace, Usage
from passhat.trials.runs import Run, run
from passhat.trials.stopping import Limits, Stop

GOOD = {"equals": "yes"}
ONE = Suite("s", [Case("a", "ok?", response=GOOD)])
TWO = Suite("s", [Case("a", "ok?", response=GOOD), Case("b", "ok?", response=GOOD)])


def yes(case):
    return "yes"


def spending(cost):
    def agent(case):
        time.sleep(0.01)
        said = Message("assistant", "yes", request=0)
        return Trace("t", steps=(said,), usage=Usage(cost=cost))

    return agent


def test_a_limit_of_cost_stops_in_good_order():
    results = run(spending(1.0), ONE, 50, concurrency=4, max_cost=10.0)
    done = [t for t in results if t.status == "passed"]
    left = [t for t in results if t.status == "not_run"]
    assert 10 <= len(done) <= 13  # Of the first ones that run side by side no cost is known yet.
    assert len(done) + len(left) == 50
    assert left[0].reason.startswith("stopped: --max-cost 10 was reached")


def test_a_limit_of_cost_says_what_is_spent_and_what_is_still_running():
    limits = Limits(cost=1.0)
    limits.spend(Trial("a", 0, "", "passed", usage=Usage(cost=0.75)))
    assert limits.reached(0, running=0) is None
    assert limits.reached(0, running=1) == (
        "--max-cost 1 was reached (0.75 spent, and 1 running at 0.75 each)"
    )


@pytest.mark.parametrize("agent", [yes, spending(float("nan")), spending(-1.0)])
def test_a_cost_that_is_not_known_is_told(agent):
    with Run(agent, ONE, trials=2, max_cost=1.0) as running:
        running.play()
        assert [note for note in running.notes if "cost of 2 trials is unknown" in note]


def test_a_limit_of_time_starts_no_more_and_finishes_what_runs():
    begun = []

    def agent(case):
        begun.append(case.id)
        if len(begun) > 2:  # The first two end long before the limit, the next two long after it.
            time.sleep(2)
        return "yes"

    results = run(agent, ONE, 50, concurrency=2, max_seconds=1)
    assert [t.status for t in results].count("passed") == len(begun) == 4
    assert results.trials[-1].reason == "stopped: --max-seconds 1 were over"


def test_a_limit_that_is_reached_with_the_last_trial_cuts_nothing(tmp_path):
    options = {"trials": 3, "concurrency": 1, "max_cost": 3.0, "journal": tmp_path / "j"}
    with Run(spending(1.0), ONE, **options) as running:
        running.play()
        assert [t.status for t in running.results()] == ["passed"] * 3
        assert running.standing.reason is None


def test_a_rule_says_which_cases_need_no_more():
    def rule(trial, counts):
        settled = {name for name, (n, c, _) in counts.items() if n >= 2 and name == "a"}
        return Stop(frozenset(settled), everything=counts["b"].n >= 4)

    with Run(yes, TWO, trials=10, concurrency=1, until=rule) as running:
        running.play()
        results = list(running.results())
        assert running.saved == 14
        assert [note for note in running.notes if "14 trials were not needed" in note]
    assert [t.case_id for t in results] == ["a"] * 2 + ["b"] * 4

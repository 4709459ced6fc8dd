"""Metrics: the same numbers as the summary, and intervals that hold them."""

import random

import pytest

from passhat.compare import Metric, Tallies, difference, interval, measured
from passhat.errors import UsageError
from passhat.reliability import Results, interval_pass_at_k, interval_pass_hat_k
from passhat.result import CheckResult, Trial
from passhat.trace import Usage


def results(seed=0, cases=30, trials=4):
    draws = random.Random(seed)
    found = []
    for case in range(cases):
        rate = draws.uniform(0.4, 1)
        for number in range(trials):
            ok = draws.random() < rate
            hits = draws.randrange(4)
            found.append(
                Trial(
                    f"c{case}",
                    number,
                    f"c{case}/{number}",
                    "passed" if ok else "failed",
                    (
                        CheckResult(
                            "schema_valid",
                            "passed" if hits == 3 else "failed",
                            hits / 3,
                            "",
                            {"hits": hits, "of": 3},
                        ),
                        CheckResult.of("forbidden_calls", draws.random() < 0.9),
                        CheckResult.not_evaluated("policies", "no policy"),
                    ),
                    usage=Usage(100 + draws.randrange(50), 10, cost=draws.uniform(0.1, 0.2)),
                    seconds=draws.uniform(1, 9),
                    measures={
                        "tool_calls": draws.randrange(1, 9),
                        "tool_errors": draws.randrange(2),
                    },
                    tags=("even",) if case % 2 == 0 else (),
                )
            )
    return Results(tuple(found))


RESULTS = results()
SUMMARY = RESULTS.summary()
TALLIES = Tallies.of(RESULTS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("success_rate", SUMMARY.pass_hat_k[1]),
        ("pass_hat_k.3", SUMMARY.pass_hat_k[3]),
        ("pass_at_k.2", SUMMARY.pass_at_k[2]),
        ("checks.schema_valid.mean", SUMMARY.checks["schema_valid"].mean),
        ("rates.schema_valid", SUMMARY.rates["schema_valid"].value),
        ("rates.invalid_calls", SUMMARY.rates["invalid_calls"].value),
        ("rates.runs_with_forbidden_call", SUMMARY.rates["runs_with_forbidden_call"].value),
        ("rates.error_rate", SUMMARY.rates["error_rate"].value),
        ("efficiency.cost_per_success", SUMMARY.efficiency.cost_per_success),
        ("efficiency.cost", SUMMARY.efficiency.cost.mean),
        ("efficiency.tokens.mean", SUMMARY.efficiency.tokens.mean),
        ("efficiency.seconds.p50", SUMMARY.efficiency.seconds.p50),
        ("efficiency.seconds.p95", SUMMARY.efficiency.seconds.p95),
        ("efficiency.tool_calls.p99", SUMMARY.efficiency.tool_calls.p99),
    ],
)
@pytest.mark.parametrize("estimate", ["kind-of-cases", "these-cases"])
def test_a_metric_is_what_the_summary_says(name, value, estimate):
    found = measured(Metric.of(name), TALLIES)
    assert found.value == pytest.approx(value)
    if found.points:
        assert sum(found.points) / len(found.points) == pytest.approx(value)
    low, high = interval(found, 0.9, estimate)
    assert low <= value <= high
    wide = interval(found, 0.99, estimate)
    assert wide.low <= low
    assert high <= wide.high


def test_intervals_of_pass_hat_k_are_the_summarys():
    counts = TALLIES.counts(TALLIES.counted)
    for name, made in (("pass_hat_k.3", interval_pass_hat_k), ("pass_at_k.3", interval_pass_at_k)):
        assert interval(measured(Metric.of(name), TALLIES), 0.95) == made(counts, 3)


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("success_rate", "higher"),
        ("checks.trajectory.mean", "higher"),
        ("checks.duplicate_calls.mean", "lower"),
        ("checks.duplicate_calls.passed", "higher"),
        ("rates.error_rate", "lower"),
        ("rates.invalid_calls", "lower"),
        ("rates.runs_with_forbidden_call", "lower"),
        ("rates.schema_valid", "higher"),
        ("efficiency.cost_per_success", "lower"),
    ],
)
def test_which_way_is_better(name, better):
    assert Metric.of(name).better == better


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("sucess_rate", "did you mean success_rate"),
        ("pass_hat_k", r"say which k, as in pass_hat_k.3"),
        ("pass_hat_k.0", "say which k"),
        ("pass_hat_k.x", "say which k"),
        ("checks.trajectory", r"checks.trajectory.mean or checks.trajectory.passed"),
        ("efficiency.cots", "did you mean efficiency.cost"),
        ("efficiency.cost.p42", "no metric"),
        ("", "no metric"),
        ("rates.", "no metric"),
    ],
)
def test_a_metric_that_there_is_not(name, why):
    with pytest.raises(UsageError, match=why):
        Metric.of(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pass_hat_k.5", "has 4 trials that count, and pass_hat_k.5 needs 5 of every case"),
        ("checks.forbiden_calls.mean", "did you mean forbidden_calls"),
        ("checks.policies.mean", "nothing to count of checks.policies.mean"),
        ("rates.precedence", "no rate 'precedence'"),
        ("efficiency.turns", "no trial that passed has 'turns' recorded"),
    ],
)
def test_a_metric_that_the_results_have_not(name, why):
    with pytest.raises(UsageError, match=why):
        measured(Metric.of(name), TALLIES)


def test_costs_that_cannot_be_added_up_are_refused():
    trials = [
        Trial("a", 0, "1", "passed", usage=Usage(cost=1.0)),
        Trial("a", 1, "2", "passed", usage=Usage(cost=1.0, currency="EUR")),
        Trial("b", 0, "3", "passed"),
    ]
    with pytest.raises(UsageError, match="several currencies: EUR, USD"):
        measured(Metric.of("efficiency.cost"), Tallies.of(Results(tuple(trials))))
    with pytest.raises(UsageError, match="cost of 1 of 2 trials is unknown"):
        measured(Metric.of("efficiency.cost_per_success"), Tallies.of(Results(tuple(trials[1:]))))


def test_a_difference_is_of_cases_that_have_it_in_both():
    new, base = Tallies.of(results(1)), Tallies.of(results(2))
    shared = tuple(name for name in new.counted if name != "c3")
    for name in (
        "success_rate",
        "checks.schema_valid.mean",
        "efficiency.cost",
        "efficiency.seconds.p95",
    ):
        apart = difference(Metric.of(name), new, base, shared)
        assert "c3" not in apart.new.cases
        assert apart.new.cases == apart.base.cases
        low, high = apart.interval(0.9)
        assert low <= apart.value <= high


@pytest.mark.parametrize("name", ["success_rate", "efficiency.cost", "efficiency.cost.p95"])
def test_unpaired_and_these_cases_hold_the_difference_too(name):
    new, base = Tallies.of(results(1)), Tallies.of(results(2))
    apart = difference(Metric.of(name), new, base, None)
    for estimate in ("kind-of-cases", "these-cases"):
        low, high = apart.interval(0.9, estimate)
        assert low <= apart.value <= high


def test_too_few_cases_for_an_interval_give_none():
    few = Tallies.of(results(cases=1))
    assert interval(measured(Metric.of("efficiency.cost"), few), 0.9) is None
    assert interval(measured(Metric.of("efficiency.cost.p95"), few), 0.9) is None

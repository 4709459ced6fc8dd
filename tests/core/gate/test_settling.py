"""That what a gate says would settle a rule does settle it, about four times in five."""

import numpy as np
import pytest

from passhat.compare import Tallies
from passhat.gate import Policy, SoftRule, decide_tallies
from passhat.reliability import Results
from passhat.result import Trial

GATES = 200


def pattern(passes, n, cases):
    return [(f"c{at}", n, passes[at % len(passes)]) for at in range(cases)]


def gate(new, base, rule, estimate="kind-of-cases"):
    policy = Policy(estimate=estimate, soft=(rule,))
    return decide_tallies(
        Tallies.of_counts(new), policy, None if base is None else Tallies.of_counts(base)
    )


def drawn(counts, picks):
    return [(f"x{at}", counts[pick][1], counts[pick][2]) for at, pick in enumerate(picks)]


def moments(counts):
    """The rates that were found, and how far trials alone make them vary."""
    rates = np.array([c / n for _, n, c in counts])
    return rates, np.mean([c * (n - c) / (n * n * (n - 1)) for _, n, c in counts])


def true_rates(rates, within):
    """The rates drawn together by what trials alone add to their variance."""
    spread = rates.var(ddof=1)
    kept = np.sqrt(max(0.0, 1 - within / spread)) if spread > 0 else 0.0
    return rates.mean() + kept * (rates - rates.mean())


LIMITS = [
    ("few, to reject", pattern([2, 3], 3, 2), SoftRule("success_rate", min=0.9), "reject"),
    (
        "few, to accept",
        pattern([4, 4, 2, 3, 3], 4, 5),
        SoftRule("success_rate", min=0.75),
        "accept",
    ),
    ("cases alike", pattern([5, 4], 5, 30), SoftRule("success_rate", min=0.86), "accept"),
    ("cases differ", pattern([10, 5], 10, 6), SoftRule("success_rate", min=0.9), "reject"),
    ("pass^3", pattern([5, 5, 3, 4], 5, 10), SoftRule("pass_hat_k.3", min=0.45), "accept"),
]


@pytest.mark.parametrize(
    ("new", "rule", "verdict"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS]
)
def test_as_many_cases_as_are_told_settle_a_limit(new, rule, verdict):
    told = gate(new, None, rule).rules[0].settling
    draws = np.random.default_rng(8)
    picks = [draws.integers(0, len(new), told.cases) for _ in range(GATES)]
    settled = sum(gate(drawn(new, pick), None, rule).verdict == verdict for pick in picks)
    assert 0.7 <= settled / GATES <= 0.96


@pytest.mark.parametrize(
    ("new", "base", "rule", "verdict"),
    [
        (
            pattern([4, 3, 4, 2, 4], 4, 30),
            pattern([4, 4, 3, 3, 3], 4, 30),
            SoftRule("success_rate", margin=0.05),
            "accept",
        ),
        (
            pattern([3, 2, 3, 2, 2], 3, 30),
            pattern([3, 3, 3, 2, 3], 3, 30),
            SoftRule("success_rate", margin=0.05),
            "reject",
        ),
    ],
    ids=["unchanged", "dropped"],
)
def test_as_many_cases_as_are_told_settle_a_margin(new, base, rule, verdict):
    told = gate(new, base, rule).rules[0].settling
    draws = np.random.default_rng(8)
    picks = [draws.integers(0, len(new), told.cases) for _ in range(GATES)]
    settled = sum(
        gate(drawn(new, pick), drawn(base, pick), rule).verdict == verdict for pick in picks
    )
    assert 0.7 <= settled / GATES <= 0.96


@pytest.mark.parametrize(
    ("new", "base", "rule"),
    [
        (pattern([5, 4], 5, 30), None, SoftRule("success_rate", min=0.86)),
        (pattern([3], 4, 40), None, SoftRule("success_rate", min=0.7)),
        (
            pattern([4, 3, 4, 2, 4], 4, 30),
            pattern([4, 4, 3, 3, 3], 4, 30),
            SoftRule("success_rate", margin=0.05),
        ),
    ],
    ids=["alike", "all the same", "a margin"],
)
def test_as_many_trials_as_are_told_settle_it(new, base, rule):
    told = gate(new, base, rule).rules[0].settling
    draws = np.random.default_rng(8)
    rates, within = moments(new)
    if base is None:
        runs = [true_rates(rates, within)]
    else:
        before, also = moments(base)
        apart = true_rates(rates - before, within + also)
        middle = true_rates((rates + before) / 2, (within + also) / 4)
        runs = [np.clip(middle + apart / 2, 0, 1), np.clip(middle - apart / 2, 0, 1)]
    settled = 0
    for _ in range(GATES):
        tried = [
            [(f"c{at}", told.trials, int(c)) for at, c in enumerate(draws.binomial(told.trials, p))]
            for p in runs
        ]
        settled += gate(tried[0], tried[1] if base else None, rule).verdict == "accept"
    assert 0.7 <= settled / GATES <= 0.96


def test_more_trials_of_two_cases_settle_nothing_of_their_kind():
    told = gate(pattern([2, 3], 3, 2), None, SoftRule("success_rate", min=0.9)).rules[0].settling
    assert told.trials is None
    assert "more trials would not do" in told.words


def test_more_trials_settle_what_is_asked_of_these_cases():
    rule = SoftRule("success_rate", min=0.75)
    new = pattern([4, 5, 3], 5, 12)
    told = gate(new, None, rule, "these-cases").rules[0].settling
    draws = np.random.default_rng(8)
    rates = np.array([c / n for _, n, c in new])
    settled = sum(
        gate(
            [
                (f"c{at}", told.trials, int(c))
                for at, c in enumerate(draws.binomial(told.trials, rates))
            ],
            None,
            rule,
            "these-cases",
        ).verdict
        == "accept"
        for _ in range(GATES)
    )
    assert 0.7 <= settled / GATES <= 0.96


@pytest.mark.parametrize("metric", ["efficiency.seconds", "efficiency.seconds.p95"])
def test_what_settles_a_limit_of_time_is_told_in_cases(metric):
    draws = np.random.default_rng(8)
    trials = [
        Trial(f"c{at}", 0, f"t{at}", "passed", seconds=float(draws.exponential(3)))
        for at in range(40)
    ]
    results = Tallies.of(Results(tuple(trials)))
    first = decide_tallies(results, Policy(soft=(SoftRule(metric, max=0.1),))).rules[0]
    between = SoftRule(metric, max=(first.value + first.interval[1]) / 2)
    (outcome,) = decide_tallies(results, Policy(soft=(between,))).rules
    assert outcome.verdict == "inconclusive"
    assert outcome.settling.cases > 40

"""How many cases a gate takes: what is told is what the gate then does."""

import numpy as np
import pytest

from passhat.compare import Tallies
from passhat.errors import EstimationError
from passhat.gate import Policy, SoftRule, decide_tallies
from passhat.gate.sizing import gate_sizes


def decided(verdict, cases, trials, rates, drop, *, limit=None, gates=300):
    draws = np.random.default_rng([cases, trials])
    rule = SoftRule("success_rate", min=limit) if limit else SoftRule("success_rate", margin=0.1)
    hits = 0
    for _ in range(gates):
        base = rates(draws, cases)
        new = base * (1 - drop / 0.8)
        runs = [
            Tallies.of_counts(
                (f"c{at}", trials, int(c)) for at, c in enumerate(draws.binomial(trials, p))
            )
            for p in (new, base)
        ]
        other = None if limit else runs[1]
        hits += decide_tallies(runs[0], Policy(soft=(rule,)), other).verdict == verdict
    return hits / gates


def alike(_, cases):
    return np.full(cases, 0.8)


@pytest.mark.parametrize("trials", [1, 5])
def test_an_unchanged_agent_is_accepted_as_often_as_was_said(trials):
    (size,) = gate_sizes(0.8, 0.1, trials=[trials]).sizes
    assert decided("accept", size.to_accept, trials, alike, 0.0) == pytest.approx(0.8, abs=0.08)


def test_a_drop_is_rejected_as_often_as_was_said():
    (size,) = gate_sizes(0.8, 0.1, trials=[3], drop=0.25).sizes
    assert decided("reject", size.to_reject, 3, alike, 0.25) == pytest.approx(0.8, abs=0.08)


def test_cases_that_differ_are_accounted_for():
    (size,) = gate_sizes(0.8, 0.1, trials=[3], spread=0.5).sizes
    spread = lambda draws, cases: draws.beta(0.8, 0.2, cases)  # noqa: E731
    assert decided("accept", size.to_accept, 3, spread, 0.0) == pytest.approx(0.8, abs=0.09)


def test_a_limit_alone_is_accounted_for():
    (size,) = gate_sizes(0.8, 0.1, trials=[3], baseline=False).sizes
    assert decided("accept", size.to_accept, 3, alike, 0.0, limit=0.7) == pytest.approx(
        0.8, abs=0.08
    )


def test_more_of_anything_takes_fewer_cases():
    sizes = [size.to_accept for size in gate_sizes(0.8, 0.05, trials=[1, 2, 4, 8]).sizes]
    assert sizes == sorted(sizes, reverse=True)
    narrow, wide = (gate_sizes(0.8, m, trials=[3]).sizes[0].to_accept for m in (0.03, 0.06))
    assert narrow > wide
    weak, strong = (
        gate_sizes(0.8, 0.05, power=p, trials=[3]).sizes[0].to_accept for p in (0.6, 0.95)
    )
    assert weak < strong


def test_nothing_seen_takes_the_rule_of_three():
    assert gate_sizes(0.8, 0.05, below=0.01).without_violation == 299


@pytest.mark.parametrize("spread", [0.0, 0.2, 0.999, 1.0])
@pytest.mark.parametrize("rate", [0.02, 0.5, 0.98])
def test_extremes_have_an_answer(rate, spread):
    for size in gate_sizes(rate, 0.01, spread=spread, trials=[1, 7]).sizes:
        assert size.to_accept is None or size.to_accept >= 2


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"rate": 80}, "rate is 80"),
        ({"margin": 0}, "margin is 0"),
        ({"power": 1}, "power is 1"),
        ({"confidence": 0.4}, "more than 0.5"),
        ({"spread": 2}, "spread is 2"),
        ({"drop": 0.01}, "between the margin"),
        ({"trials": [0]}, "trials is 0"),
        ({"margin": 0.9, "baseline": False}, "leaves no limit"),
        ({"margin": 0.9}, "leaves no limit"),
        ({"below": 2}, "below is 2"),
    ],
)
def test_what_it_refuses(options, why):
    with pytest.raises(EstimationError, match=why):
        gate_sizes(**{"rate": 0.8, "margin": 0.05, **options})

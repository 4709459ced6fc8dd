"""What successful trials took."""

import random

import numpy as np
import pytest

from passhat.case import Case
from passhat.reliability import Summariser
from passhat.reliability.efficiency import spread
from passhat.result import Trial
from passhat.trace import Usage


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_percentiles_are_numpys(size):
    draw = random.Random(size)
    values = [draw.uniform(0, 100) for _ in range(size)]
    found = spread(values)
    expected = np.percentile(values, [50, 95, 99])
    assert [found.p50, found.p95, found.p99] == pytest.approx(list(expected))
    assert found.mean == pytest.approx(np.mean(values))


def spent(status, cost, calls=2, currency="USD", number=0):
    usage = None if cost is None else Usage(10, 5, cost=cost, currency=currency)
    return Trial(
        "c", number, f"t{number}", status, usage=usage, seconds=1.5, measures={"tool_calls": calls}
    )


def efficiency(*trials, cases=()):
    adding = Summariser(cases)
    for trial in trials:
        adding.add(trial)
    return adding.summary().efficiency


def test_only_successful_trials_are_measured():
    found = efficiency(spent("passed", 1.0, calls=2), spent("failed", 3.0, calls=50))
    assert found.of == 1
    assert found.tool_calls.p99 == 2
    assert found.tokens.mean == 15
    assert found.seconds.mean == 1.5
    assert found.turns is None


def test_success_bears_the_cost_of_failures():
    found = efficiency(spent("passed", 1.0), spent("failed", 3.0), spent("passed", 1.0))
    assert found.cost_per_success == 2.5
    assert found.cost_of_failures == 3.0
    assert found.currency == "USD"


def test_an_unknown_cost_is_not_zero():
    found = efficiency(spent("passed", 1.0), spent("failed", None))
    assert found.cost_per_success is None
    assert found.cost_of_failures is None
    assert found.cost.of == 1


def test_two_currencies_have_no_sum():
    found = efficiency(spent("passed", 1.0), spent("passed", 1.0, currency="EUR"))
    assert (found.cost, found.cost_per_success, found.currency) == (None, None, None)


def test_step_efficiency_goes_by_the_case():
    found = efficiency(
        spent("passed", None, calls=4),
        spent("passed", None, calls=2),
        cases=[Case("c", optimal_steps=2)],
    )
    assert (found.step_efficiency.hits, found.step_efficiency.of) == (4, 6)


def test_trials_left_out_cost_nothing():
    found = efficiency(spent("passed", 1.0), spent("infrastructure_error", 9.0))
    assert found.cost_per_success == 1.0

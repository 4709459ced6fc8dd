"""The interval of paired differences: never empty, symmetric, and true as often as it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import EstimationError
from passhat.reliability.differences import newcombe
from passhat.reliability.intervals import Interval, clopper_pearson, wilson
from passhat.reliability.paired_intervals import mover, paired_difference, value_size

fifths = st.lists(st.integers(-5, 5).map(lambda value: value / 5), min_size=1, max_size=40)


@given(fifths)
def test_it_holds_the_mean_and_stays_within_its_range(differences):
    low, high = paired_difference(differences)
    assert -1 <= low <= sum(differences) / len(differences) + 1e-12
    assert sum(differences) / len(differences) - 1e-12 <= high <= 1
    assert low < high


@given(fifths)
def test_turned_around_it_is_turned_around(differences):
    low, high = paired_difference(differences)
    back = paired_difference([-value for value in differences])
    assert (-back.high, -back.low) == pytest.approx((low, high), abs=1e-9)


@given(fifths, st.floats(0.5, 0.98))
def test_more_confidence_is_wider(differences, confidence):
    narrow, wide = (
        paired_difference(differences, level) for level in (confidence, confidence + 0.01)
    )
    assert wide.low <= narrow.low + 1e-12
    assert narrow.high <= wide.high + 1e-12


def test_no_difference_seen_is_as_wide_as_that_many_cases_allow():
    low, high = paired_difference([0.0] * 100, 0.9)
    assert -low == high == pytest.approx(clopper_pearson(100, 0, 0.9).high)


def test_a_scale_stretches_it():
    small = paired_difference([0.1, -0.2, 0.0, 0.2])
    large = paired_difference([1.0, -2.0, 0.0, 2.0], scale=10)
    assert large == pytest.approx([10 * end for end in small])


@pytest.mark.parametrize(
    ("differences", "why"),
    [([], "no differences"), ([float("nan")], "not a number"), ([1.5], "within -1..1")],
)
def test_what_it_refuses(differences, why):
    with pytest.raises(EstimationError, match=why):
        paired_difference(differences)


def test_joined_wilson_intervals_are_newcombes():
    assert mover(0.8, wilson(50, 40), 0.6, wilson(40, 24)) == pytest.approx(
        newcombe(50, 40, 40, 24)
    )


def test_values_of_nothing_but_0_and_1_are_worth_their_number():
    assert value_size([1.0, 0.0] * 50) == pytest.approx(100, rel=0.02)
    assert value_size([1.0]) == 1
    with pytest.raises(EstimationError):
        value_size([])


@pytest.mark.parametrize("kind", ["alike", "break", "always"])
@pytest.mark.parametrize(("cases", "trials"), [(20, 1), (20, 5), (60, 3)])
def test_either_end_misses_about_as_rarely_as_it_should(kind, cases, trials):
    draws = np.random.default_rng([cases, trials])
    drop, missed = 0.1, [0, 0]
    for _ in range(400):
        base = np.full(cases, 1.0 if kind == "always" else 0.9)
        new = (
            base - drop if kind == "alike" else np.where(draws.random(cases) < drop / base, 0, base)
        )
        points = (draws.binomial(trials, new) - draws.binomial(trials, base)) / trials
        low, high = paired_difference(points.tolist(), 0.9)
        missed[0] += low > -drop + 1e-9
        missed[1] += high < -drop - 1e-9
    # 5 % nominal; 400 draws leave 5 % ± 3 points.
    assert max(missed) / 400 <= 0.08


def test_it_is_an_interval():
    assert isinstance(paired_difference([0.0, 0.5]), Interval)

import json
from math import erf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from passhat.errors import EstimationError
from passhat.reliability import (
    agresti_coull,
    clopper_pearson,
    jeffreys,
    rule_of_three,
    wald,
    wilson,
    zero_failures_bound,
)

INTERVALS = [wilson, clopper_pearson, jeffreys, agresti_coull, wald]
Z_196 = erf(1.96 / sqrt(2))
"""The confidence at which z is 1.96 and not 1.959964."""

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@pytest.mark.parametrize("interval", INTERVALS)
def test_equals_the_table(shared, interval):
    for row in json.loads((shared / "vectors/stats/intervals.json").read_text()):
        found = interval(row["n"], row["c"], row["conf"])
        assert found == pytest.approx(tuple(row[interval.__name__]), abs=1e-9)


def test_bounds_without_a_failure_equal_the_table(shared):
    rows = json.loads((shared / "vectors/stats/zero_failures.json").read_text())["upper_bounds"]
    for row in rows:
        n = row["n"]
        assert rule_of_three(n) == pytest.approx(row["rule_of_three"], abs=1e-9)
        assert zero_failures_bound(n) == pytest.approx(row["exact_one_sided_95"], abs=1e-9)
        two_sided = row["clopper_pearson_two_sided_95_upper"]
        assert clopper_pearson(n, 0).high == pytest.approx(two_sided, abs=1e-9)
        two_sided = row["wilson_two_sided_95_upper(z=1.96)"]
        assert wilson(n, 0, Z_196).high == pytest.approx(two_sided, abs=1e-9)


@pytest.mark.parametrize("interval", INTERVALS)
@given(counts, st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_ends_are_ordered_and_mirror_those_of_the_failures(interval, given_counts, confidence):
    n, c = given_counts
    low, high = interval(n, c, confidence)
    assert 0 <= low <= high <= 1
    mirrored = interval(n, n - c, confidence)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-9)
    if interval is not jeffreys:
        assert low - 1e-12 <= c / n <= high + 1e-12


@given(counts)
def test_clopper_pearson_ends_leave_half_of_the_rest_in_each_tail(given_counts):
    n, c = given_counts
    low, high = clopper_pearson(n, c)
    assert low == 0 if c == 0 else binom.sf(c - 1, n, low) == pytest.approx(0.025)
    assert high == 1 if c == n else binom.cdf(c, n, high) == pytest.approx(0.025)


def test_rule_of_three_is_a_rate_for_few_cases_too():
    assert rule_of_three(1) == rule_of_three(2) == 1.0


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize(
    ("n", "c", "confidence", "message"),
    [
        (0, 0, 0.95, "no trial"),
        (3, 4, 0.95, "c=4"),
        (3, 2, 95, "confidence is 95: give a share between 0 and 1"),
        (3, 2, 1.0, "confidence"),
        (3, 2, float("nan"), "confidence"),
        (3, 2, "0.95", "confidence"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(interval, n, c, confidence, message):
    with pytest.raises(EstimationError, match=message):
        interval(n, c, confidence)

import json
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import passhat.reliability
from passhat.errors import EstimationError
from passhat.reliability import Counts, mean_pass_at_k, mean_pass_hat_k, pass_at_k, pass_hat_k


@st.composite
def counts_and_draws(draw, most=9):
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@given(counts_and_draws())
def test_estimators_are_shares_of_all_subsets(given_counts):
    n, c, k = given_counts
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_hat_k(n, c, k) == sum(map(all, subsets)) / len(subsets)
    assert pass_at_k(n, c, k) == sum(map(any, subsets)) / len(subsets)


@given(counts_and_draws(most=60))
def test_estimators_are_the_nearest_floats(given_counts):
    n, c, k = given_counts
    assert pass_hat_k(n, c, k) == float(Fraction(comb(c, k), comb(n, k)))
    assert pass_at_k(n, c, k) == float(1 - Fraction(comb(n - c, k), comb(n, k)))


@given(counts_and_draws(most=40))
def test_pass_at_k_mirrors_pass_hat_k(given_counts):
    n, c, k = given_counts
    assert pass_at_k(n, c, k) == pytest.approx(1 - pass_hat_k(n, n - c, k), abs=1e-15)
    assert pass_hat_k(n, c, k) <= c / n <= pass_at_k(n, c, k)


def test_unbiased_for_equal_and_unequal_n():
    p = Fraction(7, 10)
    for n in (4, 6):
        chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
        mean = sum(float(chance) * pass_hat_k(n, c, 3) for c, chance in enumerate(chances))
        assert mean == pytest.approx(float(p**3), abs=1e-12)


def test_equals_the_table(shared):
    for row in json.loads((shared / "vectors/stats/passk_table.json").read_text()):
        n, c, k = row["n"], row["c"], row["k"]
        assert pass_hat_k(n, c, k) == pytest.approx(row["pass_hat_k_float"], abs=1e-9)
        assert pass_at_k(n, c, k) == pytest.approx(row["pass_at_k_float"], abs=1e-9)


def test_a_mean_counts_each_case_once_whatever_its_n():
    assert mean_pass_hat_k([(8, 8), (4, 2), (2, 0)], 2) == pytest.approx((1 + 1 / 6 + 0) / 3)
    assert mean_pass_at_k([(8, 8), (4, 2), (2, 0)], 2) == pytest.approx((1 + 5 / 6 + 0) / 3)


def test_a_large_case_is_quick():
    assert 0 < pass_hat_k(200_000, 199_990, 100_000) < 0.001


def test_numpy_counts_are_counts():
    assert pass_hat_k(np.int64(4), np.int32(3), 2) == 0.5


@pytest.mark.parametrize(
    ("n", "c", "k", "message"),
    [
        (3, 2, 4, "k=4 draws from n=3 trials: run at least 4 trials, or take a k of 3 or less"),
        (3, 4, 1, "c=4 passes out of n=3 trials"),
        (3, -1, 1, "c is -1: it must be 0 or more"),
        (-3, 0, 1, "n is -3: it must be 0 or more"),
        (0, 0, 1, "n=0: no trial was counted"),
        (3, 2, 0, "k is 0: it must be 1 or more"),
        (3, 2.0, 1, "c is 2.0: a count must be a whole number"),
        (3, True, 1, "c is True: a count must be a whole number"),
        ("3", 2, 1, "n is '3': a count must be a whole number"),
        (float("nan"), 2, 1, "n is nan"),
    ],
)
@pytest.mark.parametrize("estimator", [pass_hat_k, pass_at_k])
def test_numbers_that_mean_nothing_are_refused(estimator, n, c, k, message):
    with pytest.raises(EstimationError) as caught:
        estimator(n, c, k)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([], "no cases"),
        ([(4, 4), (2, 2)], "case 1 (counted from 0): k=3 draws from n=2 trials"),
        ([(4, 4), (2, 2, "refund")], "case 'refund': k=3 draws from n=2 trials"),
        ([Counts(4, 5, "refund")], "case 'refund': c=5 passes out of n=4"),
        ([(4, 4), 3], "case 1: give (n, c) or (n, c, case_id), not 3"),
        ([(4,)], "case 0: give (n, c)"),
    ],
)
@pytest.mark.parametrize("estimator", [mean_pass_hat_k, mean_pass_at_k])
def test_a_case_that_cannot_be_estimated_is_named(estimator, counts, message):
    with pytest.raises(EstimationError) as caught:
        estimator(counts, 3)
    assert message in str(caught.value)


def test_importing_the_room_loads_no_numpy():
    code = "import sys, passhat.reliability; print({'numpy', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_every_public_name_is_there():
    assert all(hasattr(passhat.reliability, name) for name in passhat.reliability.__all__)

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import EstimationError, UsageError
from passhat.reliability import (
    clopper_pearson,
    effective_size,
    interval_pass_at_k,
    interval_pass_hat_k,
    mean_pass_at_k,
    mean_pass_hat_k,
    pass_hat_k,
)
from passhat.reliability.mean_intervals import _least_variance

METHODS = ["auto", "t", "percentile", "bca"]


@st.composite
def suites(draw):
    k = draw(st.integers(1, 5))
    case = st.integers(k, 10).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
    return draw(st.lists(case, min_size=1, max_size=30)), k


@given(suites(), st.sampled_from([0.05, 0.5, 0.95, 0.999]))
def test_holds_the_estimate_and_stays_within_0_and_1(suite, confidence):
    counts, k = suite
    low, high = interval_pass_hat_k(counts, k, confidence)
    assert 0 <= low <= mean_pass_hat_k(counts, k) <= high <= 1
    assert low < high
    low, high = interval_pass_at_k(counts, k, confidence)
    assert 0 <= low <= mean_pass_at_k(counts, k) + 1e-12
    assert mean_pass_at_k(counts, k) - 1e-12 <= high <= 1


@given(suites())
def test_order_and_names_of_cases_do_not_matter(suite):
    counts, k = suite
    named = [(n, c, f"case {i}") for i, (n, c) in enumerate(counts)]
    assert interval_pass_hat_k(named[::-1], k) == pytest.approx(interval_pass_hat_k(counts, k))


@given(suites())
def test_pass_at_k_is_pass_hat_k_of_the_failures(suite):
    counts, k = suite
    low, high = interval_pass_hat_k([(n, n - c) for n, c in counts], k)
    assert interval_pass_at_k(counts, k) == pytest.approx((1 - high, 1 - low))


@given(suites(), st.sampled_from([0.8, 0.95]))
def test_the_size_lies_between_the_cases_and_the_trials(suite, confidence):
    counts, k = suite
    size = effective_size(counts, k, confidence)
    assert len(counts) <= size <= max(len(counts), sum(n for n, _ in counts)) * (1 + 1e-9)


@given(st.integers(1, 30), st.data())
def test_all_trials_drawn_is_clopper_pearson_over_cases(cases, data):
    counts = [(4, c) for c in data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=30))]
    whole = sum(c == 4 for _, c in counts)
    expected = clopper_pearson(len(counts), whole)
    assert interval_pass_hat_k(counts, 4) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("cases", [1, 10, 200])
def test_a_suite_that_passed_or_failed_everything_is_not_certain(method, k, cases):
    expected = clopper_pearson(cases, cases)
    assert interval_pass_hat_k([(3, 3)] * cases, k, method=method) == pytest.approx(expected)
    assert interval_pass_at_k([(3, 3)] * cases, k, method=method) == pytest.approx(expected)
    expected = clopper_pearson(cases, 0)
    assert interval_pass_hat_k([(3, 0)] * cases, k, method=method) == pytest.approx(expected)
    assert interval_pass_at_k([(3, 0)] * cases, k, method=method) == pytest.approx(expected)


@pytest.mark.parametrize("cases", [10, 50, 200])
def test_one_failure_more_does_not_promise_more(cases):
    perfect = [(8, 8)] * cases
    flawed = [(8, 7), *perfect[1:]]
    assert interval_pass_hat_k(flawed, 1).low < interval_pass_hat_k(perfect, 1).low


def test_cases_that_are_all_alike_are_worth_more_than_one_trial_each_but_not_all():
    size = effective_size([(8, 6)] * 20, 1)
    assert 100 < size < 160


@given(st.integers(1, 12), st.data())
def test_the_least_variance_is_that_of_equal_cases(n, data):
    k = data.draw(st.integers(1, n))
    q = data.draw(st.floats(0.001, 0.999))
    p = q ** (1 / k)
    chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    values = [pass_hat_k(n, c, k) for c in range(n + 1)]
    variance = sum(chance * (value - q) ** 2 for chance, value in zip(chances, values, strict=True))
    assert _least_variance(n, k, q) == pytest.approx(variance, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_seed_decides_the_ends(method):
    counts = [(4, c) for c in (4, 3, 2, 4, 0, 4, 4, 1)]
    first = interval_pass_hat_k(counts, 2, method=method, seed=1)
    assert first == interval_pass_hat_k(counts, 2, method=method, seed=1)
    assert 0 <= first.low < mean_pass_hat_k(counts, 2) < first.high <= 1


def test_t_is_the_textbook_interval():
    # Thirty values, ten each of 1, 1/2 and 1/6: mean 5/9, variance 95/783, t(29) = 2.04523.
    half = 2.04523 * (95 / 783 / 30) ** 0.5
    found = interval_pass_hat_k([(4, 4), (4, 3), (4, 2)] * 10, 2, method="t")
    assert found == pytest.approx((5 / 9 - half, 5 / 9 + half), abs=1e-5)


def test_many_cases_take_little_time():
    counts = [(8, 8), (8, 7), (8, 1), (4, 4)] * 25_000
    for method in METHODS:
        assert interval_pass_hat_k(counts, 3, method=method).width < 0.01


@pytest.mark.parametrize("interval", [interval_pass_hat_k, interval_pass_at_k])
def test_what_means_nothing_is_refused(interval):
    with pytest.raises(EstimationError, match="no cases"):
        interval([], 1)
    with pytest.raises(EstimationError, match="case 'refund': k=3"):
        interval([(2, 2, "refund")], 3)
    with pytest.raises(EstimationError, match="confidence"):
        interval([(2, 2)], 1, 95)
    with pytest.raises(UsageError, match="no interval method 'magic': take one of auto, t"):
        interval([(2, 2)], 1, method="magic")

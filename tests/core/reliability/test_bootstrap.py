import json
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import bootstrap

from passhat.errors import EstimationError
from passhat.reliability import bca_interval, percentile_interval
from passhat.reliability.bootstrap import resampled_means


@pytest.fixture
def rows(shared):
    return json.loads((shared / "vectors/stats/bootstrap.json").read_text())


def test_equals_the_table_within_its_tolerance(rows):
    rows = [row for row in rows if "values" in row]
    assert len(rows) == 7
    for row in rows:
        values, near = row["values"], row["tolerance_suggested"]
        percentile = percentile_interval(values)
        assert percentile == pytest.approx(tuple(row["percentile_95_numpy_200k"]), abs=near)
        assert bca_interval(values) == pytest.approx(tuple(row["bca_95_scipy_20k"]), abs=near)
        # A second column of percentiles, of 10,000 resamples, is off by one of the 50 cases once.
        noisy = next(row[name] for name in row if name.endswith("_10k"))
        assert percentile == pytest.approx(tuple(noisy), abs=1 / 50 + 1e-9)
        error = float(np.std(resampled_means(Counter(values), 20_000, 0)))
        assert error == pytest.approx(row["bootstrap_se"], abs=near)
        assert error == pytest.approx(row["analytic_se_sqrt(var0/n)"], abs=near)


def test_equals_all_resamples_where_they_can_be_listed(rows):
    listed = {"seed000": (1.0, 0.5, 1 / 6), "exact 4": (1.0, 1.0, 0.0, 0.5)}
    found = 0
    for start, values in listed.items():
        row = next(row for row in rows if row["case"].startswith(start))["exact_enumeration"]
        means = sorted(sum(pick) / len(pick) for pick in product(values, repeat=len(values)))
        assert len(means) == row["n_resamples"]
        low, high = (means[int(q * len(means))] for q in (0.025, 0.975))
        ends = tuple(float(Fraction(row[name])) for name in ("q_lo", "q_hi"))
        assert (low, high) == pytest.approx(ends)
        assert percentile_interval(values) == pytest.approx(ends, abs=0.01)
        assert float(np.mean(means)) == pytest.approx(float(Fraction(row["mean"])))
        found += 1
    assert found == 2


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_agrees_with_scipy(method):
    values = np.random.default_rng(5).beta(2, 1, 40)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=10_000, method=method, rng=np.random.default_rng(1)
    ).confidence_interval
    ours = {"percentile": percentile_interval, "BCa": bca_interval}[method](values.tolist())
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.005)


@pytest.mark.parametrize("interval", [percentile_interval, bca_interval])
def test_a_seed_decides_the_ends(interval):
    values = np.random.default_rng(5).beta(2, 1, 40).tolist()
    assert interval(values, seed=3) == interval(values, seed=3)
    assert interval(values, seed=3) != interval(values, seed=4)
    assert interval(values, seed=3) == interval(values[::-1], seed=3)


@pytest.mark.parametrize("interval", [percentile_interval, bca_interval])
def test_numbers_that_mean_nothing_are_refused(interval):
    with pytest.raises(EstimationError, match="no values"):
        interval([])
    with pytest.raises(EstimationError, match="not a finite number"):
        interval([1.0, float("nan")])
    with pytest.raises(EstimationError, match="resamples is 0"):
        interval([1.0, 0.0], resamples=0)
    with pytest.raises(EstimationError, match="seed is -1"):
        interval([1.0, 0.0], seed=-1)
    with pytest.raises(EstimationError, match="confidence"):
        interval([1.0, 0.0], 2)


def test_one_resample_is_enough_to_answer():
    low, high = bca_interval([1.0, 0.0, 0.5], resamples=1)
    assert low == high

import json
from math import acos, copysign, cos, erf, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import EstimationError
from passhat.reliability import agresti_caffo, differences, newcombe, wald_difference
from passhat.reliability.differences import score_difference

ALL = [newcombe, wald_difference, agresti_caffo, score_difference]
some_counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@pytest.fixture
def rows(shared):
    return json.loads((shared / "vectors/stats/two_proportions.json").read_text())


def of(row):
    return row["n1"], row["c1"], row["n2"], row["c2"]


def test_equals_the_table(rows):
    z_196 = erf(1.96 / sqrt(2))
    for row in rows:
        columns = {
            "statsmodels_wald": wald_difference(*of(row)),
            "wald_95_z1.96": wald_difference(*of(row), z_196),
            "statsmodels_newcomb": newcombe(*of(row)),
            "newcombe_own": newcombe(*of(row)),
            "statsmodels_agresti-caffo": agresti_caffo(*of(row)),
        }
        for name, found in columns.items():
            assert found == pytest.approx(tuple(row[name]), abs=1e-9), name


def test_the_score_column_follows_from_a_slip_in_the_cubic(rows, monkeypatch):
    # The column was made by a library whose cubic has c2·difference where Miettinen and Nurminen
    # have n2·difference. With that slip ours gives the column; without it, the best rates.
    def slipped(n1, c1, n2, c2, difference):
        a = n1 + n2
        b = (n1 + 2 * n2) * difference - a - c1 - c2
        c = (c2 * difference - a - 2 * c2) * difference + c1 + c2
        d = c2 * difference * (1 - difference)
        q = (b / (3 * a)) ** 3 - b * c / (6 * a * a) + d / (2 * a)
        p = copysign(sqrt((b / (3 * a)) ** 2 - c / (3 * a)), q)
        return 2 * p * cos((pi + acos(q / p**3)) / 3) - b / (3 * a)

    told = [row for row in rows if isinstance(row["statsmodels_score"], list)]
    assert len(told) == 4
    monkeypatch.setattr(differences, "_best_second_rate", slipped)
    for row in told:
        found = score_difference(*of(row))
        assert found == pytest.approx(tuple(row["statsmodels_score"]), abs=1e-9)


def test_score_interval_equals_a_published_one():
    # Newcombe 1998, table II, 56/70 against 48/80.
    assert score_difference(70, 56, 80, 48) == pytest.approx((0.0528, 0.3382), abs=5e-5)
    assert newcombe(70, 56, 80, 48) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(some_counts, some_counts, st.floats(-0.99, 0.99))
def test_the_second_rate_is_the_most_likely_one(first, second, difference):
    (n1, c1), (n2, c2) = first, second
    rates = np.linspace(max(0.0, -difference), min(1.0, 1 - difference), 2001)[1:-1]

    def likelihood(p2):
        p1 = np.clip(p2 + difference, 1e-300, 1)
        return (
            c1 * np.log(p1)
            + (n1 - c1) * np.log(np.clip(1 - p1, 1e-300, 1))
            + c2 * np.log(np.clip(p2, 1e-300, 1))
            + (n2 - c2) * np.log(np.clip(1 - p2, 1e-300, 1))
        )

    found = differences._best_second_rate(n1, c1, n2, c2, difference)
    inside = min(max(found, rates[0]), rates[-1])
    assert likelihood(inside) >= likelihood(rates).max() - 1e-6


@pytest.mark.parametrize("interval", ALL)
@given(some_counts, some_counts)
def test_swapping_the_two_swaps_the_signs(interval, first, second):
    low, high = interval(*first, *second)
    assert -1 <= low <= high <= 1
    assert interval(*second, *first) == pytest.approx((-high, -low), abs=1e-7)


@pytest.mark.parametrize("interval", ALL)
def test_numbers_that_mean_nothing_are_refused(interval):
    with pytest.raises(EstimationError, match="c=4 passes"):
        interval(3, 3, 3, 4)
    with pytest.raises(EstimationError, match="confidence"):
        interval(3, 3, 3, 3, 0)

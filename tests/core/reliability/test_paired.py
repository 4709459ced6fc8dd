import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import EstimationError, UsageError
from passhat.reliability import mcnemar, paired, sign_flip_p

quarters = st.lists(st.integers(-4, 4).map(lambda value: value / 4), min_size=1, max_size=8)


@pytest.fixture
def tables(shared):
    return json.loads((shared / "vectors/stats/paired.json").read_text())


def test_mcnemar_equals_the_table(tables):
    for row in tables["mcnemar"]:
        (_, b), (c, _) = row["table"]
        assert mcnemar(b, c).p_value == pytest.approx(row["mcnemar_exact_p"], abs=1e-9)
        if "mcnemar_chi2" not in row:
            with pytest.raises(EstimationError, match="take the exact test"):
                mcnemar(b, c, "chi2")
            continue
        chi2 = (row["mcnemar_chi2_p"], row["mcnemar_chi2"])
        assert mcnemar(b, c, "chi2") == pytest.approx(chi2, abs=1e-9)
        corrected = (row["mcnemar_cc_p"], row["mcnemar_cc_chi2"])
        assert mcnemar(b, c, "corrected") == pytest.approx(corrected, abs=1e-9)


def test_sign_flips_equal_the_table(tables):
    for row in tables["sign_flip_permutation"]:
        differences = [b - a for a, b in zip(row["a"], row["b"], strict=True)]
        assert sum(differences) / len(differences) == pytest.approx(row["mean_diff"])
        assert sign_flip_p(differences) == pytest.approx(row["p"], abs=1e-9)
    same_agent = tables["tau_AA_check"]
    # Their p is from 200,000 random flips: 0.003 is three and a half of its standard errors.
    found = sign_flip_p(same_agent["diff_per_task"])
    assert found == pytest.approx(same_agent["sign_flip_p_200k"], abs=0.003)


@given(quarters)
def test_sign_flips_are_all_counted(differences):
    sums = [
        sum(sign * value for sign, value in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    extreme = sum(abs(total) >= abs(sum(differences)) for total in sums)
    assert sign_flip_p(differences) == extreme / len(sums)


def test_sums_that_differ_by_rounding_tie():
    assert sign_flip_p([1 / 3, 1 / 3, 2 / 3]) == sign_flip_p([1, 1, 2])
    assert sign_flip_p([0.1, 0.2, -0.3]) == 1.0


def test_too_many_sums_to_count_are_sampled(monkeypatch):
    differences = [(i % 9 - 3.5) / 8 + i / 1e4 for i in range(18)]
    exact = sign_flip_p(differences)
    monkeypatch.setattr(paired, "_MOST_STEPS", 1000)
    assert sign_flip_p(differences, resamples=20_000) == pytest.approx(exact, abs=0.015)


def test_numbers_that_mean_nothing_are_refused():
    with pytest.raises(EstimationError, match="no differences"):
        sign_flip_p([])
    with pytest.raises(EstimationError, match="not a finite number"):
        sign_flip_p([0.5, float("inf")])
    with pytest.raises(EstimationError, match="first_only is -1"):
        mcnemar(-1, 2)
    with pytest.raises(UsageError, match="take one of exact, chi2, corrected"):
        mcnemar(1, 2, "magic")


def test_thousands_of_cases_come_to_the_same_whichever_way(monkeypatch):
    grid = [0.2, -0.2, 0.4, 0.0, -0.6, 0.2, 0.2] * 60
    by_size = sign_flip_p(grid)
    monkeypatch.setattr(paired, "_LARGEST", 0)
    exact = sign_flip_p(grid)
    assert by_size == pytest.approx(exact, abs=1e-9)
    monkeypatch.setattr(paired, "_MOST_COUNTED", 10)
    assert sign_flip_p(grid) == pytest.approx(exact, abs=0.005)
    monkeypatch.setattr(paired, "_MOST_SIZES", 0)
    assert sign_flip_p(grid) == pytest.approx(exact, abs=0.02)


def test_what_rounding_left_of_no_difference_is_none():
    grid = [0.2, -0.2, 0.4, 1e-17, 0.0, -0.6, 0.2] * 60
    assert sign_flip_p(grid) == pytest.approx(
        sign_flip_p([value for value in grid if abs(value) > 0.1])
    )

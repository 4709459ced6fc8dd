import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import EstimationError, UsageError
from passhat.reliability import (
    binomial_tail,
    cases_needed,
    clopper_pearson,
    few_cases_warning,
    half_width,
    interval_pass_hat_k,
    trials_needed,
    wald,
    wilson,
    zero_failures_needed,
)


def test_zero_failures_equals_the_table(shared):
    table = json.loads((shared / "vectors/stats/zero_failures.json").read_text())
    columns = {
        "rule_of_three": "rule_of_three_n",
        "exact": "exact_one_sided_95_n",
        "clopper_pearson": "clopper_pearson_two_sided_95_n",
        "wilson": "wilson_two_sided_95_n",
    }
    for row in table["n_needed_for_zero_failures"]:
        for method, column in columns.items():
            assert zero_failures_needed(row["claim_below"], method=method) == row[column]


def test_binomial_tail_equals_the_table(shared):
    for row in json.loads((shared / "vectors/stats/binomial.json").read_text()):
        found = binomial_tail(row["n"], row["x_le"], row["p"])
        assert found == pytest.approx(row["exact"], abs=1e-9)


@given(
    st.floats(0.02, 0.4),
    st.sampled_from([0.0, 0.1, 0.5, 0.8, 0.95]),
    st.sampled_from(["wilson", "clopper_pearson"]),
)
def test_trials_needed_is_the_fewest(width, rate, method):
    n = trials_needed(width, rate, method=method)
    assert half_width(n, rate, method=method) <= width
    assert n == 1 or half_width(n - 1, rate, method=method) > width


@pytest.mark.parametrize(
    ("method", "interval"),
    [("wilson", wilson), ("clopper_pearson", clopper_pearson), ("wald", wald)],
)
def test_half_width_is_that_of_the_interval(method, interval):
    assert half_width(50, 0.6, method=method) == pytest.approx(interval(50, 30).width / 2)


def test_cases_needed_keeps_its_word_where_the_pilot_was_right():
    pilot = [(4, 4), (4, 3), (4, 2), (4, 4), (4, 0)] * 4
    cases = cases_needed(0.1, pilot, 2)
    assert interval_pass_hat_k(pilot * (cases // len(pilot) + 1), 2).width / 2 < 0.1
    assert interval_pass_hat_k(pilot * (cases // len(pilot) - 1), 2).width / 2 > 0.1


def test_few_cases_are_told_what_they_miss():
    assert few_cases_warning(1).startswith("1 case: ")
    assert "not among them 7.2 % of the time" in few_cases_warning(25)
    assert few_cases_warning(49) is not None
    assert few_cases_warning(50) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: trials_needed(0),
        lambda: trials_needed(0.1, rate=2),
        lambda: trials_needed(1e-9),
        lambda: half_width(0, 0.5),
        lambda: cases_needed(0.1, [], 1),
        lambda: zero_failures_needed(0),
        lambda: zero_failures_needed(0.01, 0.99, "rule_of_three"),
        lambda: zero_failures_needed(0.01, 2),
        lambda: binomial_tail(3, 4, 0.5),
        lambda: binomial_tail(3, 2, 1.5),
        lambda: few_cases_warning(0),
    ],
)
def test_numbers_that_mean_nothing_are_refused(call):
    with pytest.raises(EstimationError):
        call()


def test_methods_that_do_not_exist_are_refused():
    with pytest.raises(UsageError, match="take one of exact, rule_of_three"):
        zero_failures_needed(0.01, method="magic")
    with pytest.raises(UsageError, match="take one of wilson"):
        trials_needed(0.1, method="magic")

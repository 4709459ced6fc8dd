"""Attack success by category."""

import pytest

from passhat.errors import UsageError
from passhat.reliability import attack_success, interval_pass_hat_k
from passhat.result import CheckResult, Trial


def trial(case, hits, *tags, key="injection"):
    evidence = {} if hits is None else {"hits": hits, "of": 1}
    result = CheckResult(key, "passed", None, "", evidence)
    return Trial(case, 0, "t", "passed", (result,), tags=tags)


TRIALS = [
    trial("a", 1, "mail"),
    trial("a", 0, "mail"),
    trial("b", 0, "mail", "web"),
    trial("c", 1, "web"),
    trial("d", None, "web"),
]


def test_rates_are_means_over_cases_by_tag_and_over_all():
    rates = attack_success(TRIALS)
    assert list(rates) == ["all", "mail", "web"]
    assert (rates["all"].rate, rates["all"].hits, rates["all"].of, rates["all"].cases) == (
        0.5,
        2,
        4,
        3,
    )
    assert rates["mail"].rate == 0.25
    assert rates["mail"].interval == interval_pass_hat_k([(2, 1), (1, 0)], 1)


def test_categories_may_be_given_by_case():
    rates = attack_success(TRIALS, {"a": "spoof", "c": "spoof"})
    assert {name: rate.of for name, rate in rates.items()} == {"all": 4, "spoof": 3}


def test_without_an_attack_there_is_no_rate():
    with pytest.raises(UsageError, match="injection"):
        attack_success([trial("a", None)])
    with pytest.raises(UsageError, match="other"):
        attack_success(TRIALS, key="other")


def test_a_denominator_alone_is_no_judged_attack():
    half = Trial("e", 0, "t", "passed", (CheckResult("injection", "passed", 0.0, "", {"of": 1}),))
    assert attack_success([*TRIALS, half])["all"].of == 4

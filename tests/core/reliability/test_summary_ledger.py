"""What was left out, and what it could have changed."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat.reliability.estimators import pass_hat_k
from passhat.reliability.ledger import Left, sensitivity

cases_of = st.lists(
    st.integers(1, 4).flatmap(
        lambda n: st.builds(Left, st.just(n), st.integers(0, n), st.integers(0, 2))
    ),
    min_size=1,
    max_size=4,
)


@given(cases_of)
@settings(deadline=None)
def test_every_way_the_left_out_could_have_gone_lies_between(cases):
    least = min(case.n for case in cases)
    for k in range(1, least + 1):
        told = sensitivity(cases, 0, [k])
        for passes in product(*(range(case.left_out + 1) for case in cases)):
            value = sum(
                pass_hat_k(case.n + case.left_out, case.c + more, k)
                for case, more in zip(cases, passes, strict=True)
            ) / len(cases)
            assert told.if_failed[k] - 1e-12 <= value <= told.if_passed[k] + 1e-12


def test_attempts_without_a_case_are_cases_of_their_own():
    told = sensitivity([Left(4, 4, 0)], caseless=1, ks=[1, 4])
    assert told.left_out == 1
    assert told.if_failed == {1: 0.5, 4: 0.5}
    assert told.if_passed == {1: 1.0, 4: 1.0}


def test_a_case_with_nothing_but_left_out_trials():
    told = sensitivity([Left(2, 2, 0), Left(0, 0, 1)], caseless=0, ks=[2])
    assert told.if_failed == {2: 0.5}
    assert told.if_passed == {2: 1.0}


@pytest.mark.parametrize("cases", [[], [Left(0, 0, 0)]])
def test_nothing_at_all(cases):
    assert sensitivity(cases, 0, [1]).left_out == 0

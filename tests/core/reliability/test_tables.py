"""Exact tests of nested trials, held against counting every way to deal the passes out."""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from passhat.errors import EstimationError
from passhat.reliability import tables
from passhat.reliability.tables import fisher_p, least_fisher_p, stratified_p

counts = st.integers(1, 5).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(counts, counts)
def test_fisher_is_scipys(first, second):
    (n1, c1), (n2, c2) = first, second
    theirs = fisher_exact([[c1, n1 - c1], [c2, n2 - c2]]).pvalue
    assert fisher_p(n1, c1, n2, c2) == pytest.approx(theirs, abs=1e-9)
    assert least_fisher_p(n1, n2, c1 + c2) <= fisher_p(n1, c1, n2, c2)


def by_dealing(pairs):
    """The p by dealing the trials of each case out in every way."""
    observed = sum(Fraction(c2, n2) - Fraction(c1, n1) for n1, c1, n2, c2 in pairs)
    ways = []
    for n1, c1, n2, c2 in pairs:
        trials = [1] * (c1 + c2) + [0] * (n1 + n2 - c1 - c2)
        found = []
        for chosen in combinations(range(n1 + n2), n1):
            own = sum(trials[at] for at in chosen)
            found.append(Fraction(c1 + c2 - own, n2) - Fraction(own, n1))
        ways.append(found)
    sums = [sum(way) for way in product(*ways)]
    return float(Fraction(sum(abs(total) >= abs(observed) for total in sums), len(sums)))


small = st.integers(1, 3).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@settings(max_examples=60)
@given(st.lists(st.tuples(small, small), min_size=1, max_size=3))
def test_stratified_is_every_deal_counted(cases):
    pairs = [(*first, *second) for first, second in cases]
    assert stratified_p(pairs) == pytest.approx(by_dealing(pairs), abs=1e-9)


def test_where_it_cannot_be_counted_it_is_drawn(monkeypatch):
    pairs = [(5, 5, 5, 3), (4, 2, 5, 1), (3, 1, 7, 6)] * 4
    exact = stratified_p(pairs)
    monkeypatch.setattr(tables, "_MOST_STEPS", 10)
    assert stratified_p(pairs, resamples=40_000) == pytest.approx(exact, abs=0.01)


def test_many_cases_come_to_the_same_whichever_way(monkeypatch):
    alike = [(5, 4, 5, 3), (5, 5, 5, 4), (5, 1, 5, 2), (5, 3, 5, 1)] * 20
    exact = stratified_p(alike)
    monkeypatch.setattr(tables, "_MOST_CONVOLVED", 1)
    assert stratified_p(alike) == pytest.approx(exact, abs=1e-9)
    monkeypatch.setattr(tables, "_MOST_DRAWN", 1)
    assert stratified_p(alike) == pytest.approx(exact, abs=0.02)


def test_nothing_is_refused():
    with pytest.raises(EstimationError, match="no cases"):
        stratified_p([])
    with pytest.raises(EstimationError, match="c cannot be more than n"):
        fisher_p(2, 3, 1, 1)

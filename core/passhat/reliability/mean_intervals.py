"""Confidence intervals for pass^k and pass@k of a suite, with the cases as the sampling unit.

The suite is seen as a sample of cases from the work the agent is for; what is estimated is the
mean, over that work, of each case's chance to pass k times running. Trials of one case say much
about that case and little about the others, so a binomial interval over all trials is too narrow,
and one over cases alone wastes what several trials tell. In between lies the effective size: the
number of independent pass-or-fail trials whose mean would vary as much as this one does.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, fsum, lgamma, sqrt
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from passhat.errors import UsageError
from passhat.reliability.bootstrap import bca_of_tally, percentile_of_tally
from passhat.reliability.counts import share, tally
from passhat.reliability.estimators import pass_hat_k
from passhat.reliability.intervals import Interval, clopper_pearson_of_size, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from passhat.reliability.counts import CountsLike

Method: TypeAlias = Literal["auto", "t", "percentile", "bca"]


def interval_pass_hat_k(
    counts: Iterable[CountsLike],
    k: int,
    confidence: float = 0.95,
    method: Method = "auto",
    seed: int = 0,
) -> Interval:
    """A confidence interval, within 0..1, for the pass^k of a suite; cases may differ in n.

    Methods:
        `auto`: Clopper and Pearson's interval with `effective_size` trials. It keeps its level in
            simulation down to 10 cases. A suite that passed everything gets the interval of as
            many passes as it has cases, never (1, 1).
        `t`: mean ± t·s/sqrt(cases), cut to 0..1. Simple, and too narrow near 0 and 1.
        `percentile`, `bca`: bootstraps over cases, too narrow for few cases. Where all cases agree
            there is nothing to resample, and these and `t` answer as `auto` does.

    Korn and Graubard 1998, "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data"; compared with others in Franco, Little, Louis and
    Slud 2019, "Comparative study of confidence intervals for proportions in complex sample
    surveys".

    Args:
        counts: One `(n, c)` or `(n, c, case_id)` per case.
        k: Draws, 1 to the smallest n.
        confidence: Between 0 and 1.
        method: One of the above.
        seed: For the bootstraps; the same seed gives the same ends.

    Raises:
        EstimationError: No cases, one whose counts do not allow k draws, or confidence out of range.
        UsageError: There is no such method.

    >>> low, high = interval_pass_hat_k([(4, 4), (4, 3), (4, 2), (4, 4), (4, 0)], k=2)
    >>> round(low, 2), round(high, 2)
    (0.11, 0.92)
    >>> low, high = interval_pass_hat_k([(3, 3)] * 20, k=3)
    >>> round(low, 2), high
    (0.83, 1.0)
    """
    return _interval(tally(counts, k), k, confidence, method, seed)


def interval_pass_at_k(
    counts: Iterable[CountsLike],
    k: int,
    confidence: float = 0.95,
    method: Method = "auto",
    seed: int = 0,
) -> Interval:
    """A confidence interval, within 0..1, for the pass@k of a suite.

    pass@k is 1 less the chance that all k draws fail, so this is the interval of
    `interval_pass_hat_k` for the failures, seen from the other end.

    Args:
        counts: One `(n, c)` or `(n, c, case_id)` per case.
        k: Draws, 1 to the smallest n.
        confidence: Between 0 and 1.
        method: As in `interval_pass_hat_k`.
        seed: For the bootstraps; the same seed gives the same ends.

    Raises:
        EstimationError: No cases, one whose counts do not allow k draws, or confidence out of range.
        UsageError: There is no such method.

    >>> low, high = interval_pass_at_k([(4, 4), (4, 3), (4, 2), (4, 4), (4, 0)], k=2)
    >>> round(low, 2), round(high, 2)
    (0.26, 0.99)
    """
    failures = {(n, n - c): many for (n, c), many in tally(counts, k).items()}
    low, high = _interval(failures, k, confidence, method, seed)
    return Interval(1 - high, 1 - low)


def effective_size(counts: Iterable[CountsLike], k: int, confidence: float = 0.95) -> float:
    """How many independent pass-or-fail trials tell as much about pass^k as these cases do.

    With x the pass^k of each of m cases, q their mean and s² their variance:

    1. `size = m·q(1-q) / max(s², v)`. v is the variance x would have if all cases passed with one
       and the same chance, q^(1/k); it cannot have less, so the size is never more than what the
       trials could be worth. For k = n that is m.
    2. s² is itself uncertain, so the size shrinks by `(t(size - 1) / t(d))²`, t being the quantile
       of Student's distribution. d is Satterthwaite's `2m / (kurtosis - (m-3)/(m-1))` degrees of
       freedom, at most m - 1, at most the number of cases with x < 1, and at most that of cases
       with x > 0. (Korn and Graubard's m - 1 covers too rarely where few cases differ from the
       others, and would let one failure raise the lower end.)
    3. It is at least m: no variable within 0..1 varies more than one that is either 0 or 1.

    Where all cases are 0, or all are 1, nothing is known of how cases differ, and the size is m.

    Args:
        counts: One `(n, c)` or `(n, c, case_id)` per case.
        k: Draws, 1 to the smallest n.
        confidence: The level of the t quantiles, between 0 and 1.

    Raises:
        EstimationError: No cases, one whose counts do not allow k draws, or confidence out of range.

    >>> effective_size([(4, 4)] * 30, k=2)
    30.0
    >>> round(effective_size([(4, 4), (4, 3), (4, 2), (4, 3), (4, 1)] * 6, k=1), 1)
    93.8
    """
    return _effective_size(tally(counts, k), k, confidence)


def trial_variance(n: int, c: int, k: int) -> float:
    """How far the pass^k of one case varies with its trials alone: a variance, more than 0.

    That of `C(c,k)/C(n,k)` where each trial passes with chance `(c + 1/2)/(n + 1)`, times
    `(n + 1)/n`, for one case's own trials hardly tell their spread: five passes in five are no
    proof of a case that always passes.

    Args:
        n: Trials, k or more.
        c: Those that passed.
        k: Draws.

    >>> round(trial_variance(5, 4, 1), 4), round(trial_variance(5, 5, 1), 4)
    (0.045, 0.0183)
    """
    return (n + 1) / n * _least_variance(n, k, ((c + 0.5) / (n + 1)) ** k)


def _interval(
    seen: Mapping[tuple[int, int], int], k: int, confidence: float, method: Method, seed: int
) -> Interval:
    if method not in get_args(Method):
        known = ", ".join(get_args(Method))
        raise UsageError(f"no interval method {method!r}: take one of {known}")
    values = _values(seen, k)
    if method == "auto" or len(values) == 1:
        size = _effective_size(seen, k, confidence)
        return clopper_pearson_of_size(size, size * _mean(values), confidence)
    if method == "t":
        return _t_interval(values, confidence)
    if method == "percentile":
        return percentile_of_tally(values, confidence, seed=seed)
    return bca_of_tally(values, confidence, seed=seed)


def _effective_size(seen: Mapping[tuple[int, int], int], k: int, confidence: float) -> float:
    level = (1 + share(confidence, "confidence")) / 2
    values = _values(seen, k)
    cases = sum(values.values())
    q = _mean(values)
    some_failed = sum(many for value, many in values.items() if value < 1)
    some_passed = sum(many for value, many in values.items() if value > 0)
    if cases == 1 or not some_failed or not some_passed:
        return float(cases)

    second, fourth = (
        fsum(many * (value - q) ** power for value, many in values.items()) for power in (2, 4)
    )
    least = fsum(many * _least_variance(n, k, q) for (n, _), many in seen.items()) / cases
    size = max(cases, cases * q * (1 - q) / max(second / (cases - 1), least))

    degrees = float(min(some_failed, some_passed, cases - 1))
    if second > 0:
        kurtosis = cases * fourth / second**2
        degrees = min(degrees, 2 * cases / (kurtosis - (cases - 3) / (cases - 1)))
    from scipy.special import stdtrit

    shrink = float(stdtrit(size - 1, level) / stdtrit(max(degrees, 1.0), level))
    return max(float(cases), size * shrink**2)


def _least_variance(n: int, k: int, q: float) -> float:
    """The variance of C(c, k)/C(n, k) where c of n trials pass with chance q^(1/k) each.

    Two k-subsets that share j trials pass together with chance q^((2k - j)/k), which is convex in
    q: by Jensen's inequality cases that differ, with mean q, vary at least as much as equal ones.
    """
    together = fsum(chance * q ** ((2 * k - shared) / k) for shared, chance in _overlaps(n, k))
    return max(0.0, together - q * q)


@lru_cache(maxsize=256)
def _overlaps(n: int, k: int) -> tuple[tuple[int, float], ...]:
    """How many trials two k-subsets of n share, with the chance of each number."""

    def log_comb(a: int, b: int) -> float:
        return lgamma(a + 1) - lgamma(b + 1) - lgamma(a - b + 1)

    return tuple(
        (j, exp(log_comb(k, j) + log_comb(n - k, k - j) - log_comb(n, k)))
        for j in range(max(0, 2 * k - n), k + 1)
    )


def _t_interval(values: Mapping[float, int], confidence: float) -> Interval:
    from scipy.special import stdtrit

    level = (1 + share(confidence, "confidence")) / 2
    cases = sum(values.values())
    mean = _mean(values)
    variance = fsum(many * (value - mean) ** 2 for value, many in values.items()) / (cases - 1)
    return within(0.0, mean, float(stdtrit(cases - 1, level)) * sqrt(variance / cases))


def _values(seen: Mapping[tuple[int, int], int], k: int) -> dict[float, int]:
    """pass^k of each case, and how many cases have it."""
    values: dict[float, int] = {}
    for (n, c), many in seen.items():
        value = pass_hat_k(n, c, k)
        values[value] = values.get(value, 0) + many
    return values


def _mean(values: Mapping[float, int]) -> float:
    return fsum(value * many for value, many in values.items()) / sum(values.values())

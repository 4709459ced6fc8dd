"""Confidence intervals for one rate: n independent trials, c of which passed."""

from __future__ import annotations

from math import expm1, log1p, sqrt
from typing import NamedTuple

from passhat.errors import EstimationError
from passhat.reliability.counts import checked, share, whole


class Interval(NamedTuple):
    """Two ends of a confidence interval; it is also a plain `(low, high)`.

    >>> Interval(0.25, 0.75).width
    0.5
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low


def wilson(n: int, c: int, confidence: float = 0.95) -> Interval:
    """The score interval of Wilson, within 0..1: close to its nominal level at nearly every rate.

    `(p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n)`, p = c/n.
    Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    Args:
        n: Trials, 1 or more.
        c: Those that passed, 0 to n.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = wilson(50, 40)
    >>> round(low, 3), round(high, 3)
    (0.67, 0.888)
    """
    n, c = checked(n, c)
    return wilson_of_rate(n, c / n, confidence)


def clopper_pearson(n: int, c: int, confidence: float = 0.95) -> Interval:
    """The exact interval of Clopper and Pearson, within 0..1: never below its nominal level.

    The ends are quantiles of Beta(c, n-c+1) and Beta(c+1, n-c).
    Clopper and Pearson 1934, "The use of confidence or fiducial limits illustrated in the case of
    the binomial".

    Args:
        n: Trials, 1 or more.
        c: Those that passed, 0 to n.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = clopper_pearson(10, 10)
    >>> round(low, 3), high
    (0.692, 1.0)
    """
    n, c = checked(n, c)
    return clopper_pearson_of_size(n, c, confidence)


def jeffreys(n: int, c: int, confidence: float = 0.95) -> Interval:
    """The equal-tailed interval of Jeffreys' prior, strictly within 0..1.

    The ends are quantiles of Beta(c + 1/2, n-c + 1/2).
    Brown, Cai and DasGupta 2001, "Interval estimation for a binomial proportion".

    Args:
        n: Trials, 1 or more.
        c: Those that passed, 0 to n.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = jeffreys(10, 8)
    >>> round(low, 3), round(high, 3)
    (0.497, 0.956)
    """
    from scipy.special import betaincinv

    n, c = checked(n, c)
    tail = (1 - share(confidence, "confidence")) / 2
    low, high = (float(betaincinv(c + 0.5, n - c + 0.5, p)) for p in (tail, 1 - tail))
    return Interval(low, high)


def agresti_coull(n: int, c: int, confidence: float = 0.95) -> Interval:
    """The interval of Agresti and Coull, cut to 0..1: Wald's after adding z²/2 to either count.

    Agresti and Coull 1998, "Approximate is better than 'exact' for interval estimation of binomial
    proportions".

    Args:
        n: Trials, 1 or more.
        c: Those that passed, 0 to n.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = agresti_coull(10, 8)
    >>> round(low, 3), round(high, 3)
    (0.479, 0.954)
    """
    n, c = checked(n, c)
    z = normal_quantile(confidence)
    size = n + z * z
    p = (c + z * z / 2) / size
    return within(0.0, p, z * sqrt(p * (1 - p) / size))


def wald(n: int, c: int, confidence: float = 0.95) -> Interval:
    """`p ± z sqrt(p(1-p)/n)` cut to 0..1: the textbook interval, here to compare with.

    It has no width where all trials agree, and covers too rarely near 0 and 1.

    Args:
        n: Trials, 1 or more.
        c: Those that passed, 0 to n.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = wald(10, 8)
    >>> round(low, 3), high
    (0.552, 1.0)
    """
    n, c = checked(n, c)
    p = c / n
    return within(0.0, p, normal_quantile(confidence) * sqrt(p * (1 - p) / n))


def rule_of_three(n: int) -> float:
    """3/n (at most 1): about the highest rate of failure that n cases without one leave open.

    An upper 95 % bound, one-sided. What counts is what is independent: the cases of a suite, each
    seen to pass, not the trials of one case.
    Hanley and Lippman-Hand 1983, "If nothing goes wrong, is everything all right?".

    Args:
        n: Cases without a failure, 1 or more.

    Raises:
        EstimationError: n is not a whole number of 1 or more.

    >>> rule_of_three(200)
    0.015
    """
    return min(1.0, 3 / whole(n, "n", least=1))


def zero_failures_bound(n: int, confidence: float = 0.95) -> float:
    """The highest rate of failure, 0 to 1, that n cases without one leave open; exact, one-sided.

    `1 - (1 - confidence)^(1/n)`, the rate at which n passes in a row have chance 1 - confidence.

    Args:
        n: Cases without a failure, 1 or more.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: n or confidence out of range.

    >>> round(zero_failures_bound(299), 5)
    0.00997
    """
    n = whole(n, "n", least=1)
    return -expm1(log1p(-share(confidence, "confidence")) / n)


def normal_quantile(confidence: float) -> float:
    """The z between whose two signs a standard normal lies with the given chance.

    Raises:
        EstimationError: confidence is not between 0 and 1.

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + share(confidence, "confidence")) / 2)


def wilson_of_rate(n: float, p: float, confidence: float) -> Interval:
    """Wilson's interval for a rate p of n trials, where p·n need not be whole.

    >>> wilson_of_rate(50, 0.8, 0.95) == wilson(50, 40)
    True
    """
    z = normal_quantile(confidence)
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    # At the ends the two terms are equal, but for rounding.
    return Interval(
        max(0.0, centre - half) if p > 0 else 0.0, min(1.0, centre + half) if p < 1 else 1.0
    )


def clopper_pearson_of_size(size: float, passed: float, confidence: float) -> Interval:
    """Clopper and Pearson's interval where trials and passes need not be whole.

    Raises:
        EstimationError: confidence is not between 0 and 1, or the counts are out of range.

    >>> clopper_pearson_of_size(12.5, 12.5, 0.95).high
    1.0
    """
    from scipy.special import betaincinv

    if not 0 <= passed <= size:
        raise EstimationError(f"{passed} passes out of {size} trials: give 0 <= passes <= trials")
    tail = (1 - share(confidence, "confidence")) / 2
    low = float(betaincinv(passed, size - passed + 1, tail)) if passed > 0 else 0.0
    high = float(betaincinv(passed + 1, size - passed, 1 - tail)) if passed < size else 1.0
    return Interval(low, high)


def within(least: float, centre: float, half: float) -> Interval:
    """`centre ± half`, cut to `least`..1.

    >>> within(0.0, 0.9, 0.25)
    Interval(low=0.65, high=1.0)
    """
    return Interval(max(least, centre - half), min(1.0, centre + half))

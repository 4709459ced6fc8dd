"""Confidence intervals for the difference of two rates from independent trials."""

from __future__ import annotations

from math import acos, copysign, cos, pi, sqrt

from passhat.reliability.counts import checked
from passhat.reliability.intervals import Interval, normal_quantile, wilson, within


def newcombe(n1: int, c1: int, n2: int, c2: int, confidence: float = 0.95) -> Interval:
    """An interval for c1/n1 - c2/n2, within -1..1, from the two Wilson intervals.

    Each end lies where the squared distances of the two rates from their Wilson ends add up.
    Newcombe 1998, "Interval estimation for the difference between independent proportions", method
    10. For trials of the same cases, which are paired, it is wider than need be.

    Args:
        n1: Trials of the first, 1 or more.
        c1: Those that passed, 0 to n1.
        n2: Trials of the second.
        c2: Those that passed.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = newcombe(200, 160, 200, 148)
    >>> round(low, 3), round(high, 3)
    (-0.023, 0.142)
    """
    low1, high1 = wilson(n1, c1, confidence)
    low2, high2 = wilson(n2, c2, confidence)
    p1, p2 = c1 / n1, c2 / n2
    return Interval(
        p1 - p2 - sqrt((p1 - low1) ** 2 + (high2 - p2) ** 2),
        p1 - p2 + sqrt((high1 - p1) ** 2 + (p2 - low2) ** 2),
    )


def wald_difference(n1: int, c1: int, n2: int, c2: int, confidence: float = 0.95) -> Interval:
    """`p1 - p2 ± z sqrt(p1(1-p1)/n1 + p2(1-p2)/n2)`, cut to -1..1: to compare with.

    Args:
        n1: Trials of the first, 1 or more.
        c1: Those that passed, 0 to n1.
        n2: Trials of the second.
        c2: Those that passed.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = wald_difference(200, 160, 200, 148)
    >>> round(low, 3), round(high, 3)
    (-0.022, 0.142)
    """
    n1, c1 = checked(n1, c1)
    n2, c2 = checked(n2, c2)
    return _wald(n1, c1 / n1, n2, c2 / n2, confidence)


def agresti_caffo(n1: int, c1: int, n2: int, c2: int, confidence: float = 0.95) -> Interval:
    """Wald's interval for c1/n1 - c2/n2 after adding a pass and a failure to each; within -1..1.

    Agresti and Caffo 2000, "Simple and effective confidence intervals for proportions and
    differences of proportions result from adding two successes and two failures".

    Args:
        n1: Trials of the first, 1 or more.
        c1: Those that passed, 0 to n1.
        n2: Trials of the second.
        c2: Those that passed.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = agresti_caffo(10, 8, 10, 6)
    >>> round(low, 3), round(high, 3)
    (-0.205, 0.538)
    """
    n1, c1 = checked(n1, c1)
    n2, c2 = checked(n2, c2)
    return _wald(n1 + 2, (c1 + 1) / (n1 + 2), n2 + 2, (c2 + 1) / (n2 + 2), confidence)


def score_difference(n1: int, c1: int, n2: int, c2: int, confidence: float = 0.95) -> Interval:
    """The score interval for c1/n1 - c2/n2, within -1..1: all differences the data do not reject.

    Each difference is tested with the rates that fit best under it and a variance times N/(N-1).
    Miettinen and Nurminen 1985, "Comparative analysis of two rates".

    Args:
        n1: Trials of the first, 1 or more.
        c1: Those that passed, 0 to n1.
        n2: Trials of the second.
        c2: Those that passed.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: Counts or confidence out of range.

    >>> low, high = score_difference(10, 8, 10, 6)
    >>> round(low, 3), round(high, 3)
    (-0.213, 0.557)
    """
    n1, c1 = checked(n1, c1)
    n2, c2 = checked(n2, c2)
    z = normal_quantile(confidence)
    found = c1 / n1 - c2 / n2

    def excess(difference: float) -> float:
        """How much further the finding lies from this difference than the level allows."""
        p2 = _best_second_rate(n1, c1, n2, c2, difference)
        p1 = p2 + difference
        variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * (n1 + n2) / (n1 + n2 - 1)
        return abs(found - difference) - z * sqrt(max(variance, 0.0))

    def end(edge: float) -> float:
        inside, outside = found, edge
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (inside, middle) if excess(middle) > 0 else (middle, outside)
        return outside

    return Interval(end(-1.0), end(1.0))


def _wald(n1: int, p1: float, n2: int, p2: float, confidence: float) -> Interval:
    half = normal_quantile(confidence) * sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    return within(-1.0, p1 - p2, half)


def _best_second_rate(n1: int, c1: int, n2: int, c2: int, difference: float) -> float:
    """The most likely second rate where the first is higher by `difference`.

    The root of the cubic in the appendix of Miettinen and Nurminen, in its trigonometric form.
    """
    a = n1 + n2
    b = (n1 + 2 * n2) * difference - a - c1 - c2
    c = (n2 * difference - a - 2 * c2) * difference + c1 + c2
    d = c2 * difference * (1 - difference)
    q = (b / (3 * a)) ** 3 - b * c / (6 * a * a) + d / (2 * a)
    p = copysign(sqrt(max((b / (3 * a)) ** 2 - c / (3 * a), 0.0)), q)
    if p == 0:
        return -b / (3 * a)
    angle = (pi + acos(min(1.0, max(-1.0, q / p**3)))) / 3
    root = 2 * p * cos(angle) - b / (3 * a)
    return min(max(root, 0.0, -difference), 1.0, 1.0 - difference)

"""Intervals for what differs between two runs of the same cases, with the cases as the unit."""

from __future__ import annotations

from collections import Counter
from math import fsum, isfinite, sqrt
from typing import TYPE_CHECKING

from passhat.errors import EstimationError
from passhat.reliability.counts import share
from passhat.reliability.intervals import Interval, clopper_pearson_of_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def value_size(
    values: Sequence[float], confidence: float = 0.95, *, mean: float | None = None
) -> float:
    """How many pass-or-fail trials tell as much as these values within 0..1, one per case.

    `m·q(1-q) / s²` for m values of mean q and variance s², shrunk as in `effective_size`, for s² is
    uncertain too; never less than the number of cases, as nothing within 0..1 varies more.

    Args:
        values: One number per case.
        confidence: Of the t quantiles, between 0 and 1.
        mean: Their mean, where it is already known.

    Raises:
        EstimationError: There are no values, or confidence out of range.

    >>> value_size([0.0, 0.0, 0.0])
    3.0
    >>> round(value_size([0.4, 0.6] * 10), 1)
    418.7
    """
    if not values:
        raise EstimationError("no values: give one number per case")
    return _size_of(Counter(values), confidence, mean)


def _size_of(tally: Mapping[float, int], confidence: float, mean: float | None) -> float:
    """As `value_size`, from each value and how many cases have it."""
    level = (1 + share(confidence, "confidence")) / 2
    cases = sum(tally.values())
    q = fsum(value * many for value, many in tally.items()) / cases if mean is None else mean
    below = sum(many for value, many in tally.items() if value < 1)
    above = sum(many for value, many in tally.items() if value > 0)
    if cases == 1 or not below or not above or not 0 < q < 1:
        return float(cases)
    second = fsum(many * (value - q) ** 2 for value, many in tally.items())
    # Equal values differ from their mean in its last bits.
    if second <= 1e-18:
        return float(cases)
    fourth = fsum(many * (value - q) ** 4 for value, many in tally.items())
    size = max(float(cases), cases * (cases - 1) * q * (1 - q) / second)
    kurtosis = cases * fourth / second**2
    degrees = min(below, above, cases - 1, 2 * cases / (kurtosis - (cases - 3) / (cases - 1)))
    from scipy.special import stdtrit

    shrink = float(stdtrit(max(size - 1, 1.0), level) / stdtrit(max(degrees, 1.0), level))
    return max(float(cases), size * shrink**2)


def paired_difference(
    differences: Sequence[float], confidence: float = 0.95, *, scale: float = 1.0
) -> Interval:
    """A confidence interval for the mean of paired differences, within -scale..scale.

    What the cases gained and what they lost are two means within 0..1. Each gets the exact
    interval of its effective size (`value_size`), and the ends are joined by the squares of their
    distances, with the correlation of the two: the MOVER of Zou and Donner 2008, "Construction of
    confidence limits about effect measures". So it keeps its level for few cases, and where no
    case differs it is as wide as that many cases without a difference allow, never 0.

    Args:
        differences: One per case, the second less the first.
        confidence: Between 0 and 1; both ends together.
        scale: How far one difference can be from 0: 1 for rates.

    Raises:
        EstimationError: There are no differences, one is out of range, or confidence is.

    >>> low, high = paired_difference([0.0] * 20)
    >>> round(low, 2), round(high, 2)
    (-0.17, 0.17)
    >>> low, high = paired_difference([-0.2, 0.0, 0.2, 0.0, -0.4] * 20)
    >>> round(low, 3), round(high, 3)
    (-0.125, -0.037)
    """
    if not differences:
        raise EstimationError("no differences: give one number per case")
    if not all(isfinite(value) and abs(value) <= scale + 1e-9 for value in differences):
        raise EstimationError(f"a difference is not a number within -{scale:g}..{scale:g}")
    cases = len(differences)
    won: dict[float, int] = {}
    lost: dict[float, int] = {}
    for value, many in Counter(differences).items():
        up, down = (min(1.0, max(0.0, way * value / scale)) for way in (1, -1))
        won[up] = won.get(up, 0) + many
        lost[down] = lost.get(down, 0) + many
    gain, loss = (
        fsum(value * many for value, many in tally.items()) / cases for tally in (won, lost)
    )
    gains, losses = (
        clopper_pearson_of_size(size := _size_of(tally, confidence, mean), size * mean, confidence)
        for tally, mean in ((won, gain), (lost, loss))
    )
    # No case both gains and loses, so that their product is 0 everywhere.
    spread = _square(won, gain) * _square(lost, loss)
    together = -cases * gain * loss / sqrt(spread) if spread > 0 else 0.0
    low = gain - loss - _joined(gain - gains.low, losses.high - loss, together)
    high = gain - loss + _joined(gains.high - gain, loss - losses.low, together)
    return Interval(scale * max(-1.0, low), scale * min(1.0, high))


def mover(
    first: float, ends1: Interval, second: float, ends2: Interval, *, correlation: float = 0.0
) -> Interval:
    """An interval for `first - second` from the intervals of the two, as Newcombe joins them.

    Args:
        first: The first estimate.
        ends1: Its interval.
        second: The second.
        ends2: Its interval.
        correlation: Of the two estimates.

    >>> low, high = mover(0.8, Interval(0.7, 0.9), 0.5, Interval(0.4, 0.6))
    >>> round(low, 3), round(high, 3)
    (0.159, 0.441)
    """
    apart = first - second
    return Interval(
        apart - _joined(first - ends1.low, ends2.high - second, correlation),
        apart + _joined(ends1.high - first, second - ends2.low, correlation),
    )


def _joined(a: float, b: float, correlation: float) -> float:
    return sqrt(max(0.0, a * a + b * b - 2 * correlation * a * b))


def _square(tally: Mapping[float, int], mean: float) -> float:
    return fsum(many * (value - mean) ** 2 for value, many in tally.items())

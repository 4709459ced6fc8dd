"""Bootstrap intervals for a mean over cases: the cases are drawn again, with replacement."""

from __future__ import annotations

from math import fsum, isfinite
from typing import TYPE_CHECKING

from passhat.errors import EstimationError
from passhat.reliability.counts import share, whole
from passhat.reliability.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

RESAMPLES = 20_000


def percentile_interval(
    values: Sequence[float],
    confidence: float = 0.95,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The percentile bootstrap interval for the mean of the values.

    The ends are quantiles of the means of samples drawn from the values with replacement.
    Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13.

    Args:
        values: One finite number per case.
        confidence: Between 0 and 1.
        resamples: Samples drawn.
        seed: For numpy's default generator; the same seed gives the same ends.

    Raises:
        EstimationError: No values or one not finite, or confidence, resamples or seed out of range.

    >>> percentile_interval([1.0, 0.5, 0.0, 0.5], seed=1)
    Interval(low=0.125, high=0.875)
    """
    return percentile_of_tally(_tally(values), confidence, resamples=resamples, seed=seed)


def bca_interval(
    values: Sequence[float],
    confidence: float = 0.95,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The bootstrap interval for the mean of the values, bias-corrected and accelerated.

    Percentiles shifted by the share of resampled means below the mean (ties counted half) and by
    the skewness of the values, from the jackknife.
    Efron 1987, "Better bootstrap confidence intervals".

    Args:
        values: One finite number per case.
        confidence: Between 0 and 1.
        resamples: Samples drawn.
        seed: For numpy's default generator; the same seed gives the same ends.

    Raises:
        EstimationError: No values or one not finite, or confidence, resamples or seed out of range.

    >>> low, high = bca_interval([1.0, 1.0, 1.0, 0.5, 1.0, 0.0, 1.0, 1.0], seed=1)
    >>> round(low, 2), round(high, 2)
    (0.44, 1.0)
    """
    return bca_of_tally(_tally(values), confidence, resamples=resamples, seed=seed)


def percentile_of_tally(
    tally: Mapping[float, int], confidence: float, *, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """As `percentile_interval`, from each value and how many cases have it.

    >>> percentile_of_tally({0.0: 1, 0.5: 2, 1.0: 1}, 0.95, seed=1)
    Interval(low=0.125, high=0.875)
    """
    import numpy as np

    tail = (1 - share(confidence, "confidence")) / 2
    means = resampled_means(tally, resamples, seed)
    low, high = np.quantile(means, (tail, 1 - tail))
    return Interval(float(low), float(high))


def bca_of_tally(
    tally: Mapping[float, int], confidence: float, *, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """As `bca_interval`, from each value and how many cases have it.

    >>> bca_of_tally({0.25: 3}, 0.95)
    Interval(low=0.25, high=0.25)
    """
    import numpy as np
    from scipy.special import ndtr, ndtri

    tail = (1 - share(confidence, "confidence")) / 2
    means = resampled_means(tally, resamples, seed)
    cases = sum(tally.values())
    mean = fsum(value * many for value, many in tally.items()) / cases
    spread = fsum(many * (value - mean) ** 2 for value, many in tally.items())
    if spread == 0:
        return Interval(mean, mean)
    skew = fsum(many * (value - mean) ** 3 for value, many in tally.items())
    acceleration = skew / (6 * spread**1.5)
    # Equal sums may differ in their last bits: what is that close to the mean is tied with it.
    slack = 1e-12 * max(abs(value) for value in tally)
    below = float(np.mean(means < mean - slack) + np.mean(means <= mean + slack)) / 2
    bias = float(ndtri(min(max(below, 0.5 / resamples), 1 - 0.5 / resamples)))
    shifted = bias + ndtri((tail, 1 - tail))
    low, high = np.quantile(means, ndtr(bias + shifted / (1 - acceleration * shifted)))
    return Interval(float(low), float(high))


def resampled_means(
    tally: Mapping[float, int], resamples: int, seed: int
) -> npt.NDArray[np.float64]:
    """The means of samples of all cases, drawn with replacement.

    How often each distinct value is drawn is multinomial, so that the work depends on the few
    distinct values and not on the number of cases.

    Args:
        tally: Each value, and how many cases have it.
        resamples: Samples drawn.
        seed: For numpy's default generator.

    Raises:
        EstimationError: resamples or seed out of range.

    >>> resampled_means({0.0: 1, 1.0: 1}, 3, seed=1).tolist()
    [0.5, 0.0, 1.0]
    """
    import numpy as np

    draws = np.random.default_rng(whole(seed, "seed", least=0))
    values = sorted(tally)
    cases = sum(tally.values())
    shares = [tally[value] / cases for value in values]
    times = draws.multinomial(cases, shares, size=whole(resamples, "resamples", least=1))
    means: npt.NDArray[np.float64] = times @ np.asarray(values, dtype=np.float64) / cases
    return means


def _tally(values: Sequence[float]) -> dict[float, int]:
    if not values:
        raise EstimationError("no values: a bootstrap needs at least one case")
    if not all(map(isfinite, values)):
        raise EstimationError("a value is not a finite number: leave its case out")
    seen: dict[float, int] = {}
    for value in values:
        seen[value] = seen.get(value, 0) + 1
    return seen

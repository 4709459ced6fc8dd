"""Exact and large-sample tests for two agents tried on the same cases."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import erfc, fsum, isfinite, lcm, log, sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from passhat.errors import EstimationError, UsageError
from passhat.reliability.counts import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

McNemarMethod: TypeAlias = Literal["exact", "chi2", "corrected"]

_MOST_STEPS = 2_000_000
_MOST_SUMS = 100_000
_MOST_COUNTED = 2_000
_MOST_SIZES = 256
_FEW = 100
_FINEST = 5_000
_LARGEST = 20_000
_LEAST = 1e-100
_SURE = 1e-80


class McNemar(NamedTuple):
    """A McNemar test.

    Attributes:
        p_value: Two-sided, 0 to 1.
        statistic: The chi-squared statistic, None for the exact test.
    """

    p_value: float
    statistic: float | None


def mcnemar(first_only: int, second_only: int, method: McNemarMethod = "exact") -> McNemar:
    """Whether two agents differ, from the cases that only one of them passed.

    Methods:
        `exact`: the binomial test that each of those cases is equally likely to be either's.
        `chi2`: `(b - c)² / (b + c)` against chi-squared with 1 degree of freedom.
        `corrected`: the same with `(|b - c| - 1)²`.

    McNemar 1947, "Note on the sampling error of the difference between correlated proportions or
    percentages".

    Args:
        first_only: Cases only the first passed (b).
        second_only: Cases only the second passed (c).
        method: One of the above.

    Raises:
        EstimationError: A negative count; or no case tells the two apart and the method is not exact.
        UsageError: There is no such method.

    >>> round(mcnemar(10, 5).p_value, 4)
    0.3018
    """
    b = whole(first_only, "first_only", least=0)
    c = whole(second_only, "second_only", least=0)
    if method not in get_args(McNemarMethod):
        known = ", ".join(get_args(McNemarMethod))
        raise UsageError(f"no McNemar method {method!r}: take one of {known}")
    if method == "exact":
        from scipy.special import bdtr

        return McNemar(min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0, None)
    if b + c == 0:
        raise EstimationError("no case tells the two apart: take the exact test, whose p is 1")
    gap = abs(b - c) - (1 if method == "corrected" else 0)
    statistic = gap * gap / (b + c)
    return McNemar(erfc(sqrt(statistic / 2)), statistic)


def sign_flip_p(differences: Sequence[float], *, resamples: int = 200_000, seed: int = 0) -> float:
    """The two-sided p, 0 to 1, that the mean of paired differences is 0 but for chance.

    The share of all ways to give each difference either sign whose mean is at least as far from 0.
    Exact by counting the ways to reach each sum, as the rates of cases tried n times take few
    values; where there are too many sums to count, from `resamples` random ways, with the observed
    one counted in; and where more than 2,000 cases differ, each by another amount, from the normal
    distribution that so many signs come to. Fisher 1935, "The Design of Experiments", section 21.

    Args:
        differences: One finite number per case, in the same case the second less the first.
        resamples: Ways drawn where they cannot all be counted.
        seed: For numpy's default generator.

    Raises:
        EstimationError: There are no differences, or one is not a finite number.

    >>> sign_flip_p([0.25, 0.25, 0.25, 0.0])
    0.25
    """
    if not differences:
        raise EstimationError("no differences: give one number per case")
    if not all(map(isfinite, differences)):
        raise EstimationError("a difference is not a finite number: leave its case out")
    sizes = [abs(value) for value in differences if abs(value) > 1e-12]
    # Sums that differ in their last bits alone are the same sum.
    observed = abs(fsum(differences)) - 1e-9
    if len(sizes) > _FEW and (found := _grid_sign_flip_p(sizes, observed)) is not None:
        return found
    if len(sizes) > _MOST_COUNTED:
        return _sampled_sign_flip_p(sizes, observed, resamples, seed)
    ways: dict[float, int] = {0.0: 1}
    steps = 0
    for size in sizes:
        steps += len(ways)
        if steps > _MOST_STEPS or len(ways) > _MOST_SUMS:
            return _sampled_sign_flip_p(sizes, observed, resamples, seed)
        reached: dict[float, int] = {}
        for total, many in ways.items():
            for then in (round(total + size, 12), round(total - size, 12)):
                reached[then] = reached.get(then, 0) + many
        ways = reached
    extreme = sum(many for total, many in ways.items() if abs(total) >= observed)
    return extreme / (1 << len(sizes))


def _grid_sign_flip_p(sizes: Sequence[float], observed: float) -> float | None:
    """The p where all sizes are multiples of one; None where they are not, or too large ones.

    The sum of m signs of one size is binomial, and sums of several sizes are their convolution.
    """
    tally = Counter(round(size, 12) for size in sizes)
    if len(tally) > _MOST_SIZES:
        return None
    shares = {size: Fraction(size).limit_denominator(_FINEST) for size in tally}
    if any(abs(float(share) - size) > 1e-11 for size, share in shares.items()):
        return None
    unit = lcm(*(share.denominator for share in shares.values()))
    if (
        unit > _FINEST
        or sum(int(shares[size] * unit) * many for size, many in tally.items()) > _LARGEST
    ):
        return None
    steps = {int(shares[size] * unit): many for size, many in tally.items()}
    found = _share_beyond(steps, observed * unit, _LEAST)
    return found if found > _SURE else _share_beyond(steps, observed * unit, 0.0)


def _share_beyond(steps: Mapping[int, int], observed: float, least: float) -> float:
    """The share of the ways to sign so many of each step whose sum is as far from 0 as observed.

    Args:
        steps: Whole numbers, each with how many there are of it.
        observed: The sum that was seen.
        least: Numbers of heads that are less likely than this are passed over.
    """
    import numpy as np
    from scipy.special import gammaln

    chances = np.ones(1)
    start = reach = 0
    for step, many in steps.items():
        heads = np.arange(many + 1)
        logs = gammaln(many + 1) - gammaln(heads + 1) - gammaln(many - heads + 1) - many * log(2)
        ways = np.exp(logs)
        kept = np.flatnonzero(ways >= least)
        first, last = int(kept[0]), int(kept[-1])
        spaced = np.zeros(step * (last - first) + 1)
        spaced[::step] = ways[first : last + 1]
        chances = np.convolve(chances, spaced)
        start += step * first
        reach += step * many
    sums = np.abs(2 * (np.arange(len(chances)) + start) - reach)
    return min(1.0, float(chances[sums >= observed].sum()))


def _sampled_sign_flip_p(
    sizes: Sequence[float], observed: float, resamples: int, seed: int
) -> float:
    import numpy as np

    draws = np.random.default_rng(whole(seed, "seed", least=0))
    resamples = whole(resamples, "resamples", least=1)
    tally = Counter(round(size, 12) for size in sizes)
    if len(tally) > _MOST_SIZES:
        if len(sizes) > _MOST_COUNTED:
            return erfc(observed / sqrt(2 * fsum(size * size for size in sizes)))
        return (_extreme_of_each(draws, sizes, observed, resamples) + 1) / (resamples + 1)
    sums = np.zeros(resamples)
    for size, many in tally.items():
        sums += size * (2 * draws.binomial(many, 0.5, resamples) - many)
    return (int(np.count_nonzero(np.abs(sums) >= observed)) + 1) / (resamples + 1)


def _extreme_of_each(
    draws: np.random.Generator, sizes: Sequence[float], observed: float, resamples: int
) -> int:
    """In how many random ways the sum is as far from 0, a sign drawn for each difference."""
    import numpy as np

    values = np.asarray(sizes)
    rows = max(1, 2_000_000 // len(sizes))
    extreme = 0
    for start in range(0, resamples, rows):
        signs = draws.integers(0, 2, (min(rows, resamples - start), len(sizes))) * 2 - 1
        extreme += int(np.count_nonzero(np.abs(signs @ values) >= observed))
    return extreme

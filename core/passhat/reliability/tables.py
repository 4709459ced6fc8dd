"""Exact tests for trials nested in cases: of one case tried twice over, and of a suite of them."""

from __future__ import annotations

from functools import lru_cache
from math import comb, erfc, fsum, sqrt
from typing import TYPE_CHECKING

from passhat.errors import EstimationError
from passhat.reliability.counts import checked, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_STEPS = 1_000_000
_MOST_CONVOLVED = 5_000
_MOST_DRAWN = 2_000


def fisher_p(n1: int, c1: int, n2: int, c2: int) -> float:
    """Fisher's exact two-sided p, 0 to 1, that two sets of trials pass at one and the same rate.

    The share of all ways to deal the passes out to the trials that are no likelier than what was
    seen. Fisher 1934, "Statistical Methods for Research Workers", section 21.02.

    Args:
        n1: Trials of the first, 1 or more.
        c1: Those that passed, 0 to n1.
        n2: Trials of the second.
        c2: Those that passed.

    Raises:
        EstimationError: Counts out of range.

    >>> round(fisher_p(5, 5, 5, 0), 5)
    0.00794
    """
    n1, c1 = checked(n1, c1)
    n2, c2 = checked(n2, c2)
    return _fisher(n1, n2, c1 + c2)[c1 - max(0, c1 + c2 - n2)]


def least_fisher_p(n1: int, n2: int, c: int) -> float:
    """The smallest p that `fisher_p` could give where c of both sets' trials passed.

    >>> round(least_fisher_p(5, 5, 5), 5), least_fisher_p(5, 5, 10)
    (0.00794, 1.0)
    """
    return min(_fisher(n1, n2, c))


@lru_cache(maxsize=4096)
def _fisher(n1: int, n2: int, c: int) -> tuple[float, ...]:
    """The p of each way to deal c passes out, from the fewest the first can have on."""
    ways = _deals(n1, n2, c)
    total = comb(n1 + n2, c)
    found = []
    for own in ways:
        extreme = sum(way for way in ways if way <= own)
        found.append(1.0 if extreme == total else extreme / total)
    return tuple(found)


@lru_cache(maxsize=4096)
def _deals(n1: int, n2: int, c: int) -> tuple[int, ...]:
    """In how many ways the first has each number of the c passes, from the fewest possible on."""
    return tuple(comb(n1, own) * comb(n2, c - own) for own in range(max(0, c - n2), min(n1, c) + 1))


def stratified_p(
    pairs: Sequence[tuple[int, int, int, int]], *, resamples: int = 20_000, seed: int = 0
) -> float:
    """The two-sided p, 0 to 1, that in no case the two runs pass at different rates.

    Within each case the trials of both runs are dealt out anew in all ways, and the means over
    cases compared: the permutation test for these very cases, where the cases are not drawn.
    Exact by adding up hypergeometric distributions; where these take too many values, from
    `resamples` random deals, the observed one counted in, and for thousands of cases from the
    normal distribution that so many deals come to. Edgington 1995, "Randomization Tests".

    Args:
        pairs: `(n1, c1, n2, c2)` per case: the trials and passes of either run.
        resamples: Deals drawn where they cannot all be counted.
        seed: For numpy's default generator.

    Raises:
        EstimationError: There are no cases, or counts out of range.

    >>> round(stratified_p([(5, 5, 5, 0)]), 5)
    0.00794
    """
    if not pairs:
        raise EstimationError("no cases: give (n1, c1, n2, c2) of at least one")
    for n1, c1, n2, c2 in pairs:
        checked(n1, c1)
        checked(n2, c2)
    if len({(n1, n2) for n1, _, n2, _ in pairs}) == 1 and len(pairs) <= _MOST_CONVOLVED:
        return _convolved_stratified_p(pairs)
    if len(pairs) > _MOST_DRAWN:
        return _normal_stratified_p(pairs)
    observed = 0.0
    chances: dict[float, float] = {0.0: 1.0}
    steps = 0
    for n1, c1, n2, c2 in pairs:
        c = c1 + c2
        observed += c2 / n2 - c1 / n1
        ways, total, fewest = _deals(n1, n2, c), comb(n1 + n2, c), max(0, c - n2)
        steps += len(chances) * len(ways)
        if steps > _MOST_STEPS:
            return _sampled_stratified_p(pairs, resamples, seed)
        reached: dict[float, float] = {}
        for own, way in enumerate(ways, fewest):
            moved, chance = (c - own) / n2 - own / n1, way / total
            for sum_so_far, known in chances.items():
                then = round(sum_so_far + moved, 10)
                reached[then] = reached.get(then, 0.0) + known * chance
        chances = reached
    # Sums that differ in their last bits alone are the same sum.
    least = abs(observed) - 1e-7
    return min(1.0, sum(chance for value, chance in chances.items() if abs(value) >= least))


def _convolved_stratified_p(pairs: Sequence[tuple[int, int, int, int]]) -> float:
    """The p where all cases were tried as often, so that the sum of passes is all that matters."""
    import numpy as np

    chances = np.ones(1)
    fewest = observed = 0
    middle = 0.0
    for n1, c1, n2, c2 in pairs:
        c = c1 + c2
        ways, total = _deals(n1, n2, c), comb(n1 + n2, c)
        chances = np.convolve(chances, np.asarray([way / total for way in ways]))
        fewest += max(0, c - n2)
        observed += c1
        middle += c * n1 / (n1 + n2)
    off = np.abs(fewest + np.arange(len(chances)) - middle)
    return min(1.0, float(chances[off >= abs(observed - middle) - 1e-7].sum()))


def _normal_stratified_p(pairs: Sequence[tuple[int, int, int, int]]) -> float:
    variance = fsum(
        (1 / n1 + 1 / n2) ** 2
        * (n1 * n2 * (c1 + c2) * (n1 + n2 - c1 - c2))
        / ((n1 + n2) ** 2 * max(1, n1 + n2 - 1))
        for n1, c1, n2, c2 in pairs
    )
    observed = fsum(c2 / n2 - c1 / n1 for n1, c1, n2, c2 in pairs)
    return erfc(abs(observed) / sqrt(2 * variance)) if variance > 0 else 1.0


def _sampled_stratified_p(
    pairs: Sequence[tuple[int, int, int, int]], resamples: int, seed: int
) -> float:
    import numpy as np

    draws = np.random.default_rng(whole(seed, "seed", least=0))
    resamples = whole(resamples, "resamples", least=1)
    sums = np.zeros(resamples)
    observed = 0.0
    for n1, c1, n2, c2 in pairs:
        own = draws.hypergeometric(c1 + c2, n1 + n2 - c1 - c2, n1, resamples)
        sums += (c1 + c2 - own) / n2 - own / n1
        observed += c2 / n2 - c1 / n1
    extreme = int(np.count_nonzero(np.abs(sums) >= abs(observed) - 1e-7))
    return (extreme + 1) / (resamples + 1)

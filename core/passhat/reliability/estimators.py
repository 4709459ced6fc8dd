"""pass^k and pass@k: from n trials with c passes, the chance that all, or any, of k draws pass."""

from __future__ import annotations

from math import comb, fsum
from typing import TYPE_CHECKING

from passhat.reliability.counts import checked_draws, share, tally, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passhat.reliability.counts import CountsLike


def pass_hat_k(n: int, c: int, k: int) -> float:
    """The chance, 0 to 1, that all of k further attempts at a case pass.

    `C(c, k) / C(n, k)`: the share of the k-subsets of the n trials in which every trial passed. It
    is unbiased for p^k where the case passes with chance p; `(c/n)^k` is not.
    Yao et al. 2024, "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains".

    Args:
        n: Trials, 1 or more.
        c: Trials that passed, 0 to n.
        k: Draws, 1 to n.

    Raises:
        EstimationError: k > n, c > n, a negative count, k < 1 or n < 1, or not a whole number.

    >>> pass_hat_k(4, 3, 2)
    0.5
    >>> pass_hat_k(4, 3, 4)
    0.0
    """
    n, c, k = checked_draws(n, c, k)
    passing, subsets = _subsets(n, c, k)
    return passing / subsets


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance, 0 to 1, that at least one of k further attempts at a case passes.

    `1 - C(n - c, k) / C(n, k)`: the share of the k-subsets of the n trials in which some trial
    passed, unbiased for 1 - (1 - p)^k.
    Chen et al. 2021, "Evaluating Large Language Models Trained on Code".

    Args:
        n: Trials, 1 or more.
        c: Trials that passed, 0 to n.
        k: Draws, 1 to n.

    Raises:
        EstimationError: k > n, c > n, a negative count, k < 1 or n < 1, or not a whole number.

    >>> pass_at_k(4, 1, 2)
    0.5
    >>> pass_at_k(4, 1, 4)
    1.0
    """
    n, c, k = checked_draws(n, c, k)
    failing, subsets = _subsets(n, n - c, k)
    return (subsets - failing) / subsets


def mean_pass_hat_k(counts: Iterable[CountsLike], k: int) -> float:
    """pass^k of a suite, 0 to 1: the mean over its cases, each case counting the same.

    Cases may differ in n; every n must be at least k.

    Args:
        counts: One `(n, c)` or `(n, c, case_id)` per case.
        k: Draws, 1 to the smallest n.

    Raises:
        EstimationError: There is no case, or one whose counts do not allow k draws; it is named.

    >>> mean_pass_hat_k([(4, 4), (4, 3), (4, 2)], 4)
    0.3333333333333333
    """
    seen = tally(counts, k)
    return fsum(many * pass_hat_k(n, c, k) for (n, c), many in seen.items()) / sum(seen.values())


def mean_pass_at_k(counts: Iterable[CountsLike], k: int) -> float:
    """pass@k of a suite, 0 to 1: the mean over its cases, each case counting the same.

    Args:
        counts: One `(n, c)` or `(n, c, case_id)` per case.
        k: Draws, 1 to the smallest n.

    Raises:
        EstimationError: There is no case, or one whose counts do not allow k draws; it is named.

    >>> mean_pass_at_k([(4, 4), (4, 0)], 2)
    0.5
    """
    seen = tally(counts, k)
    return fsum(many * pass_at_k(n, c, k) for (n, c), many in seen.items()) / sum(seen.values())


def iid_pass_hat_k(p: float, k: int) -> float:
    """p^k, 0 to 1: the chance that k independent attempts all pass, where p is known.

    With `p = c/n` this is biased upwards; `pass_hat_k` is what to use on counts.

    Raises:
        EstimationError: p is not in 0..1, or k is not a whole number of 1 or more.

    >>> round(iid_pass_hat_k(0.8, 3), 3)
    0.512
    """
    return share(p, "p", open_ends=False) ** whole(k, "k", least=1)


def iid_pass_at_k(p: float, k: int) -> float:
    """1 - (1 - p)^k, 0 to 1: the chance that any of k independent attempts passes.

    Raises:
        EstimationError: p is not in 0..1, or k is not a whole number of 1 or more.

    >>> round(iid_pass_at_k(0.8, 3), 3)
    0.992
    """
    return 1.0 - (1.0 - share(p, "p", open_ends=False)) ** whole(k, "k", least=1)


def _subsets(n: int, c: int, k: int) -> tuple[int, int]:
    """How many k-subsets of n trials hold passes alone, of how many; or both in one proportion.

    Whole numbers of any size divide exactly, so that the ratio is rounded once.
    """
    failed = n - c
    if failed < k:
        # C(n - k, failed) / C(n, failed) is the same share, from smaller binomials.
        return comb(n - k, failed), comb(n, failed)
    return comb(c, k), comb(n, k)

"""What would settle a rule that is inconclusive: more cases, more trials, or nothing."""

from __future__ import annotations

from math import ceil, fsum

from passhat.compare import Difference, Estimate, Measured
from passhat.gate.decision import Settling
from passhat.reliability.wording import counted

POWER = 0.8
_FAR = 50
_MANY = 1_000
_QUANTILES = 0.8416212335729143 / 1.6448536269514722
"""Of the normal distribution, at 80 % and at 95 %: how much more than half the chance costs."""


def settling(
    found: Measured | Difference, gap: float, reach: float, estimate: Estimate
) -> Settling:
    """What would settle it four times in five, if what was found is the truth.

    An end of an interval comes nearer with the square root of the cases. Of the variance of one
    case, only the part that its trials make goes down with more of them.

    Args:
        found: The metric, or its difference.
        gap: How far the estimate is from the limit.
        reach: How far the end of the interval is that should be on the estimate's side of the limit.
        estimate: What is estimated.

    >>> from passhat.compare import Metric, Tallies, measured
    >>> found = measured(Metric.of("success_rate"), Tallies.of_counts([("a", 4, 4), ("b", 4, 0)]))
    >>> settling(found, 0.0, 0.3, "kind-of-cases").words
    'nothing: the estimate lies on the limit itself'
    """
    new = found.new if isinstance(found, Difference) else found
    cases = max(1, len(new.cases))
    trials = max(1.0, new.trials / cases)
    if gap <= 1e-9:
        return Settling("nothing: the estimate lies on the limit itself")
    factor = max((reach / gap * (1 + _QUANTILES)) ** 2, 1 + 1 / cases)
    these = estimate == "these-cases"
    many = ceil(factor * (trials if these else cases))
    if factor > _FAR and many > _MANY:
        return Settling(
            "nothing within reach: the estimate lies so near the limit that it takes some "
            f"{many:,} {'trials of each case' if these else 'cases'}"
        )
    if these:
        return Settling(f"about {counted(many, 'trial')} of each case", trials=many)
    words = f"about {counted(many, 'case')} tried as often as these"
    owed = _owed_to_trials(found)
    if owed is None:
        return Settling(f"{words}; what more trials would do cannot be told from so few", many)
    left = 1 / factor - (1 - owed)
    if left <= 0 or owed / left > _FAR:
        return Settling(
            f"{words}; more trials would not do, for they do not shrink what differs between cases",
            many,
        )
    more = ceil(owed / left * trials)
    return Settling(f"{words}, or about {counted(more, 'trial')} of each case", many, more)


def _owed_to_trials(found: Measured | Difference) -> float | None:
    """The share of the variance between points that trials alone make; None where it is not known."""
    if isinstance(found, Difference):
        if found.pairing == "unpaired":
            return None
        points = found.points
        first, second = _within(found.new), _within(found.base)
        if first is None or second is None:
            return None
        within = first + found.share**2 * second
    else:
        points = found.points
        alone = _within(found)
        if alone is None:
            return None
        within = alone
    if len(points) < 2:
        return None
    mean = fsum(points) / len(points)
    spread = fsum((point - mean) ** 2 for point in points) / (len(points) - 1)
    return min(1.0, within / spread) if spread > 0 else 1.0


def _within(found: Measured) -> float | None:
    """The mean variance that trials make in one case, without bias where it can be had so."""
    if found.counts and found.metric.k == 1:
        if any(n < 2 for n, _ in found.counts):
            return None
        return fsum(c * (n - c) / (n * n * (n - 1)) for n, c in found.counts) / len(found.counts)
    if found.counts and any(n <= found.metric.k for n, _ in found.counts):
        return None
    return None if found.within is None else fsum(found.within) / len(found.within)

"""What would settle a rule that is inconclusive: more cases, more trials, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt

from passhat.compare import Difference, Estimate
from passhat.gate.decision import Settling
from passhat.gate.supposing import Found, Supposing
from passhat.reliability.wording import counted

_AGAIN = 0.8416212335729143
"""The standard errors by which an estimate may fall short of the truth, four times in five."""
_FAR = 50
_MANY = 1_000


def settling(found: Found, limit: float, confidence: float, estimate: Estimate) -> Settling:
    """What would settle it four times in five, if what was found is the truth.

    The gate's own interval is made for what would be seen of more cases like these, and of these
    with more trials each. It must leave the limit out even where the estimate falls short of the
    truth as far as it does one time in five.

    Args:
        found: The metric, or its difference.
        limit: What it is held against.
        confidence: Of the interval that must leave it out.
        estimate: What is estimated.

    >>> from passhat.compare import Metric, Tallies, measured
    >>> found = measured(Metric.of("success_rate"), Tallies.of_counts([("a", 1, 1), ("b", 1, 1)]))
    >>> settling(found, 0.9, 0.9, "kind-of-cases").cases
    29
    >>> settling(found, 1.0, 0.9, "kind-of-cases").words
    'nothing: the estimate lies on the limit itself'
    """
    gap = abs(found.value - limit)
    if gap <= 1e-9:
        return Settling("nothing: the estimate lies on the limit itself")
    new = found.new if isinstance(found, Difference) else found
    cases = max(1, len(new.cases))
    trials = max(1.0, new.trials / cases)
    more = Supposing(found, found.value > limit, confidence, estimate, _AGAIN)
    if estimate == "these-cases":
        many, far = _number(more.trials_of_these, gap, trials)
        if far:
            return _out_of_reach(many, "trials of each case")
        return Settling(f"about {counted(many, 'trial')} of each case", trials=many)
    many, far = _number(more.cases, gap, cases)
    if far:
        return _out_of_reach(many, "cases")
    words = f"about {counted(many, 'case')} tried as often as these"
    if more.parts is None:
        return Settling(f"{words}; what more trials would do cannot be told from so few", many)
    times = _least(more.trials, gap, _FAR)
    if times is None:
        return Settling(
            f"{words}; more trials would not do, for they do not shrink what differs between cases",
            many,
        )
    number = ceil(times * trials)
    return Settling(f"{words}, or about {counted(number, 'trial')} of each case", many, number)


def _out_of_reach(many: int, what: str) -> Settling:
    near = "the estimate lies so near the limit that it takes some"
    return Settling(f"nothing within reach: {near} {many:,} {what}")


def _number(reach: Callable[[float], float], gap: float, now: float) -> tuple[int, bool]:
    """How many it takes instead of those that there are now, and whether that is out of reach."""
    most = max(_FAR, ceil(_MANY / now))
    times = _least(reach, gap, most)
    if times is None:
        return ceil(now * most * (reach(most) / gap) ** 2), True
    return max(int(now) + 1, ceil(now * times)), False


def _least(reach: Callable[[float], float], gap: float, most: int) -> float | None:
    """How many times as much it takes to reach no further than the gap; None beyond the most."""
    low, high = 1, 2
    while reach(min(high, most)) > gap:
        if high >= most:
            return None
        low, high = high, 2 * high
    high = min(high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reach(middle) <= gap else (middle, high)
    near, far = reach(low), reach(high)
    if near <= gap:
        return float(low)
    # Between the two it shrinks about as the root of the number does.
    share = (near - gap) / (near - far)
    root = 1 / sqrt(low) + share * (1 / sqrt(high) - 1 / sqrt(low))
    return 1 / root**2

"""How many cases and trials a gate takes to decide, before any run was made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, fsum, sqrt
from statistics import NormalDist
from typing import Any

import msgspec
from msgspec import Struct

from passhat.errors import EstimationError
from passhat.reliability import zero_failures_needed
from passhat.reliability.counts import share, whole
from passhat.reliability.intervals import clopper_pearson_of_size

_NODES = 48
_MOST = 1_000_000
TRIALS = (1, 3, 5, 10)


class Size(Struct, frozen=True):
    """What a gate takes at some number of trials a case.

    Attributes:
        trials: Trials of each case, in each run.
        to_accept: Cases with which an agent that did not change is accepted, with the power; None
            where no number of cases does.
        to_reject: Cases with which an agent that dropped as far as was said is rejected, with the
            power; None where that was not asked, or no number does.
    """

    trials: int
    to_accept: int | None
    to_reject: int | None = None


class Sizes(Struct, frozen=True):
    """What a gate takes.

    Attributes:
        rate: How often the agent passes.
        margin: How far below the baseline, or below the rate, the limit lies.
        power: The chance to be decided rightly.
        confidence: Of the gate.
        spread: The share of the variance of trials that lies between cases, 0 to 1.
        baseline: Whether a run of the same cases is compared with, or a limit alone.
        drop: How far the agent that is to be rejected has dropped.
        below: The share of cases with a violation that is to be ruled out.
        sizes: What it takes, by trials a case.
        without_violation: Cases that must all be free of a violation, to rule out `below`.
    """

    rate: float
    margin: float
    power: float
    confidence: float
    spread: float
    baseline: bool
    drop: float | None
    below: float | None
    sizes: tuple[Size, ...]
    without_violation: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The sizes as JSON values."""
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return found


def gate_sizes(
    rate: float,
    margin: float,
    *,
    power: float = 0.8,
    confidence: float = 0.95,
    trials: Sequence[int] = TRIALS,
    spread: float = 0.0,
    baseline: bool = True,
    drop: float | None = None,
    below: float | None = None,
) -> Sizes:
    """How many cases a gate takes, for some numbers of trials a case.

    The interval of the gate is worked out for what such a suite gives on average, so that it is as
    wide for few cases as the gate's own, and the estimate varies normally around it. Cases are
    taken to keep their rates from one run to the next; where a change moves some cases and not
    others, it takes more of them, and more trials do not help.

    Args:
        rate: How often the agent passes, between 0 and 1.
        margin: How much less often is let pass, between 0 and 1.
        power: The chance to be decided rightly, between 0 and 1.
        confidence: Of the gate, above 0.5 and below 1.
        trials: Numbers of trials a case.
        spread: The share of the variance of trials that lies between cases: 0 where all cases pass
            at one rate, near 1 where each always passes or always fails. Rates are then taken to
            follow a beta distribution.
        baseline: Whether the same cases are compared with a baseline, tried as often; else the
            rate is held to the limit `rate - margin` alone.
        drop: How far the agent that is to be rejected has dropped; more than the margin.
        below: The share of cases with a violation that is to be ruled out, where none is seen.

    Raises:
        EstimationError: A number out of range.

    >>> gate_sizes(0.8, 0.05, trials=[5]).sizes
    (Size(trials=5, to_accept=171, to_reject=None),)
    """
    rate, margin, power = share(rate, "rate"), share(margin, "margin"), share(power, "power")
    confidence = share(confidence, "confidence")
    if confidence <= 0.5:
        raise EstimationError(f"confidence is {confidence:g}: a gate needs more than 0.5")
    spread = share(spread, "spread", open_ends=False)
    if drop is not None and not margin < drop < rate:
        raise EstimationError(
            f"drop is {drop:g}: it lies between the margin ({margin:g}), which is let pass, and the "
            f"rate ({rate:g})"
        )
    if margin >= rate:
        raise EstimationError(
            f"margin is {margin:g}: below a rate of {rate:g} that leaves no limit"
        )
    again = NormalDist().inv_cdf(power)

    def size(n: int) -> Size:
        reach = _Reach(rate, n, spread, confidence, baseline)
        to_accept = _least(lambda m: reach.below(m, 0.0, again) <= margin)
        if drop is None:
            return Size(n, to_accept, None)
        fallen = drop
        to_reject = _least(lambda m: reach.above(m, fallen, again) <= fallen - margin)
        return Size(n, to_accept, to_reject)

    return Sizes(
        rate,
        margin,
        power,
        confidence,
        spread,
        baseline,
        drop,
        below,
        tuple(size(whole(number, "trials", least=1)) for number in trials),
        None if below is None else zero_failures_needed(below, confidence),
    )


class _Reach:
    """How far the ends of an interval reach from its estimate, and the estimate from the truth."""

    def __init__(
        self, rate: float, trials: int, spread: float, confidence: float, baseline: bool
    ) -> None:
        self._rates = _rates(rate, spread)
        self._rate = rate
        self._trials = trials
        self._confidence = 2 * confidence - 1
        self._baseline = baseline
        self._moments: dict[float, tuple[float, float, float, float, float, float]] = {}

    def below(self, cases: int, drop: float, again: float) -> float:
        """How far below the truth the lower end lies, but for so many standard errors."""
        low, _, error = self._ends(cases, drop)
        return low + again * error

    def above(self, cases: int, drop: float, again: float) -> float:
        """How far above the truth the upper end lies, but for so many standard errors."""
        _, high, error = self._ends(cases, drop)
        return high + again * error

    def _ends(self, cases: int, drop: float) -> tuple[float, float, float]:
        gain, var_gain, loss, var_loss, both, some = self._found(drop)
        if not self._baseline:
            low, high = self._interval(cases, gain, var_gain, 1.0)
            return gain - low, high - gain, sqrt(var_gain / cases)
        won = self._interval(cases, gain, var_gain, some)
        lost = self._interval(cases, loss, var_loss, some)
        together = both / sqrt(var_gain * var_loss) if var_gain * var_loss > 0 else 0.0

        def joined(a: float, b: float) -> float:
            return sqrt(max(0.0, a * a + b * b - 2 * together * a * b))

        return (
            joined(gain - won[0], lost[1] - loss),
            joined(won[1] - gain, loss - lost[0]),
            sqrt(max(0.0, var_gain + var_loss - 2 * both) / cases),
        )

    def _interval(
        self, cases: int, mean: float, variance: float, some: float
    ) -> tuple[float, float]:
        from scipy.special import stdtrit

        if variance <= 0 or not 0 < mean < 1:
            return clopper_pearson_of_size(cases, cases * mean, self._confidence)
        size = max(float(cases), cases * mean * (1 - mean) / variance)
        level = (1 + self._confidence) / 2
        degrees = max(1.0, min(cases - 1.0, some * cases / 2))
        shrink = float(stdtrit(max(size - 1, 1.0), level) / stdtrit(degrees, level))
        size = max(float(cases), size * shrink**2)
        return clopper_pearson_of_size(size, size * mean, self._confidence)

    def _found(self, drop: float) -> tuple[float, float, float, float, float, float]:
        """Mean and variance of what a case gains and loses, their covariance, and how many change."""
        if drop not in self._moments:
            self._moments[drop] = self._paired(drop) if self._baseline else self._alone(drop)
        return self._moments[drop]

    def _alone(self, drop: float) -> tuple[float, float, float, float, float, float]:
        rates = [rate * (1 - drop / self._rate) for rate in self._rates]
        mean = fsum(rates) / len(rates)
        between = fsum((rate - mean) ** 2 for rate in rates) / len(rates)
        within = fsum(rate * (1 - rate) for rate in rates) / len(rates) / self._trials
        return mean, between + within, 0.0, 0.0, 0.0, 1.0

    def _paired(self, drop: float) -> tuple[float, float, float, float, float, float]:
        n = self._trials
        gain = gains = loss = losses = some = 0.0
        for base in self._rates:
            before = _binomial(n, base)
            after = _binomial(n, base * (1 - drop / self._rate))
            for had, chance in enumerate(before):
                for has, other in enumerate(after):
                    if had == has:
                        continue
                    weight = chance * other / len(self._rates)
                    moved = abs(has - had) / n
                    some += weight
                    if has > had:
                        gain, gains = gain + weight * moved, gains + weight * moved * moved
                    else:
                        loss, losses = loss + weight * moved, losses + weight * moved * moved
        return gain, gains - gain * gain, loss, losses - loss * loss, -gain * loss, some


def _rates(rate: float, spread: float) -> list[float]:
    """Rates of cases that stand for a beta distribution with that mean, each as likely."""
    if spread <= 0:
        return [rate]
    from scipy.special import betaincinv

    if spread >= 1:
        passing = round(rate * 1000)
        return [1.0] * passing + [0.0] * (1000 - passing)
    total = 1 / spread - 1
    found = [
        float(betaincinv(rate * total, (1 - rate) * total, (at + 0.5) / _NODES))
        for at in range(_NODES)
    ]
    # Midpoints of equal chances miss the mean by a little.
    off = rate - fsum(found) / _NODES
    return [min(1.0, max(0.0, value + off)) for value in found]


def _binomial(n: int, p: float) -> list[float]:
    return [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


def _least(holds: Callable[[int], bool]) -> int | None:
    """The smallest number of cases, from 2 on, for which it holds; None where none does."""
    high = 2
    while not holds(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high

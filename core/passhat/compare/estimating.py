"""Intervals for metrics, and for what differs between two runs, by what is estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from passhat.compare.measuring import Measured, measured
from passhat.compare.metrics import Metric
from passhat.compare.tallies import Tallies
from passhat.errors import UsageError
from passhat.reliability import (
    Interval,
    effective_size,
    interval_pass_at_k,
    interval_pass_hat_k,
)
from passhat.reliability.intervals import clopper_pearson_of_size, wilson_of_rate
from passhat.reliability.paired_intervals import mover, paired_difference, value_size

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Estimate: TypeAlias = Literal["kind-of-cases", "these-cases"]
"""What is estimated: the work that the cases are a sample of, or these very cases."""

Pairing: TypeAlias = Literal["paired", "unpaired"]

RESAMPLES = 1_000
LEAST_FOR_PERCENTILES = 10
"""The fewest cases whose resampling tells something of a percentile."""


def refuse_other_words(estimate: str, pairing: str) -> None:
    """Refuses an estimate, or a pairing, that there is not: it would be taken for another.

    Raises:
        UsageError: One is none.
    """
    for name, word, words in (
        ("estimate", estimate, get_args(Estimate)),
        ("pairing", pairing, get_args(Pairing)),
    ):
        if word not in words:
            raise UsageError(f"no {name} {word!r}: take one of {', '.join(words)}")


@dataclass(frozen=True)
class Difference:
    """What differs between two runs in one metric.

    Attributes:
        base: The metric in the first.
        new: The metric in the second.
        share: How much of the first is taken off the second: 1 for the plain difference.
        pairing: Whether the cases are the same.
    """

    base: Measured
    new: Measured
    share: float = 1.0
    pairing: Pairing = "paired"

    @property
    def value(self) -> float:
        """The second less (a share of) the first."""
        return self.new.value - self.share * self.base.value

    @cached_property
    def points(self) -> tuple[float, ...]:
        """The difference of each case, where they are the same."""
        share = self.share
        return tuple(
            [
                new - share * base
                for new, base in zip(self.new.points, self.base.points, strict=True)
            ]
        )

    def interval(self, confidence: float, estimate: Estimate = "kind-of-cases") -> Interval | None:
        """A confidence interval, both ends together; None where there is too little for one."""
        if self.new.metric.percentile is not None:
            return _percentile_difference(self, confidence)
        if self.pairing == "unpaired" or _of_trials_alone(self, estimate):
            return _joined(self, confidence, estimate)
        points = self.points
        if not self.new.metric.bounded:
            return _t_interval(points, confidence)
        scale = max(1.0, self.share, max(map(abs, points)))
        return paired_difference(points, confidence, scale=scale)


def difference(
    metric: Metric,
    new: Tallies,
    base: Tallies,
    cases: Sequence[str] | None,
    *,
    share: float = 1.0,
) -> Difference:
    """What differs in one metric between two runs.

    Args:
        metric: The metric.
        new: The second run.
        base: The first.
        cases: The cases to compare, counted in both; None takes each run's own, unpaired.
        share: How much of the first is taken off: 1.1 asks whether the second is 10 % above it.

    Raises:
        UsageError: A run has not the metric, or no case has it in both.

    >>> new = Tallies.of_counts([("a", 4, 3), ("b", 4, 2)])
    >>> base = Tallies.of_counts([("a", 4, 4), ("b", 4, 2)])
    >>> difference(Metric.of("success_rate"), new, base, ["a", "b"]).value
    -0.125
    """
    if cases is None:
        return Difference(measured(metric, base), measured(metric, new), share, "unpaired")
    first, second = _measured_in(metric, base, cases), _measured_in(metric, new, cases)
    if first.cases != second.cases:
        known = set(second.cases)
        both = tuple(name for name in first.cases if name in known)
        if not both:
            raise UsageError(f"no case has {metric.text} in both runs")
        first, second = _measured_in(metric, base, both), _measured_in(metric, new, both)
    return Difference(first, second, share)


def _measured_in(metric: Metric, tallies: Tallies, cases: Sequence[str]) -> Measured:
    try:
        return measured(metric, tallies, cases)
    except UsageError as error:
        raise UsageError(f"{tallies.name}: {error.message}") from None


def interval(
    found: Measured, confidence: float, estimate: Estimate = "kind-of-cases"
) -> Interval | None:
    """A confidence interval for a metric; None where there is too little for one.

    Args:
        found: The metric as measured.
        confidence: Both ends together, between 0 and 1.
        estimate: `kind-of-cases`: the cases are a sample, and the unit. `these-cases`: only their
            trials vary; where trials are too few to tell how, the wider interval over cases.

    >>> found = measured(Metric.of("success_rate"), Tallies.of_counts([("a", 4, 4), ("b", 4, 2)]))
    >>> low, high = interval(found, 0.9, "these-cases")
    >>> round(low, 2), round(high, 2)
    (0.4, 0.95)
    """
    metric = found.metric
    if metric.percentile is not None:
        return _percentile_interval(found, confidence)
    if estimate == "these-cases" and found.within is not None:
        variance = fsum(found.within) / len(found.cases) ** 2
        if metric.bounded:
            return clopper_pearson_of_size(*_trial_size(found, variance), confidence)
        return _around(found.value, sqrt(variance), found.trials - len(found.cases), confidence)
    if metric.kind == "pass_hat_k":
        return interval_pass_hat_k(found.counts, metric.k, confidence)
    if metric.kind == "pass_at_k":
        return interval_pass_at_k(found.counts, metric.k, confidence)
    if metric.bounded:
        size = value_size(found.points, confidence, mean=found.value)
        return clopper_pearson_of_size(size, size * min(1.0, max(0.0, found.value)), confidence)
    return _t_interval(found.points, confidence)


def _trial_size(found: Measured, variance: float) -> tuple[float, float]:
    """How many trials of one rate would vary as much, and how many of them pass."""
    value = min(1.0, max(0.0, found.value))
    least = float(len(found.cases))
    if found.counts:
        least = len(found.counts) ** 2 / fsum(1 / n for n, _ in found.counts) / found.metric.k
    size = max(least, value * (1 - value) / variance) if variance > 0 else least
    return size, size * value


def _of_trials_alone(apart: Difference, estimate: Estimate) -> bool:
    if estimate != "these-cases":
        return False
    return apart.new.within is not None and apart.base.within is not None


def _joined(apart: Difference, confidence: float, estimate: Estimate) -> Interval | None:
    """The intervals of two runs that vary independently, joined."""
    share, new, base = apart.share, apart.new, apart.base
    if new.metric.bounded and apart.pairing == "unpaired" and estimate == "kind-of-cases":
        first, second = _wilson(new, confidence), _wilson(base, confidence)
    else:
        first, second = interval(new, confidence, estimate), interval(base, confidence, estimate)
    if first is None or second is None:
        return None
    return mover(
        new.value,
        first,
        share * base.value,
        Interval(share * second.low, share * second.high),
    )


def _wilson(found: Measured, confidence: float) -> Interval | None:
    return wilson_of_rate(_size(found, confidence), min(1.0, max(0.0, found.value)), confidence)


def _size(found: Measured, confidence: float) -> float:
    if found.metric.kind == "pass_hat_k":
        return effective_size(found.counts, found.metric.k, confidence)
    if found.metric.kind == "pass_at_k":
        return effective_size([(n, n - c) for n, c in found.counts], found.metric.k, confidence)
    return value_size(found.points, confidence, mean=found.value)


def _t_interval(points: Sequence[float], confidence: float) -> Interval | None:
    cases = len(points)
    if cases < 2:
        return None
    mean = fsum(points) / cases
    spread = fsum((point - mean) ** 2 for point in points) / (cases - 1)
    return _around(mean, sqrt(spread / cases), cases - 1, confidence)


def _around(mean: float, error: float, degrees: int, confidence: float) -> Interval | None:
    from scipy.special import stdtrit

    if degrees < 1:
        return None
    half = float(stdtrit(degrees, (1 + confidence) / 2)) * error
    return Interval(mean - half, mean + half)


def _percentile_interval(found: Measured, confidence: float) -> Interval | None:
    if len(found.cases) < LEAST_FOR_PERCENTILES:
        return None
    return _middle(_resampled([found])[0], confidence)


def _percentile_difference(apart: Difference, confidence: float) -> Interval | None:
    new, base = apart.new, apart.base
    if min(len(new.cases), len(base.cases)) < LEAST_FOR_PERCENTILES:
        return None
    if apart.pairing == "paired":
        second, first = _resampled([new, base])
    else:
        second, first = _resampled([new])[0], _resampled([base], seed=1)[0]
    return _middle(second - apart.share * first, confidence)


def _middle(values: npt.NDArray[np.float64], confidence: float) -> Interval:
    import numpy as np

    low, high = np.quantile(values, ((1 - confidence) / 2, (1 + confidence) / 2))
    return Interval(float(low), float(high))


def _resampled(runs: Sequence[Measured], seed: int = 0) -> list[npt.NDArray[np.float64]]:
    """The percentile in samples of the cases, the same ones in each run."""
    import numpy as np

    cases = len(runs[0].cases)
    draws = np.random.default_rng(seed)
    ranked = [_Ranked.of(run) for run in runs]
    found = [np.empty(RESAMPLES) for _ in runs]
    for at in range(RESAMPLES):
        weights = np.bincount(draws.integers(0, cases, cases), minlength=cases)
        for one, held in zip(ranked, found, strict=True):
            held[at] = one.percentile(weights)
    return found


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The values of all cases in order, and what of them is needed to find a percentile.

    Resampled, it lies near where it lies among all values; only that stretch is added up.
    """

    share: float
    values: npt.NDArray[np.float64]
    owner: npt.NDArray[np.intp]
    each: npt.NDArray[np.int64]
    before: npt.NDArray[np.int64]
    start: int
    stop: int

    @classmethod
    def of(cls, run: Measured) -> _Ranked:
        import numpy as np

        cases = len(run.cases)
        values = np.concatenate([np.asarray(one, dtype=np.float64) for one in run.values])
        each = np.asarray([len(one) for one in run.values])
        order = np.argsort(values, kind="stable")
        owner = np.repeat(np.arange(cases), each)[order]
        share = run.metric.percentile or 0.0
        reach = 4 / sqrt(cases)
        start = max(0, int((share - reach) * len(values)))
        stop = min(len(values), int((share + reach) * len(values)) + 1)
        before = np.bincount(owner[:start], minlength=cases)
        return cls(share, values[order], owner, each, before, start, stop)

    def percentile(self, weights: npt.NDArray[np.intp]) -> float:
        """The percentile where each case is drawn so many times."""
        import numpy as np

        wanted = self.share * float(weights @ self.each)
        heap = float(weights @ self.before) + np.cumsum(weights[self.owner[self.start : self.stop]])
        inside = len(heap) > 0 and (self.start == 0 or heap[0] < wanted) and heap[-1] >= wanted
        if inside:
            place = self.start + int(np.searchsorted(heap, wanted, side="left"))
        else:
            place = int(np.searchsorted(np.cumsum(weights[self.owner]), wanted, side="left"))
        return float(self.values[min(place, len(self.values) - 1)])

"""Supposing: how far an interval would reach had there been more of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, inf, sqrt
from typing import TypeAlias

from passhat.compare import Difference, Estimate, Measured, interval
from passhat.reliability import Interval
from passhat.reliability.intervals import clopper_pearson_of_size
from passhat.reliability.paired_intervals import value_size

Found: TypeAlias = Measured | Difference

_MOST = 50_000
"""Cases for which an interval is made; beyond, it narrows with the root of their number."""


@dataclass(frozen=True)
class Supposing:
    """How far from the estimate a limit must lie, to be left out had there been more of the same.

    Each method takes how many times as much there would be.

    Attributes:
        found: The metric, or its difference.
        above: Whether the estimate lies above the limit, so that the lower end counts.
        confidence: Of the interval.
        estimate: What is estimated.
        again: By how many standard errors the estimate may fall short.
    """

    found: Found
    above: bool
    confidence: float
    estimate: Estimate
    again: float

    def cases(self, times: float) -> float:
        """With more cases, tried as often."""
        one = self._runs[0][0]
        if one.metric.percentile is not None:
            return self._by_root(times)
        exact = int(max(1, min(times, _MOST // len(one.cases))))
        told = self._end(self._ends(self._repeated(exact))) + self.again * self._error / sqrt(exact)
        return told * sqrt(exact / times)

    def trials(self, times: float) -> float:
        """With more trials of each case, where the cases are a sample of their kind."""
        if self.parts is None:
            return inf
        between, within = self.parts
        held = self._of_points(between + within / times, times)
        return self._end(held) + self.again * sqrt(within / times / len(self.found.points))

    def trials_of_these(self, times: float) -> float:
        """With more trials of each case, where the cases are all there are."""
        if any(run.within is None for run, _ in self._runs):
            return self._by_root(times)
        tried = [_tried(run, times) for run, _ in self._runs]
        variance = fsum(
            weight**2 * fsum(run.within or ()) / len(run.cases) ** 2 for run, weight in self._runs
        )
        return self._end(self._ends(self._like(tried))) + self.again * sqrt(variance / times)

    @cached_property
    def parts(self) -> tuple[float, float] | None:
        """The variance of a case's point that its kind makes, and that trials make; None if unknown."""
        if isinstance(self.found, Difference) and self.found.pairing == "unpaired":
            return None
        alone = [_of_trials(run) for run, _ in self._runs]
        if len(self.found.points) < 2 or None in alone:
            return None
        within = fsum(
            weight**2 * (one or 0.0) for one, (_, weight) in zip(alone, self._runs, strict=True)
        )
        return max(0.0, _variance(self.found.points) - within), within

    @cached_property
    def _runs(self) -> tuple[tuple[Measured, float], ...]:
        """The runs, each with its weight in what was found."""
        if isinstance(self.found, Difference):
            return (self.found.new, 1.0), (self.found.base, self.found.share)
        return ((self.found, 1.0),)

    def _like(self, runs: Sequence[Measured]) -> Found:
        """What would be found in these runs."""
        if isinstance(self.found, Difference):
            new, base = runs
            return replace(self.found, new=new, base=base)
        return runs[0]

    def _repeated(self, times: int) -> Found:
        return self._like([_repeated(run, times) for run, _ in self._runs])

    def _ends(self, found: Found) -> Interval | None:
        if isinstance(found, Difference):
            return found.interval(self.confidence, self.estimate)
        return interval(found, self.confidence, self.estimate)

    def _end(self, held: Interval | None) -> float:
        if held is None:
            return inf
        value = self.found.value
        return max(0.0, value - held.low if self.above else held.high - value)

    def _by_root(self, times: float) -> float:
        """Where no interval can be made of more: as far as now, shrunk with the root."""
        end = self._end(self._ends(self.found))
        return end * (1 + self.again / _NORMAL_95) / sqrt(times)

    @cached_property
    def _error(self) -> float:
        """How far the estimate may be from the truth: a standard error over cases."""
        if isinstance(self.found, Difference) and self.found.pairing == "paired":
            return sqrt(_variance(self.found.points) / len(self.found.points))
        return sqrt(fsum(w**2 * _variance(run.points) / len(run.points) for run, w in self._runs))

    def _of_points(self, variance: float, times: float) -> Interval | None:
        """The interval over cases whose points vary so much."""
        points = _spread_to(self.found.points, variance)
        run, weight = self._runs[-1]
        if run.counts and run.metric.k == 1 and weight == 1:
            # A case that always passed stays so until a trial of it fails, and tells the less.
            each = run.trials / len(run.counts) * times
            points = tuple(round(point * each) / each for point in points)
        if isinstance(self.found, Difference):
            zeros = replace(self.found.base, points=(0.0,) * len(points))
            moved = replace(self.found, new=replace(self.found.new, points=points), base=zeros)
            return moved.interval(self.confidence)
        if not run.metric.bounded:
            return interval(replace(run, points=points), self.confidence)
        size = value_size(points, self.confidence, mean=run.value)
        return clopper_pearson_of_size(size, size * min(1.0, max(0.0, run.value)), self.confidence)


_NORMAL_95 = 1.6448536269514722


def _repeated(run: Measured, times: int) -> Measured:
    return replace(
        run,
        cases=run.cases * times,
        points=run.points * times,
        spreads=None if run.spreads is None else run.spreads * times,
        counts=run.counts * times,
        trials=run.trials * times,
        pairs=run.pairs * times,
    )


def _tried(run: Measured, times: float) -> Measured:
    """The same cases with more trials: their spreads shrink, and what rests on them."""
    return replace(
        run,
        spreads=tuple(one / times for one in run.within or ()),
        counts=tuple((max(n, round(n * times)), round(c * times)) for n, c in run.counts),
        trials=round(run.trials * times),
    )


def _spread_to(points: Sequence[float], variance: float) -> tuple[float, ...]:
    """The points drawn around their mean until they vary so much; equal ones to either side of it."""
    mean = fsum(points) / len(points)
    spread = _variance(points)
    if spread > 1e-18:
        share = sqrt(variance / spread)
        return tuple(mean + share * (point - mean) for point in points)
    step = sqrt(variance)
    last = len(points) - len(points) % 2
    return tuple(
        mean + (0 if at >= last else step if at % 2 else -step) for at in range(len(points))
    )


def _variance(points: Sequence[float]) -> float:
    """The variance of what the points are a sample of."""
    if len(points) < 2:
        return 0.0
    mean = fsum(points) / len(points)
    return fsum((point - mean) ** 2 for point in points) / (len(points) - 1)


def _of_trials(run: Measured) -> float | None:
    """The mean variance that trials make in one case, without bias where it can be had so."""
    if run.counts and run.metric.k == 1:
        if any(n < 2 for n, _ in run.counts):
            return None
        return fsum(c * (n - c) / (n * n * (n - 1)) for n, c in run.counts) / len(run.counts)
    if run.counts and any(n <= run.metric.k for n, _ in run.counts):
        return None
    return None if run.within is None else fsum(run.within) / len(run.within)

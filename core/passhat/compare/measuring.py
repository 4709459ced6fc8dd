"""Measuring: what a metric comes to over some cases, a number for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import fsum

from passhat.compare.metrics import Metric
from passhat.compare.pairs import Pairs, pairs_of
from passhat.compare.tallies import Tallies
from passhat.errors import UsageError
from passhat.reliability import pass_hat_k
from passhat.reliability.efficiency import percentile
from passhat.reliability.mean_intervals import trial_variance
from passhat.wording import nearest_or_all


@dataclass(frozen=True)
class Measured:
    """A metric of some cases.

    Attributes:
        metric: The metric.
        value: What it comes to.
        cases: The cases that have it.
        points: A number for each of them; their mean is the value.
        spreads: How far each point varies with its trials alone: a variance each, where it is
            known from the counts.
        counts: Trials and passes of each case, for pass^k and pass@k.
        trials: The trials it rests on.
        values: For percentiles, the values of each case.
        pairs: For ratios, the numerators and denominators of each case's trials.
    """

    metric: Metric
    value: float
    cases: tuple[str, ...]
    points: tuple[float, ...]
    spreads: tuple[float, ...] | None = None
    counts: tuple[tuple[int, int], ...] = ()
    trials: int = 0
    values: tuple[tuple[float, ...], ...] = ()
    pairs: tuple[Pairs, ...] = ()

    @cached_property
    def within(self) -> tuple[float, ...] | None:
        """How far each point varies with its trials alone: a variance each.

        None where some case has too few trials to tell.
        """
        if self.spreads is not None:
            return self.spreads
        if not self.pairs or any(len(found) < 2 for found in self.pairs):
            return None
        mean = fsum(b for found in self.pairs for _, b in found) / len(self.pairs)
        told = []
        for found in self.pairs:
            rest = [(a - self.value * b) / mean for a, b in found]
            middle = fsum(rest) / len(rest)
            spread = fsum((item - middle) ** 2 for item in rest)
            told.append(len(rest) * spread / (len(rest) - 1))
        return tuple(told)


def measured(metric: Metric, tallies: Tallies, cases: Iterable[str] | None = None) -> Measured:
    """What a metric comes to.

    Args:
        metric: The metric.
        tallies: The trials.
        cases: The cases to take; all that count if not said. Those without it are passed over.

    Raises:
        UsageError: No trial has it, or some case has too few for k draws.

    >>> tallies = Tallies.of_counts([("a", 4, 4), ("b", 4, 2)])
    >>> measured(Metric.of("pass_hat_k.2"), tallies).points
    (1.0, 0.16666666666666666)
    """
    if not tallies.n:
        raise UsageError("no trial was judged")
    names = tallies.counted if cases is None else tuple(cases)
    if metric.kind in ("pass_hat_k", "pass_at_k"):
        return _of_counts(metric, tallies, names)
    pairs = pairs_of(metric, tallies, names)
    if not pairs or not any(of for found in pairs.values() for _, of in found):
        raise UsageError(_absent(metric, tallies))
    if metric.percentile is not None:
        return _percentile_of(metric, pairs)
    return _ratio_of(metric, pairs)


def _of_counts(metric: Metric, tallies: Tallies, names: Sequence[str]) -> Measured:
    k, hat = metric.k, metric.kind == "pass_hat_k"
    points, within, counts = [], [], []
    for name in names:
        tally = tallies.cases[name]
        n, c = tally.n, tally.c
        if n < k:
            raise UsageError(
                f"case {name!r} has {n} trial{'' if n == 1 else 's'} that count, and {metric.text} "
                f"needs {k} of every case"
            )
        own = c if hat else n - c
        value, variance = _point(n, own, k)
        points.append(value if hat else 1 - value)
        within.append(variance)
        counts.append((n, c))
    if not points:
        raise UsageError("no case has a trial that counts")
    return Measured(
        metric,
        fsum(points) / len(points),
        tuple(names),
        tuple(points),
        tuple(within),
        tuple(counts),
        sum(n for n, _ in counts),
    )


@lru_cache(maxsize=65536)
def _point(n: int, c: int, k: int) -> tuple[float, float]:
    return pass_hat_k(n, c, k), trial_variance(n, c, k)


def _ratio_of(metric: Metric, pairs: dict[str, Pairs]) -> Measured:
    """A ratio of sums, its points linearised: `R + (a_i - R·b_i) / mean(b)`, whose mean is R.

    Cochran 1977, "Sampling Techniques", section 6.3.
    """
    cases = tuple(pairs)
    over = [fsum([a for a, _ in found]) for found in pairs.values()]
    under = [fsum([b for _, b in found]) for found in pairs.values()]
    value = fsum(over) / fsum(under)
    mean = fsum(under) / len(cases)
    points = tuple([value + (a - value * b) / mean for a, b in zip(over, under, strict=True)])
    return Measured(
        metric,
        value,
        cases,
        points,
        trials=sum(map(len, pairs.values())),
        pairs=tuple(pairs.values()),
    )


def _percentile_of(metric: Metric, pairs: dict[str, Pairs]) -> Measured:
    values = tuple(tuple(a for a, _ in found) for found in pairs.values())
    ranked = sorted(value for found in values for value in found)
    value = percentile(ranked, metric.percentile or 0.0)
    return Measured(metric, value, tuple(pairs), (), trials=len(ranked), values=values)


def _absent(metric: Metric, tallies: Tallies) -> str:
    if metric.kind in ("check", "rate"):
        known = list(tallies.check_keys)
        if metric.name in known:
            return f"the results have nothing to count of {metric.text}"
        what = "check" if metric.kind == "check" else "rate"
        return f"the results have no {what} {metric.name!r}, {nearest_or_all(metric.name, known)}"
    if metric.name == "cost_per_success":
        return f"the results have no {metric.text}: no trial passed, or no cost was recorded"
    return f"no trial that passed has {metric.name!r} recorded"

"""Metrics: what can be asked of a run of a suite, each a mean of one number per case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from math import fsum, isfinite
from typing import Literal, TypeAlias

from passhat.compare.tallies import CaseTally, Tallies, measures_of
from passhat.errors import UsageError
from passhat.reliability import pass_hat_k
from passhat.reliability.efficiency import MEASURES
from passhat.reliability.mean_intervals import trial_variance
from passhat.reliability.rates import RUNS_WITH_FORBIDDEN, UPSIDE_DOWN
from passhat.result import COUNTED, CheckResult, Trial

Kind: TypeAlias = Literal["pass_hat_k", "pass_at_k", "check", "rate", "efficiency"]
Better: TypeAlias = Literal["higher", "lower"]
Pairs: TypeAlias = Sequence[tuple[float, float]]

STATS = ("mean", "p50", "p95", "p99")
SHAPES = (
    "success_rate",
    "pass_hat_k.K",
    "pass_at_k.K",
    "checks.KEY.mean",
    "checks.KEY.passed",
    "rates.NAME",
    "efficiency.cost_per_success",
    *(f"efficiency.{name}" for name in MEASURES),
)
_PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_ENDS = ("mean", "passed")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, by its name in policies and comparisons.

    Attributes:
        text: The name: `pass_hat_k.3`, `checks.trajectory.mean`, `efficiency.cost.p95`.
        kind: What sort it is.
        name: The check, the rate or the measure.
        k: Draws, of pass^k and pass@k.
        stat: `mean` or a percentile; of a check `mean` (of its scores) or `passed`.
    """

    text: str
    kind: Kind
    name: str = ""
    k: int = 1
    stat: str = "mean"

    @classmethod
    def of(cls, text: str) -> Metric:
        """The metric of that name.

        Raises:
            UsageError: There is no such metric; the message names the nearest, or the shapes there are.

        >>> Metric.of("pass_hat_k.3").k
        3
        >>> Metric.of("sucess_rate")
        Traceback (most recent call last):
        passhat.errors.UsageError: no metric 'sucess_rate', did you mean success_rate?
        """
        found = _parsed(text)
        if found is None:
            raise UsageError(f"no metric {text!r}{_meant(text)}")
        return found

    @property
    def bounded(self) -> bool:
        """Whether it lies within 0..1."""
        return self.kind != "efficiency"

    @property
    def percentile(self) -> float | None:
        """The share of trials below it, where it is a percentile."""
        return _PERCENTILES.get(self.stat) if self.kind == "efficiency" else None

    @property
    def better(self) -> Better:
        """Whether more of it is better, or less."""
        if self.kind == "efficiency":
            return "lower"
        if self.kind == "rate" and self.name in (RUNS_WITH_FORBIDDEN, *UPSIDE_DOWN.values()):
            return "lower"
        if self.kind == "rate" or (self.kind == "check" and self.stat == "mean"):
            return "lower" if _lower_is_better(self.name) else "higher"
        return "higher"


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
    pairs = _pairs(metric, tallies, names)
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
    share = metric.percentile or 0.0
    place = share * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    value = ranked[below] + (place - below) * (ranked[above] - ranked[below])
    return Measured(metric, value, tuple(pairs), (), trials=len(ranked), values=values)


def _pairs(metric: Metric, tallies: Tallies, names: Sequence[str]) -> dict[str, Pairs]:
    """A numerator and a denominator of each trial that has them, of each case with such trials."""
    name = metric.name
    if metric.kind == "efficiency":
        _one_currency(metric, tallies, names)
        if name == "cost_per_success":
            return _kept(names, {case: _costs(tallies.cases[case]) for case in names})
        taken = tallies.by_measure[name]
        return _kept(
            names,
            {case: [(value, 1.0) for value in taken[case]] for case in names if case in taken},
        )
    if metric.kind == "rate" and name == "error_rate" and name not in tallies.check_keys:
        return _kept(names, {case: _errors(tallies.cases[case]) for case in names})
    key, read = _read(metric)
    said = tallies.by_check.get(key, {})
    return _kept(names, {case: read(said[case]) for case in names if case in said})


def _kept(names: Sequence[str], found: dict[str, Pairs]) -> dict[str, Pairs]:
    return {case: pairs for case in names if (pairs := found.get(case))}


def _read(metric: Metric) -> tuple[str, Callable[[Iterable[CheckResult]], Pairs]]:
    """The check that a metric counts, and what is read off its results."""
    name = metric.name
    if metric.kind == "check":
        return name, _scores if metric.stat == "mean" else _helds
    if name == RUNS_WITH_FORBIDDEN:
        return "forbidden_calls", lambda results: [(1 - a, b) for a, b in _helds(results)]
    turned = next((key for key, other in UPSIDE_DOWN.items() if other == name), None)
    if turned is not None:
        return turned, lambda results: [(of - hits, of) for hits, of in _pooled(results)]
    return name, lambda results: list(_pooled(results))


def _scores(results: Iterable[CheckResult]) -> Pairs:
    return [(result.score, 1.0) for result in results if result.score is not None]


def _helds(results: Iterable[CheckResult]) -> Pairs:
    return [_HELD[result.status] for result in results if result.status in _HELD]


_HELD = {"passed": (1.0, 1.0), "failed": (0.0, 1.0)}


def _costs(tally: CaseTally) -> Pairs:
    return [
        (trial.usage.cost, float(trial.status == "passed"))
        for trial in tally.trials
        if trial.status in COUNTED
        and trial.usage is not None
        and trial.usage.cost is not None
        and isfinite(trial.usage.cost)
    ]


def _errors(tally: CaseTally) -> Pairs:
    return [
        (trial.measures.get("tool_errors", 0), calls)
        for trial in tally.trials
        if (calls := trial.measures.get("tool_calls"))
    ]


def _one_currency(metric: Metric, tallies: Tallies, names: Sequence[str]) -> None:
    """Refuses costs that cannot be added up: of several currencies, or unknown for some trials."""
    if metric.name not in ("cost", "cost_per_success"):
        return
    currencies: set[str] = set()
    unknown = total = 0
    for name in names:
        for trial in tallies.cases[name].trials:
            if trial.status not in COUNTED:
                continue
            total += 1
            if trial.usage is None or trial.usage.cost is None:
                unknown += 1
            else:
                currencies.add(trial.usage.currency)
    if len(currencies) > 1:
        raise UsageError(f"costs are in several currencies: {', '.join(sorted(currencies))}")
    if metric.name == "cost_per_success" and currencies and unknown:
        raise UsageError(f"the cost of {unknown} of {total} trials is unknown")


def _pooled(results: Iterable[CheckResult]) -> Iterator[tuple[float, float]]:
    for result in results:
        hits, of = result.evidence.get("hits"), result.evidence.get("of")
        if isinstance(hits, int | float) and isinstance(of, int | float) and of:
            yield float(hits), float(of)


def _measure(trial: Trial, name: str) -> float | None:
    return dict(measures_of(trial)).get(name)


def trial_value(metric: Metric, trial: Trial) -> float | None:
    """What one trial has of a check, a rate or a measure; None where it has nothing."""
    if metric.kind == "efficiency":
        return _measure(trial, "cost" if metric.name == "cost_per_success" else metric.name)
    turned = next((key for key, other in UPSIDE_DOWN.items() if other == metric.name), None)
    key = "forbidden_calls" if metric.name == RUNS_WITH_FORBIDDEN else turned or metric.name
    result = trial.result(key)
    if result is None:
        return None
    if metric.kind == "rate" and metric.name != RUNS_WITH_FORBIDDEN:
        hits = next(_pooled([result]), None)
        return None if hits is None else abs((1.0 if turned else 0.0) - hits[0] / hits[1])
    found = (_scores if metric.kind == "check" and metric.stat == "mean" else _helds)([result])
    if not found:
        return None
    return 1 - found[0][0] if metric.name == RUNS_WITH_FORBIDDEN else found[0][0]


@lru_cache(maxsize=256)
def _lower_is_better(key: str) -> bool:
    from passhat.grading.catalogue import CATALOGUE, check_class

    return key in CATALOGUE and bool(check_class(key).lower_is_better)


def _parsed(text: str) -> Metric | None:
    head, _, rest = text.partition(".")
    if text == "success_rate":
        return Metric(text, "pass_hat_k")
    if head in ("pass_hat_k", "pass_at_k"):
        if not (rest.isascii() and rest.isdecimal() and 0 < int(rest) <= 1_000_000):
            return None
        return Metric(text, "pass_hat_k" if head == "pass_hat_k" else "pass_at_k", k=int(rest))
    if head == "checks":
        key, _, end = rest.rpartition(".")
        return Metric(text, "check", key, stat=end) if key and end in _ENDS else None
    if head == "rates":
        return Metric(text, "rate", rest) if rest else None
    if head == "efficiency":
        name, _, stat = rest.partition(".")
        if rest == "cost_per_success" or (name in MEASURES and (not stat or stat in STATS)):
            return Metric(text, "efficiency", name, stat=stat or "mean")
    return None


def _meant(text: str) -> str:
    if text.startswith("checks.") and not text.endswith(tuple(f".{end}" for end in _ENDS)):
        return f": say which number of the check, {text}.mean or {text}.passed"
    if text.startswith(("pass_hat_k", "pass_at_k")):
        return f": say which k, as in {text.partition('.')[0]}.3"
    near = get_close_matches(text, SHAPES, 1)
    return f", did you mean {near[0]}?" if near else f": there are {', '.join(SHAPES[:7])}, ..."


def _absent(metric: Metric, tallies: Tallies) -> str:
    if metric.kind in ("check", "rate"):
        known = list(tallies.check_keys)
        near = get_close_matches(metric.name, known, 1)
        if metric.name in known:
            return f"the results have nothing to count of {metric.text}"
        told = f"did you mean {near[0]}?" if near else f"there are {', '.join(known) or 'none'}"
        what = "check" if metric.kind == "check" else "rate"
        return f"the results have no {what} {metric.name!r}, {told}"
    if metric.name == "cost_per_success":
        return f"the results have no {metric.text}: no trial passed, or no cost was recorded"
    return f"no trial that passed has {metric.name!r} recorded"

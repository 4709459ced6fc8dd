"""What each trial has of a metric: a numerator and a denominator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import TypeAlias

from passhat.compare.metrics import Metric
from passhat.compare.tallies import CaseTally, Tallies, measures_of
from passhat.errors import UsageError
from passhat.reliability.rates import RUNS_WITH_FORBIDDEN, UPSIDE_DOWN
from passhat.result import COUNTED, CheckResult, Trial

Pairs: TypeAlias = Sequence[tuple[float, float]]

_HELD = {"passed": (1.0, 1.0), "failed": (0.0, 1.0)}
_CHECK_OF = {name: key for key, name in UPSIDE_DOWN.items()}
"""The check that a rate counts from its other end."""


def pairs_of(metric: Metric, tallies: Tallies, names: Sequence[str]) -> dict[str, Pairs]:
    """A numerator and a denominator of each trial that has them, of each case with such trials.

    Raises:
        UsageError: Costs were asked for that cannot be added up.
    """
    name = metric.name
    found: dict[str, Pairs]
    if metric.kind == "efficiency":
        _one_currency(metric, tallies, names)
        if name == "cost_per_success":
            found = {case: _costs(tallies.cases[case]) for case in names}
        else:
            taken = tallies.by_measure[name]
            found = {case: [(v, 1.0) for v in taken[case]] for case in names if case in taken}
    elif metric.kind == "rate" and name == "error_rate" and name not in tallies.check_keys:
        found = {case: _errors(tallies.cases[case]) for case in names}
    else:
        key, read = _read(metric)
        said = tallies.by_check.get(key, {})
        found = {case: read(said[case]) for case in names if case in said}
    return {case: pairs for case, pairs in found.items() if pairs}


def trial_value(metric: Metric, trial: Trial) -> float | None:
    """What one trial has of a check, a rate or a measure; None where it has nothing."""
    if metric.kind == "efficiency":
        name = "cost" if metric.name == "cost_per_success" else metric.name
        return dict(measures_of(trial)).get(name)
    key, read = _read(metric)
    result = trial.result(key)
    found = [] if result is None else read([result])
    return found[0][0] / found[0][1] if found else None


def check_of(metric: Metric) -> str | None:
    """The check that a metric counts; None where it counts none.

    >>> check_of(Metric.of("rates.runs_with_forbidden_call")), check_of(Metric.of("success_rate"))
    ('forbidden_calls', None)
    """
    return _read(metric)[0] if metric.kind in ("check", "rate") else None


def _read(metric: Metric) -> tuple[str, Callable[[Iterable[CheckResult]], Pairs]]:
    """The check that a metric counts, and what is read off its results."""
    name = metric.name
    if metric.kind == "check":
        return name, _scores if metric.stat == "mean" else _helds
    if name == RUNS_WITH_FORBIDDEN:
        return "forbidden_calls", lambda results: [(1 - a, b) for a, b in _helds(results)]
    if name in _CHECK_OF:
        return _CHECK_OF[name], lambda results: [(of - hits, of) for hits, of in _pooled(results)]
    return name, _pooled


def _scores(results: Iterable[CheckResult]) -> Pairs:
    return [(result.score, 1.0) for result in results if result.score is not None]


def _helds(results: Iterable[CheckResult]) -> Pairs:
    return [_HELD[result.status] for result in results if result.status in _HELD]


def _pooled(results: Iterable[CheckResult]) -> Pairs:
    found = []
    for result in results:
        hits, of = result.evidence.get("hits"), result.evidence.get("of")
        if isinstance(hits, int | float) and isinstance(of, int | float) and of:
            found.append((float(hits), float(of)))
    return found


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

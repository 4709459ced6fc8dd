"""What runs take against how often they pass: cost, or else tokens, time or calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

from passhat.reliability import Summary
from passhat.reliability.efficiency import tokens_of
from passhat.reliability.wording import percent
from passhat.report.html.charts import cost_chart
from passhat.report.html.safe import shown
from passhat.report.numbers import money, number, seconds, thousands
from passhat.report.tables import Cell, Column, Table
from passhat.result import Trial

_MEASURES: tuple[tuple[str, str, str, Callable[[float], str]], ...] = (
    ("cost", "Cost", "cost", number),
    ("tokens", "Tokens", "tokens", thousands),
    ("seconds", "Time", "seconds", seconds),
    ("tool_calls", "Calls", "calls", number),
)
"""What a run may take: its measure, its title, its words, and how a value is written."""


def spending(summary: Summary, trials: Sequence[Trial]) -> dict[str, Any]:
    """What runs take against how often they pass, case by case, in what is known of all of them."""
    counting = [t for t in trials if t.case_id is not None and (t.passed or t.lost)]
    for name, title, measure, write in _MEASURES:
        values = [_measured(trial, name) for trial in counting]
        known = [value for value in values if value is not None]
        if not known or len(known) < len(counting) or not max(known):
            continue
        if name != "cost":
            return _drawn(summary, counting, known, title, measure, write)
        currencies = {t.usage.currency for t in counting if t.usage is not None}
        if len(currencies) == 1:
            currency = shown(currencies.pop())[:8]
            told = partial(money, currency=currency)
            return _drawn(summary, counting, known, title, f"cost in {currency}", told)
    return {"cost_chart": "", "cost_title": "", "cost_words": "", "cost_table": None}


def _measured(trial: Trial, name: str) -> float | None:
    if name == "seconds":
        return trial.seconds
    if name == "tool_calls":
        return trial.measures.get(name)
    if name == "tokens":
        return tokens_of(trial)
    return trial.usage.cost if trial.usage is not None else None


def _drawn(
    summary: Summary,
    trials: Sequence[Trial],
    values: Sequence[float],
    title: str,
    measure: str,
    write: Callable[[float], str],
) -> dict[str, Any]:
    cases: dict[str, list[tuple[float, bool]]] = {}
    for trial, value in zip(trials, values, strict=True):
        cases.setdefault(trial.case_id or "", []).append((value, trial.passed))
    points = [
        (sum(v for v, _ in held) / len(held), sum(p for _, p in held) / len(held))
        for held in cases.values()
    ]
    split = {
        "passed": [v for t, v in zip(trials, values, strict=True) if t.passed],
        "failed": [v for t, v in zip(trials, values, strict=True) if not t.passed],
    }
    rows = tuple(
        (
            Cell(f"runs that {name}"),
            Cell(f"{len(held):,}", "dim"),
            Cell(write(median(held)), "strong"),
            Cell(write(sum(held) / len(held))),
        )
        for name, held in split.items()
        if held
    )
    columns = (Column(""), *(Column(head, "right") for head in ("runs", "median", "mean")))
    told = " and ".join(
        f"the median of runs that {name} is {write(median(held))}"
        for name, held in split.items()
        if held
    )
    return {
        "cost_chart": cost_chart(points, measure, summary.c / summary.n).svg,
        "cost_title": title,
        "cost_words": f"A dot is a case, larger where several lie together; the broken line is the "
        f"share of all runs that pass. {told[:1].upper()}{told[1:]}.",
        "cost_table": Table(
            f"{title} of a run ({percent(summary.c / summary.n)} pass)", columns, rows
        ),
    }

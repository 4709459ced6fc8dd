"""Results as CSV, a row a trial, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from passhat.reliability.csvcells import guarded
from passhat.reliability.efficiency import tokens_of
from passhat.reliability.results import with_unread
from passhat.report.failed import level_of, why
from passhat.result import Trial
from passhat.state.changes import value_text

COLUMNS = (
    "case",
    "trial",
    "trace_id",
    "status",
    "passed",
    "failure_class",
    "level",
    "by",
    "reason",
    "cost",
    "currency",
    "tokens",
    "seconds",
    "turns",
    "requests",
    "tool_calls",
    "tool_errors",
    "tags",
)
_LONGEST = 32_000
"""A little less than what a spreadsheet takes in a cell."""


def csv_report(trials: Iterable[Trial]) -> str:
    """The trials as CSV, a row a trial in their order, with a column for each check and each pin.

    passhat reads it back as results, with what each check said and without scores, evidence and
    steps. `passed` is `true`, `false`, or empty where the trial does not count. What a spreadsheet
    would take for a formula has a `'` before it. The column `failure_class` can be filled in and
    given back as labels.

    >>> print(csv_report([Trial("=1+1", 0, "t", "passed")]).splitlines()[1].rstrip(","))
    '=1+1,0,t,passed,true
    """
    held = with_unread(trials)
    keys = list(dict.fromkeys(result.key for trial in held for result in trial.results))
    pins = list(dict.fromkeys(str(name) for trial in held for name in trial.pins))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = [*(f"check.{key}" for key in keys), *(f"pin.{name}" for name in pins)]
    writer.writerow([*COLUMNS, *map(guarded, heads)])
    for trial in held:
        said = {result.key: result.status for result in trial.results}
        pinned = (trial.pins.get(name, "") for name in pins)
        writer.writerow(
            [
                *_row(trial),
                *(said.get(key, "") for key in keys),
                *(
                    guarded(value if isinstance(value, str) else value_text(value))
                    for value in pinned
                ),
            ]
        )
    return out.getvalue()


def _row(trial: Trial) -> list[str]:
    usage = trial.usage
    counts = trial.passed or trial.lost
    return [
        guarded(trial.case_id or ""),
        str(trial.trial),
        guarded(trial.trace_id),
        trial.status,
        ("true" if trial.passed else "false") if counts else "",
        guarded(trial.failed_as or ""),
        level_of(trial) if trial.lost else "",
        guarded(trial.failure.by) if trial.failure is not None else "",
        guarded(why(trial)[:_LONGEST]),
        _number(usage.cost if usage is not None else None),
        guarded(usage.currency) if usage is not None and usage.cost is not None else "",
        _number(tokens_of(trial)),
        _number(trial.seconds),
        *(
            _number(trial.measures.get(name))
            for name in ("turns", "requests", "tool_calls", "tool_errors")
        ),
        guarded(";".join(trial.tags)),
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"

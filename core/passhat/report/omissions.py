"""What was left out, why, and what it could change: told before anything is trusted."""

from __future__ import annotations

from collections.abc import Iterator

from passhat.reliability import Summary
from passhat.reliability.wording import counted
from passhat.report.tables import Cell, Column, Table, limited

_MOST_ROWS = 4

_WORDS = {
    "passed": "passed",
    "failed": "failed",
    "agent_error": "ended in an error of the agent (a failure)",
    "not_evaluated": "not evaluated",
    "check_error": "with a broken check",
    "infrastructure_error": "stopped by their surroundings",
    "not_run": "never run",
}


def ledger_line(summary: Summary) -> str:
    """Where every run went, in one line."""
    parts = [f"{count:,} {_WORDS[status]}" for status, count in summary.ledger.items() if count]
    if summary.unread.count:
        parts.append(f"{summary.unread.count:,} unreadable")
    return " · ".join(parts) or "no runs"


def sensitivity_lines(summary: Summary) -> Iterator[str]:
    """What pass^k would be, had all that was left out failed or passed; nothing if all counts."""
    told = summary.sensitivity
    if not told.left_out:
        return
    for words, values in (("failed", told.if_failed), ("passed", told.if_passed)):
        numbers = ", ".join(f"pass^{k} {value:.3f}" for k, value in values.items())
        yield f"had they all {words}: {numbers}"


def left_out_table(summary: Summary, most: int | None = _MOST_ROWS) -> Table:
    """The runs that do not count, with why; those that could not be read come first."""
    rows: list[tuple[Cell, ...]] = [
        (Cell("unreadable", "bad"), Cell(""), Cell(error)) for error in summary.unread.errors
    ]
    rows += [
        (
            Cell(item.status.replace("_", " "), "mixed"),
            Cell(item.trace_id if item.case_id is None else f"{item.case_id} #{item.trial}"),
            Cell(item.reason),
        )
        for item in summary.not_judged
    ]
    shown, _ = limited(rows, most)
    left_out = summary.sensitivity.left_out
    return Table(
        f"{counted(left_out, 'run')} left out",
        (Column("why"), Column("run"), Column("reason", give="cut")),
        shown,
        hidden=left_out - len(shown),
    )

"""What was left out, why, and what it could change: told before anything is trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from passhat.reliability import Summary
from passhat.reliability.wording import counted
from passhat.report.tables import Cell, Column, Table

_WORDS = {
    "passed": "passed",
    "failed": "failed",
    "agent_error": "ended in an error of the agent (a failure)",
    "not_evaluated": "not evaluated",
    "check_error": "with a broken check",
    "infrastructure_error": "stopped by the surroundings",
}


def ledger_line(summary: Summary) -> str:
    """Where every run went, in one line."""
    parts = [
        f"{count:,} {_WORDS[status]}"
        for status, count in summary.ledger.items()
        if count and status != "not_run"
    ]
    if summary.not_run:
        parts.append(summary.not_run)
    if summary.unread.count:
        parts.append(f"{summary.unread.count:,} unreadable")
    return " · ".join(parts) or "no runs"


def sensitivity_lines(summary: Summary) -> Iterator[str]:
    """What pass^k would be, had all that was left out failed or passed.

    Nothing where all counts, or nothing does.
    """
    told = summary.sensitivity
    if not told.left_out or not summary.n:
        return
    for words, values in (("failed", told.if_failed), ("passed", told.if_passed)):
        numbers = ", ".join(f"pass^{k} {value:.3f}" for k, value in values.items())
        yield f"had they all {words}: {numbers}"


def left_out_title(summary: Summary) -> str:
    """How many runs are left out, and how many cases have none."""
    left_out = summary.runs - summary.n
    told = [f"{counted(left_out, 'run')} left out"] if left_out else []
    return " · ".join([*told, summary.not_run] if summary.not_run else told)


class Omission(NamedTuple):
    """Runs left out for one reason.

    Attributes:
        kind: How many of what status: `3 not evaluated`.
        reason: Why.
        runs: Which, the first of them.
    """

    kind: str
    reason: str
    runs: str


def omissions(summary: Summary) -> list[Omission]:
    """The runs that do not count, by why; those that could not be read come first."""
    found = [Omission("1 unreadable", error, "") for error in summary.unread.errors]
    more = summary.unread.count - len(found)
    if more:
        found.append(Omission(f"{more:,} unreadable", "more of them", ""))
    for item in summary.left_out:
        runs = ", ".join(item.runs)
        if item.count > len(item.runs):
            runs += f" and {item.count - len(item.runs):,} more"
        kind = f"{item.count:,} {item.status.replace('_', ' ')}"
        found.append(Omission(kind, item.reason, runs))
    return found


def omissions_table(summary: Summary) -> Table:
    """The runs that do not count, by why, as a table."""
    return Table(
        left_out_title(summary),
        (Column("runs"), Column("reason"), Column("which")),
        tuple(tuple(map(Cell, omission)) for omission in omissions(summary)),
    )

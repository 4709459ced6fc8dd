"""A summary as Markdown, for a pull request or a page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from passhat.reliability import Summary
from passhat.reliability.wording import counted
from passhat.report import behaviour, omissions, outcome
from passhat.report.failed import (
    alignment_of,
    class_words,
    level_of,
    state_rows,
    telling,
    why,
    worst_first,
)
from passhat.report.faulted import faults_table
from passhat.report.harmless import harmless
from passhat.report.tables import Cell, Column, Table, filled
from passhat.result import Trial

_ROOM = 400
_LONGEST = 500
_LONGEST_TABLE = 6_000
_MOST_CHECKS = 10
_MOST_PLACES = 20


MOST_BYTES = 1_000_000
"""The longest report: a job summary of GitHub may have a mebibyte."""


def markdown_report(
    summary: Summary,
    *,
    everything: bool = False,
    failed: Iterable[Trial] = (),
    most_bytes: int = MOST_BYTES,
) -> str:
    """The summary as Markdown.

    Args:
        summary: What was found.
        everything: Whether to list every case, tool and check rather than the most telling.
        failed: Trials of which those that failed are told one by one, folded: why, and expected
            against actual calls.
        most_bytes: How long it may be; what does not fit is left out, and said to be.

    Returns:
        The report; its first line is a heading that says the verdict in words.

    >>> from passhat.reliability import Results
    >>> results = Results((Trial("a", 0, "a/0", "passed"), Trial("a", 1, "a/1", "failed")))
    >>> print(markdown_report(results.summary()).splitlines()[0])
    ## Passes 50 % of the time, but never 2 times in a row.
    """
    few = None if everything else 6
    lost = worst_first(failed)
    parts = [f"## {escaped(summary.verdict)}", escaped(outcome.what_was_scored(summary))]
    if summary.pass_hat_k:
        parts.append(markdown_table(outcome.reliability_table(summary)))
    if summary.sensitivity.left_out:
        parts.append(markdown_table(omissions.omissions_table(summary)))
        parts += [f"- {escaped(line)}" for line in omissions.sensitivity_lines(summary)]
    parts.append(markdown_table(_bands(summary)))
    parts += [
        markdown_table(table)
        for table in (
            outcome.cases_table(summary, None if everything else 8, points=2),
            behaviour.classes_table(summary, lost),
            behaviour.parting_table(summary, few),
            behaviour.checks_table(summary, few),
            faults_table(summary),
            behaviour.tags_table(summary, few),
            behaviour.rates_table(summary),
            behaviour.efficiency_table(summary),
        )
    ]
    parts.append(f"Runs: {omissions.ledger_line(summary)}")
    parts += [f"> {escaped(note)}" for note in summary.notes]
    text = _bounded([part for part in parts if part], most_bytes)
    return text + _failed_runs(lost, most_bytes - _size(text)) if lost else text


def _bounded(parts: list[str], most: int) -> str:
    """The parts as one text; those that do not fit are left out, the last ones first."""
    used = 0
    kept: list[str] = []
    for part in parts:
        used += _size(part) + 2
        if used > most - _ROOM:
            kept.append(f"{len(parts) - len(kept)} parts are left out: the report is too long.")
            break
        kept.append(part)
    return "\n\n".join(kept) + "\n"


def _failed_runs(lost: Sequence[Trial], room: int) -> str:
    """The failed runs, each folded, as many as there is room for."""
    blocks = ["\n### Failed runs\n"]
    used = _ROOM
    for trial in lost:
        block = _failed_run(trial)
        used += _size(block)
        if used > room:
            blocks.append(f"\n{len(lost) - len(blocks) + 1:,} more are left out for length.\n")
            break
        blocks.append(block)
    return "".join(blocks)


def _failed_run(trial: Trial) -> str:
    level, kind = level_of(trial), class_words(trial.failed_as or "")
    mark = "🛑" if level == "critical" else "⚠️"
    head = f"{trial.case_id or '(no case)'}, trial {trial.trial}: {kind}"
    lines = [harmless(f"{why(trial)}"[:_LONGEST])]
    said, table, rows = telling(trial), alignment_of(trial), state_rows(trial)
    lines += [harmless(f"{r.key}: {r.reason}"[:_LONGEST]) for r in said[:_MOST_CHECKS]]
    lines += _more(len(said) - _MOST_CHECKS, "check")
    lines += [harmless(line) for line in table[:_LONGEST_TABLE].splitlines()]
    lines += ["…"] * (len(table) > _LONGEST_TABLE)
    lines += [
        harmless(f"{row.path}: {row.kind}: {row.expected} → {row.actual}")
        for row in rows[:_MOST_PLACES]
    ]
    lines += _more(len(rows) - _MOST_PLACES, "place")
    body = "\n".join(filter(None, dict.fromkeys(lines)))
    if not body:
        return f"\n- {mark} {level}: {escaped(head[:_LONGEST])}\n"
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", body)), default=0))
    summary = html.escape(harmless(head)[:_LONGEST])
    return (
        f"\n<details><summary>{mark} {level}: {summary}</summary>\n\n"
        f"{fence}text\n{body}\n{fence}\n\n</details>\n"
    )


def _more(number: int, what: str) -> list[str]:
    return [f"and {counted(number, f'more {what}')}"] if number > 0 else []


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _bands(summary: Summary) -> Table:
    return Table(
        "Cases by how often they pass",
        (Column("passes"), Column("cases", "right"), Column("")),
        tuple((Cell(b.label), Cell(str(b.cases)), Cell(b.kind)) for b in outcome.bands(summary)),
    )


def markdown_table(table: Table) -> str:
    """A table as Markdown, under its title; nothing where it has no rows."""
    if not table.rows:
        return ""
    table = filled(table)
    lines = [f"### {escaped(table.title)}", ""]
    if table.note:
        lines += [escaped(table.note), ""]
    lines.append(_row(column.heading for column in table.columns))
    lines.append(_row("--:" if c.justify == "right" else ":--" for c in table.columns))
    lines += [_row(cell.text for cell in row) for row in table.rows]
    if table.hidden:
        lines += ["", f"and {table.hidden:,} more"]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"


_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#"})


def escaped(text: str) -> str:
    """The text as it is, whatever a model or a tool put in it."""
    return harmless(text).translate(_SPECIAL)

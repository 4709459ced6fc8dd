"""A summary as Markdown, for a pull request or a page."""

from __future__ import annotations

from collections.abc import Iterable

from passhat.reliability import Summary
from passhat.report import behaviour, omissions, outcome
from passhat.report.harmless import harmless
from passhat.report.tables import Cell, Column, Table, filled


def markdown_report(summary: Summary, *, everything: bool = False) -> str:
    """The summary as Markdown.

    Args:
        summary: What was found.
        everything: Whether to list every case, tool and check rather than the most telling.

    Returns:
        The report; its first line is a heading that says the verdict in words.
    """
    few = None if everything else 6
    parts = [f"## {_escaped(summary.verdict)}", _escaped(outcome.what_was_scored(summary))]
    if summary.pass_hat_k:
        parts.append(markdown_table(outcome.reliability_table(summary)))
    if summary.sensitivity.left_out:
        parts.append(markdown_table(omissions.omissions_table(summary)))
        parts += [f"- {_escaped(line)}" for line in omissions.sensitivity_lines(summary)]
    parts.append(markdown_table(_bands(summary)))
    parts += [
        markdown_table(table)
        for table in (
            outcome.cases_table(summary, None if everything else 8, points=2),
            behaviour.parting_table(summary, few),
            behaviour.checks_table(summary, few),
            behaviour.tags_table(summary, few),
            behaviour.rates_table(summary),
            behaviour.efficiency_table(summary),
        )
    ]
    parts.append(f"Runs: {omissions.ledger_line(summary)}")
    parts += [f"> {_escaped(note)}" for note in summary.notes]
    return "\n\n".join(part for part in parts if part) + "\n"


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
    lines = [f"### {_escaped(table.title)}", ""]
    if table.note:
        lines += [_escaped(table.note), ""]
    lines.append(_row(column.heading for column in table.columns))
    lines.append(_row("--:" if c.justify == "right" else ":--" for c in table.columns))
    lines += [_row(cell.text for cell in row) for row in table.rows]
    if table.hidden:
        lines += ["", f"and {table.hidden:,} more"]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#"})


def _escaped(text: str) -> str:
    """The text as it is, whatever a model or a tool put in it."""
    return harmless(text).translate(_SPECIAL)

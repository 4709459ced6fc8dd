"""A summary as `score`, `run` and `demo` show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passhat.cli import terminal
from passhat.cli.options import Format
from passhat.cli.output import json_text

if TYPE_CHECKING:
    from passhat.reliability import Summary


def summary_text(summary: Summary, format: Format, *, everything: bool = False) -> str:
    """The summary as it goes to standard output."""
    if format is Format.json:
        return json_text(summary.to_dict())
    if format is Format.md:
        from passhat.report.markdown import markdown_report

        return markdown_report(summary, everything=everything)
    from passhat.report.text import text_report

    return text_report(
        summary,
        width=terminal.width(),
        color=terminal.color(),
        everything=everything,
        ascii_only=terminal.ascii_only(),
    )

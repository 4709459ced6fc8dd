"""Summaries told to people: as text for a terminal, and as Markdown."""

from passhat.report.markdown import markdown_report
from passhat.report.text import text_report

__all__ = ["markdown_report", "text_report"]

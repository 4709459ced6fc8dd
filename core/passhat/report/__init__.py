"""Results told to people and to CI: text, Markdown, HTML, JUnit XML and CSV."""

from passhat.report.html import html_report
from passhat.report.junit import junit_report
from passhat.report.markdown import markdown_report
from passhat.report.tabular import csv_report
from passhat.report.text import text_report

__all__ = ["csv_report", "html_report", "junit_report", "markdown_report", "text_report"]

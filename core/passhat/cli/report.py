"""`passhat report`: results told to people, to CI and to spreadsheets."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passhat.cli import terminal
from passhat.cli.deciding import ProfileName, policy_asked
from passhat.cli.options import (
    BootstrapSeed,
    Confidence,
    Format,
    IntervalMethod,
    Ks,
    Method,
    Recorder,
    VariedPins,
    WrittenTo,
    parsed_ks,
)
from passhat.cli.output import json_text, keep, write
from passhat.cli.report_beside import Gated, gated_by, with_labels, with_timelines
from passhat.errors import InputError, Place, UsageError
from passhat.jsontext.files import STANDARD

if TYPE_CHECKING:
    from passhat.reliability import Results, Summary


class ReportFormat(StrEnum):
    """How a report is written."""

    text = "text"
    md = "md"
    junit = "junit"
    json = "json"
    csv = "csv"
    html = "html"


def report(
    results: Annotated[
        str,
        typer.Argument(
            metavar="RESULTS", help="What passhat score -o wrote, or a CSV; - is stdin."
        ),
    ],
    format: Annotated[
        ReportFormat | None,
        typer.Option(
            help="How it is written; by default as the name of -o says, else text.",
            show_default=False,
        ),
    ] = None,
    output: WrittenTo = STANDARD,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Failure classes that people or judges gave (CSV or JSONL); they go first.",
        ),
    ] = None,
    traces: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="The recorded runs, for the timelines of failed ones; repeatable."
        ),
    ] = None,
    reader: Recorder = None,
    title: Annotated[
        str | None, typer.Option(metavar="WORDS", help="What to call it, in HTML and JUnit.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="A gate's policy, whose decision comes first (html, md, text)."
        ),
    ] = None,
    profile: Annotated[
        ProfileName | None,
        typer.Option(help="The same with a ready policy.", show_default=False),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Results to hold them to; what differs is told (html, md, text)."
        ),
    ] = None,
    vary: VariedPins = None,
    k: Ks = None,
    confidence: Confidence = 0.95,
    method: IntervalMethod = Method.auto,
    seed: BootstrapSeed = 0,
    everything: Annotated[
        bool, typer.Option("--all", help="List every case, tool, check and failed run (text, md).")
    ] = False,
) -> None:
    """Report results: as text, Markdown, JUnit XML, JSON, CSV, or one page of HTML.

    Exit codes: 0 written; 2 wrong usage or input, or no result in it; 3 written, and nothing in it
    could be judged.
    """
    from passhat.reliability import read_results

    chosen = format or _by_name(output)
    ks = parsed_ks(k)
    given = [name for name in (labels, policy, baseline) if name is not None]
    keep(output, [results, *(traces or ()), *given])
    if [results, *given].count(STANDARD) > 1:
        raise UsageError("only one of results, labels, policy and baseline can be standard input")
    decides = policy is not None or profile is not None or baseline is not None
    if decides and chosen not in _DECIDING:
        raise UsageError(
            f"--format {chosen.value} has no place for a decision: passhat gate --format json writes "
            "one, and html, md and text begin with it"
        )
    if vary and baseline is None:
        raise UsageError("--vary says in what the baseline may differ, and there is no --baseline")
    held = read_results(results)
    if not held.trials:
        raise InputError("there is no result in it, so there is nothing to report", Place(results))
    if traces:
        held = with_timelines(held, traces, reader)
    elif reader:
        raise UsageError("--from says what recorded the runs of --traces, and there are none")
    if labels:
        held = with_labels(held, labels)
    summary = held.summary(ks, confidence=confidence, method=method.value, seed=seed)
    gated = None
    if decides:
        gated = gated_by(policy_asked(policy, profile), held, results, baseline, vary or ())
    text = _written(held, summary, chosen, title, output, gated, everything=everything)
    write(text, output)
    if not summary.n:
        terminal.say("nothing could be judged")
        raise typer.Exit(3)


_DECIDING = (ReportFormat.html, ReportFormat.md, ReportFormat.text)


_ENDINGS = {
    ".html": ReportFormat.html,
    ".htm": ReportFormat.html,
    ".md": ReportFormat.md,
    ".xml": ReportFormat.junit,
    ".json": ReportFormat.json,
    ".csv": ReportFormat.csv,
    ".txt": ReportFormat.text,
    ".log": ReportFormat.text,
    "": ReportFormat.text,
}


def _by_name(output: str) -> ReportFormat:
    """The format that the name of a file says.

    Raises:
        UsageError: It says none; text in `report.pdf` would be no report that anybody can open.
    """
    ending = Path(output).suffix.lower()
    if ending not in _ENDINGS:
        known = ", ".join(name for name in _ENDINGS if name)
        raise UsageError(
            f"-o {output}: {ending} says no format: take {known}, or say it with --format"
        )
    return _ENDINGS[ending]


def _written(
    results: Results,
    summary: Summary,
    format: ReportFormat,
    title: str | None,
    output: str,
    gated: Gated | None,
    *,
    everything: bool,
) -> str:
    """The report."""
    if format is ReportFormat.html:
        from passhat.report.html import html_report

        return html_report(
            results,
            summary=summary,
            title=title,
            decision=gated.decision if gated is not None else None,
            comparison=gated.comparison if gated is not None else None,
        )
    if format is ReportFormat.junit:
        from passhat.report.junit import junit_report

        source = Path(results.about.get("source", "")).stem
        return junit_report(results, name=title or source.strip("-") or "passhat")
    if format is ReportFormat.csv:
        from passhat.reliability.results import repeated
        from passhat.report.tabular import csv_report

        if (twice := repeated(results)) is not None:
            terminal.say(
                f"{twice.case_id or twice.trace_id} trial {twice.trial} is there twice, so passhat "
                "will not read this table back as results"
            )
        return csv_report(results)
    if format is ReportFormat.json:
        return json_text(summary.to_dict())
    if format is ReportFormat.md:
        from passhat.report.markdown import MOST_BYTES, markdown_report

        first = "" if gated is None else f"{gated.text(Format.md, output)}\n"
        return first + markdown_report(
            summary,
            everything=everything,
            failed=results,
            most_bytes=MOST_BYTES - len(first.encode()),
        )
    from passhat.report.text import text_report

    there = output == STANDARD
    first = "" if gated is None else f"{gated.text(Format.text, output)}\n"
    return first + text_report(
        summary,
        width=terminal.width(),
        color=terminal.color() and there,
        everything=everything,
        ascii_only=terminal.ascii_only() and there,
        failed=results,
    )

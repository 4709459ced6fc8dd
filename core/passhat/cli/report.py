"""`passhat report`: results told to people, to CI and to spreadsheets."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from msgspec.structs import replace

from passhat.cli import terminal
from passhat.cli.deciding import ProfileName, policy_asked
from passhat.cli.options import BootstrapSeed, Confidence, Format, IntervalMethod, Ks, Method
from passhat.cli.score import parsed_ks
from passhat.errors import InputError, Place, TraceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passhat.compare import Comparison
    from passhat.gate import Decision, Policy
    from passhat.reliability import Results, Summary
    from passhat.result import Trial


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
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where to; - is standard output.")
    ] = "-",
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
    reader: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="What recorded them (see passhat adapters)."),
    ] = None,
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
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="PIN", help="A pin in which the baseline may differ; repeatable."),
    ] = None,
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
    _keep(output, [results, *(traces or ()), *given])
    if [results, *given].count("-") > 1:
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
        held = _with_timelines(held, traces, reader)
    elif reader:
        raise UsageError("--from says what recorded the runs of --traces, and there are none")
    if labels:
        held = _labelled(held, labels)
    summary = held.summary(ks, confidence=confidence, method=method.value, seed=seed)
    gated = None
    if decides:
        gated = _gated(held, results, policy_asked(policy, profile), baseline, vary or ())
    text = _written(held, summary, chosen, title, output, gated, everything=everything)
    if output == "-":
        terminal.emit(text)
    else:
        from passhat.jsontext import replacing

        with replacing(output) as file:
            file.write(text.encode("utf-8", "replace"))
    if not summary.n:
        terminal.say("nothing could be judged")
        raise typer.Exit(3)


_DECIDING = (ReportFormat.html, ReportFormat.md, ReportFormat.text)


class _Gated(NamedTuple):
    decision: Decision
    comparison: Comparison | None


def _gated(
    held: Results, name: str, policy: Policy, baseline: str | None, vary: Sequence[str]
) -> _Gated:
    """What a gate decides of the results, and what differs from the baseline."""
    from passhat.compare import compare_results
    from passhat.gate import decide
    from passhat.jsontext import file_name
    from passhat.reliability import read_results

    if baseline is None:
        return _Gated(decide(held, policy, names=(file_name(name), "")), None)
    base = read_results(baseline)
    told = (file_name(baseline), file_name(name))
    decision = decide(held, policy, base, vary=vary, names=(told[1], told[0]))
    named = [change.name for change in decision.pins if change.base and change.new]
    return _Gated(
        decision,
        compare_results(
            base,
            held,
            vary=named,
            estimate=decision.estimate,
            confidence=decision.confidence,
            names=told,
        ),
    )


_ENDINGS = {
    ".html": ReportFormat.html,
    ".htm": ReportFormat.html,
    ".md": ReportFormat.md,
    ".xml": ReportFormat.junit,
    ".json": ReportFormat.json,
    ".csv": ReportFormat.csv,
}


def _by_name(output: str) -> ReportFormat:
    return _ENDINGS.get(Path(output).suffix.lower(), ReportFormat.text)


def _keep(output: str, inputs: list[str]) -> None:
    """Refuses to write the report over what it is made of."""
    target = Path(output)
    if output == "-" or not target.exists():
        return
    for name in inputs:
        if name != "-" and Path(name).exists() and target.samefile(name):
            raise UsageError(f"-o {output} is what the report is made of; name another file")


def _with_timelines(results: Results, sources: list[str], reader: str | None) -> Results:
    """The results, failed trials with the steps of the runs that have their ids."""
    from dataclasses import replace as replaced

    from passhat.adapter import read_traces
    from passhat.grading.timeline import timeline_of

    wanted = {trial.trace_id for trial in results if trial.lost}
    found = {}
    for source in sources:
        for trace in read_traces(source, reader):
            if isinstance(trace, TraceError):
                terminal.say(str(trace))
            elif trace.id in wanted:
                found[trace.id] = timeline_of(trace)
    if missing := len(wanted - found.keys()):
        terminal.say(f"{missing} of {len(wanted)} failed runs are not among the recorded ones")

    def told(trial: Trial) -> Trial:
        steps = found.get(trial.trace_id) if trial.lost else None
        return trial if steps is None else replace(trial, timeline=steps)

    return replaced(results, trials=tuple([told(trial) for trial in results]))


def _labelled(results: Results, path: str) -> Results:
    """The results with the classes that the labels of a file say."""
    from passhat.reliability import read_labels
    from passhat.result import FAILURE_CLASSES

    labels = read_labels(path)
    labelled = results.relabelled(labels)
    used = {trial.failed_as for trial in labelled} - {None}
    own = sorted(name for name in used if name and name not in FAILURE_CLASSES)
    if own:
        terminal.say(f"classes of your own, told as they are: {', '.join(own)}")
    if unused := labels.unused(results):
        named = [key if isinstance(key, str) else f"{key[0]}/{key[1]}" for key in unused[:5]]
        more = f" and {len(unused) - 5} more" if len(unused) > 5 else ""
        terminal.say(f"labels of no failed trial: {', '.join(named)}{more}")
    return labelled


def _written(
    results: Results,
    summary: Summary,
    format: ReportFormat,
    title: str | None,
    output: str,
    gated: _Gated | None,
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
        from passhat.report.tabular import csv_report

        return csv_report(results)
    if format is ReportFormat.json:
        return json.dumps(summary.to_dict(), indent=2, ensure_ascii=False) + "\n"
    if format is ReportFormat.md:
        from passhat.report.markdown import MOST_BYTES, markdown_report

        first = "" if gated is None else f"{_first(gated, Format.md, output)}\n"
        return first + markdown_report(
            summary,
            everything=everything,
            failed=results,
            most_bytes=MOST_BYTES - len(first.encode()),
        )
    from passhat.report.text import text_report

    there = output == "-"
    first = "" if gated is None else f"{_first(gated, Format.text, output)}\n"
    return first + text_report(
        summary,
        width=terminal.width(),
        color=terminal.color() and there,
        everything=everything,
        ascii_only=terminal.ascii_only() and there,
        failed=results,
    )


def _first(gated: _Gated, format: Format, output: str) -> str:
    """The decision and the comparison, which come before all else."""
    from passhat.report.comparison import comparison_blocks
    from passhat.report.decision import decision_blocks

    parts = [decision_blocks(gated.decision)]
    if gated.comparison is not None:
        parts.append(comparison_blocks(gated.comparison))
    return "\n".join(terminal.rendered(blocks, format, output) for blocks in parts)

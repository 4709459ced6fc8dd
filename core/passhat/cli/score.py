"""`passhat score`: recorded runs, judged and summed up."""

from __future__ import annotations

import os
from contextlib import ExitStack, nullcontext
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from passhat.cli import terminal
from passhat.cli.options import (
    AllowCode,
    BootstrapSeed,
    CaseKey,
    CaseOfAll,
    Confidence,
    Everything,
    Format,
    IntervalMethod,
    Ks,
    Method,
    Recorder,
    RequiredChecks,
    SummaryFormat,
    check_names,
    parsed_ks,
)
from passhat.cli.output import json_text, keep, write_beside
from passhat.cli.summaries import summary_text
from passhat.errors import TraceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passhat.reliability import Summariser, Summary, TrialWriter
    from passhat.scoring import Scoring


def score(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Recorded runs; - is standard input.")
    ],
    reader: Recorder = None,
    success: Annotated[
        str | None,
        typer.Option(
            metavar="SCORE", help="A recorded score whose value of 1 or more is the verdict."
        ),
    ] = None,
    suite: Annotated[
        str | None, typer.Option(metavar="FILE", help="Grade by the cases of this suite.")
    ] = None,
    expected: Annotated[
        bool, typer.Option("--expected", help="Grade by the expected calls the recording carries.")
    ] = False,
    checks: RequiredChecks = None,
    case_key: CaseKey = None,
    case: CaseOfAll = None,
    error_pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX", help="A tool's answer that matches says that its call failed."
        ),
    ] = None,
    k: Ks = None,
    confidence: Confidence = 0.95,
    method: IntervalMethod = Method.auto,
    seed: BootstrapSeed = 0,
    format: SummaryFormat = Format.text,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write a result for each run (JSONL); with - to standard output.",
        ),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep the results there too, named after the time, for passhat history.",
        ),
    ] = None,
    everything: Everything = False,
    fail: Annotated[bool, typer.Option("--fail", help="Exit with 1 when a run failed.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first run that cannot be read.")
    ] = False,
    allow_code: AllowCode = False,
    untrusted: Annotated[
        bool,
        typer.Option(
            "--untrusted", help="Evaluate a suite's expressions in a process that can be ended."
        ),
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="TRIAL",
            help="Print one run (its id, or CASE/TRIAL) with where each argument came from.",
        ),
    ] = None,
) -> None:
    """Score recorded runs: pass^k and pass@k, the flaky cases, and where calls part.

    Exit codes: 0 done; 1 a run failed, with --fail; 2 wrong usage or input, or nothing could be
    read; 3 some runs could not be judged.
    """
    if untrusted and allow_code:
        raise UsageError("--untrusted and --allow-code exclude each other")
    from passhat.expressions import killable
    from passhat.reliability import Summariser, results_writer
    from passhat.scoring import Scoring, nothing_read

    ks = parsed_ks(k)
    keep(output, sources)
    scoring = Scoring(
        sources,
        suite,
        format=reader,
        success=success,
        expected=expected,
        case_key=case_key,
        case=case,
        checks=check_names(checks),
        allow_code=allow_code,
        error_pattern=error_pattern,
        timelines=output is not None or save is not None,
    )
    guard = killable() if untrusted else nullcontext()
    if explain is not None:
        with guard:
            terminal.emit(_explained(scoring, explain, format))
        return
    adding = Summariser(scoring.cases)
    kept = _run_path(save) if save is not None else None
    with guard, ExitStack() as writing:
        writers = [writing.enter_context(results_writer(path)) for path in (output, kept) if path]
        _add_all(scoring, adding, writers, strict=strict)
        if not scoring.read:
            raise nothing_read(adding.unread, scoring)
        summary = adding.summary(
            ks, confidence=confidence, method=method.value, seed=seed, about=scoring.about
        )
    write_beside(summary_text(summary, format, everything=everything), output)
    if kept is not None:
        terminal.say(f"kept as {kept}")
    for note in scoring.notes:
        terminal.say(note)
    code = _exit_code(summary, fail=fail)
    if code == 3:
        terminal.say(summary.unjudged)
        if not scoring.has_verdict and (recorded := [*filter(os.path.isfile, sources)]):
            terminal.say(
                f"a suite to begin with, a case for each task: passhat convert {quote(recorded[0])} "
                "--as cases --to passhat -o suite.yaml"
            )
            if len(recorded) > 1:
                terminal.say(
                    f"that is of the first of {len(recorded):,} files: for a suite of all, put their "
                    "runs into one, a line each"
                )
    raise typer.Exit(code)


def _run_path(folder: str) -> Path:
    """Where to keep a run of now."""
    from datetime import UTC, datetime

    from passhat.history import run_path

    return run_path(folder, datetime.now(UTC))


def _explained(scoring: Scoring, name: str, format: Format) -> str:
    """One run as a conversation, as text or as JSON."""
    from passhat.report.conversation import conversation, conversation_text

    trace, case, trial = scoring.find(name)
    if format is Format.json:
        data = {
            "trace_id": trace.id,
            "case_id": trial.case_id,
            "trial": trial.trial,
            "status": trial.status,
            "steps": conversation(trace, case),
        }
        return json_text(data)
    return conversation_text(trace, case, trial, width=terminal.width())


def _add_all(
    scoring: Scoring, adding: Summariser, writers: Sequence[TrialWriter], *, strict: bool
) -> None:
    for item in scoring:
        if isinstance(item, TraceError):
            if strict:
                raise item
            adding.add_unread(item)
            for writer in writers:
                writer.write_unread(item)
        else:
            adding.add(item)
            for writer in writers:
                writer.write(item)


def _exit_code(summary: Summary, *, fail: bool) -> int:
    if fail and summary.c < summary.n:
        return 1
    return 0 if summary.judged else 3

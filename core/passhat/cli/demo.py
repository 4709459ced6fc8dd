"""`passhat demo`: the main job on runs that come with the package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from passhat.cli import terminal
from passhat.cli.options import Format
from passhat.cli.summaries import summary_text
from passhat.errors import Place, UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from passhat.case import Case
    from passhat.result import Trial
    from passhat.trace import Trace

SHOWN = ("refund-too-late", 2)
"""The case and the attempt at it to look at more closely."""

THEIRS = (
    ("ADK, IN_ORDER", "adk@2.13", "in_order"),
    ("ADK, ANY_ORDER", "adk@2.13", "any_order"),
    ("agentevals, superset", "agentevals@0.0.9", "superset"),
)
"""Frameworks' own checks of a trajectory, to set beside ours."""

NEXT = (
    ("passhat score runs.jsonl --success reward", "by a reward recorded with them"),
    ("passhat score runs.jsonl --suite suite.yaml", "by what their cases expect"),
    ("passhat parity suite.yaml runs.jsonl", "one verdict in every framework?"),
    ("passhat explain superset", "what a match mode lets pass"),
)


def demo(
    format: Annotated[
        Format, typer.Option(help="How the summary of the recorded runs is written.")
    ] = Format.text,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FOLDER", help="Keep the suite in the forms of others there."
        ),
    ] = None,
) -> None:
    """See passhat at work: 48 recorded runs, and one agent played in every framework there is.

    Nothing is sent anywhere, and no key is needed: the models answer by a script.
    """
    from passhat.adapter import read_traces
    from passhat.cli.demo_frameworks import frameworks
    from passhat.demo import SUITE, TRACES
    from passhat.report.text import text_report
    from passhat.scoring import score
    from passhat.suitefile.reading import read_suite
    from passhat.trace import Trace

    suite = read_suite(SUITE)
    results = score(TRACES, suite, format="openai")
    if format is not Format.text:
        terminal.emit(summary_text(results.summary(), format))
        return
    width, color, plain = terminal.width(), terminal.color(), terminal.ascii_only()
    report = text_report(results.summary(), brief=True, width=width, color=color, ascii_only=plain)
    trial = next(trial for trial in results if (trial.case_id, trial.trial) == SHOWN)
    (trace,) = (
        found
        for found in read_traces(TRACES, "openai")
        if isinstance(found, Trace) and found.id == trial.trace_id
    )
    lines = _disagreement(trace, trial, suite.by_id[SHOWN[0]])
    terminal.emit(report + _drawn(lines, width))
    with _folder(output) as folder:
        lines = frameworks(folder, width)
    terminal.emit(_drawn([*lines, *_next()], width))


def _drawn(lines: list[Text], width: int) -> str:
    from passhat.report.text import drawn

    for line in lines:
        line.truncate(width, overflow="ellipsis")
    plain = terminal.ascii_only()
    return drawn(lines, width=width, color=terminal.color(), ascii_only=plain)


@contextmanager
def _folder(output: Path | None) -> Iterator[Path]:
    """The folder to write to: the one that was named, or one that is gone afterwards."""
    if output is None:
        with TemporaryDirectory(prefix="passhat-") as name:
            yield Path(name)
        return
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", Place(str(output))) from error
    yield output


def _disagreement(trace: Trace, trial: Trial, case: Case) -> list[Text]:
    """One run, with the verdicts of frameworks' own checks beside ours."""
    from rich.text import Text

    from passhat.match.dialects import verdict

    title = Text.assemble(
        ("One of these runs, as others judge it", "bold"),
        (f"   {trial.case_id}, attempt {trial.trial + 1} of 4", "dim"),
    )
    asked = Text.assemble(("  asked   ", "dim"), str(case.first_input))
    called = Text.assemble(("  called  ", "dim"), " → ".join(call.name for call in trace.calls))
    lines = [Text(), title, asked, called]
    for words, dialect, mode in THEIRS:
        passes = bool(verdict(dialect, mode, trace.calls, case.expected_calls))
        lines.append(_judged(words, passes))
    broken = next(result for result in trial.results if result.status == "failed")
    lines.append(_judged("passhat", trial.passed))
    return [*lines, Text.assemble(("  why     ", "dim"), broken.reason)]


def _judged(who: str, passes: bool) -> Text:
    from rich.text import Text

    mark = ("✓ passed", "green") if passes else ("✗ failed", "red")
    return Text.assemble("  ", f"{who:<22}", mark)


def _next() -> list[Text]:
    from rich.text import Text

    lines = [Text(), Text("On your own runs", style="bold")]
    lines += [Text.assemble(f"  {command:<46}", (about, "dim")) for command, about in NEXT]
    return lines

"""What `passhat run` leaves and says at its end: results, traces, the summary, the exit code."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from passhat.cli import terminal
from passhat.cli.options import Format, Method
from passhat.cli.output import write_beside
from passhat.cli.summaries import summary_text
from passhat.errors import UsageError

if TYPE_CHECKING:
    from passhat.reliability import Summary
    from passhat.trials.runs import Run

INTERRUPTED = 130
"""The exit code of a run that a signal ended."""


def written_results(
    running: Run,
    output: str | None,
    traces: str | None,
    ks: list[int] | None,
    confidence: float,
    method: Method,
) -> Summary:
    """Writes the results and the traces, one by one, and sums up."""
    from passhat.jsontext import replacing
    from passhat.reliability import Summariser, results_writer

    adding = Summariser(running.cases)
    with ExitStack() as stack:
        writer = stack.enter_context(results_writer(output)) if output is not None else None
        for trial in running.results():
            adding.add(trial)
            if writer is not None:
                writer.write(trial)
    if traces is not None:
        with replacing(traces) as file:
            for trace in running.traces():
                file.write(trace + b"\n")
    return adding.summary(ks, confidence=confidence, method=method.value, about=running.about)


def told_and_over(
    running: Run,
    summary: Summary,
    format: Format,
    output: str | None,
    *,
    everything: bool,
    fail: bool,
) -> None:
    """Reports, and ends with the exit code."""
    write_beside(summary_text(summary, format, everything=everything), output)
    for note in running.notes:
        terminal.say(note)
    if running.standing.reason is not None:
        terminal.say(f"stopped by {running.standing.reason}: {running.how_to_go_on()}")
    if running.interrupted is not None:
        raise typer.Exit(INTERRUPTED)
    if fail and running.decided is not None:
        raise typer.Exit({"accept": 0, "reject": 1}.get(running.decided.verdict or "", 3))
    if fail and summary.c < summary.n:
        raise typer.Exit(1)
    if not summary.judged:
        terminal.say(summary.unjudged)
        raise typer.Exit(3)
    raise typer.Exit(0)


def beside_results(output: str | None, suite: str) -> str:
    """The journal's file where none is named: beside the results, else in the current folder."""
    if output is not None and output != "-":
        return str(Path(output).with_suffix(".journal"))
    return f"{Path(suite).stem if suite != '-' else 'run'}.journal"


def declared_pins(given: list[str] | tuple[str, ...]) -> dict[str, str]:
    """What `--pin NAME=VALUE` declares.

    Raises:
        UsageError: One is not of that form.
    """
    pins: dict[str, str] = {}
    for pin in given:
        name, equals, value = pin.partition("=")
        if not equals or not name:
            raise UsageError(f"--pin {pin}: give NAME=VALUE, as in --pin model=small-1")
        pins[name] = value
    return pins

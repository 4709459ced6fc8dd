"""`passhat run --fault-rates`: the same run at several fault rates, and pass^k against them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import typer

from passhat.cli import terminal
from passhat.cli.options import Format
from passhat.cli.run_results import INTERRUPTED
from passhat.errors import UsageError

if TYPE_CHECKING:
    from passhat.reliability import Summary
    from passhat.trials.runs import Run
    from passhat.trials.sweeping import FaultSweep


def parsed_rates(text: str) -> tuple[float, ...]:
    """The fault rates of an option.

    Raises:
        UsageError: One is no chance.

    >>> parsed_rates("0,.1,.2")
    (0.0, 0.1, 0.2)
    """
    from passhat.trials.sweeping import checked_rates

    try:
        return checked_rates(float(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise UsageError(f"--fault-rates {text}: give chances, as in 0,.1,.2,.4") from error


def sweep(
    rates: tuple[float, ...],
    agent: Any,
    suite: str,
    options: dict[str, Any],
    *,
    kinds: str | None,
    journal: str,
    output: str | None,
    traces: str | None,
    quiet: bool,
    written: Callable[[Run, str | None, str | None], Summary],
    format: Format,
) -> None:
    """Runs the suite at each rate, writes what each run gives, and shows pass^k against the rate.

    Args:
        rates: The fault rates.
        agent: The agent.
        suite: The suite's file.
        options: What `Run` takes beside the suite and the journal.
        kinds: The kinds of faults, with commas between them.
        journal: The journal; each rate has its own beside it.
        output: The results; each rate has its own beside it.
        traces: The traces; each rate has its own beside it.
        quiet: Whether to show no progress.
        written: Writes results and traces of a run, and sums up.
        format: How the table is written.
    """
    from passhat.scoring import suite_of
    from passhat.surroundings.faults import PASSING
    from passhat.trials.runs import Run
    from passhat.trials.showing import shown
    from passhat.trials.sweeping import FaultPoint, FaultSweep, beside, with_fault_rate

    if options["sandbox"] is None:
        raise UsageError("--fault-rates strikes the tools of a sandbox: give --sandbox")
    if "-" in (output, traces):
        raise UsageError(
            "--fault-rates writes a file for each rate, and - is one stream: name a file"
        )
    known, _, notes = suite_of(suite, allow_code=options["allow_code"])
    named = tuple(kinds.split(",")) if kinds is not None else PASSING
    points = []
    unjudged = ""
    for note in notes:
        terminal.say(note)
    for rate, struck in [(rate, with_fault_rate(known, rate, named)) for rate in rates]:
        results, recorded = (
            None if file is None else beside(file, rate) for file in (output, traces)
        )
        with ExitStack() as stack:
            with terminal.results_kept_apart():
                running = stack.enter_context(
                    Run(agent, struck, journal=beside(journal, rate), **options)
                )
                with shown(not quiet) as watch:
                    running.play(watch)
            summary = written(running, results, recorded)
            if running.interrupted is not None:
                terminal.say(f"{running.interrupted}: {running.how_to_go_on()}")
                raise typer.Exit(INTERRUPTED)
            unjudged = unjudged or summary.unjudged
        points.append(FaultPoint(rate, summary))
    terminal.emit(_rendered(FaultSweep(tuple(points)), format))
    if unjudged:
        terminal.say(unjudged)
        raise typer.Exit(3)
    raise typer.Exit(0)


def _rendered(sweep: FaultSweep, format: Format) -> str:
    from passhat.report.sweep import sweep_markdown, sweep_text

    if format is Format.json:
        return f"{sweep.to_json().decode()}\n"
    if format is Format.md:
        return sweep_markdown(sweep)
    return sweep_text(sweep, width=terminal.width(), ascii_only=terminal.ascii_only())

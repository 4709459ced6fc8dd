"""`passhat run`: an agent on a suite, again and again, with nothing finished lost."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from passhat.cli import terminal
from passhat.cli.options import (
    AllowCode,
    Confidence,
    Everything,
    Format,
    IntervalMethod,
    Ks,
    Method,
    RequiredChecks,
    SummaryFormat,
    check_names,
    parsed_ks,
)
from passhat.cli.run_results import (
    beside_results,
    declared_pins,
    told_and_over,
    written_results,
)
from passhat.errors import UsageError


class Until(StrEnum):
    """When a run stops before all its trials are run."""

    decided = "decided"


def run(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="The suite to run.")],
    agent: Annotated[
        str,
        typer.Option(
            metavar="MODULE:NAME", help="The agent, which is imported: a function, a graph."
        ),
    ],
    trials: Annotated[
        int | None,
        typer.Option(metavar="N", help="How often each case is tried (else as it says, or 5)."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write a result for each trial (JSONL); with - to standard output.",
        ),
    ] = None,
    traces: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the trace of each trial (JSONL), to score anew."),
    ] = None,
    journal: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Where finished trials are kept: SQLite, or JSONL where the name ends so. "
            "By default beside the results.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what the journal holds.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Throw away what the journal holds.")
    ] = False,
    vary: Annotated[
        bool,
        typer.Option("--vary", help="Resume although the suite, the agent or versions changed."),
    ] = False,
    concurrency: Annotated[
        int, typer.Option(metavar="N", help="How many trials run at a time.")
    ] = 8,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds a trial may take; longer is the agent's failure."),
    ] = None,
    retries: Annotated[
        int,
        typer.Option(metavar="N", help="Tries more of a trial that the surroundings broke."),
    ] = 3,
    infrastructure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN", help="Errors (Class: message) that are of the surroundings."
        ),
    ] = None,
    agent_error: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Errors (Class: message) that are the agent's own."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(metavar="X", help="What the trials may cost in all.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(metavar="S", help="After these no trial is started.")
    ] = None,
    isolate: Annotated[
        bool, typer.Option("--isolate", help="Run each trial in a process of its own.")
    ] = False,
    memory: Annotated[
        float, typer.Option(metavar="MIB", help="What an isolated trial may take.")
    ] = 4096,
    sandbox: Annotated[
        str | None,
        typer.Option(metavar="MODULE:NAME", help="The sandbox of the tools, which is imported."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:NAME", help="Who plays the user of scenarios, which is imported."
        ),
    ] = None,
    fault_rates: Annotated[
        str | None,
        typer.Option(
            metavar="0,.1,.2", help="Run once at each rate of failing tools: pass^k against it."
        ),
    ] = None,
    fault_kinds: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="What fails then: timeout, rate_limit, empty, ... (see the docs)."
        ),
    ] = None,
    until: Annotated[
        Until | None,
        typer.Option(help="Stop when the policy's answer is settled.", show_default=False),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="What is to be decided, or a profile; production if not said."
        ),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="FILE", help="Results to hold it to, for margins.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Of sandboxes, users and waits.")] = 0,
    pin: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What else the run is pinned to: model=..."),
    ] = None,
    checks: RequiredChecks = None,
    k: Ks = None,
    confidence: Confidence = 0.95,
    method: IntervalMethod = Method.auto,
    format: SummaryFormat = Format.text,
    everything: Everything = False,
    fail: Annotated[bool, typer.Option("--fail", help="Exit with 1 when a trial failed.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
    allow_code: AllowCode = False,
) -> None:
    """Run an agent on a suite several times a case, and sum up as `passhat score` does.

    Exit codes: 0 done; 1 a trial failed, with --fail (until decided: the policy rejects); 2 wrong
    usage or input, or the journal cannot be written; 3 some trials were not run or could not be
    judged; 130 ended by Ctrl-C, which --resume goes on from.
    """
    from passhat.cli.sweeping import parsed_rates, sweep
    from passhat.failing import FailureRules
    from passhat.reliability import read_results
    from passhat.trials.agents import agent_named, object_named
    from passhat.trials.runs import Run
    from passhat.trials.showing import shown

    ks = parsed_ks(k)
    kept = journal or beside_results(output, suite)
    for written in (output, traces):
        if written is not None and written != "-" and Path(written) in (Path(kept), Path(suite)):
            raise UsageError(f"{written} is the journal or the suite itself; name another file")
    options: dict[str, Any] = {
        "trials": trials,
        "concurrency": concurrency,
        "timeout": timeout,
        "retries": retries,
        "resume": resume,
        "fresh": fresh,
        "vary": vary,
        "seed": seed,
        "sandbox": object_named(sandbox, "--sandbox") if sandbox is not None else None,
        "user": object_named(user, "--user") if user is not None else None,
        "checks": check_names(checks),
        "failures": FailureRules(tuple(infrastructure or ()), tuple(agent_error or ())),
        "max_cost": max_cost,
        "max_seconds": max_seconds,
        "isolate": isolate,
        "memory": memory,
        "pins": declared_pins(pin or ()),
        "allow_code": allow_code,
        "agent_name": agent,
        "until": until.value if until is not None else None,
        "policy": policy,
        "baseline": read_results(baseline) if baseline is not None else None,
    }
    if fault_kinds is not None and fault_rates is None:
        raise UsageError("--fault-kinds says what --fault-rates strikes with: give both")
    if fault_rates is not None:
        if fail:
            raise UsageError("--fail says nothing of --fault-rates, where failures are expected")
        if until is not None:
            raise UsageError(
                "--until decided stops at each rate where its answer is settled, to which side the "
                "curve of --fault-rates would lean: leave one out"
            )
        sweep(
            parsed_rates(fault_rates),
            agent_named(agent),
            suite,
            options,
            kinds=fault_kinds,
            journal=kept,
            output=output,
            traces=traces,
            quiet=quiet,
            written=lambda running, out, told: written_results(
                running, out, told, ks, confidence, method
            ),
            format=format,
        )
    with ExitStack() as stack:
        aside = stack.enter_context(ExitStack())
        aside.enter_context(terminal.results_kept_apart())
        running = stack.enter_context(Run(agent_named(agent), suite, journal=kept, **options))
        with shown(not quiet) as watch:
            running.play(watch)
        aside.close()
        summary = written_results(running, output, traces, ks, confidence, method)
        told_and_over(running, summary, format, output, everything=everything, fail=fail)

"""`passhat parity`: the same runs, judged at every door."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from passhat.cli import terminal
from passhat.cli.options import Format
from passhat.cli.output import keep, write
from passhat.errors import InputError, Place
from passhat.jsontext.files import STANDARD


def parity(
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="The suite; any form that is read.")
    ],
    traces: Annotated[
        str, typer.Argument(metavar="TRACES", help="Recorded runs; - is standard input.")
    ],
    doors: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="The doors to go through; all that there are otherwise."),
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="What TRACES is, where it does not tell."),
    ] = None,
    case_key: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="The metadata key that names a run's case."),
    ] = None,
    case: Annotated[
        str | None, typer.Option(metavar="ID", help="The case of runs that name none.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every finding.")] = False,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Let the suite import checks that it names.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How the report is written.")] = Format.text,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where to; - is standard output.")
    ] = STANDARD,
) -> None:
    """Judge recorded runs through every framework's own evaluation, and tell who differs.

    Nothing runs but checks, and nothing is sent anywhere.

    Exit codes: 0 the same everywhere; 1 a door says something else; 2 wrong usage or input, or
    nothing could be read; 3 some runs could not be judged, or not on all that they record.
    """
    from passhat.adapter import read_traces
    from passhat.parity import compare_doors
    from passhat.scoring import suite_of

    keep(output, [suite, traces])
    held, _, notes = suite_of(suite, allow_code=allow_code)
    for note in notes:
        terminal.say(note)
    names = [name.strip() for name in doors.split(",")] if doors is not None else None
    found = compare_doors(
        held, read_traces(traces, reader), doors=names, case_key=case_key, case=case
    )
    if not found.runs and not found.unmatched:
        why = found.unread[0] if found.unread else "nothing is recorded there"
        raise InputError(f"nothing could be read: {why}", Place(traces))
    if format is Format.json:
        text = json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n"
    else:
        from passhat.report.parity import parity_blocks

        blocks = parity_blocks(found, everything=everything)
        text = terminal.rendered(blocks, format, output)
    write(text, output)
    if found.exit_code:
        raise typer.Exit(found.exit_code)

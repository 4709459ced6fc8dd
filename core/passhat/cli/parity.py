"""`passhat parity`: the same runs, judged at every door."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from passhat.cli import terminal
from passhat.cli.options import AllowCode, CaseKey, CaseOfAll, Format, WrittenTo
from passhat.cli.output import json_text, keep, write
from passhat.errors import InputError, Place, UsageError
from passhat.jsontext.files import STANDARD

if TYPE_CHECKING:
    from passhat.case import Suite


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
    suite_form: Annotated[
        str | None,
        typer.Option("--suite-from", metavar="FORMAT", help="Likewise, what SUITE is."),
    ] = None,
    case_key: CaseKey = None,
    case: CaseOfAll = None,
    everything: Annotated[bool, typer.Option("--all", help="Show every finding.")] = False,
    allow_code: AllowCode = False,
    format: Annotated[Format, typer.Option(help="How the report is written.")] = Format.text,
    output: WrittenTo = STANDARD,
) -> None:
    """Judge recorded runs through every framework's own evaluation, and tell who differs.

    Nothing runs but checks, and nothing is sent anywhere.

    Exit codes: 0 the same everywhere; 1 a door says something else; 2 wrong usage or input, or
    nothing could be read; 3 some runs could not be judged, or not on all that they record, or one
    door is all there is and nobody asked for it alone.
    """
    from passhat.adapter import read_traces
    from passhat.parity import compare_doors

    keep(output, [suite, traces])
    held = _suite(suite, suite_form, allow_code=allow_code)
    names = [name.strip() for name in doors.split(",")] if doors is not None else None
    found = compare_doors(
        held, read_traces(traces, reader), doors=names, case_key=case_key, case=case
    )
    if not found.runs and not found.unmatched:
        why = found.unread[0] if found.unread else "nothing is recorded there"
        raise InputError(f"nothing could be read: {why}", Place(traces))
    if format is Format.json:
        text = json_text(found.to_dict())
    else:
        from passhat.report.parity import parity_blocks

        blocks = parity_blocks(found, everything=everything)
        text = terminal.rendered(blocks, format, output)
    write(text, output)
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def _suite(given: str, form: str | None, *, allow_code: bool) -> Suite:
    """The suite of a file, in whatever form it is; what its reader notes is said.

    Raises:
        UsageError: It holds recorded runs.
        InputError: It cannot be read, or has faults.
    """
    from passhat.convert.sources import OURS, find_source
    from passhat.scoring import suite_of

    source = find_source(given, form, None if form is None else "suite")
    if source.what != "suite":
        raise UsageError(f"{given} holds recorded runs, which expect nothing; give a suite")
    if source.format == OURS:
        suite, _, notes = suite_of(given, allow_code=allow_code)
    else:
        suite, fidelity = source.suite()
        notes = tuple(f"{given}: {note.what}: {note.note}" for note in fidelity.notes if note.note)
    for note in notes:
        terminal.say(note)
    return suite

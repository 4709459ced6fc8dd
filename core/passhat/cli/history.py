"""`passhat history`: how runs moved over time."""

from __future__ import annotations

from typing import Annotated

import typer

from passhat.cli import terminal
from passhat.cli.options import Format, WrittenTo
from passhat.cli.output import json_text, write
from passhat.jsontext.files import STANDARD


def history(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="Where passhat score --save keeps results.")
    ],
    last: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the last N runs.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="List every run and check.")] = False,
    format: Annotated[Format, typer.Option(help="How the trend is written.")] = Format.text,
    output: WrittenTo = STANDARD,
) -> None:
    """Show the trend of kept runs: pass^k, each check, and cases that became flaky.

    Exit codes: 0 shown; 2 wrong usage or input; 3 shown, but a file could not be read.
    """
    from passhat.history import read_history

    trend = read_history(folder, last=last)
    if format is Format.json:
        text = json_text(trend.to_dict())
    else:
        from passhat.report.trend import trend_blocks

        text = terminal.rendered(trend_blocks(trend, everything=everything), format, output)
    write(text, output)
    if trend.unread:
        for why in trend.unread:
            terminal.say(f"not read: {why}")
        raise typer.Exit(3)

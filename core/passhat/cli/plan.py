"""`passhat plan`: how many cases and trials a gate takes."""

from __future__ import annotations

from typing import Annotated

import typer

from passhat.cli import terminal
from passhat.cli.options import Format, WrittenTo
from passhat.cli.output import json_text, write
from passhat.errors import UsageError
from passhat.jsontext.files import STANDARD


def plan(
    rate: Annotated[
        float, typer.Option(metavar="SHARE", help="How often the agent passes, as 0.8.")
    ],
    margin: Annotated[
        float, typer.Option(metavar="SHARE", help="How much less often is let pass, as 0.05.")
    ],
    power: Annotated[
        float, typer.Option(metavar="SHARE", help="The chance to be decided rightly.")
    ] = 0.8,
    confidence: Annotated[
        float, typer.Option(metavar="LEVEL", help="The confidence of the gate.")
    ] = 0.95,
    trials: Annotated[
        str, typer.Option(metavar="1,3,5", help="Numbers of trials a case.")
    ] = "1,3,5,10",
    spread: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="How much cases differ: 0 all alike, 1 each always passes or always fails.",
        ),
    ] = 0.0,
    drop: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="A drop that is to be rejected, as 0.15."),
    ] = None,
    below: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="A share of cases with a violation to rule out, as 0.01."
        ),
    ] = None,
    no_baseline: Annotated[
        bool,
        typer.Option("--no-baseline", help="Hold the rate to a limit, not to a run before."),
    ] = False,
    format: Annotated[Format, typer.Option(help="How the plan is written.")] = Format.text,
    output: WrittenTo = STANDARD,
) -> None:
    """Tell how many cases and trials a gate takes to decide rightly.

    Exit codes: 0 told; 2 wrong usage.
    """
    from passhat.gate.sizing import gate_sizes

    parts = [part.strip() for part in trials.split(",")]
    if not all(part.isdecimal() and 0 < int(part) <= 1000 for part in parts):
        raise UsageError(f"--trials {trials}: give whole numbers from 1 to 1000, as in 1,3,5")
    sizes = gate_sizes(
        rate,
        margin,
        power=power,
        confidence=confidence,
        trials=sorted({int(part) for part in parts}),
        spread=spread,
        baseline=not no_baseline,
        drop=drop,
        below=below,
    )
    if format is Format.json:
        text = json_text(sizes.to_dict())
    else:
        from passhat.report.sizes import sizes_blocks

        text = terminal.rendered(sizes_blocks(sizes), format, output)
    write(text, output)

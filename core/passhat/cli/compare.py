"""`passhat compare`: two runs of a suite, side by side."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from passhat.cli import terminal
from passhat.cli.options import Confidence, Format, VariedPins, WrittenTo
from passhat.cli.output import json_text, keep, write
from passhat.errors import UsageError
from passhat.jsontext.files import STANDARD


class Estimate(StrEnum):
    """What is estimated."""

    kind_of_cases = "kind-of-cases"
    these_cases = "these-cases"


class Correction(StrEnum):
    """How looking at many things at once is corrected for."""

    holm = "holm"
    bh = "bh"


def compare(
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="Results to compare with: JSONL or CSV.")
    ],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="The results that are new; - is standard input.")
    ],
    vary: VariedPins = None,
    estimate: Annotated[
        Estimate, typer.Option(help="The work that the cases stand for, or these very cases.")
    ] = Estimate.kind_of_cases,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="Compare suites that share no case.")
    ] = False,
    confidence: Confidence = 0.95,
    correction: Annotated[
        Correction, typer.Option(help="For looking at many checks, measures and tags.")
    ] = Correction.holm,
    everything: Annotated[
        bool, typer.Option("--all", help="List every case, check and tag.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How the comparison is written.")] = Format.text,
    output: WrittenTo = STANDARD,
) -> None:
    """Compare two runs of a suite: what differs, how surely, and in which cases.

    Exit codes: 0 compared; 2 wrong usage or input, or the runs are pinned differently in what
    --vary does not name.
    """
    from passhat.compare import compare_results
    from passhat.jsontext import file_name
    from passhat.reliability import read_results

    if base == new == STANDARD:
        raise UsageError("only one of the two results can be standard input")
    keep(output, [base, new])
    first, second = read_results(base), read_results(new)
    for results in (first, second):
        tell_unread_columns(results.about)
    found = compare_results(
        first,
        second,
        vary=vary or (),
        estimate=estimate.value,
        pairing="unpaired" if unpaired else "paired",
        confidence=confidence,
        correction=correction.value,
        names=(file_name(base), file_name(new)),
    )
    if format is Format.json:
        text = json_text(found.to_dict())
    else:
        from passhat.report.comparison import comparison_blocks

        text = terminal.rendered(comparison_blocks(found, everything=everything), format, output)
    write(text, output)


def tell_unread_columns(about: dict[str, str]) -> None:
    """Says which columns of a table were passed over."""
    if "not_read" in about:
        terminal.say(f"{about['source']}: columns that are not read: {about['not_read']}")

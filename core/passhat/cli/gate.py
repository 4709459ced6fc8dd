"""`passhat gate`: accept, reject, or say that it cannot be told."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from passhat.cli import terminal
from passhat.cli.compare import tell_unread_columns
from passhat.cli.deciding import ProfileName, policy_asked
from passhat.cli.options import Format, VariedPins, WrittenTo
from passhat.cli.output import json_text, keep, write
from passhat.errors import UsageError
from passhat.jsontext.files import STANDARD


class Inconclusive(StrEnum):
    """What becomes of a gate that cannot tell."""

    fail = "fail"
    warn = "warn"


def gate(
    results: Annotated[
        str,
        typer.Argument(
            metavar="RESULTS", help="What passhat score -o wrote, or a CSV; - is standard input."
        ),
    ],
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Results to hold them to, where the policy has margins."),
    ] = None,
    policy: Annotated[
        str | None, typer.Option(metavar="FILE", help="The policy; a profile if there is none.")
    ] = None,
    profile: Annotated[
        ProfileName | None,
        typer.Option(help="A ready policy, production if not said.", show_default=False),
    ] = None,
    vary: VariedPins = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="The baseline is of other cases.")
    ] = False,
    on_inconclusive: Annotated[
        Inconclusive | None,
        typer.Option(
            help="Exit with 3 (fail) or with 0 (warn) where it cannot be told; else as the policy says.",
            show_default=False,
        ),
    ] = None,
    write_policy: Annotated[
        bool,
        typer.Option(
            "--write-policy", help="Decide nothing: propose a policy of these results as baseline."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="For the margins of --write-policy.")] = 0,
    format: Annotated[Format, typer.Option(help="How the decision is written.")] = Format.text,
    output: WrittenTo = STANDARD,
) -> None:
    """Accept results, reject them, or say that it cannot be told and what would settle it.

    Exit codes: 0 accept; 1 reject; 2 wrong usage or input, or the policy asks for what the results
    do not have; 3 inconclusive (0 with --on-inconclusive warn).
    """
    from msgspec.structs import replace

    from passhat.gate import decide
    from passhat.jsontext import file_name
    from passhat.reliability import read_results

    if [results, baseline, policy].count(STANDARD) > 1:
        raise UsageError("only one of results, baseline and policy can be standard input")
    keep(output, [name for name in (results, baseline, policy) if name is not None])
    if write_policy:
        from passhat.gate.proposing import proposed_policy

        if policy is not None or profile is not None:
            raise UsageError("--write-policy proposes one, and reads none: leave out the policy")
        source = baseline or results
        held = read_results(source)
        write(proposed_policy(held, seed=seed, name=file_name(source)), output)
        return
    asked = policy_asked(policy, profile)
    if on_inconclusive is not None:
        asked = replace(asked, on_inconclusive=on_inconclusive.value)
    found = read_results(results)
    base = read_results(baseline) if baseline is not None else None
    for one in (found, base):
        if one is not None:
            tell_unread_columns(one.about)
    decision = decide(
        found,
        asked,
        base,
        vary=vary or (),
        pairing="unpaired" if unpaired else "paired",
        names=(file_name(results), file_name(baseline) if baseline is not None else ""),
    )
    if format is Format.json:
        text = json_text(decision.to_dict())
    else:
        from passhat.report.decision import decision_blocks

        text = terminal.rendered(decision_blocks(decision), format, output)
    write(text, output)
    if output != STANDARD:
        terminal.say(decision.sentence)
    raise typer.Exit(decision.exit_code)

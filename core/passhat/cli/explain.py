"""`passhat explain`: what a match mode means, and where frameworks part."""

from __future__ import annotations

from typing import Annotated

import typer

from passhat.cli.terminal import emit


def explain(
    mode: Annotated[
        str,
        typer.Argument(
            metavar="MODE", help="A mode (superset), a framework (adk), or both (adk:in_order)."
        ),
    ],
) -> None:
    """Tell what a match mode means, where it differs from ours, and what to use instead."""
    from passhat.match.dialects import explain as explained

    emit(f"{explained(mode)}\n")

"""`passhat explain`: what a match mode means, and where frameworks part."""

from __future__ import annotations

from textwrap import fill
from typing import Annotated

import typer

from passhat.cli.terminal import emit, width

_LEAST_WIDTH = 60


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

    room = width()
    emit("".join(f"{_folded(line, room)}\n" for line in str(explained(mode)).splitlines()))


def _folded(line: str, room: int) -> str:
    """A line in the width there is, what is folded standing under it."""
    indent = line[: len(line) - len(line.lstrip())]
    return fill(
        line.strip(),
        max(room, _LEAST_WIDTH),
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )

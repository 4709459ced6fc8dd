"""`passhat explain`: what a match mode means, and where frameworks part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from textwrap import fill
from typing import Annotated, Any

import typer

from passhat.cli.options import Format
from passhat.cli.output import json_text
from passhat.cli.terminal import emit, width

_LEAST_WIDTH = 60


def explain(
    mode: Annotated[
        str,
        typer.Argument(
            metavar="MODE", help="A mode (superset), a framework (adk), or both (adk:in_order)."
        ),
    ],
    format: Annotated[Format, typer.Option(help="How it is written.")] = Format.text,
) -> None:
    """Tell what a match mode means, where it differs from ours, and what to use instead."""
    from passhat.match.dialects import explain as explained

    found = explained(mode)
    if format is Format.json:
        emit(json_text(_plain(found)))
    elif format is Format.md:
        emit(f"```text\n{found}\n```\n")
    else:
        room = width()
        emit("".join(f"{_folded(line, room)}\n" for line in str(found).splitlines()))


def _plain(value: Any) -> Any:
    """An explanation as JSON values; what is no data of its own stands as its text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


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

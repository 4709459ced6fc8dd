"""`passhat schema`: the JSON Schema of a file format."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from passhat.cli.options import Format
from passhat.cli.terminal import emit


class Kind(StrEnum):
    """The file formats."""

    trace = "trace"
    suite = "suite"
    result = "result"
    summary = "summary"


def schema(
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND", help="Which: trace, suite, result or summary.", show_default=False
        ),
    ],
    format: Annotated[Format, typer.Option(help="How it is written.")] = Format.text,
) -> None:
    """Print the JSON Schema of a file format."""
    from passhat.suitefile.schemas import json_schema

    text = json.dumps(json_schema(kind.value), indent=2)
    emit(f"```json\n{text}\n```\n" if format is Format.md else f"{text}\n")

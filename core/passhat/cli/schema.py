"""`passhat schema`: the JSON Schema of a file format."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

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
) -> None:
    """Print the JSON Schema of a file format."""
    from passhat.suitefile.schemas import json_schema

    emit(json.dumps(json_schema(kind.value), indent=2) + "\n")

"""`passhat schema`: the JSON Schema of a file format."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from passhat.cli.options import Format
from passhat.cli.terminal import emit


class Kind(StrEnum):
    """The file formats."""

    trace = "trace"
    suite = "suite"
    result = "result"
    summary = "summary"
    policy = "policy"
    decision = "decision"
    comparison = "comparison"
    history = "history"


def schema(
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND",
            help=f"Which: {', '.join(Kind)}.",
            show_default=False,
        ),
    ],
    format: Annotated[Format, typer.Option(help="How it is written.")] = Format.text,
) -> None:
    """Print the JSON Schema of a file format."""
    text = json.dumps(_schema(kind), indent=2)
    emit(f"```json\n{text}\n```\n" if format is Format.md else f"{text}\n")


def _schema(kind: Kind) -> dict[str, Any]:
    from passhat.suitefile.schemas import json_schema, struct_schema

    if kind is Kind.policy:
        from passhat.gate import POLICY_SHAPE

        return POLICY_SHAPE
    if kind is Kind.decision:
        from passhat.gate import DECISION_SCHEMA, Decision

        found = struct_schema(DECISION_SCHEMA, Decision)
        code = {"description": "What `passhat gate` exits with.", "enum": [0, 1, 3]}
        found["properties"] = {"exit_code": code, **found["properties"]}
        return found
    if kind is Kind.comparison:
        from passhat.compare import COMPARISON_SCHEMA, Comparison

        return struct_schema(COMPARISON_SCHEMA, Comparison)
    if kind is Kind.history:
        from passhat.history import HISTORY_SCHEMA, Trend

        return struct_schema(HISTORY_SCHEMA, Trend)
    return json_schema(kind.value)

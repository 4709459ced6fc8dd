"""`passhat adapters`: what can be read."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from passhat.cli import terminal
from passhat.cli.options import Format
from passhat.cli.output import json_text


def adapters(
    format: Annotated[Format, typer.Option(help="How the list is written.")] = Format.text,
) -> None:
    """List the adapters: what each reads, what it requires, and whether that is installed."""
    from passhat.adapter import adapters as installed
    from passhat.adapter import broken_adapters, missing

    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "reads": getattr(adapter, "label", ""),
            "requires": list(adapter.requires),
            "installed": not missing(adapter),
        }
        for name, adapter in installed().items()
    ]
    for name, why in broken_adapters().items():
        rows.append({"name": name, "reads": "", "requires": [], "installed": False, "error": why})
    if format is Format.json:
        terminal.emit(json_text(rows))
        return
    from passhat.report.tables import Cell, Column, Table

    table = Table(
        "Adapters",
        (Column("name"), Column("reads", give="cut"), Column("requires"), Column("")),
        tuple(
            (
                Cell(row["name"], "strong"),
                Cell(row["reads"]),
                Cell(", ".join(row["requires"]) or "nothing", "dim"),
                Cell("ready", "good")
                if row["installed"]
                else Cell(row.get("error") or "not installed", "bad"),
            )
            for row in rows
        ),
        note="the names that --from takes",
    )
    terminal.emit_table(table, markdown=format is Format.md)

"""`passhat convert`: suites and traces from one world's form into another's."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passhat.cli import terminal
from passhat.cli.ending import ending_in_order
from passhat.cli.options import Format
from passhat.cli.output import json_text
from passhat.errors import Place, UsageError

if TYPE_CHECKING:
    from passhat.convert import FidelityReport


class Way(StrEnum):
    """What to make of a source."""

    suite = "suite"
    traces = "traces"
    cases = "cases"
    steps = "steps"


def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SRC",
            help="A suite or recorded runs: a file, -, or langsmith:dataset/NAME.",
        ),
    ],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="The format (see passhat adapters).")
    ],
    output: Annotated[
        str,
        typer.Option("-o", "--output", metavar="DST", help="Where to write; - is standard output."),
    ] = "-",
    reader: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="What SRC is, where it does not tell."),
    ] = None,
    way: Annotated[
        Way | None,
        typer.Option(
            "--as",
            help="What to make of SRC; cases and steps make a suite of recorded runs, a case for "
            "each task or for each decision.",
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the account of every field (.json, or .md for people)."
        ),
    ] = None,
    format: Annotated[
        Format, typer.Option(help="How the account is shown on standard error.")
    ] = Format.text,
    force: Annotated[
        bool, typer.Option("--force", help="Write over what is there already.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Write nothing and exit with 1 where something is lost or approximated.",
        ),
    ] = False,
) -> None:
    """Write a suite, or recorded runs, in another world's form, and tell what became of each field.

    Exit codes: 0 done; 1 something would be lost or approximated, with --strict; 2 wrong usage or
    input, or nothing could be read.
    """
    from passhat.convert import convert_file

    if report is not None:
        _check_report(report, source, output, force=force)
    with ending_in_order():
        found = convert_file(
            source,
            output,
            to=to,
            from_format=reader,
            way=way.value if way is not None else None,
            force=force,
            strict=strict,
        )
    folded = terminal.width() if sys.stderr.isatty() else None
    terminal.emit_beside(_rendered(found, format, folded))
    if report is not None:
        _write(found, report)
    if strict and not found.lossless:
        raise typer.Exit(1)


def _check_report(report: str, source: str, output: str, *, force: bool) -> None:
    from passhat.convert.targets import check_target

    if report == "-":
        raise UsageError("--report names a file; the account stands on standard error anyway")
    others = [name for name in (source, output) if name != "-"]
    if any(Path(report).resolve() == Path(name).resolve() for name in others):
        raise UsageError("the account would be written over what it is about", Place(report))
    check_target(report, force=force)


def _write(found: FidelityReport, report: str) -> None:
    from passhat.jsontext import replacing

    kind = Format.md if Path(report).suffix.lower() in (".md", ".markdown") else Format.json
    with replacing(report) as file:
        file.write(_rendered(found, kind).encode("utf-8", "backslashreplace"))


def _rendered(found: FidelityReport, format: Format, width: int | None = None) -> str:
    if format is Format.json:
        return json_text(found.to_dict())
    from passhat.report.conversion import conversion_markdown, conversion_text

    return conversion_markdown(found) if format is Format.md else conversion_text(found, width)

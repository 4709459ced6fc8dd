"""`passhat validate`: what is wrong with a suite, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, runtime_checkable

import typer

from passhat.cli import terminal
from passhat.cli.options import AllowCode, Format
from passhat.cli.output import json_text
from passhat.errors import SuiteError
from passhat.jsontext import file_name

if TYPE_CHECKING:
    from passhat.adapter import Fidelity
    from passhat.case import Suite
    from passhat.suitefile.advice import Advice


@runtime_checkable
class KnowsSettings(Protocol):
    """An adapter whose world keeps settings in a file of their own, beside a suite."""

    def is_settings(self, path: Path) -> bool:
        """Whether a file is such settings, and so no suite."""
        ...


def validate(
    path: Annotated[str, typer.Argument(metavar="FILE", help="The suite; - is standard input.")],
    advice: Annotated[
        bool, typer.Option("--advice", help="Tell what a good suite would have besides.")
    ] = False,
    allow_code: AllowCode = False,
    format: Annotated[Format, typer.Option(help="How the findings are written.")] = Format.text,
) -> None:
    """Check a suite: every fault at once, each with its line, its path and what was likely meant.

    Exit codes: 0 the suite can be used; 2 it has faults, or cannot be read.
    """
    from passhat.adapter import suite_adapter
    from passhat.reliability.wording import counted
    from passhat.suitefile.reading import read_suite_with_notes

    try:
        adapter = suite_adapter(path)
        if adapter is not None:
            if found := adapter.lint(Path(path)):
                raise SuiteError(tuple(found))
            if isinstance(adapter, KnowsSettings) and adapter.is_settings(Path(path)):
                terminal.emit(_sound_settings(path, format))
                return
            suite, fidelity = adapter.read_suite(path)
        else:
            suite, fidelity = read_suite_with_notes(path, allow_code=allow_code)
    except SuiteError as error:
        terminal.emit(_with_faults(error, format))
        terminal.say(f"{file_name(path)}: {counted(len(error.faults), 'fault')}")
        raise typer.Exit(2) from None
    given: tuple[Advice, ...] = ()
    if advice:
        from passhat.suitefile.advice import advise

        given = advise(suite)
    terminal.emit(_without_faults(path, suite, fidelity, given, format))


def _with_faults(error: SuiteError, format: Format) -> str:
    if format is Format.json:
        faults = [
            {
                "message": fault.message,
                "file": fault.place.file,
                "line": fault.place.line,
                "path": fault.place.path,
            }
            for fault in error.faults
        ]
        return json_text({"valid": False, "faults": faults, "notes": [], "advice": []})
    return _lines(str(error).splitlines(), format)


def _sound_settings(path: str, format: Format) -> str:
    if format is Format.json:
        return json_text({"valid": True, "faults": [], "notes": [], "advice": []})
    told = f"{file_name(path)}: no faults; it has no cases: these stand in the suite beside it"
    return _lines([told], format)


def _without_faults(
    path: str, suite: Suite, fidelity: Fidelity, given: tuple[Advice, ...], format: Format
) -> str:
    if format is Format.json:
        return json_text(
            {
                "valid": True,
                "faults": [],
                "notes": [
                    {"what": note.what, "kind": note.kind, "note": note.note}
                    for note in fidelity.notes
                ],
                "advice": [
                    {"kind": item.kind, "message": item.message, "cases": list(item.cases)}
                    for item in given
                ],
            }
        )
    return _lines(_told(path, suite, fidelity, given), format)


def _told(path: str, suite: Suite, fidelity: Fidelity, given: tuple[Advice, ...]) -> Iterator[str]:
    from passhat.reliability.wording import counted

    tools = f", {counted(len(suite.tools), 'tool')}" if suite.tools else ""
    yield f"{file_name(path)}: no faults, {counted(len(suite.cases), 'case')}{tools}"
    for note in fidelity.notes:
        yield f"{note.kind}: {note.what}: {note.note}"
    for item in given:
        yield str(item)


def _lines(lines: Iterator[str] | list[str], format: Format) -> str:
    from passhat.report.harmless import harmless

    mark = "- " if format is Format.md else ""
    return "".join(f"{mark}{harmless(line)}\n" for line in lines)

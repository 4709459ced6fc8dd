"""Where a command's output goes: to standard output, or to a file that is no input."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from passhat.cli import terminal
from passhat.errors import UsageError
from passhat.jsontext.files import STANDARD


def write(text: str, output: str) -> None:
    """Writes a text to a file, which appears whole or not at all; `-` is standard output.

    Raises:
        UsageError: It cannot be written.
    """
    if output == STANDARD:
        terminal.emit(text)
        return
    from passhat.jsontext import replacing

    with replacing(output) as file:
        file.write(text.encode("utf-8", "replace"))


def keep(output: str, inputs: Iterable[str]) -> None:
    """Refuses to write over what was read.

    Raises:
        UsageError: The output is one of the inputs.
    """
    target = Path(output)
    if output == STANDARD or not target.exists():
        return
    for name in inputs:
        if name != STANDARD and Path(name).exists() and target.samefile(name):
            raise UsageError(f"-o {output} is what was read; name another file")

"""Where a command's output goes: to standard output, or to a file that is no input."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from passhat.cli import terminal
from passhat.errors import UsageError
from passhat.jsontext.files import STANDARD


def json_text(value: Any) -> str:
    """A value as the JSON that `--format json` writes.

    >>> print(json_text({"k": 1}), end="")
    {
      "k": 1
    }
    """
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


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


def write_beside(text: str, results: str | None) -> None:
    """Writes a text to standard output, or to standard error where the results go there."""
    if results == STANDARD:
        terminal.emit_beside(text)
    else:
        terminal.emit(text)


def keep(output: str | None, inputs: Iterable[str]) -> None:
    """Refuses to write over what was read.

    Raises:
        UsageError: The output is one of the inputs.
    """
    if output is None or output == STANDARD or not Path(output).exists():
        return
    for name in inputs:
        if name != STANDARD and Path(name).exists() and Path(output).samefile(name):
            raise UsageError(f"-o {output} is what was read; name another file")

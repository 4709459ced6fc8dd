"""Runs one block of a page, and gives the lines it should have."""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tokenize
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from itertools import count, takewhile
from pathlib import Path
from types import ModuleType

from docs_page import Block

SECONDS = 120
TERMINAL = {"COLUMNS": "100", "NO_COLOR": "1", "TZ": "UTC", "PYTHONUTF8": "1"}
"""What every block sees of a terminal: its width, no colours, and a clock that is the same for all."""


def settle(shown: Sequence[str], printed: Sequence[str]) -> list[str]:
    """The output a page should show: what it shows where that fits what was printed.

    A line `...` of what is shown fits any number of lines.

    >>> settle(["a", "...", "d"], ["a", "b", "c", "d"])
    ['a', '...', 'd']
    >>> settle(["a", "...", "d"], ["a", "b"])
    ['a', 'b']
    """
    return list(shown if fits(shown, printed) else printed)


def fits(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether the printed lines are those shown, `...` standing for any number of lines."""
    parts: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == "...":
            parts.append([])
        else:
            parts[-1].append(line.rstrip())
    lines = [line.rstrip() for line in printed]
    head, *middle = parts
    if not middle:
        return lines == head
    tail = middle.pop()
    if len(lines) < len(head) + len(tail) or lines[: len(head)] != head:
        return False
    end = len(lines) - len(tail)
    if lines[end:] != tail:
        return False
    start = len(head)
    for part in middle:
        places = range(start, end - len(part) + 1)
        found = next((at for at in places if lines[at : at + len(part)] == part), None)
        if found is None:
            return False
        start = found + len(part)
    return True


def run_python(block: Block, path: Path, names: ModuleType) -> list[str]:
    """The lines of a python block, with what each statement prints below it in `#> ` comments.

    Args:
        block: The block.
        path: The page, for tracebacks.
        names: The module that the block's names go into, and come from.

    What the block raises is not caught; the traceback names the line of the page.
    """
    source = "\n".join(block.lines) + "\n"
    said = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#>")
    }
    printed: dict[int, list[str]] = {}
    for statement in ast.parse(source, str(path)).body:
        last = statement.end_lineno or statement.lineno
        ast.increment_lineno(statement, block.first - 1)
        screen = io.StringIO()
        with redirect_stdout(screen):
            exec(compile(ast.Module([statement], []), str(path), "exec"), vars(names))
        printed.setdefault(last, []).extend(screen.getvalue().splitlines())

    lines: list[str] = []
    for number, line in enumerate(block.lines, 1):
        if number not in said:
            lines.append(line)
        if number in printed:
            below = [block.lines[n - 1] for n in takewhile(said.__contains__, count(number + 1))]
            margin = below[0][: below[0].index("#")] if below else ""
            shown = [text.lstrip().removeprefix("#>").removeprefix(" ") for text in below]
            output = settle(shown, printed[number])
            lines += [f"{margin}#> {text}".rstrip() for text in output]
    return lines


@dataclass
class Command:
    """One command of a session: the lines that were typed, and what is shown below them."""

    typed: list[str]
    shown: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What the shell is given."""
        return "\n".join(self.typed).removeprefix("$ ")


def run_console(block: Block, folder: Path) -> tuple[list[str], list[str]]:
    """The lines of a session with what its commands print, and what is wrong with it."""
    before, commands = session(block.lines)
    faults = ["a session begins with a command: `$ passhat ...`"] if before else []
    lines = before
    status, failed = 0, ""
    for command in commands:
        if status and command.text != "echo $?":
            faults.append(f"`{failed}` exits with {status}, and no `$ echo $?` follows")
        done = subprocess.run(
            ["bash", "-c", f"(exit {status}); {command.text}"],
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
        )
        status, failed = done.returncode, command.text
        shown = without_blank_end(command.shown)
        printed = without_blank_end([line.rstrip() for line in done.stdout.splitlines()])
        lines += [*command.typed, *settle(shown, printed), *command.shown[len(shown) :]]
    if status:
        faults.append(f"`{failed}` exits with {status}, and no `$ echo $?` follows")
    return lines, faults


def session(lines: Sequence[str]) -> tuple[list[str], list[Command]]:
    r"""The commands of a session, each with what follows it, and the lines before the first.

    >>> session(["$ ls \\", "    -l", "a.txt", "$ true"])[1]
    [Command(typed=['$ ls \\', '    -l'], shown=['a.txt']), Command(typed=['$ true'], shown=[])]
    """
    before: list[str] = []
    commands: list[Command] = []
    for line in lines:
        last = commands[-1] if commands else None
        if line.startswith("$ "):
            commands.append(Command([line]))
        elif last is None:
            before.append(line)
        elif not last.shown and last.typed[-1].endswith("\\"):
            last.typed.append(line)
        else:
            last.shown.append(line)
    return before, commands


def without_blank_end(lines: Sequence[str]) -> list[str]:
    """The lines without the blank ones at the end."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return list(lines[:end])


def environment(home: Path) -> dict[str, str]:
    """What a command of a session sees: a terminal, this Python's commands, and no more.

    A reader's pytest has the plugins that the page is about, and not those of this house's tests.
    """
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {"HOME": str(home), "PATH": commands, "PYTHONUNBUFFERED": "1"}
    return {**TERMINAL, **own, "PYTEST_ADDOPTS": "-p no:asyncio -p no:rerunfailures"}

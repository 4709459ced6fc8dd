"""Where output goes: results to standard output, words about them to standard error."""

from __future__ import annotations

import io
import os
import shutil
import sys
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passhat.cli.options import Format
    from passhat.report.blocks import Block
    from passhat.report.tables import Table

_NARROW = 80


def prepare() -> None:
    """Makes both streams print whatever a trace may hold, be it half a character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(message: str) -> None:
    """Says something about the work, on standard error."""
    from passhat.report.harmless import harmless

    for line in message.splitlines():
        sys.stderr.write(f"passhat: {harmless(line)}\n")


def emit(text: str) -> None:
    """Writes results to standard output; that nobody reads on is no error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        hush()


def hush() -> None:
    """Lets what is still to be written to standard output go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def emit_beside(text: str) -> None:
    """Writes a report to standard error, where other results have standard output to themselves."""
    sys.stderr.write(text)


@contextmanager
def results_kept_apart() -> Iterator[None]:
    """Within it, what an agent prints goes to standard error, be it by a program that it runs."""
    sys.stdout.flush()
    try:
        kept, errors = os.dup(1), os.dup(2)
    except OSError:  # One of them is closed.
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        os.dup2(errors, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(errors)


def width() -> int:
    """The columns there are: those of the terminal, or 80 where the output goes elsewhere."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS"):
        return shutil.get_terminal_size((_NARROW, 24)).columns
    return _NARROW


def color() -> bool:
    """Whether to use colours: on a terminal, unless `NO_COLOR` is set; or where one is forced."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def ascii_only() -> bool:
    """Whether the output can hold nothing but ASCII."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return not encoding.startswith("utf")


def rendered(blocks: Sequence[Block], format: Format, output: str = "-") -> str:
    """Blocks as text for this terminal, or for a file, or as Markdown."""
    from passhat.report.blocks import markdown_of, text_of

    if format.value == "md":
        return markdown_of(blocks)
    here = output == "-"
    return text_of(
        blocks,
        width=max(60, min(width(), 120)),
        color=here and color(),
        ascii_only=here and ascii_only(),
    )


def emit_table(table: Table, *, markdown: bool = False) -> None:
    """Writes a table to standard output, as text or as Markdown."""
    if markdown:
        from passhat.report.markdown import markdown_table

        emit(f"{markdown_table(table)}\n")
        return
    from passhat.report.layout import table_lines
    from passhat.report.text import drawn

    room = width()
    emit(drawn(table_lines(table, room), width=room, color=color(), ascii_only=ascii_only()))

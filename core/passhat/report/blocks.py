"""Headings, lines and tables, drawn as text or as Markdown alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.text import Text

from passhat.report.harmless import harmless
from passhat.report.layout import STYLES, table_lines
from passhat.report.markdown import escaped, markdown_table
from passhat.report.tables import Table, Tone
from passhat.report.text import drawn


@dataclass(frozen=True, slots=True)
class Heading:
    """What a report says first."""

    text: str
    tone: Tone = "strong"


@dataclass(frozen=True, slots=True)
class Item:
    """A line with a mark before it, and more lines below it, set in."""

    mark: str
    text: str
    below: tuple[str, ...] = ()
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A line of its own, less loud."""

    text: str


Block: TypeAlias = Heading | Item | Note | Table


def text_of(
    blocks: Sequence[Block], *, width: int = 80, color: bool = False, ascii_only: bool = False
) -> str:
    r"""The blocks as text for a terminal.

    >>> text_of([Heading("All is well."), Item("✓", "a rule", ("its numbers",))])
    'All is well.\n\n✓ a rule\n    its numbers\n'
    """
    lines: list[Text] = []
    before: Block | None = None
    for block in blocks:
        if isinstance(block, Table) and not block.rows:
            continue
        if before is not None and (isinstance(block, Table) or type(block) is not type(before)):
            subtitle = isinstance(before, Heading) and isinstance(block, Note)
            lines += [] if subtitle else [Text()]
        lines += _text_lines(block, width)
        before = block
    return drawn(lines, width=width, color=color, ascii_only=ascii_only)


def _text_lines(block: Block, width: int) -> list[Text]:
    if isinstance(block, Table):
        return table_lines(block, width)
    if isinstance(block, Heading):
        return [
            Text(
                harmless(block.text),
                style=f"bold {STYLES[block.tone]}".replace("bold bold", "bold"),
            )
        ]
    if isinstance(block, Note):
        return [Text(harmless(block.text), style="dim")]
    head = Text.assemble((block.mark, STYLES[block.tone]), " ", harmless(block.text))
    return [
        *_hung(head, 2, width),
        *(line for text in block.below for line in _set_in(text, width)),
    ]


def _set_in(text: str, width: int) -> list[Text]:
    return [Text(f"    {part}") for part in _wrapped(harmless(text), max(20, width - 4))]


def _hung(head: Text, indent: int, width: int) -> list[Text]:
    """A line wrapped so that what follows is set in below it."""
    if head.cell_len <= width:
        return [head]
    first, *rest = _wrapped(head.plain, width - indent)
    line = Text(first)
    if head.spans:
        line.stylize(head.spans[0].style, 0, head.spans[0].end)
    return [line, *(Text(" " * indent + part) for part in rest)]


def _wrapped(text: str, width: int) -> list[str]:
    from textwrap import wrap

    return wrap(text, width, break_on_hyphens=False) or [""]


def markdown_of(blocks: Sequence[Block]) -> str:
    r"""The blocks as Markdown.

    >>> markdown_of([Heading("All is well."), Item("✓", "a rule", ("its numbers",))])
    '## All is well.\n\n- ✓ **a rule**\n    - its numbers\n'
    """
    parts: list[str] = []
    items: list[str] = []
    for block in blocks:
        if isinstance(block, Item):
            items.append(f"- {block.mark} **{escaped(block.text)}**")
            items += [f"    - {escaped(text)}" for text in block.below]
            continue
        if items:
            parts.append("\n".join(items))
            items = []
        if isinstance(block, Heading):
            parts.append(f"## {escaped(block.text)}")
        elif isinstance(block, Note):
            parts.append(f"> {escaped(block.text)}")
        elif block.rows:
            parts.append(markdown_table(block))
    if items:
        parts.append("\n".join(items))
    return "\n\n".join(parts) + "\n"

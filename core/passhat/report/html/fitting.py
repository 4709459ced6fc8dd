"""Blocks and tables as the page draws them: no longer than it can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from passhat.report.blocks import Block, Heading, Item, Note
from passhat.report.harmless import cut
from passhat.report.tables import Table, filled

MOST_ROWS = 25
LONGEST_CELL = 300

_MARKED = {"✓": "holds: ", "✗": "does not hold: ", "?": "cannot be told: "}


def fitted(table: Table) -> Table:
    """The table with 25 rows at most and no cell too long, without its empty columns."""
    rows = tuple(
        tuple(cell._replace(text=_fit(cell.text)) for cell in row) for row in table.rows[:MOST_ROWS]
    )
    hidden = table.hidden + max(len(table.rows) - MOST_ROWS, 0)
    return filled(Table(table.title, table.columns, rows, table.note, hidden))


def drawable(blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    """Blocks as the page draws them: rules follow each other in one list."""
    rules: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, Item):
            rules.append(
                {
                    "mark": block.mark,
                    "word": _MARKED.get(block.mark, ""),
                    "tone": block.tone,
                    "text": cut(block.text, LONGEST_CELL),
                    "below": [cut(line, 2 * LONGEST_CELL) for line in block.below],
                }
            )
            continue
        if rules:
            yield {"kind": "rules", "rules": rules}
            rules = []
        if isinstance(block, Heading):
            yield {"kind": "heading", "text": unbroken(block.text)}
        elif isinstance(block, Note):
            yield {"kind": "note", "text": block.text}
        elif block.rows:
            yield {"kind": "table", "table": fitted(block)}
    if rules:
        yield {"kind": "rules", "rules": rules}


def _fit(text: str) -> str:
    fit = cut(text, LONGEST_CELL)
    return together(fit) if "  " in fit else fit


def together(text: str) -> str:
    r"""What sets runs apart, each point held on one line where there is room.

    >>> together("− a 4/4  ≠ b 1/4").split(" ")
    ['−\xa0a\xa04/4', '≠\xa0b\xa01/4']
    """
    return " ".join(point.replace(" ", "\N{NO-BREAK SPACE}") for point in text.split("  ") if point)


def unbroken(text: str) -> str:
    """The text with its percentages held together."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")

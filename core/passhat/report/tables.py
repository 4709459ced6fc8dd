"""The tables of a report, as data: what each door then draws in its own way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

Justify = Literal["left", "right"]
Tone = Literal["", "good", "bad", "mixed", "dim", "strong", "track"]


class Cell(NamedTuple):
    """A cell's text, and how it is meant."""

    text: str
    tone: Tone = ""


class Column(NamedTuple):
    """A column's heading, and to which side its cells are set.

    Attributes:
        give: What gives way where there is no room: the column's cells are cut (`cut`), or the
            whole column is left out (`drop`). A column that gives way is left out where it is empty.
    """

    heading: str
    justify: Justify = "left"
    give: Literal["", "cut", "drop"] = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title.

    Args:
        title: What it shows.
        columns: Its columns.
        rows: Its rows, a cell a column.
        note: A few words beside the title.
        hidden: Rows left out for brevity.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    hidden: int = 0


def filled(table: Table) -> Table:
    """The table without the columns that may give way and say nothing in any row.

    >>> table = Table("t", (Column("case"), Column("why", give="cut")), ((Cell("a"), Cell("")),))
    >>> [column.heading for column in filled(table).columns]
    ['case']
    """
    kept = [
        at
        for at, column in enumerate(table.columns)
        if not column.give or any(row[at].text for row in table.rows)
    ]
    return replace(
        table,
        columns=tuple(table.columns[at] for at in kept),
        rows=tuple(tuple(row[at] for at in kept) for row in table.rows),
    )


def limited(
    rows: list[tuple[Cell, ...]], most: int | None
) -> tuple[tuple[tuple[Cell, ...], ...], int]:
    """The first rows, and how many are left out.

    >>> limited([(Cell("a"),), (Cell("b"),)], 1)
    (((Cell(text='a', tone=''),),), 1)
    """
    if most is None or len(rows) <= most:
        return tuple(rows), 0
    return tuple(rows[:most]), len(rows) - most

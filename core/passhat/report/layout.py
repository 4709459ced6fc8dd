"""Tables set in columns of a given width, as styled lines."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from rich.cells import cell_len
from rich.text import Text

from passhat.report.harmless import harmless
from passhat.report.tables import Cell, Column, Table, Tone, filled

STYLES: dict[Tone, str] = {
    "": "",
    "good": "green",
    "bad": "red",
    "mixed": "yellow",
    "dim": "dim",
    "strong": "bold",
    "track": "cyan",
}
_INDENT = 2
_GAP = 2
_LEAST_CUT = 12
_LEAST_NAME = 40
"""Names that are longer give way before a column is left out for them."""


def table_lines(table: Table, width: int) -> list[Text]:
    """A table with its title and heading, no line wider than the width."""
    table = filled(table)
    kept = _kept(table, width)
    columns = [table.columns[at] for at in kept]
    rows = [[_harmless(row[at]) for at in kept] for row in table.rows]
    widths = _widths(columns, rows, width)
    heading = [Cell(column.heading, "dim") for column in columns]
    lines = [*_title(table, width), *(_line(columns, row, widths) for row in (heading, *rows))]
    if table.hidden:
        lines.append(Text(f"{' ' * _INDENT}and {table.hidden:,} more with --all", style="dim"))
    return lines


def _title(table: Table, width: int) -> list[Text]:
    """The title with its note beside it, or below it where there is no room."""
    title, note = Text(table.title, style="bold"), harmless(table.note)
    if not note or title.cell_len + 3 + cell_len(note) <= width:
        title.append(f"   {note}" if note else "", style="not bold dim")
        below = []
    else:
        indent = " " * _INDENT
        told = wrap(note, width, initial_indent=indent, subsequent_indent=indent)
        below = [Text(line, style="dim") for line in told]
    lines = [title, *below]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def beside(left: Sequence[Text], right: Sequence[Text], width: int) -> list[Text]:
    """Two blocks of lines side by side, or one under the other where there is no room."""
    wide = max((line.cell_len for line in left), default=0)
    room = width - wide - 2 * _GAP
    if room < max((line.cell_len for line in right), default=0):
        return [*left, Text(), *right]
    lines = []
    for at in range(max(len(left), len(right))):
        line = left[at].copy() if at < len(left) else Text()
        if at < len(right):
            line.append(" " * (wide - line.cell_len + 2 * _GAP))
            line.append_text(right[at])
        lines.append(line)
    return lines


def _harmless(cell: Cell) -> Cell:
    return cell._replace(text=harmless(cell.text))


def _kept(table: Table, width: int) -> list[int]:
    """The columns there is room for: those that may be left out go from the right."""
    kept = list(range(len(table.columns)))
    for at in reversed(range(len(table.columns))):
        if _least(table, kept) <= width:
            break
        if table.columns[at].give == "drop":
            kept.remove(at)
    return kept


def _least(table: Table, kept: Sequence[int]) -> int:
    total = _INDENT + _GAP * (len(kept) - 1)
    for at in kept:
        natural = _natural(table.columns[at], [row[at] for row in table.rows])
        total += min(natural, _floor(table.columns[at]))
    return total


def _floor(column: Column) -> int:
    """How far a column's cells may be cut for the sake of others."""
    if column.give == "cut":
        return _LEAST_CUT
    return _LEAST_NAME if column.justify == "left" else 10_000


def _natural(column: Column, cells: Sequence[Cell]) -> int:
    return max(cell_len(column.heading), max((cell_len(cell.text) for cell in cells), default=0))


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> list[int]:
    """The columns' widths: what they need, the widest of those that may be cut giving way first."""
    widths = [_natural(column, [row[at] for row in rows]) for at, column in enumerate(columns)]
    over = _INDENT + _GAP * (len(columns) - 1) + sum(widths) - width
    floors = [_floor(column) for column in columns]
    while over > 0:
        at = max(
            (at for at, floor in enumerate(floors) if widths[at] > floor),
            key=widths.__getitem__,
            default=None,
        )
        if at is None:
            break
        widths[at] -= 1
        over -= 1
    if over > 0:
        at = max(range(len(widths)), key=widths.__getitem__)
        widths[at] -= min(over, max(widths[at] - _LEAST_CUT, 0))
    return widths


def _line(columns: Sequence[Column], cells: Sequence[Cell], widths: Sequence[int]) -> Text:
    line = Text(" " * _INDENT)
    for at, (column, cell, width) in enumerate(zip(columns, cells, widths, strict=True)):
        text = Text(cell.text, style=STYLES[cell.tone])
        if cell.tone == "track":
            text.highlight_regex(r"·+", "not cyan dim")
        text.truncate(width, overflow="ellipsis")
        room = " " * (width - text.cell_len)
        if column.justify == "right":
            line.append(room)
        line.append_text(text)
        if at < len(columns) - 1:
            line.append(" " * _GAP if column.justify == "right" else room + " " * _GAP)
    return line

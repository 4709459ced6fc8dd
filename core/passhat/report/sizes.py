"""What a gate takes, told to people."""

from __future__ import annotations

from passhat.gate.sizing import Sizes
from passhat.reliability.wording import asked_percent, counted
from passhat.report.blocks import Block, Heading, Note
from passhat.report.tables import Cell, Column, Table


def sizes_blocks(sizes: Sizes) -> list[Block]:
    """The cases that it takes, by trials a case, and what the numbers rest on."""
    points = f"{100 * sizes.margin:g} points"
    held = f"within {points} of a baseline" if sizes.baseline else f"above a limit {points} lower"
    blocks: list[Block] = [
        Heading(
            f"To accept an agent that passes {asked_percent(sizes.rate)} of the time as {held}, "
            f"{asked_percent(sizes.power)} of the time, at {asked_percent(sizes.confidence)}:"
        )
    ]
    columns = [
        Column("trials a case", "right"),
        Column("cases", "right"),
        Column("trials", "right"),
    ]
    if sizes.drop is not None:
        columns.append(Column(f"cases to reject a drop of {100 * sizes.drop:g} points", "right"))
    rows = []
    for size in sizes.sizes:
        cells = [
            Cell(f"{size.trials:,}"),
            Cell(_told(size.to_accept), "strong"),
            Cell("" if size.to_accept is None else f"{size.trials * size.to_accept:,}", "dim"),
        ]
        if sizes.drop is not None:
            cells.append(Cell(_told(size.to_reject)))
        rows.append(tuple(cells))
    each = "in each of the two runs" if sizes.baseline else "in the run"
    blocks.append(Table("Cases", tuple(columns), tuple(rows), each))
    if sizes.below is not None and sizes.without_violation is not None:
        blocks.append(
            Note(
                f"To rule out that {asked_percent(sizes.below)} of cases or more have a violation: "
                f"{counted(sizes.without_violation, 'case')}, none with one. Trials of the same "
                "case do not count twice."
            )
        )
    blocks.append(
        Note(
            "Cases are taken to keep their rates from run to run. Where a change moves some and not "
            "others, it takes more cases, and more trials do not help."
        )
    )
    return blocks


def _told(cases: int | None) -> str:
    return "no number does" if cases is None else f"{cases:,}"

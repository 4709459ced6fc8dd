"""Labels expected against labels given: tools and routes that were mixed up."""

from __future__ import annotations

from typing import Any

from passhat.reliability.labels import NONE, LabelTable
from passhat.reliability.wording import percent
from passhat.report.harmless import cut
from passhat.report.html.fitting import MOST_ROWS, fitted
from passhat.report.tables import Cell, Column, Table

_MOST_LABELS = 14


def matrix(table: LabelTable | None) -> dict[str, Any] | None:
    """Labels expected against labels given; those most mixed up, where there are too many."""
    if table is None or not table.counts or not table.mixups:
        return None
    wrong: dict[str, int] = {}
    for mixup in table.mixups:
        for name in (mixup.expected, mixup.actual):
            wrong[name] = wrong.get(name, 0) + mixup.count
    ranked = sorted((n for n in wrong if n != NONE), key=lambda name: (-wrong[name], name))
    kept = [*sorted(ranked[:_MOST_LABELS]), *([NONE] if NONE in wrong else [])]
    worst = max((mixup.count for mixup in table.mixups), default=1)
    rows = []
    for expected in kept:
        cells = []
        for actual in kept:
            count = table.counts.get(expected, {}).get(actual, 0)
            heat = "hit" if expected == actual else f"h{1 + min(2, 3 * (count - 1) // worst)}"
            cells.append({"text": f"{count:,}" if count else "·", "kind": heat if count else "dim"})
        rows.append((cut(expected, 80), cells))
    return {
        "columns": [cut(name, 80) for name in kept],
        "rows": rows,
        "hidden": max(len(ranked) - _MOST_LABELS, 0),
    }


def routes(table: LabelTable | None) -> Table | None:
    """How well each route was taken."""
    if table is None:
        return None
    rows = tuple(
        (
            Cell(name),
            *(
                Cell("–" if value is None else percent(value))
                for value in (row.precision, row.recall, row.f1)
            ),
            Cell(f"{row.support:,}", "dim"),
        )
        for name, row in list(table.labels.items())[:MOST_ROWS]
    )
    heads = ("precision", "recall", "F1", "expected")
    columns = (Column("route"), *(Column(head, "right") for head in heads))
    return fitted(Table("Routes", columns, rows, hidden=max(len(table.labels) - MOST_ROWS, 0)))

"""What stands in each row of an alignment, by index: the actual calls in order, gaps where they are due."""

from __future__ import annotations

from typing import Literal, TypeAlias

from passhat.match.found import Match

RowKind: TypeAlias = Literal[
    "matched", "moved", "near", "missing", "extra", "retry", "absorbed", "repeat", "skipped"
]
Place: TypeAlias = tuple[RowKind, int, int]
"""The kind of a row, with the index of its expected call and of its actual one; -1 for none."""


def laid_out(match: Match) -> list[Place]:
    """The rows of a match: the actual calls in order, with what is missing where it was due."""
    rows = _actual_rows(match)
    standing = {at for _, at, _ in rows}
    gaps = [at for at in range(len(match.expected)) if at not in standing]
    if not gaps:
        return rows
    laid: list[Place] = []
    begun = end = 0
    for gap in gaps:
        # Due before the first call in its place that answers to a later expected one.
        while end < len(rows) and (rows[end][1] < gap or rows[end][0] == "moved"):
            end += 1
        optional = match.expected[gap].optional
        laid += rows[begun:end]
        laid.append(("skipped" if optional else "missing", gap, -1))
        begun = end
    return laid + rows[begun:]


def _actual_rows(match: Match) -> list[Place]:
    """A row for each actual call, in order."""
    partner: dict[int, int] = dict(match.pairs)
    near = {item.actual: item.expected for item in match.near}
    moved = {pair.actual for pair in match.moved}
    apart = apart_rows(match)
    rows: list[Place] = []
    for index in range(len(match.actual)):
        if index in partner:
            rows.append(("moved" if index in moved else "matched", partner[index], index))
        elif index in near:
            rows.append(("near", near[index], index))
        else:
            rows.append((apart[index], -1, index))
    return rows


def apart_rows(match: Match) -> dict[int, RowKind]:
    """The kind of row of each actual call that stands for no expected one, by its index."""
    if len(match.pairs) == len(match.actual):
        return {}
    return {
        **dict.fromkeys(match.extra_at, "extra"),
        **dict.fromkeys(match.retries, "retry"),
        **dict.fromkeys(match.absorbed, "absorbed"),
        **dict.fromkeys(match.repeats, "repeat"),
    }

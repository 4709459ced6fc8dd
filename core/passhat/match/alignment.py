"""Expected against actual calls, side by side: as data, and as text a person reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from passhat.case import ExpectedCall
from passhat.match.found import Match
from passhat.match.laying import RowKind, laid_out
from passhat.match.sidebyside import in_columns, row_lines
from passhat.match.terms import Difference
from passhat.match.writing import (
    json_or_name,
    on_one_line,
    write_call,
    write_difference,
    write_expected,
)
from passhat.trace import ToolCall


class Row(Struct, frozen=True):
    """One line of an alignment.

    Attributes:
        kind: `matched`; `moved` (matched, out of order); `near` (same tool, other arguments);
            `missing`; `extra`; `retry` (a failed attempt that was followed up); `absorbed` (an
            optional tool); `repeat` (excused by `counts=False`); `skipped` (an optional expected
            call that was not made).
        expected: The expected call, where there is one.
        actual: The actual call, where there is one.
        differences: Of a near row, argument by argument.
    """

    kind: RowKind
    expected: ExpectedCall | None
    actual: ToolCall | None
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Expected against actual calls, row by row, in the order in which they happened."""

    rows: tuple[Row, ...]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_list(self) -> list[dict[str, Any]]:
        """The rows as JSON values."""
        return [
            {
                "kind": row.kind,
                "expected": None
                if row.expected is None
                else {"name": row.expected.name, "args": row.expected.args},
                "actual": None
                if row.actual is None
                else {"name": row.actual.name, "args": row.actual.args},
                "differences": [
                    {
                        "arg": difference.arg,
                        "expected": json_or_name(difference.expected),
                        "actual": json_or_name(difference.actual),
                    }
                    for difference in row.differences
                ],
            }
            for row in self.rows
        ]

    def __str__(self) -> str:
        lines = [
            line
            for row in self.rows
            for line in row_lines(row.kind, row.expected, row.actual, row.differences)
        ]
        return in_columns(lines)


def align(match: Match) -> Alignment:
    """The rows of a match: the actual calls in order, with what is missing where it was due."""
    expected, actual = match.expected, match.actual
    differences = {near.actual: near.differences for near in match.near}
    return Alignment(
        tuple(
            Row(
                kind,
                expected[wanted] if wanted >= 0 else None,
                actual[made] if made >= 0 else None,
                differences.get(made, ()),
            )
            for kind, wanted, made in laid_out(match)
        )
    )


def explain_match(match: Match) -> str:
    """Why a mode does not hold, in a sentence."""
    near = {item.expected: item for item in match.near}
    beside = {item.actual for item in match.near}
    parts: list[str] = []
    if match.mode != "subset":
        for index in match.missing_at:
            if index in near:
                item = near[index]
                actual = match.actual[item.actual]
                said = "; ".join(map(write_difference, item.differences))
                if not said:
                    said = f"the arguments did not parse: {actual.args_error!r}"
                parts.append(f"{on_one_line(actual.name)} was called with other arguments ({said})")
            else:
                parts.append(f"{write_expected(match.expected[index])} was not called")
    if match.mode not in ("superset", "in_order"):
        parts += [
            f"{write_call(match.actual[index].name, match.actual[index].args)} was not expected"
            for index in match.extra_at
            if index not in beside or match.mode == "subset"
        ]
    if not parts and match.mode in ("exact", "in_order"):
        names = [on_one_line(match.expected[pair.expected].name) for pair in match.moved]
        parts.append(f"out of order: {', '.join(names)}")
    shown = parts[:3]
    if len(parts) > 3:
        shown.append(f"and {len(parts) - 3} more")
    return "; ".join(shown)

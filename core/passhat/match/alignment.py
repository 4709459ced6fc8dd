"""Expected against actual calls, side by side: as data, and as text a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from passhat.case import ExpectedCall
from passhat.match.found import Match
from passhat.match.plain import packed_args
from passhat.match.terms import Difference
from passhat.match.writing import json_or_name, on_one_line, write_call, write_difference
from passhat.trace import ToolCall
from passhat.trace.derived import kept
from passhat.values.equality import packed

RowKind: TypeAlias = Literal[
    "matched", "moved", "near", "missing", "extra", "retry", "absorbed", "repeat", "skipped"
]

MARKS: dict[RowKind, str] = {
    "matched": "=",
    "moved": "~",
    "near": "≠",
    "missing": "-",
    "extra": "+",
    "retry": "↻",
    "absorbed": "·",
    "repeat": "·",
    "skipped": "·",
}
"""What each kind of row looks like in text."""

_NOTES: dict[RowKind, str] = {
    "moved": "moved",
    "retry": "retried",
    "absorbed": "optional",
    "repeat": "repeat",
    "skipped": "optional",
}
_WIDE = 48


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
        lines: list[_Line] = [(" ", "expected", "actual")]
        alike = _all_as_expected(self.rows)
        for row in self.rows:
            kind, expected, actual = row.kind, row.expected, row.actual
            left = "" if expected is None else _expected(expected)
            if alike and kind == "matched":
                lines.append(("=", left, left))
                continue
            right = "" if actual is None else _actual(actual, expected, left)
            if kind in _NOTES:
                note = f"  ({_NOTES[kind]})"
                left, right = (left, right + note) if right else (left + note, right)
            lines.append((MARKS[kind], left, right))
            if row.differences:
                lines += [(" ", f"  {write_difference(item)}", "") for item in row.differences]
        beginnings = [left for _, left, beside in lines if beside and len(left) <= _WIDE]
        width = max(map(len, beginnings))
        columns = f"%s %-{width}s  %s"
        return "\n".join(
            [
                columns % line if line[2] and len(line[1]) <= width else _alone(line, width)
                for line in lines
            ]
        )


_Line: TypeAlias = tuple[str, str, str]
"""A mark, and what stands in the two columns."""


def _alone(line: _Line, width: int) -> str:
    """A line with nothing in the second column, or with too much in the first: then it is two."""
    mark, left, beside = line
    first = f"{mark} {left}".rstrip()
    return f"{first}\n{'':{width + 2}}  {beside}" if beside else first


def align(match: Match) -> Alignment:
    """The rows of a match: the actual calls in order, with what is missing where it was due."""
    expected, actual = match.expected, match.actual
    partner: list[int | None] = [None] * len(actual)
    anchored = [False] * len(expected)
    for index, wanted in match.pairs:
        partner[index] = wanted
        anchored[wanted] = True
    near = {item.actual: item for item in match.near}
    for item in match.near:
        anchored[item.expected] = True
    moved = {pair.actual for pair in match.moved}
    excused: dict[int, RowKind] = {
        **dict.fromkeys(match.retries, "retry"),
        **dict.fromkeys(match.absorbed, "absorbed"),
        **dict.fromkeys(match.repeats, "repeat"),
    }
    rows: list[Row] = []
    told = 0

    def due(before: int) -> None:
        """Tells of the expected calls up to there that nothing stands for."""
        nonlocal told
        while told < before:
            if not anchored[told]:
                call = expected[told]
                rows.append(Row("skipped" if call.optional else "missing", call, None))
            told += 1

    for index, call in enumerate(actual):
        at = partner[index]
        if at is not None:
            if index in moved:
                rows.append(Row("moved", expected[at], call))
            else:
                if told < at:
                    due(at)
                if told == at:
                    told += 1
                rows.append(Row("matched", expected[at], call))
        elif index in near:
            item = near[index]
            due(item.expected)
            rows.append(Row("near", expected[item.expected], call, item.differences))
        else:
            rows.append(Row(excused.get(index, "extra"), None, call))
    due(len(expected))
    return Alignment(tuple(rows))


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
                parts.append(f"{_expected(match.expected[index])} was not called")
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


def _expected(call: ExpectedCall) -> str:
    """An expected call in writing, which is remembered: a case is judged many times."""
    held = kept(call)
    written: str | None = held.get("_written")
    if written is None:
        written = held["_written"] = write_call(call.name, call.args)
    return written


def _all_as_expected(rows: Iterable[Row]) -> bool:
    """Whether all matched calls are written as what they matched: to the byte the same, unfailed."""
    wanted, sound = [], []
    for row in rows:
        if row.kind == "matched" and row.expected is not None and row.actual is not None:
            wanted.append(row.expected.args)
            if row.actual.error is None and row.actual.args_error is None:
                sound.append(row.actual.args)
    return packed(sound) == packed(wanted) != b""


def _actual(call: ToolCall, expected: ExpectedCall | None, as_expected: str) -> str:
    if call.args_error is not None:
        written = f"{on_one_line(call.name)}({call.args_error!r:.40})"
    elif (
        expected is not None and expected.args and packed_args(expected) == packed(call.args) != b""
    ):
        written = as_expected
    else:
        written = write_call(call.name, call.args)
    return written if call.error is None else f"{written}  ! {on_one_line(call.error[:60])}"

"""Expected against actual calls, side by side: as data, and as text a person reads."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from passhat.case import ExpectedCall
from passhat.match.edges import Difference
from passhat.match.found import Match
from passhat.match.plain import packed_args
from passhat.trace import ToolCall
from passhat.trace.derived import kept
from passhat.values import ABSENT
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
_PLAIN = 10**15
_write = json.JSONEncoder(ensure_ascii=False).encode


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
        lines: list[tuple[str, str, str | None]] = [("", "expected", "actual")]
        for row in self.rows:
            kind, expected, actual = row.kind, row.expected, row.actual
            left = "" if expected is None else _expected(expected)
            right = "" if actual is None else _actual(actual, expected, left)
            if kind in _NOTES:
                note = f"  ({_NOTES[kind]})"
                left, right = (left, right + note) if right else (left + note, right)
            lines.append((MARKS[kind], left, right))
            if row.differences:
                lines += [("", f"  {write_difference(item)}", None) for item in row.differences]
        sizes = [len(left) for _, left, beside in lines if beside]
        width = max(size for size in sizes if size <= _WIDE)
        text: list[str] = []
        for mark, left, beside in lines:
            if not beside:
                text.append(f"{mark or ' '} {left}".rstrip())
            elif len(left) > width:
                text += [f"{mark or ' '} {left}", f"{'':{width + 2}}  {beside}"]
            else:
                text.append(f"{mark or ' '} {left.ljust(width)}  {beside}")
        return "\n".join(text)


def align(match: Match) -> Alignment:
    """The rows of a match: the actual calls in order, with what is missing where it was due."""
    expected, actual = match.expected, match.actual
    partner: list[int | None] = [None] * len(actual)
    anchored = [False] * len(expected)
    for pair in match.pairs:
        partner[pair.actual] = pair.expected
        anchored[pair.expected] = True
    near = {item.actual: item for item in match.near}
    for item in match.near:
        anchored[item.expected] = True
    moved = {pair.actual for pair in match.moved}
    excused: dict[int, RowKind] = {}
    kinds: tuple[tuple[RowKind, tuple[int, ...]], ...] = (
        ("retry", match.retries),
        ("absorbed", match.absorbed),
        ("repeat", match.repeats),
    )
    for kind, indexes in kinds:
        excused.update(dict.fromkeys(indexes, kind))
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
        wanted = partner[index]
        if wanted is not None:
            if index in moved:
                rows.append(Row("moved", expected[wanted], call))
            else:
                if told < wanted:
                    due(wanted)
                rows.append(Row("matched", expected[wanted], call))
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
                call = match.expected[index]
                parts.append(f"{write_call(call.name, call.args)} was not called")
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


def write_call(name: str, args: dict[str, Any] | None) -> str:
    """A call as it is written in code, long values cut.

    >>> write_call("refund", {"order_id": "A1", "amount": 49.9})
    'refund(order_id="A1", amount=49.9)'
    >>> write_call("refund", None)
    'refund(...)'
    """
    name = on_one_line(name)
    if args is None:
        return f"{name}(...)"
    written = [f"{on_one_line(key)}={write_value(value)}" for key, value in args.items()]
    return f"{name}({', '.join(written)})"


def on_one_line(text: str) -> str:
    r"""The text without characters that would break or turn a line: these stand escaped.

    Names and errors are what a model or a tool wrote, and must not pass for rows of an alignment.

    >>> on_one_line("pay"), on_one_line("pay\n- refund()")
    ('pay', 'pay\\n- refund()')
    """
    if text.isprintable():
        return text
    return "".join(
        [one if one.isprintable() else one.encode("unicode_escape").decode() for one in text]
    )


def _expected(call: ExpectedCall) -> str:
    """An expected call in writing, which is remembered: a case is judged many times."""
    held = kept(call)
    if "_written" not in held:
        held["_written"] = write_call(call.name, call.args)
    return held["_written"]  # type: ignore[no-any-return]


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


def write_difference(difference: Difference) -> str:
    """A difference in words.

    >>> write_difference(Difference("amount", 49.9, 50))
    'amount: expected 49.9, got 50'
    """
    arg = on_one_line(difference.arg)
    if difference.expected is ABSENT:
        return f"{arg}: not allowed, got {write_value(difference.actual)}"
    if difference.actual is ABSENT:
        return f"{arg}: expected {write_value(difference.expected)}, missing"
    expected, actual = write_value(difference.expected), write_value(difference.actual)
    return f"{arg}: expected {expected}, got {actual}"


def write_value(value: Any, most: int = 60) -> str:
    """A value as JSON, cut to a number of characters; matchers and the like by their names."""
    if type(value) is str:
        text = encode_basestring(value)
        return text if len(text) <= most else f"{text[: most - 1]}…"
    if type(value) is int and -_PLAIN < value < _PLAIN:
        return str(value)
    try:
        text = _write(value)
    except (TypeError, ValueError, RecursionError):
        text = _repr(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _repr(value: Any) -> str:
    """What is no JSON, or too deep for it, in the words of Python."""
    if not isinstance(value, dict | list | tuple | int):
        return repr(value)
    try:
        return reprlib.repr(value)
    except ValueError:  # A number with more digits than the interpreter writes out.
        return f"<{type(value).__name__}>"


def json_or_name(value: Any) -> Any:
    """The value itself where it is JSON; `"absent"`, or a matcher's name, where it is not."""
    if isinstance(value, str | int | float | bool | dict | list | tuple | None):
        return value
    return repr(value)

"""An alignment in text: a mark, and expected beside actual calls in two columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from passhat.case import ExpectedCall
from passhat.match.asked import Asked
from passhat.match.found import Match
from passhat.match.laying import RowKind, laid_out
from passhat.match.plain import packed_args
from passhat.match.terms import Difference
from passhat.match.writing import on_one_line, write_call, write_difference, write_expected
from passhat.trace import ToolCall
from passhat.trace.derived import kept
from passhat.values.equality import packed

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

Line: TypeAlias = tuple[str, str, str]
"""A mark, and what stands in the two columns."""

_HEAD: Line = (" ", "expected", "actual")


def in_columns(lines: Sequence[Line]) -> str:
    """Lines under their head, the first column as wide as what fits into it asks for."""
    lines = [_HEAD, *lines]
    width = max(map(_length, lines))
    return "\n".join([_line(line, width) for line in lines])


def row_lines(
    kind: RowKind,
    expected: ExpectedCall | None,
    actual: ToolCall | None,
    differences: Iterable[Difference] = (),
) -> list[Line]:
    """The lines of one row."""
    left = "" if expected is None else write_expected(expected)
    right = "" if actual is None else _actual(actual, expected, left)
    if kind in _NOTES:
        note = f"  ({_NOTES[kind]})"
        left, right = (left, right + note) if right else (left + note, right)
    return [
        (MARKS[kind], left, right),
        *[(" ", f"  {write_difference(item)}", "") for item in differences],
    ]


def text_of_match(match: Match) -> str:
    """The alignment of a match in text, made without its rows.

    The lines of calls that are to the byte as expected are made once for all runs of a case.
    """
    alike = _as_expected(match)
    differences = {near.actual: near.differences for near in match.near}
    lines: list[Line | int] = [_HEAD]
    for kind, wanted, made in laid_out(match):
        if alike and kind == "matched":
            lines.append(wanted)
            continue
        lines += row_lines(
            kind,
            match.expected[wanted] if wanted >= 0 else None,
            match.actual[made] if made >= 0 else None,
            differences.get(made, ()),
        )
    same = _lines_as_expected(match.asked)
    lengths = same.lengths
    width = max(lengths[line] if isinstance(line, int) else _length(line) for line in lines)
    told = same.of_width(width)
    return "\n".join(
        [told[line] if isinstance(line, int) else _line(line, width) for line in lines]
    )


class _AsExpected:
    """The lines of expected calls that were made as expected.

    Args:
        expected: The expected calls.
    """

    def __init__(self, expected: Iterable[ExpectedCall]) -> None:
        written = map(write_expected, expected)
        self.lines: list[Line] = [(MARKS["matched"], call, call) for call in written]
        self.lengths = list(map(_length, self.lines))
        self._by_width: dict[int, list[str]] = {}

    def of_width(self, width: int) -> list[str]:
        """The lines, the first column so wide."""
        if width not in self._by_width:
            self._by_width[width] = [_line(line, width) for line in self.lines]
        return self._by_width[width]


def _lines_as_expected(asked: Asked) -> _AsExpected:
    """The lines, remembered with what was asked."""
    held = kept(asked)
    if "_lines" not in held:
        held["_lines"] = _AsExpected(asked.expected)
    return held["_lines"]  # type: ignore[no-any-return]


def _as_expected(match: Match) -> bool:
    """Whether all matched calls are written as what they matched: to the byte the same, unfailed."""
    expected, actual = match.expected, match.actual
    made = [actual[at] for at, _ in match.pairs]
    sound = [call.args for call in made if call.error is None and call.args_error is None]
    if len(sound) < len(made):
        return False
    return packed(sound) == packed([expected[at].args for _, at in match.pairs]) != b""


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


def _length(line: Line) -> int:
    """How wide a line asks the first column to be."""
    _, left, beside = line
    return len(left) if beside and len(left) <= _WIDE else 0


def _line(line: Line, width: int) -> str:
    """A line; two, where nothing stands in the second column, or too much in the first."""
    mark, left, beside = line
    if beside and len(left) <= width:
        return f"{mark} {left:{width}}  {beside}"
    first = f"{mark} {left}".rstrip()
    return f"{first}\n{'':{width + 2}}  {beside}" if beside else first

"""An alignment in text: a mark, and expected beside actual calls in two columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TypeAlias

from passhat.case import ExpectedCall
from passhat.match.asked import Asked
from passhat.match.found import Match, Near
from passhat.match.laying import RowKind, apart_rows, laid_out
from passhat.match.plain import packed_args
from passhat.match.terms import Difference
from passhat.match.writing import on_one_line, write_call, write_difference, write_expected
from passhat.trace import ToolCall
from passhat.trace.derived import remembered
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
_LEAST = len(_HEAD[1])


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
    """The alignment of a match in text, made without its rows."""
    text = _straight_text(match)
    if text is not None:
        return text
    differences = {near.actual: near.differences for near in match.near}
    lines: list[Line] = []
    for kind, wanted, made in laid_out(match):
        lines += row_lines(
            kind,
            match.expected[wanted] if wanted >= 0 else None,
            match.actual[made] if made >= 0 else None,
            differences.get(made, ()),
        )
    return in_columns(lines)


def _straight_text(match: Match) -> str | None:
    """The text where calls come in the order of those that they match, or are near, to the byte.

    Most of its lines are made once for a case. None where that is not so.
    """
    if not match.ordered or not _as_expected(match):
        return None
    known = _known_lines(match.asked)
    standing: Sequence[tuple[int, int]] = match.pairs
    beside: dict[int, list[Line]] = {}
    if match.near:
        beside = {near.expected: _near_lines(match, near) for near in match.near}
        near_pairs = [(near.actual, near.expected) for near in match.near]
        standing = sorted([*standing, *near_pairs], key=_by_expected)
    lengths = [
        _length(beside[wanted][0]) if wanted in beside else known.lengths[wanted]
        for _, wanted in standing
    ]
    width = max([_LEAST, *lengths])
    head, matched = known.of_width(width)
    apart = apart_rows(match)
    lines = [head]
    made = told = 0
    ends = (len(match.actual), len(match.expected))
    for actual, expected in (*standing, ends):
        if actual < made:
            return None
        for at in range(made, actual):
            if at not in apart:  # It comes later: the pairs go back and forth.
                return None
            (line,) = row_lines(apart[at], None, match.actual[at])
            lines.append(_line(line, width))
        if told < expected:
            lines += known.missing[told:expected]
        if expected in beside:
            lines += [_line(line, width) for line in beside[expected]]
        elif expected < ends[1]:
            lines.append(matched[expected])
        made, told = actual + 1, expected + 1
    return "\n".join(lines)


_by_expected = itemgetter(1)


def _near_lines(match: Match, near: Near) -> list[Line]:
    call = match.expected[near.expected]
    return row_lines("near", call, match.actual[near.actual], near.differences)


class _Known:
    """The lines of expected calls that were made as expected, or not at all.

    Args:
        expected: The expected calls.
    """

    def __init__(self, expected: Iterable[ExpectedCall]) -> None:
        self.missing: list[str] = []
        self._matched: list[Line] = []
        for call in expected:
            (line,) = row_lines("skipped" if call.optional else "missing", call, None)
            self.missing.append(_line(line, 0))
            written = write_expected(call)
            self._matched.append((MARKS["matched"], written, written))
        self.lengths = list(map(_length, self._matched))
        self._by_width: dict[int, tuple[str, list[str]]] = {}

    def of_width(self, width: int) -> tuple[str, list[str]]:
        """The head, and the lines of calls as expected, the first column so wide."""
        if width not in self._by_width:
            matched = [_line(line, width) for line in self._matched]
            self._by_width[width] = (_line(_HEAD, width), matched)
        return self._by_width[width]


def _known_lines(asked: Asked) -> _Known:
    """The lines, remembered with what was asked."""
    return remembered(asked, "_lines", lambda asked: _Known(asked.expected))


def _as_expected(match: Match) -> bool:
    """Whether all matched calls are written as what they matched: to the byte the same, unfailed."""
    actual = match.actual
    return match.to_the_byte and not [1 for at, _ in match.pairs if actual[at].error is not None]


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

"""An alignment read back from its text: rows of expected and actual calls, with their differences."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from passhat.match.laying import RowKind
from passhat.match.sidebyside import MARKS

_KINDS: dict[str, RowKind] = {mark: kind for kind, mark in reversed(MARKS.items())}
_BESIDE = ("matched", "moved", "near")


@dataclass(slots=True)
class AlignedRow:
    """One row of an alignment.

    Attributes:
        kind: As in `passhat.match.alignment.Row`; those that share a mark are `absorbed`. `heading`
            for words between tables, in `expected`.
        expected: The expected call.
        actual: The actual one.
        notes: Argument by argument, what differs.
    """

    kind: RowKind | str
    expected: str = ""
    actual: str = ""
    notes: list[str] = field(default_factory=list)


def aligned_rows(text: str) -> list[AlignedRow]:
    """The rows of an alignment, of its text.

    >>> text = chr(10).join(["  expected  actual", "= look()    look()", "- refund()"])
    >>> [(row.kind, row.expected, row.actual) for row in aligned_rows(text)]
    [('matched', 'look()', 'look()'), ('missing', 'refund()', '')]
    """
    rows: list[AlignedRow] = []
    at = 0
    lines = text.split("\n")
    for line, below in pairwise([*lines, ""]):
        if line.startswith("  expected ") and line.endswith(" actual"):
            at = len(line) - len("actual")
        elif not at or (line[:1] != " " and (line[:1] not in _KINDS or line[1:2] != " ")):
            if line.strip():
                rows.append(AlignedRow("heading", line))
        elif line[:1] != " ":
            rows.append(_row(line, at, bool(at) and below.startswith(" " * at)))
        elif rows and line.startswith(" " * at) and rows[-1].kind != "heading":
            rows[-1].actual += line[at:]
        elif rows:
            rows[-1].notes.append(line.strip())
    return rows


def _row(line: str, at: int, goes_on: bool) -> AlignedRow:
    """A row of its line; one that goes on has its second column on the next."""
    kind = _KINDS[line[0]]
    if goes_on or kind == "missing" or (line[2:at].strip() and kind not in _BESIDE):
        return AlignedRow(kind, line[2:])
    return AlignedRow(kind, line[2:at].strip(), line[at:])

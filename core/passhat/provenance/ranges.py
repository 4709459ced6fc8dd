"""Rows of numbers that are told by their ends: `orders 101 to 105`, `W-17 through W-20`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct

from passhat.provenance.identifiers import name_parts
from passhat.provenance.texts import has_digit, plain_text

_MOST = 50
_LONGEST = 1_000
_END = r"(?P<{0}>[a-z]{{0,10}}[-_#]?)(?P<{1}>\d{{1,15}})"
_RANGE = re.compile(
    rf"(?<![\w./:-])(?:(?P<noun>[a-z]+)\s+)?(?:numbers?\s+|nos?\.?\s+)?#?{_END.format('before', 'first')}"
    rf"\s*(?P<by>to|thru|through|until|till|up to|[-–—])\s*#?{_END.format('again', 'last')}(?![\w./:-]*\d)"
)
_NUMBERED = re.compile(r"([a-z]{0,10})[-_# ]?(\d{1,15})")


class Range(Struct, frozen=True):
    """A row of numbers.

    Attributes:
        noun: The word before it, perhaps of what it is a row; empty where there is none.
        letters: The letters before each number; empty where there are none.
        first: The first number.
        last: The last one.
        digits: How many digits they have; 0 where that differs.
    """

    noun: str
    letters: str
    first: int
    last: int
    digits: int

    def holds(self, letters: str, digits: str, things: set[str]) -> bool:
        """Whether letters and digits are one of the row, under a name of these words."""
        if not self.first <= int(digits) <= self.last:
            return False
        if self.digits and len(digits) != self.digits and digits[0] != "0":
            return False
        if letters == self.letters or not letters:
            return True
        named = self.noun in things or self.noun.removesuffix("s") in things
        begun = len(letters) > 1 and self.noun.startswith(letters)
        return not self.letters and (named or begun)


def in_rows(value: str, name: str, rows: Iterable[Range]) -> Iterator[Range]:
    """The rows that hold an identifier.

    Where a row has no letters and the identifier has some, the word before the row is one of the
    argument's name, or begins with the letters.

    >>> rows = list(ranges_in("zones 11 thru 13"))
    >>> [len([*in_rows("zn-12", name, rows)]) for name in ("zone_id", "card_id")]
    [1, 0]
    """
    read = _NUMBERED.fullmatch(plain_text(value.strip().lstrip("#")))
    if read is not None:
        things = {part for part in name_parts(name) if part.isalpha()}
        yield from (row for row in rows if row.holds(read[1], read[2], things))


def ranges_in(text: str) -> Iterator[Range]:
    """The rows of numbers that a text tells by their ends; a few of them, and no longer than so.

    >>> [(row.letters, row.first, row.last) for row in ranges_in("Cancel W-17 through W-20.")]
    [('w', 17, 20)]
    >>> list(ranges_in("From 2024-05-20 to 2024-05-27, 9-17, at 555-901, for 20 to 10."))
    []
    """
    plain = plain_text(text)
    if not has_digit(plain):
        return
    for found in islice(_RANGE.finditer(plain), _MOST):
        letters, again = found["before"].strip("-_#"), found["again"].strip("-_#")
        first, last = int(found["first"]), int(found["last"])
        noun = found["noun"] or ""
        told = len(found["by"]) > 1 or letters != "" or noun.endswith("s")
        if told and again in ("", letters) and 0 < last - first <= _LONGEST:
            same = len(found["first"]) == len(found["last"])
            digits = len(found["first"]) if same else 0
            yield Range(noun, letters, first, last, digits)

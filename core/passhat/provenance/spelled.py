"""Codes as people type them: in groups, letter by letter, with letters for the digits they look like."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate

from passhat.provenance.texts import has_digit, tokens

_LOOKS_LIKE = str.maketrans("oil", "011")


class Spelled:
    """A text whose words are written as one."""

    def __init__(self, text: str) -> None:
        words = tokens(text)
        self._squeezed = "".join(words)
        self._edges = frozenset(accumulate(map(len, words), initial=0))

    @cached_property
    def _alike(self) -> str:
        return self._squeezed.translate(_LOOKS_LIKE)

    def spells(self, joined: str, *, alike: bool = False) -> bool:
        """Whether whole words in a row, written as one, are that.

        Args:
            joined: The letters and digits.
            alike: Whether letters stand for the digits they look like, beside a digit: `V-2O311`.

        >>> Spelled("It is M 2 0 I Z O.").spells("m20izo")
        True
        >>> Spelled("Visit V-2O311").spells("v20311", alike=True)
        True
        """
        squeezed, edges = self._squeezed, self._edges
        written = self._alike if alike else squeezed
        wanted = joined.translate(_LOOKS_LIKE) if alike else joined
        at = written.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            if at in edges and end in edges and (not alike or has_digit(squeezed[at:end])):
                return True
            at = written.find(wanted, at + 1)
        return False

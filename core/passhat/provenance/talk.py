"""What somebody says, as it may have been meant: spelled, dictated, told in rows or put right."""

from __future__ import annotations

from functools import cached_property

from passhat.provenance.corrected import continued, corrections
from passhat.provenance.ranges import Range, ranges_in
from passhat.provenance.spelled import Spelled
from passhat.provenance.spoken import Spoken


class Talk:
    """A text that somebody wrote or said."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded = text.casefold()

    @cached_property
    def spelled(self) -> Spelled:
        """It without the gaps between words."""
        return Spelled(self._text)

    @cached_property
    def spoken(self) -> Spoken:
        """It as it may have been meant aloud."""
        return Spoken(self._text)

    @cached_property
    def rows(self) -> tuple[Range, ...]:
        """The rows of numbers that it tells by their ends: `orders 101 to 105`."""
        return tuple(ranges_in(self._text))

    @cached_property
    def continued(self) -> frozenset[str]:
        """The codes that it tells by their last digits: `W100200, -201 and -202`."""
        return frozenset(continued(self._folded))

    @cached_property
    def corrections(self) -> tuple[tuple[str, str], ...]:
        """What it puts right of a code: `the last digit is a 7`."""
        return tuple(corrections(self._folded))

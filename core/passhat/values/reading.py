"""What a text says: its normal form, the number it writes, the pattern it is."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from passhat.errors import UsageError

_NUMBER = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?([eE][+-]?\d+)?")


def normal_text(text: str) -> str:
    """The text as the `text` matcher sees it: NFKC, casefolded, outer white space gone."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()


def as_number(value: Any) -> int | float | None:
    """The number that a value is or, as text, writes; None where it is none.

    >>> as_number("1,234.50"), as_number(" 7 "), as_number(True), as_number("A7")
    (1234.5, 7.0, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        text = value.strip()
        if any(sign.isdigit() for sign in text) and _NUMBER.fullmatch(text):
            return float(text.replace(",", ""))
    return None


def compiled(pattern: Any) -> re.Pattern[str]:
    """The pattern of a regular expression.

    Raises:
        UsageError: It is none.
    """
    if not isinstance(pattern, str):
        raise UsageError(f"regex: a pattern is text, not {pattern!r}")
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"regex: {pattern!r} is no pattern: {error}") from error

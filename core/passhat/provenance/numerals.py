"""Numbers as texts write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from passhat.provenance.texts import has_digit

_NUMBER = re.compile(
    r"(?<![\w.:/])(?<!\d-)[-−]?(\d{1,3}(?:,\d{3})++(?:\.\d++)?|\d++(?:\.\d++)?|\.\d++)"
    r"(?!,\d)(?![a-zA-Z]*[_-]\d|[:/]\d|\.\d)\s?(k\b|m\b|million\b|thousand\b)?"
)
_TIMES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, None: 1.0}
_LONGEST_NUMBER = 40
_TOO_LONG = 10**_LONGEST_NUMBER


def numbers_in(text: str) -> Iterator[tuple[float, str]]:
    """The numbers that a text writes, and how it writes them; parts of dates and ids are none.

    >>> list(numbers_in("$1,234.50 for 2 bags on 2024-05-20, HAT039, 5k"))
    [(1234.5, '1,234.50'), (2.0, '2'), (5000.0, '5k')]
    """
    if not has_digit(text):
        return
    for found in _NUMBER.finditer(text):
        digits = found[1]
        if len(digits) > _LONGEST_NUMBER:
            continue
        value = float(digits.replace(",", "")) * _TIMES[found[2]]
        yield value, found[0].strip().lstrip("-−")


@lru_cache(maxsize=16_384)
def short_numbers(text: str) -> tuple[tuple[float, str], ...]:
    """The same of a short text, as keys and values that stand in many results are; remembered."""
    return tuple(numbers_in(text))


def as_float(number: Any) -> float | None:
    """The number as a float; None where it has none (infinite, not a number, too large)."""
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if value - value == 0 else None


def number_text(number: int | float) -> str:
    """A number as texts write it; empty where it is too long to be written."""
    if isinstance(number, int):
        return str(number) if -_TOO_LONG < number < _TOO_LONG else ""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else str(number)

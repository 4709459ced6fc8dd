"""Numbers in words, the same wherever a summary is told."""

from __future__ import annotations

import re
from math import ceil

_NUMBER = re.compile(r"(\d{1,1000})")
"""Digits that make a number; Python reads no longer text than 4,300 as one."""


def percent(share: float) -> str:
    """A share as a percentage that never rounds to all or to nothing what is not.

    Args:
        share: 0 to 1.

    >>> percent(0.42), percent(0.9996), percent(0.0004), percent(1.0)
    ('42 %', '99.9 %', '0.1 %', '100 %')
    """
    points = 100 * share
    if 0 < points < 1 or 99 < points < 100:
        return f"{min(max(points, 0.1), 99.9):.1f} %"
    return f"{points:.0f} %"


def asked_percent(share: float) -> str:
    """A share that somebody asked for, as a percentage with all the digits that were given.

    >>> asked_percent(0.95), asked_percent(0.0005), asked_percent(0.99999)
    ('95 %', '0.05 %', '99.999 %')
    """
    return f"{100 * share:.9g} %"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, in the plural unless it is one.

    >>> counted(1, "case"), counted(1200, "run"), counted(2, "retry", "retries")
    ('1 case', '1,200 runs', '2 retries')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def natural_key(text: str) -> tuple[tuple[int, int | str], ...]:
    """A key that sorts `case 9` before `case 10`.

    >>> sorted(["c10", "c9", "a"], key=natural_key)
    ['a', 'c9', 'c10']
    """
    parts = _NUMBER.split(text)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts if part)


def share_text(share: float) -> str:
    """A share with one digit, that never rounds to all or to nothing what is not.

    >>> share_text(0.8123), share_text(1.0), share_text(0.99999)
    ('81.2 %', '100 %', '99.9 %')
    """
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    return f"{min(max(100 * share, 0.1), 99.9):.1f} %"


def bound_text(share: float) -> str:
    """An upper bound on a share with one digit, never below what it is.

    >>> bound_text(0.02951), bound_text(0.0149), bound_text(0.00001)
    ('3.0 %', '1.5 %', '0.1 %')
    """
    return f"{ceil(1000 * share - 1e-9) / 10:.1f} %"

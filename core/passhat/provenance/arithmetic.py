"""A number as a sum, a difference, a product or a share of numbers that were seen."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import NamedTuple

MOST_NUMBERS = 150
"""How many of the numbers seen last are tried as terms of two."""

MOST_IN_PAIRS = 60
"""How many of them are tried in pairs, as terms of three."""

UNITS = (100.0, 1000.0, 60.0, 24.0, 7.0, 12.0, 3600.0, 1024.0)
"""By how much a number changes with its unit: cents, per cent, thousands, minutes, hours, ..."""

_SMALL = 10
"""Smaller terms are tried last: nearly every number is a sum with one of them."""


class Reckoning(NamedTuple):
    """How a number follows from others.

    Attributes:
        how: `unit`, `sum`, `difference`, `product` or `share`.
        terms: The numbers it follows from.
        written: The reckoning as one would write it.
    """

    how: str
    terms: tuple[float, ...]
    written: str


class Reckoner:
    """Finds how numbers follow from those seen: sums in cents to the cent, all else to six places.

    Args:
        numbers: The numbers seen, the latest first; only so many of them are tried.

    >>> Reckoner([103, 152]).reckoned(255).written
    '152 + 103'
    >>> Reckoner([105]).reckoned(10500).written, Reckoner([15, 80]).reckoned(12).written
    ('105 × 100', '15% of 80')
    >>> Reckoner([50, 3, 255]).reckoned(405).written
    '50 × 3 + 255'
    """

    def __init__(self, numbers: Iterable[float]) -> None:
        nonzero = (float(number) for number in numbers if number)
        self.tried = list(islice(nonzero, MOST_NUMBERS))
        self.cents = {round(number, 2): number for number in reversed(self.tried)}
        self.fine = {round(number, 6): number for number in reversed(self.tried)}

    def reckoned(self, value: float) -> Reckoning | None:
        """How the number follows from those seen, the plainest way first; None where none was found."""
        if not value:
            return None
        return self._unit(value) or self._two(value) or self._scaled(value) or self._three(value)

    def _unit(self, value: float) -> Reckoning | None:
        for factor in UNITS:
            if (term := self.fine.get(round(value / factor, 6))) is not None:
                return Reckoning("unit", (term,), f"{_text(term)} × {factor:g}")
            if (term := self.fine.get(round(value * factor, 6))) is not None:
                return Reckoning("unit", (term,), f"{_text(term)} / {factor:g}")
        return None

    def _two(self, value: float) -> Reckoning | None:
        places, known = (2, self.cents) if _in_cents(value) else (6, self.fine)
        for least in (_SMALL, 0):
            for a in self.tried:
                other = known.get(round(value - a, places))
                if other is not None and a >= least and other >= least:
                    return Reckoning("sum", (other, a), f"{_text(other)} + {_text(a)}")
            for a in self.tried:
                other = known.get(round(value + a, places))
                if other is not None and a >= least:
                    return Reckoning("difference", (other, a), f"{_text(other)} − {_text(a)}")
        return None

    def _scaled(self, value: float) -> Reckoning | None:
        fine = self.fine
        for a in self.tried:
            if a == 1:
                continue
            if (other := fine.get(round(value / a, 6))) is not None:
                return Reckoning("product", (other, a), f"{_text(other)} × {_text(a)}")
            if (other := fine.get(round(value * a, 6))) is not None:
                return Reckoning("share", (other, a), f"{_text(other)} / {_text(a)}")
            if a <= 100 and (other := fine.get(round(value * 100 / a, 6))) is not None:
                return Reckoning("share", (a, other), f"{_text(a)}% of {_text(other)}")
        return None

    def _three(self, value: float) -> Reckoning | None:
        if not _in_cents(value):
            return None
        for how, sign, way in (("sum", 1, "+"), ("difference", -1, "−")):
            for c in self.tried:
                pair = self._pairs.get(round(value - sign * c, 2))
                if pair is not None:
                    a, b, mark = pair
                    written = f"{_text(a)} {mark} {_text(b)} {way} {_text(c)}"
                    return Reckoning(how, (a, b, c), written)
        return None

    @cached_property
    def _pairs(self) -> dict[float, tuple[float, float, str]]:
        """The sums and the products of two numbers each, with the two and the mark between them."""
        found: dict[float, tuple[float, float, str]] = {}
        tried = self.tried[:MOST_IN_PAIRS]
        for i, a in enumerate(tried):
            for b in tried[i:]:
                found.setdefault(round(a + b, 2), (a, b, "+"))
                found.setdefault(round(a * b, 2), (a, b, "×"))
        return found


def _in_cents(value: float) -> bool:
    return round(value, 2) == value


def _text(value: float) -> str:
    return f"{round(value, 6):.15g}"

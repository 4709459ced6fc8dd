"""A number as a sum, a difference, a product or a share of numbers that were seen."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from math import gcd
from typing import NamedTuple

MOST_NUMBERS = 150
"""How many of the numbers seen last are tried as terms of two."""

MOST_IN_PAIRS = 60
"""How many of them are tried as factors, and as terms of three."""

UNITS = (100.0, 1000.0, 60.0, 24.0, 7.0, 12.0, 3600.0, 1024.0)
"""By how much a number changes with its unit: cents, per cent, thousands, minutes, hours, ..."""

_MOST_HELD = 10_000
_FINE = 10**6
_LARGEST = 1e15
_LEAST = 1 / _FINE
_SMALL = 10
"""Smaller terms are tried last: nearly every number is a sum with one of them."""

_MOST_COUNTED = 12
"""The largest whole number that is tried as a count of three terms: with larger ones, that are prices
themselves, half of all amounts are a product of two with a third one added."""

_WHOLE = 100
"""A whole number, in cents."""


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

    Only the numbers seen last are tried. What no number of theirs can make is not searched for: a
    number with cents where all are whole, or one larger than the largest of them make.

    Args:
        numbers: The numbers seen, without their signs, the latest first.

    >>> Reckoner([103, 152]).reckoned(255).written
    '152 + 103'
    >>> Reckoner([105]).reckoned(10500).written, Reckoner([15, 80]).reckoned(12).written
    ('105 × 100', '15% of 80')
    >>> Reckoner([50, 3, 255]).reckoned(405).written
    '50 × 3 + 255'
    """

    def __init__(self, numbers: Iterable[float] = ()) -> None:
        self._cents: dict[int, float] = {}
        self._fine: dict[int, float] = {}
        self._grain = 0
        self._largest = 0.0
        self._pairs = Pairs()
        self._latest: list[float] | None = None
        self.see(reversed(list(numbers)))

    def see(self, numbers: Iterable[float]) -> None:
        """Takes in more numbers, the latest last."""
        cents, fine = self._cents, self._fine
        for number in numbers:
            if not _LEAST <= number < _LARGEST:
                continue
            number = float(number)
            part, finer = round(100 * number), round(_FINE * number)
            cents.pop(part, None)
            cents[part] = number
            fine.pop(finer, None)
            fine[finer] = number
            if self._grain != 1:
                self._grain = gcd(self._grain, part if finer == part * _FINE // 100 else 1)
            if number > self._largest:
                self._largest = number
        for held in (cents, fine):
            while len(held) > MOST_NUMBERS:
                del held[next(iter(held))]
        self._latest = None

    def reckoned(self, value: float) -> Reckoning | None:
        """How the number follows from those seen, the plainest way first; None where none was found."""
        if not _LEAST <= value < _LARGEST or not self._fine:
            return None
        return self._unit(value) or self._two(value) or self._scaled(value) or self._three(value)

    def _unit(self, value: float) -> Reckoning | None:
        value *= _FINE
        fine = self._fine
        scaled = [round(value / factor) for factor in UNITS]
        scaled += [round(value * factor) for factor in UNITS]
        if fine.keys().isdisjoint(scaled):
            return None
        for factor in UNITS:
            if (term := fine.get(round(value / factor))) is not None:
                return Reckoning("unit", (term,), f"{_text(term)} × {factor:g}")
            if (term := fine.get(round(value * factor))) is not None:
                return Reckoning("unit", (term,), f"{_text(term)} / {factor:g}")
        return None

    def _two(self, value: float) -> Reckoning | None:
        if value > 2 * self._largest:
            return None
        if _in_cents(value):
            cents = round(100 * value)
            return None if self._too_fine(cents) else _two_of(self._cents, cents, 100 * _SMALL)
        return _two_of(self._fine, round(_FINE * value), _FINE * _SMALL)

    def _too_fine(self, cents: int) -> bool:
        """Whether sums and differences of the numbers seen never make a number of cents."""
        return self._grain > 1 and cents % self._grain != 0

    def _recent(self) -> list[float]:
        """The numbers seen last, the latest first; those that are tried as factors."""
        if self._latest is None:
            self._latest = list(islice(reversed(self._fine.values()), MOST_IN_PAIRS))
        return self._latest

    def _scaled(self, value: float) -> Reckoning | None:
        fine, tried = self._fine, self._recent()
        # The other number of a product, a share or a percentage is none larger than was seen.
        most, value = _FINE * (self._largest + 1), value * _FINE
        factors = [a for a in tried if value <= a * most]
        wholes = [a for a in tried if value * a <= most]
        rates = [a for a in tried if a <= 100 and value * 100 <= a * most]
        if (
            fine.keys().isdisjoint([round(value / a) for a in factors])
            and fine.keys().isdisjoint([round(value * a) for a in wholes])
            and fine.keys().isdisjoint([round(value * 100 / a) for a in rates])
        ):
            return None
        for a in tried:
            if a == 1:
                continue
            if (other := fine.get(round(value / a))) is not None:
                return Reckoning("product", (other, a), f"{_text(other)} × {_text(a)}")
            if (other := fine.get(round(value * a))) is not None:
                return Reckoning("share", (other, a), f"{_text(other)} / {_text(a)}")
            if a <= 100 and (other := fine.get(round(value * 100 / a))) is not None:
                return Reckoning("share", (a, other), f"{_text(a)}% of {_text(other)}")
        return None

    def _three(self, value: float) -> Reckoning | None:
        cents = round(100 * value)
        whole = self._grain % _WHOLE == 0
        if not _in_cents(value) or (whole and cents % _WHOLE):
            return None
        if value > max(3, self._largest + 1) * self._largest:
            return None
        pairs = self._pairs
        pairs.move(self._cents)
        window, sums, products = pairs.window, pairs.sums, pairs.products
        for how, sign, way in (("sum", 1, "+"), ("difference", -1, "−")):
            rests = [cents - sign * part for part in window]
            if sums.isdisjoint(rests) and products.isdisjoint(rests):
                continue
            for rest, c in zip(rests, window.values(), strict=True):
                if (rest in sums or rest in products) and (pair := pairs.making(rest)) is not None:
                    a, b, mark = pair
                    written = f"{_text(a)} {mark} {_text(b)} {way} {_text(c)}"
                    return Reckoning(how, (a, b, c), written)
        return None


class Pairs:
    """The sums and the products, in cents, of two numbers each of a window that moves on.

    Products are those with a count or a rate, as a price with a number of bags. What a number newly
    in the window makes with the others is added; what numbers made that have fallen out of it stays
    for a while, and is told apart when it is asked for.

    Attributes:
        window: The numbers, by their cents, the latest first.
        sums: The sums of two that are in the window, or were.
        products: The products of two, of which one is a count or a rate.
    """

    def __init__(self) -> None:
        self.window: dict[int, float] = {}
        self.sums: set[int] = set()
        self.products: set[int] = set()

    def move(self, numbers: dict[int, float]) -> None:
        """Moves the window to the last of these numbers, by their cents, the latest last."""
        if len(self.sums) > _MOST_HELD:
            self.window, self.sums, self.products = {}, set(), set()
        held, self.window = self.window, dict(islice(reversed(numbers.items()), MOST_IN_PAIRS))
        paired = [cents for cents in self.window if cents in held]
        factors = [cents for cents in paired if _is_factor(cents)]
        for cents in self.window.keys() - held.keys():
            paired.append(cents)
            others = factors
            if _is_factor(cents):
                factors.append(cents)
                others = paired
            self.sums.update([cents + other for other in paired])
            if others:
                self.products.update([(cents * other + 50) // 100 for other in others])

    def making(self, value: int) -> tuple[float, float, str] | None:
        """The two numbers that make a value, in cents, and the mark between them."""
        window = self.window
        if value in self.sums:
            for cents, number in window.items():
                if (other := window.get(value - cents)) is not None:
                    return number, other, "+"
        if value in self.products:
            for cents, number in window.items():
                other = window.get(round(100 * value / cents)) if cents else None
                if other is not None and round(number * other * 100) == value:
                    return number, other, "×"
        return None


def _is_factor(cents: int) -> bool:
    """Whether a number, in cents, may be a count or a rate."""
    return cents < _WHOLE or (cents <= _WHOLE * _MOST_COUNTED and cents % _WHOLE == 0)


def _two_of(known: dict[int, float], value: int, small: int) -> Reckoning | None:
    """How a number is the sum or the difference of two others; all of them whole parts of one."""
    sums = not known.keys().isdisjoint([value - part for part in known])
    differences = not known.keys().isdisjoint([value + part for part in known])
    if not (sums or differences):
        return None
    for least in (small, 0):
        for part, a in reversed(known.items()) if sums else ():
            other = known.get(value - part)
            if other is not None and part >= least and value - part >= least:
                return Reckoning("sum", (other, a), f"{_text(other)} + {_text(a)}")
        for part, a in reversed(known.items()) if differences else ():
            other = known.get(value + part)
            if other is not None and part >= least:
                return Reckoning("difference", (other, a), f"{_text(other)} − {_text(a)}")
    return None


def _in_cents(value: float) -> bool:
    return round(value, 2) == value


def _text(value: float) -> str:
    return f"{round(value, 6):.15g}"

"""How matchers find the calls whose value they accept, without looking at each value each time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import inf, isfinite
from typing import Any

from passhat.match.held import CallSet, Values, instant, union
from passhat.match.terms import NORMAL_FORMS, Term, token
from passhat.values import ABSENT, Matcher, canonical
from passhat.values.dates import read_date
from passhat.values.matchers import (
    Contains,
    Date,
    Number,
    OneOf,
    Regex,
    Set,
    Subset,
)
from passhat.values.reading import as_number, compiled, normal_text
from passhat.values.schemas import Fields, Items, Typed

_HALF = 0.5


def accepting(values: Values, match: Matcher | None, expected: Any, among: CallSet) -> CallSet:
    """The calls whose value a matcher accepts; those that are not among some may be left out.

    Args:
        values: The values, with the calls that have them.
        match: The matcher; None compares exactly.
        expected: What it expects.
        among: The calls that it is about.
    """
    key = token(Term("", expected, match))
    find = FINDERS.get(type(match))
    if find is None:
        assert match is not None
        return values.judged(match, expected, among, key)
    known = values.known.get(key)
    if known is None:
        known = values.known[key] = find(values, match, expected)
    return known


def _equal(match: type | None) -> Callable[[Values, Any, Any], CallSet]:
    normal = NORMAL_FORMS[match or type(None)]
    return lambda values, _, expected: values.by_normal(normal).get(normal(expected), 0)


def _of_sets(values: Values, match: Set, expected: Any) -> CallSet:
    if not isinstance(expected, list | tuple):
        return 0
    normal = NORMAL_FORMS[Set]
    return values.by_normal(normal).get(normal(expected), 0)


def _of_listed(values: Values, match: OneOf, expected: Any) -> CallSet:
    listed = expected if match.values is ABSENT else match.values
    if not isinstance(listed, list | tuple):
        return 0
    return union([values.by_key.get(key, 0) for key in set(map(canonical, listed))])


def _of_dates(values: Values, match: Date, expected: Any) -> CallSet:
    moment = read_date(expected, day_first=match.day_first)
    if moment is None:
        return 0
    index = values.dates(match.day_first)
    if not isinstance(moment, datetime):
        return index.get(("day", moment), 0)
    same = index.get(("instant", instant(moment)), 0)
    return same | index.get(("only a day", moment.date()), 0)


def _of_containing(values: Values, match: Contains, expected: Any) -> CallSet:
    part = expected if match.value is ABSENT else match.value
    found = values.holding.get(canonical(part), 0)
    if isinstance(part, str):
        text = normal_text(part)
        found |= union([had for held, had in values.normal_texts if text in held])
    return found


def _of_pattern(values: Values, match: Regex, expected: Any) -> CallSet:
    if not values.texts:
        return 0
    fits = compiled(expected if match.pattern is ABSENT else match.pattern).fullmatch
    return union([had for text, had in values.texts if fits(text)])


def _of_parts(values: Values, match: Subset, expected: Any) -> CallSet:
    return values.parts.having(expected)


def _of_numbers(values: Values, match: Number, expected: Any) -> CallSet:
    wanted = as_number(expected)
    if wanted is None:
        return 0
    numbers, ordered, beyond = values.numbers
    low, sure, unsure, high = 0, 0, 0, len(numbers)
    bounds = _reach(wanted, match)
    if bounds is not None:
        near, far = bounds
        low, high = _between(numbers, float(wanted), far)
        sure, unsure = _between(numbers, float(wanted), near)
    asked = [*ordered[low:sure], *ordered[unsure:high], *beyond]
    found = union([had for _, had in ordered[sure:unsure]])
    return found | union([had for value, had in asked if match(value, expected)])


def _between(numbers: Sequence[float], wanted: float, reach: float) -> tuple[int, int]:
    if reach < 0:
        at = bisect_left(numbers, wanted)
        return at, at
    return bisect_left(numbers, wanted - reach), bisect_right(numbers, wanted + reach)


def _reach(wanted: float, match: Number) -> tuple[float, float] | None:
    """How far a number may be from the wanted one and surely match, and how far at the most.

    The first is less than nothing where none is sure; None where nothing bounds the second. The
    share is of the larger of the two, which is at most so much larger than the wanted one.
    """
    rel = match.rel if match.rel is not None else (1e-9 if match.abs is None else 0.0)
    allowed = match.abs or 0.0
    try:
        size = abs(float(wanted))
    except OverflowError:
        return None
    if not (0 <= rel <= _HALF and 0 <= allowed < inf and isfinite(size)):
        return None
    slack = size * 1e-12
    near = max(allowed, rel * size) * (1 - 1e-9) - slack
    return near, max(allowed, rel * size / (1 - rel)) * (1 + 1e-9) + slack


def _of_typed_numbers(values: Values, match: Typed, expected: Any) -> CallSet:
    same = values.by_key.get(canonical(expected), 0)
    if isinstance(expected, str):
        return same
    texts = union([had for _, had in values.texts])
    return same | (_of_numbers(values, match.number, expected) & ~texts)


def _of_fields(values: Values, match: Fields, expected: Any) -> CallSet:
    if not isinstance(expected, Mapping):
        return values.by_key.get(canonical(expected), 0)
    found = values.by_keys.get(frozenset(expected), 0)
    for name, value in expected.items():
        if found:
            found &= accepting(values.under(name), match.matchers.get(name), value, found)
    return found


def _of_items(values: Values, match: Items, expected: Any) -> CallSet:
    if not isinstance(expected, list | tuple):
        return 0
    found = values.by_length.get(len(expected), 0)
    for at, value in enumerate(expected):
        if found:
            found &= accepting(values.under(at), match.matcher, value, found)
    return found


FINDERS: dict[type, Callable[[Values, Any, Any], CallSet]] = {
    **{match: _equal(match) for match in NORMAL_FORMS},
    Set: _of_sets,
    OneOf: _of_listed,
    Date: _of_dates,
    Contains: _of_containing,
    Regex: _of_pattern,
    Subset: _of_parts,
    Number: _of_numbers,
    Typed: _of_typed_numbers,
    Fields: _of_fields,
    Items: _of_items,
}
"""Matchers that tell at once all values they accept."""

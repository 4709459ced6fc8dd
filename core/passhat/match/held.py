"""The values of one argument among many calls: each value once, and found by what it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, TypeAlias

from passhat.trace.derived import derived
from passhat.values import ABSENT, Matcher, canonical
from passhat.values.dates import read_date
from passhat.values.matchers import Schema
from passhat.values.reading import as_number, normal_text
from passhat.values.schemas import allowing

CallSet: TypeAlias = int
"""A set of calls: a whole number with a bit for each."""


def bits(positions: Iterable[int]) -> CallSet:
    """The set of calls at some positions."""
    found = 0
    for at in positions:
        found |= 1 << at
    return found


def union(sets: Iterable[CallSet]) -> CallSet:
    """The calls that are in any of some sets."""
    return reduce(or_, sets, 0)


class Values:
    """The values of one argument, each with the calls that have it.

    Args:
        having: Values, each with the calls that have it; equal ones are put together.

    Attributes:
        each: The values, each with the calls that have it.
        by_key: The calls by the canonical key of their value.
        known: What was found out for a matcher and what it expects.
    """

    def __init__(self, having: Iterable[tuple[Any, CallSet]]) -> None:
        self.by_key: dict[Hashable, CallSet] = {}
        one_each: dict[Hashable, Any] = {}
        for value, had in having:
            key = canonical(value)
            self.by_key[key] = self.by_key.get(key, 0) | had
            one_each.setdefault(key, value)
        self.each = [(value, self.by_key[key]) for key, value in one_each.items()]
        self.known: dict[Hashable, CallSet] = {}
        self._normal: dict[Callable[[Any], Hashable], dict[Hashable, CallSet]] = {
            canonical: self.by_key
        }
        self._dates: dict[bool, dict[Hashable, CallSet]] = {}
        self._under: dict[Any, Values] = {}

    def by_normal(self, normal: Callable[[Any], Hashable]) -> dict[Hashable, CallSet]:
        """The calls by a normal form of the value."""
        index = self._normal.get(normal)
        if index is None:
            index = self._normal[normal] = _index((normal(value), had) for value, had in self.each)
        return index

    def judged(self, match: Matcher, expected: Any, among: CallSet, key: Hashable) -> CallSet:
        """The calls whose value a matcher accepts, which is asked of each value at most once.

        It is not asked of values that no call has of those it is about: a matcher may refuse to
        answer, and what is settled without it is not its business.

        Args:
            match: The matcher.
            expected: What it expects.
            among: The calls it is about.
            key: What the matcher and what it expects are known by.
        """
        asked, accepted = self.known.get((key, "asked"), 0), self.known.get((key, "accepted"), 0)
        accepts = _accepting(match, expected)
        for value, had in self.each:
            if had & among and not had & asked:
                asked |= had
                if accepts(value):
                    accepted |= had
        self.known[key, "asked"], self.known[key, "accepted"] = asked, accepted
        return accepted

    @derived
    def texts(self) -> list[tuple[str, CallSet]]:
        """The texts."""
        return [(value, had) for value, had in self.each if isinstance(value, str)]

    @derived
    def normal_texts(self) -> list[tuple[str, CallSet]]:
        """The texts in the form in which the `text` matcher sees them."""
        return [(normal_text(value), had) for value, had in self.texts]

    @derived
    def holding(self) -> dict[Hashable, CallSet]:
        """The calls by what their value, which is no text, holds: items, keys, or itself."""
        found: list[tuple[Hashable, CallSet]] = []
        for value, had in self.each:
            if isinstance(value, str):
                continue
            found.append((canonical(value), had))
            if isinstance(value, list | tuple):
                found += [(key, had) for key in set(map(canonical, value))]
            elif isinstance(value, Mapping):
                found += [(key, had) for key in value if isinstance(key, str)]
        return _index(found)

    @derived
    def numbers(self) -> tuple[list[float], list[tuple[Any, CallSet]], list[tuple[Any, CallSet]]]:
        """The numbers in order with their values, and the values whose number no float holds."""
        found: list[tuple[float, int]] = []
        beyond: list[tuple[Any, CallSet]] = []
        for at, (value, _) in enumerate(self.each):
            number = as_number(value)
            if number is None or number != number:
                continue
            try:
                found.append((float(number), at))
            except OverflowError:
                beyond.append(self.each[at])
        found.sort()
        return [number for number, _ in found], [self.each[at] for _, at in found], beyond

    @derived
    def by_keys(self) -> dict[Hashable, CallSet]:
        """The calls whose value is an object, by the keys it has."""
        objects = [(value, had) for value, had in self.each if isinstance(value, Mapping)]
        return _index((frozenset(value), had) for value, had in objects)

    @derived
    def by_length(self) -> dict[Hashable, CallSet]:
        """The calls whose value is a list, by how long it is."""
        lists = [(value, had) for value, had in self.each if isinstance(value, list | tuple)]
        return _index((len(value), had) for value, had in lists)

    def under(self, key: Any) -> Values:
        """What lies under a key of the values that are objects, or at a place of the lists."""
        if key not in self._under:
            kind: Any = list | tuple if type(key) is int else Mapping
            self._under[key] = Values(
                (value[key], had)
                for value, had in self.each
                if isinstance(value, kind)
                and (key < len(value) if type(key) is int else key in value)
            )
        return self._under[key]

    @derived
    def parts(self) -> Parts:
        """The calls by the parts of their values."""
        return Parts(self.each)

    def dates(self, day_first: bool) -> dict[Hashable, CallSet]:
        """The calls by the days and the instants that their values write."""
        index = self._dates.get(day_first)
        if index is None:
            found: list[tuple[Hashable, CallSet]] = []
            for text, had in self.texts:
                moment = read_date(text, day_first=day_first)
                if isinstance(moment, datetime):
                    found += [(("day", moment.date()), had), (("instant", instant(moment)), had)]
                elif moment is not None:
                    found += [(("day", moment), had), (("only a day", moment), had)]
            index = self._dates[day_first] = _index(found)
        return index


class Parts:
    """Calls by the parts of a value of theirs: which lists, objects and scalars lie where.

    Args:
        each: The values with the calls that have them.
    """

    def __init__(self, each: Iterable[tuple[Any, CallSet]]) -> None:
        self._paths: dict[tuple[int, Hashable], int] = {}
        self._calls = _index((part, had) for value, had in each for part in set(self._of(value)))

    def having(self, value: Any) -> CallSet:
        """The calls whose value has all the parts of another, and maybe more keys in its objects."""
        return reduce(lambda found, part: found & self._calls.get(part, 0), self._of(value), -1)

    def _of(self, value: Any) -> list[Hashable]:
        """The parts of a value: what is at each path, of lists also how long they are."""
        found: list[Hashable] = []
        todo: list[tuple[int, Any]] = [(-1, value)]
        while todo:
            path, item = todo.pop()
            if isinstance(item, Mapping):
                found.append((path, "object"))
                todo += [(self._path(path, key), held) for key, held in item.items()]
            elif isinstance(item, list | tuple):
                found.append((path, "list", len(item)))
                todo += [(self._path(path, (at,)), held) for at, held in enumerate(item)]
            else:
                found.append((path, "is", canonical(item)))
        return found

    def _path(self, above: int, step: Hashable) -> int:
        return self._paths.setdefault((above, step), len(self._paths))


def _accepting(match: Matcher, expected: Any) -> Callable[[Any], bool]:
    """What tells of many values whether a matcher accepts them; a schema is made ready once."""
    if isinstance(match, Schema):
        return allowing(expected if match.schema is ABSENT else match.schema)
    return lambda value: match(value, expected)


def _index(found: Iterable[tuple[Hashable, CallSet]]) -> dict[Hashable, CallSet]:
    index: dict[Hashable, CallSet] = {}
    for key, had in found:
        index[key] = index.get(key, 0) | had
    return index


def instant(moment: datetime) -> tuple[int, int]:
    """An instant in seconds and microseconds, whatever the zone; without one it is taken as UTC."""
    seconds = moment.toordinal() * 86400 + moment.hour * 3600 + moment.minute * 60 + moment.second
    offset = moment.utcoffset()
    away = 0 if offset is None else (offset.days * 86400 + offset.seconds)
    micro = moment.microsecond - (0 if offset is None else offset.microseconds)
    return seconds - away + micro // 1_000_000, micro % 1_000_000

"""When two parts of a state are the same, decided quickly where that is easy."""

from __future__ import annotations

import marshal
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from math import isclose
from operator import is_
from typing import Any

import msgspec

from passhat.errors import InputError, Place, UsageError
from passhat.state.patterns import NO_PATTERNS, Patterns, States
from passhat.values import canonical, json_equal
from passhat.values.equality import by_name

CONTAINERS = (Mapping, list, tuple)
_SCALARS = frozenset({str, int, float, bool, type(None)})
_DEEP = 64
_AT_ONCE = 128
MOST_LEVELS = 1000

_packed = msgspec.msgpack.Encoder().encode


def surely_equal(a: Any, b: Any) -> bool:
    """Whether two values are the same without a doubt; False says only that it is worth a look.

    `==` takes `True` for `1`, and msgpack takes a date for its text, but not both.
    """
    try:
        return bool(a == b) and _packed(a) == _packed(b)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False


def doubtful(olds: Sequence[Any], news: Sequence[Any]) -> Iterator[int]:
    """The positions at which two lists of one length are not surely equal.

    Most records of a state have not changed; looking at many at once leaves the loop to C, and
    where they are not equal it is one half or the other that is not.
    """
    for start in range(0, len(olds), _AT_ONCE):
        spans = [(start, min(start + _AT_ONCE, len(olds)))]
        while spans:
            first, last = spans.pop()
            some, others = olds[first:last], news[first:last]
            if all(map(is_, some, others)) or surely_equal(some, others):
                continue
            if last - first == 1:
                yield first
            else:
                middle = (first + last) // 2
                spans += [(middle, last), (first, middle)]


def exact_bytes(value: Any) -> bytes | None:
    """Bytes that two values share only if they are the same to the last type; None if it has none."""
    try:
        return marshal.dumps(value, 2)  # Version 2 writes no references: equal values, equal bytes.
    except ValueError:
        return None


class TooDeepError(Exception):
    """A value too deep to make a key of; it never leaves this room."""


def refuse_cycles(value: Any, what: str) -> int:
    """How deep a value is nested, if no part of it lies in itself.

    Raises:
        InputError: One does.
    """
    deepest = 0
    on_the_way: set[int] = set()
    todo: list[tuple[bool, Any]] = [(True, value)] if _may_hold(value) else []
    while todo:
        entering, item = todo.pop()
        if not entering:
            on_the_way.discard(id(item))
        else:
            if id(item) in on_the_way:
                raise InputError(f"{what} holds a value that lies in itself: no JSON has a cycle")
            on_the_way.add(id(item))
            deepest = max(deepest, len(on_the_way))
            todo.append((False, item))
            todo.extend((True, part) for part in _held(item) if _may_hold(part))
    return deepest


def _may_hold(value: Any) -> bool:
    if type(value) in _SCALARS:
        return False
    return isinstance(value, CONTAINERS) or (is_dataclass(value) and not isinstance(value, type))


def _held(value: Any) -> Iterable[Any]:
    """What lies directly in a value; in a dataclass, as a snapshot takes it, its fields."""
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, list | tuple):
        return value
    return [getattr(value, item.name) for item in fields(value)]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far two numbers may be apart and still be the same.

    Args:
        abs: The largest difference.
        rel: The largest difference, as a share of the larger magnitude.
    """

    abs: float = 0.0
    rel: float = 0.0

    @classmethod
    def of(cls, given: Any) -> Tolerance | None:
        """The tolerance that a number (absolute) or `{abs, rel}` stands for.

        Raises:
            UsageError: It is neither, or negative.
        """
        if given is None or isinstance(given, Tolerance):
            return given
        stated = dict(given) if isinstance(given, Mapping) else {"abs": given}
        good = stated.keys() <= {"abs", "rel"} and all(
            isinstance(v, int | float) and not isinstance(v, bool) and v >= 0
            for v in stated.values()
        )
        if not good:
            raise UsageError(f"a tolerance is a number from 0 on, or {{abs, rel}}, not {given!r}")
        return cls(**stated)

    def allows(self, a: Any, b: Any) -> bool:
        """Whether two values are numbers that are near enough."""
        for value in (a, b):
            if isinstance(value, bool) or not isinstance(value, int | float):
                return False
        try:
            return isclose(a, b, rel_tol=self.rel, abs_tol=self.abs)
        except OverflowError:
            return bool(abs(a - b) <= self.abs)


@dataclass(frozen=True, slots=True)
class Sameness:
    """What is left of a value when what is ignored is gone, as a key and as a comparison.

    Args:
        patterns: Says what is ignored, by `IGNORED`.
        tolerance: For numbers.
        as_sets: Whether lists compare without their order.
    """

    patterns: Patterns = NO_PATTERNS
    tolerance: Tolerance | None = None
    as_sets: bool = False

    def leaves(self, a: Any, b: Any) -> bool:
        """Whether two values, one of which is no container, are the same."""
        try:
            same = json_equal(a, b)
        except ValueError as error:  # Values whose comparison gives no truth, such as arrays.
            raise InputError(f"a {type(a).__name__} is no JSON value", Place()) from error
        return same or (self.tolerance is not None and self.tolerance.allows(a, b))

    def ignored(self, states: States) -> bool:
        """Whether a place is ignored, and all that lies in it."""
        return bool(states) and IGNORED in self.patterns.at(states)

    def key(self, value: Any, states: States) -> Hashable:
        """A key that two values share if and only if they are the same but for the tolerance.

        Raises:
            InputError: A part of the value lies in itself.
            TooDeepError: It is nested deeper than `MOST_LEVELS`.
        """
        if isinstance(value, CONTAINERS):
            if exact_bytes(value) is None and refuse_cycles(value, "the state") > MOST_LEVELS:
                raise TooDeepError
            if states or self.as_sets:
                return self._key(value, states, 0)
        return canonical(value)

    def _key(self, value: Any, states: States, depth: int) -> Hashable:
        if depth > _DEEP or not isinstance(value, CONTAINERS):
            return canonical(value)
        after = self.patterns.after
        if isinstance(value, Mapping):
            inner = ((name, item, after(states, name)) for name, item in value.items())
            return frozenset(
                (canonical(name), self._key(item, below, depth + 1))
                for name, item, below in inner
                if not self.ignored(below)
            )
        places = ((item, after(states, at)) for at, item in enumerate(value))
        keys = [
            self._key(item, below, depth + 1) for item, below in places if not self.ignored(below)
        ]
        return as_multiset(keys) if self.as_sets else tuple(keys)

    def fields(self, value: Mapping[Any, Any], states: States) -> dict[Hashable, Hashable]:
        """The key of each field of a mapping that is not ignored, by the key of its name."""
        found: dict[Hashable, Hashable] = {}
        for name, item in value.items():
            below = self.patterns.after(states, name)
            if not self.ignored(below):
                found[canonical(name)] = self.key(item, below)
        return found

    def close(self, a: Any, b: Any, states: States) -> bool:
        """Whether two values are the same, numbers within the tolerance; lists go by position."""
        todo = [(a, b, states)]
        while todo:
            a, b, states = todo.pop()
            if isinstance(a, Mapping) and isinstance(b, Mapping):
                a, b = by_name(a), by_name(b)
                for name in a.keys() | b.keys():
                    below = self.patterns.after(states, name)
                    if self.ignored(below):
                        continue
                    if name not in a or name not in b:
                        return False
                    todo.append((a[name], b[name], below))
            elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
                if len(a) != len(b):
                    return False
                for at, (x, y) in enumerate(zip(a, b, strict=True)):
                    below = self.patterns.after(states, at)
                    if not self.ignored(below):
                        todo.append((x, y, below))
            elif isinstance(a, CONTAINERS) or isinstance(b, CONTAINERS) or not self.leaves(a, b):
                return False
        return True


IGNORED = "ignored"
"""What a pattern stands for whose places are ignored."""


def as_multiset(keys: list[Hashable]) -> Hashable:
    """A key of a list whose order is no matter."""
    counts: dict[Hashable, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return (_MULTISET, frozenset(counts.items()))


_MULTISET = object()

"""Matchers: when an actual value is as good as the expected one.

A matcher is a callable `(actual, expected) -> bool`. Those that can be named in a suite file are
the small frozen classes below; any other callable may be passed from Python. A matcher that was
given its own operand (`{one_of: [...]}`, `{regex: ...}`) does not need an expected value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isclose
from numbers import Real
from typing import Any, ClassVar, TypeAlias

from passhat.errors import PasshatError, UsageError
from passhat.values.dates import same_date
from passhat.values.equality import canonical, json_equal
from passhat.values.reading import as_number, compiled, normal_text


class _Absent:
    """The value of what is not there, which is not null."""

    def __repr__(self) -> str:
        return "absent"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Any = _Absent()

_PLAIN = (int, float)

Matcher: TypeAlias = Callable[[Any, Any], bool]
MatcherSpec: TypeAlias = "str | Mapping[str, Any] | Matcher"


class NotEvaluated(PasshatError):
    """Raised where a value cannot be judged with what is at hand; the check then says why."""


@dataclass(frozen=True, slots=True)
class NamedMatcher(ABC):
    """What matchers with a name share: the name, and whether they bring their own operand."""

    name: ClassVar[str]
    operand: ClassVar[str | None] = None
    """The field that a bare operand fills: `{one_of: [1, 2]}`."""

    @property
    def needs_expected(self) -> bool:
        """Whether there must be an expected value for the matcher to say anything."""
        return self.operand is None or getattr(self, self.operand) is ABSENT

    @abstractmethod
    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the actual value is as good as the expected one."""


@dataclass(frozen=True, slots=True)
class Exact(NamedMatcher):
    """The same JSON value."""

    name = "exact"

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two are the same JSON value."""
        return json_equal(actual, expected)


@dataclass(frozen=True, slots=True)
class Text(NamedMatcher):
    """The same text but for case, outer white space and Unicode form; other values exactly.

    >>> Text()(" High ", "high"), Text()("high", "hight")
    (True, False)
    """

    name = "text"

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two texts are the same once normalised."""
        if isinstance(actual, str) and isinstance(expected, str):
            return actual == expected or normal_text(actual) == normal_text(expected)
        return json_equal(actual, expected)


@dataclass(frozen=True, slots=True)
class Number(NamedMatcher):
    """The same number within a tolerance; numbers written as text count as numbers.

    Args:
        abs: The largest difference allowed.
        rel: The largest difference allowed, as a share of the larger magnitude. With neither
            given, 1e-9.

    Raises:
        UsageError: A tolerance is negative or no number.

    >>> Number()("49.90", 49.9), Number(abs=0.01)(10.005, 10), Number()(1, True)
    (True, True, False)
    """

    name = "number"
    abs: float | None = None
    rel: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("abs", self.abs), ("rel", self.rel)):
            if value is None:
                continue
            if not isinstance(value, Real | Decimal):
                raise UsageError(f"number: {name} cannot be {value!r}")
            if not value >= 0:
                raise UsageError(f"number: {name} is {value}; the least is 0")

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two numbers are within the tolerance."""
        a = actual if type(actual) in _PLAIN else as_number(actual)
        b = expected if type(expected) in _PLAIN else as_number(expected)
        if a is None or b is None:
            return False
        if a == b:
            return True
        rel = self.rel if self.rel is not None else (1e-9 if self.abs is None else 0.0)
        try:
            return isclose(a, b, rel_tol=rel, abs_tol=(self.abs or 0.0) * (1 + 1e-12))
        except OverflowError:  # An integer beyond all floats is near none but itself.
            return False


@dataclass(frozen=True, slots=True)
class OneOf(NamedMatcher):
    """One of several values.

    Args:
        values: The values allowed; without them the expected value is the list of them.

    >>> OneOf(("red", "blue"))("blue"), OneOf()("red", ["red", "blue"])
    (True, True)
    """

    name = "one_of"
    operand = "values"
    values: Any = ABSENT

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the actual value is among those allowed."""
        values = expected if self.values is ABSENT else self.values
        return isinstance(values, list | tuple) and any(json_equal(actual, v) for v in values)


@dataclass(frozen=True, slots=True)
class Regex(NamedMatcher):
    """Text that a pattern matches as a whole.

    Args:
        pattern: The pattern (Python's `re`); without it the expected value is the pattern.

    >>> Regex("A[0-9]+")("A17"), Regex("A")("A17")
    (True, False)
    """

    name = "regex"
    operand = "pattern"
    pattern: Any = ABSENT

    def __post_init__(self) -> None:
        if self.pattern is not ABSENT:
            compiled(self.pattern)

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the pattern matches the whole text."""
        pattern = expected if self.pattern is ABSENT else self.pattern
        return isinstance(actual, str) and compiled(pattern).fullmatch(actual) is not None


@dataclass(frozen=True, slots=True)
class Contains(NamedMatcher):
    """Text that holds the expected text, or a list that holds the expected value.

    Any other value holds the one that it equals, so that `match: contains` for all arguments of a
    tool asks the numbers among them to be equal.

    Args:
        value: What must be in it; without it the expected value must.

    >>> Contains()("VPN on Mac", "vpn"), Contains(3)([1, 2, 3]), Contains()(2, 2.0)
    (True, True, True)
    """

    name = "contains"
    operand = "value"
    value: Any = ABSENT

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the actual value holds the other."""
        part = expected if self.value is ABSENT else self.value
        if isinstance(actual, str):
            return isinstance(part, str) and normal_text(part) in normal_text(actual)
        if isinstance(actual, list | tuple) and any(json_equal(item, part) for item in actual):
            return True
        if isinstance(actual, Mapping) and isinstance(part, str):
            return part in actual
        return json_equal(actual, part)


@dataclass(frozen=True, slots=True)
class Set(NamedMatcher):
    """The same list in any order, each value as often.

    >>> Set()([1, 2, 2], [2, 1, 2]), Set()([1, 2], [1, 2, 2])
    (True, False)
    """

    name = "set"

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two lists hold the same values equally often."""
        if not isinstance(actual, list | tuple) or not isinstance(expected, list | tuple):
            return False
        return len(actual) == len(expected) and Counter(map(canonical, actual)) == Counter(
            map(canonical, expected)
        )


@dataclass(frozen=True, slots=True)
class Date(NamedMatcher):
    """The same instant, or the same day where one of the two is only a day, whatever the format.

    Args:
        day_first: Reads `05/06/2024` as the 5th of June rather than the 6th of May.

    >>> Date()("May 20, 2024", "2024-05-20"), Date()("2024-05-20T10:00Z", "2024-05-20T12:00+02:00")
    (True, True)
    """

    name = "date"
    day_first: bool = False

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two are the same date."""
        return same_date(actual, expected, day_first=self.day_first)


@dataclass(frozen=True, slots=True)
class Schema(NamedMatcher):
    """A value that a JSON Schema allows.

    Args:
        schema: The schema; without it the expected value is the schema.

    >>> Schema({"type": "integer", "minimum": 1})(3), Schema({"type": "integer"})("3")
    (True, False)
    """

    name = "schema"
    operand = "schema"
    schema: Any = ABSENT

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the schema allows the value."""
        from passhat.values.schemas import allowing

        return allowing(expected if self.schema is ABSENT else self.schema)(actual)


@dataclass(frozen=True, slots=True)
class Anything(NamedMatcher):
    """Any value at all: the argument is ignored, and may be missing."""

    name = "any"

    @property
    def needs_expected(self) -> bool:
        """Never: it has nothing to compare."""
        return False

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Always true."""
        return True


@dataclass(frozen=True, slots=True)
class Subset(NamedMatcher):
    """A nested mapping that has the expected keys, however deep, and maybe more.

    >>> Subset()({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1}})
    True
    """

    name = "subset"

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether every given key is there with the given value."""
        pairs = [(actual, expected)]
        while pairs:
            a, b = pairs.pop()
            if isinstance(b, Mapping):
                if not isinstance(a, Mapping) or not all(key in a for key in b):
                    return False
                pairs.extend((a[key], value) for key, value in b.items())
            elif isinstance(b, list | tuple):
                if not isinstance(a, list | tuple) or len(a) != len(b):
                    return False
                pairs.extend(zip(a, b, strict=True))
            elif not json_equal(a, b):
                return False
        return True

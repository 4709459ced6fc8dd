"""What an expected call says of one argument, and how a call's own argument differs from that."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

from passhat.trace import ToolCall
from passhat.values import ABSENT, Matcher, canonical, json_equal
from passhat.values.matchers import Anything, Exact, Set, Text
from passhat.values.reading import normal_text
from passhat.values.schemas import Fields, Items


class Term(NamedTuple):
    """What an expectation says of one argument."""

    name: str
    value: Any
    match: Matcher | None


def holds(term: Term, call: ToolCall) -> bool:
    """Whether a call has the argument as a term asks."""
    if type(term.match) is Anything:
        return True
    actual = call.args.get(term.name, ABSENT)
    if actual is ABSENT:
        return False
    return json_equal(actual, term.value) if term.match is None else term.match(actual, term.value)


@dataclass(frozen=True, slots=True)
class Difference:
    """An argument that is not as expected.

    Attributes:
        arg: Its name.
        expected: The value, or the matcher, expected; `ABSENT` where it may not be there.
        actual: The value it had; `ABSENT` where it was not there.
    """

    arg: str
    expected: Any
    actual: Any


def token(term: Term) -> Hashable:
    """A key that two terms share only if they ask the same."""
    normal = NORMAL_FORMS.get(type(term.match))
    if normal is not None:
        return (term.name, normal, normal(term.value))
    return (term.name, canonical(term.value), _identity(term.match))


def _identity(match: Any) -> Hashable:
    """A key that two matchers share only if they compare alike."""
    if isinstance(match, Fields):
        parts = [(name, _identity(part)) for name, part in match.matchers.items()]
        return (Fields, frozenset(parts))
    if isinstance(match, Items):
        return (Items, _identity(match.matcher))
    if is_dataclass(match):
        return (type(match), *[canonical(getattr(match, item.name)) for item in fields(match)])
    return id(match)


def _normal_text(value: Any) -> Hashable:
    return ("text", normal_text(value)) if isinstance(value, str) else canonical(value)


def _normal_set(value: Any) -> Hashable:
    if not isinstance(value, list | tuple):
        return ("no list", canonical(value))
    counts: dict[Hashable, int] = {}
    for item in value:
        key = canonical(item)
        counts[key] = counts.get(key, 0) + 1
    return frozenset(counts.items())


NORMAL_FORMS: dict[type, Callable[[Any], Hashable]] = {
    type(None): canonical,
    Exact: canonical,
    Text: _normal_text,
    Set: _normal_set,
}
"""Matchers that compare normal forms: two values match only if these are equal."""

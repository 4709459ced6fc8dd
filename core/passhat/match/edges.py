"""Which actual call satisfies which expected one: the edges that pairing chooses from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

from passhat.case import ExpectedCall, ExpectedEntry
from passhat.errors import UsageError
from passhat.match.narrowing import Narrowing
from passhat.trace import ToolCall
from passhat.values import ABSENT, Matcher, canonical, json_equal, matcher, matcher_for_schema
from passhat.values.matchers import Anything, Exact, NamedMatcher, Set, Text, normal_text

_FEW = 16


@dataclass(frozen=True, slots=True)
class Expectation:
    """An expected call made ready to compare.

    Attributes:
        call: The expected call.
        group: Its place in the order; calls of one group have no order among themselves.
        terms: What it says of arguments: name, expected value (`ABSENT` where the matcher needs
            none), matcher (None: exactly).
        allowed: The arguments that may be there, where further ones are forbidden.
    """

    call: ExpectedCall
    group: int
    terms: tuple[Term, ...]
    allowed: frozenset[str] | None

    @property
    def name_is_all(self) -> bool:
        """Whether any call of the tool satisfies it, arguments that did not parse included."""
        return self.call.args is None and not self.terms and self.allowed is None

    def accepts(self, call: ToolCall) -> bool:
        """Whether a call of the same tool has the arguments expected."""
        if call.args_error is not None:
            return self.name_is_all
        args = call.args
        for name, value, match in self.terms:
            if name in args:
                actual = args[name]
                if match is None:
                    if actual is not value and not json_equal(actual, value):
                        return False
                elif not match(actual, value):
                    return False
            elif type(match) is not Anything:
                return False
        return self.allowed is None or all(name in self.allowed for name in args)

    def right(self, call: ToolCall) -> int:
        """How many of the arguments that it speaks of a call has as expected."""
        return 0 if call.args_error is not None else sum(holds(term, call) for term in self.terms)

    def differences(self, call: ToolCall) -> tuple[Difference, ...]:
        """The arguments that keep the call from satisfying it."""
        found = [
            Difference(
                term.name,
                term.match if term.value is ABSENT else term.value,
                call.args.get(term.name, ABSENT),
            )
            for term in self.terms
            if not holds(term, call)
        ]
        if self.allowed is not None:
            extra = [name for name in call.args if name not in self.allowed]
            found += [Difference(name, ABSENT, call.args[name]) for name in extra]
        return tuple(found)

    def signature(self) -> Signature:
        """What it looks at, and the values it looks for; the same only if the same calls do."""
        rest: list[Hashable] = [self.allowed, self.call.args is None]
        if all(term.match is None for term in self.terms):
            names = tuple([term.name for term in self.terms])
            values = tuple([canonical(term.value) for term in self.terms])
            return Signature(_plain_shape(names, self.allowed is not None), values, tuple(rest))
        hashed, key, others = [], [], []
        for term in self.terms:
            normal = NORMAL_FORMS.get(type(term.match))
            if normal is not None:
                hashed.append((term.name, normal))
                key.append(normal(term.value))
            else:
                others.append(term.name)
                rest.append(token(term))
        shape = Shape(tuple(hashed), tuple(others), self.allowed is not None)
        return Signature(shape, tuple(key), tuple(rest))


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


def token(term: Term) -> Hashable:
    """A key that two terms share only if they ask the same."""
    match = term.match
    if is_dataclass(match):
        values = [canonical(getattr(match, item.name)) for item in fields(match)]
        return (term.name, canonical(term.value), type(match), *values)
    return (term.name, canonical(term.value), match if match is None else id(match))


class Shape(NamedTuple):
    """What an expectation looks at: arguments compared by normal form, others, or all of them."""

    hashed: tuple[tuple[str, Callable[[Any], Hashable]], ...]
    others: tuple[str, ...]
    everything: bool

    @property
    def tells(self) -> bool:
        """Whether equal normal forms are all that is asked."""
        exact = all(normal is canonical for _, normal in self.hashed)
        return bool(self.hashed) and exact and not self.others and not self.everything


class Signature(NamedTuple):
    """What an expectation looks at, the normal forms it looks for, and all else that it asks."""

    shape: Shape
    key: Hashable
    rest: Hashable


@lru_cache(maxsize=256)
def _plain_shape(names: tuple[str, ...], everything: bool) -> Shape:
    return Shape(tuple([(name, canonical) for name in names]), (), everything)


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


def expectations(
    entries: Iterable[ExpectedEntry],
    match: Any = None,
    tools: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[Expectation, ...]:
    """Expected calls made ready to compare, groups flattened.

    Args:
        entries: Expected calls; a tuple inside is a group.
        match: How arguments compare where a call does not say: `{tool: {arg: matcher}}`, a matcher
            for all arguments of all tools, or `"auto"` (by the tool's JSON Schema).
        tools: The tools' JSON Schemas, for `"auto"`.

    Raises:
        UsageError: A matcher is none.
    """
    groups = [entry if isinstance(entry, tuple) else (entry,) for entry in entries if entry != ()]
    names = {call.name for group in groups for call in group}
    rules = _Rules(match, tools or {}, names)
    return tuple(
        rules.expectation(call, place) for place, group in enumerate(groups) for call in group
    )


class _Rules:
    """Finds the matcher of each argument of each tool."""

    def __init__(self, match: Any, tools: Mapping[str, Mapping[str, Any]], names: set[str]) -> None:
        self.tools = tools
        self.every: Any = None
        self.by_tool: dict[str, Any] = {}
        self.by_arg: dict[str, Any] = {}
        self.none = match is None
        if match is None:
            return
        if not isinstance(match, Mapping):
            self.every = match
            return
        for key, spec in match.items():
            if key in names or key in tools or _by_argument(spec):
                self.by_tool[key] = spec
            else:
                self.by_arg[key] = spec

    def expectation(self, call: ExpectedCall, group: int) -> Expectation:
        if self.none and call.match is None:
            args = call.args or {}
            plain = tuple(map(Term, args, args.values(), repeat(None)))
            allowed = frozenset(args) if call.extra_args == "forbid" else None
            return Expectation(call, group, plain, allowed)
        spec: dict[str, Any] = dict(self.by_arg)
        every = self.every
        for level in (self.by_tool.get(call.name), call.match):
            if isinstance(level, Mapping):
                spec.update(level)
            elif level is not None:
                every, spec = level, {}
        args = call.args or {}
        terms = [
            Term(name, value, self._matcher(call.name, name, spec.get(name, every)))
            for name, value in args.items()
        ]
        for name, given in spec.items():
            if name in args or (name in self.by_arg and call.args is not None):
                continue
            found = self._matcher(call.name, name, given)
            if isinstance(found, NamedMatcher) and not found.needs_expected:
                terms.append(Term(name, ABSENT, found))
        allowed = None
        if call.extra_args == "forbid":
            allowed = frozenset(term.name for term in terms)
        return Expectation(call, group, tuple(terms), allowed)

    def _matcher(self, tool: str, arg: str, spec: Any) -> Matcher | None:
        if spec is None or spec == "exact":
            return None
        if spec != "auto":
            return matcher(spec)
        properties = self.tools.get(tool, {}).get("properties")
        schema = properties.get(arg) if isinstance(properties, Mapping) else None
        found = matcher_for_schema(schema if isinstance(schema, Mapping) else None)
        return None if type(found) is Exact else found


def _by_argument(spec: Any) -> bool:
    """Whether a spec is one of arguments, `{arg: matcher}`, rather than one matcher."""
    if not isinstance(spec, Mapping):
        return False
    try:
        matcher(spec)
    except UsageError:
        return True
    return False


Edges = list[list[int]]
"""For each expectation, the actual calls that satisfy it, in order."""


def edges(actual: Sequence[ToolCall], expected: Sequence[Expectation]) -> Edges:
    """For each expectation the actual calls that satisfy it, by index, in order.

    Comparisons are made once for each pair of different values, whatever the number of calls.
    """
    by_name: dict[str, list[int]] = {}
    for index, call in enumerate(actual):
        by_name.setdefault(call.name, []).append(index)
    wanted: dict[str, list[int]] = {}
    for index, expectation in enumerate(expected):
        wanted.setdefault(expectation.call.name, []).append(index)
    rows: Edges = [[] for _ in expected]
    for name, places in wanted.items():
        calls = by_name.get(name)
        if not calls:
            continue
        if len(calls) * len(places) <= _FEW:
            for place in places:
                accepts = expected[place].accepts
                rows[place] = [index for index in calls if accepts(actual[index])]
        else:
            _shared_rows(actual, calls, expected, places, rows)
    return rows


def _shared_rows(
    actual: Sequence[ToolCall],
    calls: list[int],
    expected: Sequence[Expectation],
    places: list[int],
    rows: Edges,
) -> None:
    """Rows of a tool with many calls.

    Calls that agree in the arguments an expectation speaks of are compared once, and those that
    can only match if a normal form is equal are found by hashing; of many, those that have no number
    near enough, or none of the values listed, are not compared at all.
    """
    known: dict[Signature, list[int]] = {}
    indexes: dict[Shape, dict[Hashable, list[list[int]]]] = {}
    narrowings: dict[int, Narrowing] = {}
    for place in places:
        signature = expected[place].signature()
        row = known.get(signature)
        if row is None:
            shape = signature.shape
            if shape not in indexes:
                indexes[shape] = _index(actual, calls, shape)
            candidates: Sequence[Sequence[int]] = indexes[shape].get(signature.key, ())
            if not shape.tells:
                accepts = expected[place].accepts
                if len(candidates) > _FEW and shape.others:
                    near = narrowings.get(id(candidates))
                    if near is None:
                        near = narrowings[id(candidates)] = Narrowing(actual, candidates)
                    candidates = near.likely(expected[place].terms)
                candidates = [twins for twins in candidates if accepts(actual[twins[0]])]
            row = [index for twins in candidates for index in twins]
            row.sort()
            known[signature] = row
        rows[place] = row


def _index(
    actual: Sequence[ToolCall], calls: list[int], shape: Shape
) -> dict[Hashable, list[list[int]]]:
    """The calls by their normal forms, and there by all else that the shape looks at."""
    index: dict[Hashable, dict[Hashable, list[int]]] = {}
    for at in calls:
        call = actual[at]
        args = call.args
        if call.args_error is not None:
            key: Hashable = ()
            twin: Hashable = ("unparsed", at)
        else:
            if not all(name in args for name, _ in shape.hashed):
                continue
            key = tuple([normal(args[name]) for name, normal in shape.hashed])
            if shape.everything:
                twin = canonical(args)
            else:
                twin = tuple([canonical(args.get(name, ABSENT)) for name in shape.others])
        index.setdefault(key, {}).setdefault(twin, []).append(at)
    return {key: list(twins.values()) for key, twins in index.items()}


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

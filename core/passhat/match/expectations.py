"""Expected calls made ready to compare: each argument with its matcher."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from passhat.case import ExpectedCall, ExpectedEntry
from passhat.errors import UsageError
from passhat.match.terms import Difference, Term, holds, token
from passhat.trace import ToolCall
from passhat.values import ABSENT, Matcher, json_equal, matcher, matcher_for_schema
from passhat.values.matchers import Anything, Exact, NamedMatcher


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

    def signature(self) -> Hashable:
        """A key that two expectations share only if the same calls satisfy them."""
        return (self.allowed, self.call.args is None, tuple(map(token, self.terms)))


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

"""What is expected of a value: to be equal, to satisfy a matcher, or not to be there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from passhat.errors import UsageError
from passhat.state.changes import value_text
from passhat.state.equality import refuse_cycles
from passhat.state.paths import Record
from passhat.state.patterns import Patterns, States
from passhat.state.rowkeys import all_mappings, is_table
from passhat.values import ABSENT, Matcher, matcher

_MATCH, _VALUE = "$match", "$value"


@dataclass(frozen=True, eq=False, slots=True)
class Wanted:
    """A value that is judged by a matcher instead of being equal.

    Args:
        text: The matcher as it was written.
        matcher: Decides; None wants nothing to be there.
        value: The expected value; `ABSENT` where the matcher brings its own.
    """

    text: str
    matcher: Matcher | None
    value: Any = ABSENT

    def accepts(self, actual: Any) -> bool:
        """Whether a value is as wanted; `ABSENT` stands for what is not there."""
        if self.matcher is None or actual is ABSENT:
            return self.matcher is None and actual is ABSENT
        return self.matcher(actual, self.value)

    def __str__(self) -> str:
        return self.text if self.value is ABSENT else f"{self.text} {value_text(self.value)}"


def wanted_tree(expected: Any, matches: Mapping[str, Any] | None = None) -> Any:
    """The expected state with a `Wanted` wherever something else than equality is asked for.

    That is where a file writes `{$match: {number: {abs: 0.01}}, $value: 12.5}` (or `{$match:
    absent}`), where Python gives a callable `(actual, expected)`, and in the places of `matches`.

    Args:
        expected: The expected state, which stays as it is.
        matches: Paths with the matcher for what is expected there.

    Raises:
        UsageError: A matcher is none, or one that needs an expected value has none.
        InputError: A part of the expected state lies in itself.

    >>> tree = wanted_tree({"refunds": {"A1": {"amount": 12, "at": {"$match": "any"}}}},
    ...                    {"refunds.*.amount": {"number": {"abs": 0.5}}})
    >>> tree["refunds"]["A1"]["amount"].accepts(12.3), tree["refunds"]["A1"]["at"].accepts("now")
    (True, True)
    """
    if not matches and _is_plain(expected):
        return expected
    refuse_cycles(expected, "the expected state")
    patterns = Patterns(tuple((matches or {}).items()))
    root: list[Any] = [None]
    todo: list[tuple[Any, Any, Any, States, int]] = [(root, 0, expected, patterns.start, 0)]
    while todo:
        owner, key, item, states, depth = todo.pop()
        at = patterns.at(states)
        if _is_tagged(item):
            owner[key] = _wanted(item[_MATCH], item.get(_VALUE, ABSENT))
        elif at:
            owner[key] = _wanted(at[0], item)
        elif isinstance(item, Mapping):
            owner[key] = dict.fromkeys(item)
            records = depth == 1 and all_mappings(item.values())
            for name, part in item.items():
                below = patterns.after(states, Record((name,)) if records else name)
                todo.append((owner[key], name, part, below, depth + 1))
        elif isinstance(item, list | tuple):
            owner[key] = [None] * len(item)
            records = depth <= 1 and is_table(item)
            for index, part in enumerate(item):
                below = patterns.after(states, Record(at=index) if records else index)
                todo.append((owner[key], index, part, below, depth + 1))
        else:
            owner[key] = _wanted(item, ABSENT) if callable(item) else item
    return root[0]


def _is_plain(expected: Any) -> bool:
    """Whether there is nothing but JSON in it, and no tag."""
    try:
        return b'"$match"' not in msgspec.json.encode(expected)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False


def check_matchers(matches: Mapping[str, Any]) -> None:
    """Makes sure that paths are paths, and matchers matchers.

    Raises:
        UsageError: One is not.
    """
    for spec in Patterns(tuple(matches.items())).entries:
        _wanted(spec[1], None)


def _is_tagged(item: Any) -> bool:
    return isinstance(item, Mapping) and _MATCH in item and item.keys() <= {_MATCH, _VALUE}


def _wanted(spec: Any, value: Any) -> Wanted:
    text = spec if isinstance(spec, str) else value_text(spec)
    if spec == "absent":
        return Wanted("nothing", None)
    made = matcher(spec)
    if value is ABSENT and getattr(made, "needs_expected", False):
        raise UsageError(f"the matcher {text} needs a value to compare with: add {_VALUE}")
    return Wanted(text, made, value)

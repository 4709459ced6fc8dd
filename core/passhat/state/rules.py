"""How a final state compares: what is ignored, what may change, and whether it is the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from passhat.errors import UsageError
from passhat.state.changes import Change, StateDiff
from passhat.state.comparing import KeySpec, diff, keys_of_nothing, patterns_of
from passhat.state.equality import CONTAINERS, MOST_LEVELS, Sameness, Tolerance
from passhat.state.items import LIST_MODES, ListMode
from passhat.state.paths import Record
from passhat.state.patterns import Patterns, States, listed
from passhat.state.rowkeys import all_mappings, is_table
from passhat.state.wanted import check_matchers
from passhat.wording import nearest_or_all


@dataclass(frozen=True)
class StateRules:
    """How a final state compares: the `state` of a case.

    Args:
        ignore: Paths that are passed over.
        allow: Paths that may change without being asked for.
        exact: Whether the state must be as expected as a whole.
        match: Paths with the matcher for what is expected there.
        keys: The keys of tables, as `diff` takes them.
        tolerance: How far numbers may be apart, as `diff` takes it.
        lists: How lists compare, as `diff` takes it.
    """

    ignore: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    exact: bool = False
    match: Mapping[str, Any] = field(default_factory=dict)
    keys: KeySpec | None = None
    tolerance: float | Mapping[str, float] | None = None
    lists: ListMode = "align"

    @classmethod
    def of(cls, *given: Mapping[str, Any] | None) -> StateRules:
        """The rules that mappings write; what a later one says holds, and paths add up.

        Raises:
            UsageError: A key is none, or has a value that it cannot have.

        >>> StateRules.of({"ignore": ["*.at"]}, {"ignore": ["*.by"], "exact": True}).ignore
        ('*.at', '*.by')
        """
        stated: dict[str, Any] = {}
        names = [item.name for item in fields(cls)]
        for mapping in given:
            for name, value in (mapping or {}).items():
                if name not in names:
                    raise UsageError(f"state has no {name!r}, {nearest_or_all(name, names)}")
                if name in ("ignore", "allow"):
                    value = (*stated.get(name, ()), *listed(value))
                stated[name] = value
        if not isinstance(stated.get("exact", False), bool):
            raise UsageError(f"state: exact is true or false, not {stated['exact']!r}")
        if stated.get("lists", "align") not in LIST_MODES:
            raise UsageError(f"state: lists is {', '.join(LIST_MODES)}, not {stated['lists']!r}")
        if not isinstance(stated.get("match", {}), Mapping):
            raise UsageError("state: match is {path: matcher}")
        rules = cls(**stated)
        Patterns.of(rules.allow)
        patterns_of(rules.ignore, rules.keys)
        Tolerance.of(rules.tolerance)
        check_matchers(rules.match)
        return rules

    @property
    def sameness(self) -> Sameness:
        """When two values are the same under these rules."""
        patterns = patterns_of(self.ignore, self.keys)
        return Sameness(patterns, Tolerance.of(self.tolerance), self.lists == "set")

    @property
    def allows_all(self) -> bool:
        """Whether everything may change without being asked for."""
        return Patterns.of(self.allow).cover(("\0",))

    def passes_over(self, state: Any) -> bool:
        """Whether all that a state holds is ignored; of one that holds nothing there is nothing to.

        >>> rules = StateRules(ignore=("orders", "*.at"))
        >>> rules.passes_over({"orders": [{"id": 1}]}), rules.passes_over({"refunds": [{"id": 1}]})
        (True, False)
        """
        if not self.ignore:
            return False  # Large states are not gone through for nothing.
        sameness = self.sameness
        after = sameness.patterns.after
        todo: list[tuple[Any, States, int]] = [(state, sameness.patterns.start, 0)]
        while todo:
            item, states, depth = todo.pop()
            if sameness.ignored(states):
                continue
            if not item or not isinstance(item, CONTAINERS) or depth > MOST_LEVELS:
                return False
            if isinstance(item, Mapping):
                records = depth == 1 and all_mappings(item.values())
                entries: Iterable[tuple[Any, Any]] = item.items()
            else:
                records = depth <= 1 and is_table(item)
                entries = enumerate(item)
            for step, inner in entries:
                below = after(states, Record((step,)) if records else step)
                todo.append((inner, below, depth + 1))
        return True

    def notes(self, before: Any, after: Any) -> list[str]:
        """What of the rules leads nowhere in either state, a sentence each."""
        return keys_of_nothing(self.keys, before, after)

    def diff(self, before: Any, after: Any) -> StateDiff:
        """What differs between two states under these rules, what may change included."""
        return diff(
            before,
            after,
            ignore=self.ignore,
            keys=self.keys,
            tolerance=self.tolerance,
            lists=self.lists,
        )

    def changes(self, before: Any, after: Any) -> tuple[Change, ...]:
        """What differs between two states under these rules, and may not."""
        found = self.diff(before, after)
        return found.without(self.allow).changes if self.allow else found.changes

"""The deeds of a trace, indexed so that a claim is judged without looking at all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from passhat.case import Case
from passhat.checks.deed_words import READERS
from passhat.checks.deeds import Deed
from passhat.checks.naming import Shapes, alike, ids_of, stems
from passhat.checks.reading import tool_catalogue
from passhat.checks.reported import Reported
from passhat.checks.tool_kinds import can_do, further_verbs, is_writing, only_hands_on, tool_verb
from passhat.checks.tool_words import ToolWords
from passhat.provenance.identifiers import name_parts, shape
from passhat.trace import Message, ToolCall, Trace

_MOST_FAILURES = 10


@dataclass
class Deeds:
    """The deeds of a trace, indexed so that a claim is judged without looking at all of them.

    Attributes:
        trace: What happened.
        case: What was expected.
        words: How the suite says that claims of its tools sound.
        done: The calls that changed something, or may have: those without a recorded answer too.
        failed: Those that failed or never ran.
        ids: The identifiers in the arguments of all calls, with the names they stood under.
    """

    trace: Trace
    case: Case
    words: Mapping[str, ToolWords] = field(default_factory=dict)
    done: list[Deed] = field(default_factory=list)
    failed: list[Deed] = field(default_factory=list)
    ids: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._nouns: dict[str, set[str]] = {}
        self._shapes: dict[frozenset[str], Shapes] = {}
        self._able: dict[str, frozenset[str]] = {}
        self._lone: dict[tuple[str, str], int] = {}
        self._second: dict[tuple[frozenset[str], frozenset[str], int], int] = {}
        index = -1
        hosts = {step.parent for step in self.trace.steps if type(step) is ToolCall}
        for step, call in enumerate(self.trace.steps):
            if type(call) is not ToolCall:
                continue
            index += 1
            ids = ids_of(call.args)
            for arg, values in ids.items():
                for value in values:
                    self.ids.setdefault(value, set()).add(arg)
            handed = (
                call.id is not None and call.id in hosts and only_hands_on(call.name, self.case)
            )
            if self._may_write(call.name) and not handed:
                deed = Deed(index, step, call, ids)
                (self.failed if deed.undone else self.done).append(deed)

    def _may_write(self, name: str) -> bool:
        """Whether a tool may change something: `writes` and its verb do not both say that it reads."""
        if is_writing(name, self.case) or name in self.words:
            return True
        return tool_verb(name) not in READERS

    # What there is

    @cached_property
    def catalogue(self) -> Mapping[str, object]:
        """The tools there are, with their schemas."""
        return tool_catalogue(self.trace, self.case)

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools that change something, called or not."""
        names = {deed.call.name for deed in (*self.done, *self.failed)}
        names |= {name for name in self.catalogue if is_writing(name, self.case)}
        return frozenset(names | set(self.case.writes or ()))

    @cached_property
    def further(self) -> dict[str, str]:
        """The verbs of the tools' own names, by participle."""
        names = {*self.catalogue, *self.tools}
        return further_verbs(sorted(name for name in names if self._may_write(name)))

    def able(self, deed: str) -> frozenset[str]:
        """The tools that do a kind of deed."""
        if deed not in self._able:
            self._able[deed] = frozenset(
                name for name in self.tools if can_do(name, self.catalogue.get(name), deed)
            )
        return self._able[deed]

    def nouns(self, name: str) -> set[str]:
        """The beginnings of the nouns in the name and the arguments of a tool."""
        if name not in self._nouns:
            schema = self.catalogue.get(name)
            properties = schema.get("properties") if isinstance(schema, Mapping) else None
            args: dict[Any, None] = dict.fromkeys(
                properties if isinstance(properties, Mapping) else ()
            )
            for deed in (*self._by_tool.get(name, ()), *self._failed_by_tool.get(name, ())):
                args.update(dict.fromkeys(deed.call.args))
            parts = [part for part in name_parts(name) if part != tool_verb(name)]
            self._nouns[name] = stems(
                parts + [part for arg in args for part in name_parts(str(arg))]
            )
        return self._nouns[name]

    def acts_on(self, words: Iterable[str]) -> bool:
        """Whether one of the words is a noun of a tool that changes something."""
        spoken = stems(words)
        return any(alike(self.nouns(name), spoken) for name in self.tools)

    # What was done before a step

    @cached_property
    def _by_tool(self) -> dict[str, list[Deed]]:
        return _by_name(self.done)

    @cached_property
    def _failed_by_tool(self) -> dict[str, list[Deed]]:
        return _by_name(self.failed)

    @cached_property
    def _by_value(self) -> dict[str, list[Deed]]:
        found: dict[str, list[Deed]] = {}
        for deed in self.done:
            for value in deed.words.union(*deed.ids.values()):
                found.setdefault(value, []).append(deed)
        return found

    @cached_property
    def _done_steps(self) -> list[int]:
        return [deed.step for deed in self.done]

    def did(self, tools: Iterable[str], until: int) -> bool:
        """Whether a call of one of the tools was made before a step, and succeeded."""
        by_tool = self._by_tool
        return any(name in by_tool and by_tool[name][0].step < until for name in tools)

    def latest(self, tools: Iterable[str], until: int, *, failed: bool = False) -> int:
        """The step of the latest call of one of the tools before a step; -1 where there is none."""
        by_tool = self._failed_by_tool if failed else self._by_tool
        found = -1
        for deeds in (by_tool.get(name, []) for name in tools):
            at = bisect_left(deeds, until, key=_step)
            found = max(found, deeds[at - 1].step if at else -1)
        return found

    def failures(self, tools: Iterable[str], after: int, until: int) -> list[Deed]:
        """The failed calls of the tools after a step and before another; a few of each."""
        found: list[Deed] = []
        for deeds in (self._failed_by_tool.get(name, []) for name in tools):
            end = bisect_left(deeds, until, key=_step)
            found += deeds[max(bisect_right(deeds, after, key=_step), end - _MOST_FAILURES) : end]
        return found

    def between(self, after: int, until: int) -> list[Deed]:
        """What was done after a step and before another."""
        start = bisect_right(self._done_steps, after)
        return self.done[start : bisect_left(self._done_steps, until)]

    def of_tools(self, tools: Iterable[str], until: int, most: int) -> list[Deed]:
        """The latest of what was done by the tools before a step, in order; only so many of each."""
        found: list[Deed] = []
        for deeds in (self._by_tool.get(name, []) for name in tools):
            end = bisect_left(deeds, until, key=_step)
            found += deeds[max(0, end - most) : end]
        return sorted(found, key=_step)

    def concerning(self, value: str, tools: Iterable[str] | None, until: int) -> Iterator[Deed]:
        """What was done to a thing before a step, by one of the tools or by any, in order."""
        for deed in self._by_value.get(value, ()):
            if deed.step >= until:
                return
            if tools is None or deed.call.name in tools:
                yield deed

    def kinds(self, tools: Iterable[str], until: int, *, failed: bool = False) -> set[str]:
        """The arguments that name what calls of the tools before a step acted on: the first id of each."""
        firsts = self._failed_firsts if failed else self._firsts
        return {arg for name in tools for arg, step in firsts.get(name, {}).items() if step < until}

    @cached_property
    def _firsts(self) -> dict[str, dict[str, int]]:
        return _first_ids(self.done)

    @cached_property
    def _failed_firsts(self) -> dict[str, dict[str, int]]:
        return _first_ids(self.failed)

    def lone(self, kind: str, tools: Iterable[str], until: int) -> bool:
        """Whether all calls of the tools before a step take one thing of a kind, not a list of them."""
        return all(self._not_lone(name, kind) >= until for name in tools)

    def _not_lone(self, name: str, kind: str) -> int:
        """The step of the first call of a tool that does not take one thing of a kind."""
        found = self._lone.get((name, kind))
        if found is None:
            others = (
                deed.step
                for deed in self._by_tool.get(name, ())
                if not isinstance(deed.call.args.get(kind), str | int)
            )
            found = self._lone[name, kind] = next(others, len(self.trace.steps) + 1)
        return found

    def several(
        self, tools: frozenset[str], kinds: set[str], until: int, *, least: int = 2
    ) -> bool:
        """Whether calls of the tools before a step acted on so many things of these kinds."""
        key = (tools, frozenset(kinds), least)
        if key not in self._second:
            self._second[key] = self._later_thing(*key)
        return self._second[key] < until

    def _later_thing(self, tools: frozenset[str], kinds: frozenset[str], least: int) -> int:
        """The step of the first call of the tools by which they had acted on so many things."""
        found: set[str] = set()
        for deed in (deed for deed in self.done if deed.call.name in tools):
            found.update(value for kind in kinds for value in deed.ids.get(kind, ()))
            if len(found) >= least:
                return deed.step
        return len(self.trace.steps) + 1

    def shapes(self, kinds: set[str]) -> Shapes:
        """The shapes and the lengths of the identifiers that stood under these names."""
        key = frozenset(kinds)
        if key not in self._shapes:
            known = [value for value, args in self.ids.items() if args & kinds]
            self._shapes[key] = ({shape(value) for value in known}, {len(value) for value in known})
        return self._shapes[key]

    @cached_property
    def all_kinds(self) -> set[str]:
        """The names that any identifier stood under."""
        return {arg for args in self.ids.values() for arg in args}

    @cached_property
    def reported(self) -> Reported:
        """What the results of the calls that change nothing, and the state, say of how things are."""
        return Reported(self.trace, frozenset(deed.call.name for deed in self.done))

    # Where a claim stands

    @cached_property
    def _turns(self) -> list[int]:
        return [
            at
            for at, step in enumerate(self.trace.steps)
            if type(step) is Message and step.role == "user"
        ]

    def turn_start(self, step: int) -> int:
        """The step of the last words of the user before a step; 0 where there are none."""
        at = bisect_left(self._turns, step)
        return self._turns[at - 1] if at else 0

    def until(self, step: int) -> int:
        """The step before which calls count for what is said at a step: those of its own request do."""
        steps = self.trace.steps
        message = steps[step]
        request = message.request if isinstance(message, Message) else None
        end = step
        if request is not None:
            for at in range(step + 1, len(steps)):
                other = getattr(steps[at], "request", None)
                if other == request:
                    end = at + 1
                elif other is not None or isinstance(steps[at], Message):
                    break
        return max(end, step)


def _step(deed: Deed) -> int:
    return deed.step


def _by_name(deeds: list[Deed]) -> dict[str, list[Deed]]:
    found: dict[str, list[Deed]] = {}
    for deed in deeds:
        found.setdefault(deed.call.name, []).append(deed)
    return found


def _first_ids(deeds: list[Deed]) -> dict[str, dict[str, int]]:
    """By tool, the arguments that hold the first identifier of a call, with the first step of one."""
    found: dict[str, dict[str, int]] = {}
    for deed in deeds:
        for arg in list(deed.ids)[:1]:
            found.setdefault(deed.call.name, {}).setdefault(arg, deed.step)
    return found

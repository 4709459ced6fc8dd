"""How a call of a trial's tools goes: checked, allowed, struck by a fault, answered and logged."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from msgspec import UNSET

from passhat.case import Case
from passhat.surroundings import Fault, approvals_of, faults_of
from passhat.surroundings.faults import RAISING
from passhat.trace.builder import copied
from passhat.trials.answers import plain, read_args, told
from passhat.trials.callkeys import call_key
from passhat.trials.cassettes import Cassette
from passhat.trials.heldworld import Act, HeldWorld, Need, Wait
from passhat.trials.injecting import SLOW, Injector, spoilt
from passhat.trials.logbook import CallRecord, Logbook
from passhat.trials.mocks import MockError
from passhat.trials.raised import (
    DeclinedError,
    NotRecordedError,
    ToolError,
    UnknownToolError,
    ValidationError,
    raised_by,
)
from passhat.trials.tooling import Tool

_SHOWN = 300


class Calling:
    """Plays calls of the tools of one trial, for callers that wait and for those that await."""

    def __init__(
        self,
        tools: Mapping[str, Tool],
        world: HeldWorld,
        case: Case,
        log: Logbook,
        *,
        seed: int,
        cassette: Cassette | None,
        strict: bool,
        validate: bool,
    ) -> None:
        self._tools = tools
        self._world = world
        self._log = log
        self._player = cassette.player() if cassette is not None else None
        self._strict = strict
        self._validate = validate
        self._injector = Injector(faults_of(case.faults), seed)
        self._approvals = approvals_of(case.approvals)
        self._counted: Counter[str] = Counter()
        self._counting = threading.Lock()
        self._answers: dict[bytes, Any] = {}

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that may strike."""
        return self._injector.faults

    def play(self, name: str, given: Mapping[str, Any] | str | None) -> Generator[Need, Any, Any]:
        """What a tool answers, step by step: whoever plays it meets what it needs, or throws.

        Args:
            name: The tool.
            given: The arguments, as a mapping or as the JSON text a model wrote.

        Raises:
            UnknownToolError: There is no such tool.
            ValidationError: The arguments do not fit its schema.
            DeclinedError: The case's approvals do not allow the call.
            Exception: What the tool raises, or a fault.
        """
        args, unread = read_args(given)
        record = self._log.begin(name, plain(args), self._world.outer())
        try:
            yield Wait(0)
            if unread is not None:
                raise ValidationError(f"the arguments are no JSON object: {unread!r:.300}")
            tool = self._tools.get(name)
            if tool is None:
                raise UnknownToolError(unknown_tool(name, self._tools))
            if self._validate and (faults := tool.faults(record.args)):
                raise ValidationError(f"invalid arguments of {name}: {'; '.join(faults[:5])}")
            allowed = self._allowed(name, args, record)
            result = yield from self._answered(tool, allowed, record)
            record.result = plain(result)
            return result
        except Exception as error:
            record.error = told(error)
            raise
        finally:
            self._log.end(record)

    def _allowed(self, name: str, args: dict[str, Any], record: CallRecord) -> dict[str, Any]:
        """The arguments that a call may run with, by the case's approvals."""
        if not self._approvals:
            return args
        with self._counting:
            self._counted[name] += 1
            number = self._counted[name]
        approval = next((a for a in self._approvals if a.answers(name, args, number)), None)
        if approval is None:
            return args
        record.approval = approval
        if approval.decision == "decline":
            why = f": {approval.message}" if approval.message else ""
            raise DeclinedError(f"the user declined the call of {name}{why}")
        if approval.decision == "edit":
            record.ran_with = {**args, **copied(approval.args or {})}
            return dict(record.ran_with)
        return args

    def _answered(
        self, tool: Tool, args: dict[str, Any], record: CallRecord
    ) -> Generator[Need, Any, Any]:
        strike = self._injector.strike(tool.name, record.args)
        if strike is None:
            return (yield from self._right(tool, args, record))
        record.strike = strike
        fault = strike.fault
        if fault.kind in RAISING:
            if fault.applied:
                yield from self._right(tool, args, record)
            if fault.seconds:
                yield Wait(fault.seconds)
            record.executed = True
            raise raised_by(fault)
        if fault.kind == "slow":
            yield Wait(SLOW if fault.seconds is None else fault.seconds)
            return (yield from self._right(tool, args, record))
        right = yield from self._right(tool, args, record)
        if fault.kind == "stale" and fault.answer is UNSET:
            return (yield from self._stale(tool, args, right))
        answer, record.planted = spoilt(plain(right), fault)
        return answer

    def _right(
        self, tool: Tool, args: dict[str, Any], record: CallRecord
    ) -> Generator[Need, Any, Any]:
        """What the tool answers as it should: from the cassette, else by its function."""
        if self._player is not None:
            take = self._player.answer(tool.name, plain(args))
            if take is not None:
                record.source, record.executed = "cassette", True
                if take.error is not None:
                    raise MockError(take.error)
                return copied(take.result)
            if self._strict or tool.function is None:
                near = self._player.nearest(tool.name, plain(args))
                hint = "" if near is None else f"; the nearest was {near!r:.{_SHOWN}}"
                said = f"no answer of {tool.name} was recorded for {args!r:.{_SHOWN}}{hint}"
                self._log.gap(f"results: {said}")
                raise NotRecordedError(said)
        if tool.function is None:
            raise ToolError(f"{tool.name} has no answer here: give it a function or mock_tools")
        record.source, record.executed = "function", True
        return (yield Act(self._bound(tool, args, self._world.state), record))

    def _stale(self, tool: Tool, args: dict[str, Any], right: Any) -> Generator[Need, Any, Any]:
        """What the tool would have answered at the beginning, else at its first such call."""
        before = self._world.initial_value() if tool.takes_state else None
        if before is not None:
            try:
                return (yield Act(self._bound(tool, args, before.state), None))
            except Exception:  # Then there was nothing yet of what it tells of now.
                return None
        key = call_key(tool.name, plain(args))
        return copied(self._answers.setdefault(key, plain(right)))

    def _bound(self, tool: Tool, args: dict[str, Any], state: Any) -> Callable[[], Any]:
        function = tool.function
        assert function is not None
        own = copied(args)  # A tool may keep them, and change what it kept.
        return (lambda: function(state, **own)) if tool.takes_state else (lambda: function(**own))


def unknown_tool(name: str, tools: Iterable[str]) -> str:
    """What is said where there is no such tool.

    >>> unknown_tool("lookup", ["look_up"])
    "there is no tool 'lookup'; did you mean look_up? There are look_up"
    """
    names = list(tools)
    near = get_close_matches(name, names, 1)
    known = ", ".join(names) or "none"
    hint = f"did you mean {near[0]}? There are {known}" if near else f"there are {known}"
    return f"there is no tool {name!r}; {hint}"

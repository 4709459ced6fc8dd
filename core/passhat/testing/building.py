"""Traces in a few words: `trace_of(user("Where is A1?"), call("lookup", id="A1").returns(...), ...)`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from msgspec import UNSET, UnsetType

from passhat.errors import UsageError
from passhat.trace import NodeVisit, StateUpdate, ToolCall, Trace, TraceBuilder
from passhat.trace.steps import Role


@dataclass(frozen=True)
class Said:
    """Something said; see `user`, `system` and `says`."""

    role: Role
    text: str
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Called:
    """A call, and what comes of it; see `call`."""

    name: str
    args: dict[str, Any]
    raw: str | None = None
    id: str | None = None
    gave: Any | UnsetType = UNSET
    error: str | None = None
    within: tuple[Part, ...] = ()

    def returns(self, value: Any) -> Called:
        """The call, returning a value before the next request."""
        return replace(self, gave=value)

    def fails(self, error: str) -> Called:
        """The call, failing with an error before the next request."""
        return replace(self, error=error)

    def unparsable(self, raw: str) -> Called:
        """The call with arguments that are no JSON object."""
        return replace(self, args={}, raw=raw)

    def known_as(self, id: str) -> Called:
        """The call with an id of its own; else calls are `c1`, `c2`, ... in order."""
        return replace(self, id=id)

    def inside(self, *parts: Part) -> Called:
        """The call with what another agent did inside it, before it came back."""
        return replace(self, within=parts)


@dataclass(frozen=True)
class Asked:
    """Calls that one request asks for together; see `calls`."""

    calls: tuple[Called, ...]
    text: str = ""


@dataclass(frozen=True)
class Returned:
    """A result that comes later than its request; see `result`."""

    value: Any
    error: str | None = None
    of: str | None = None


@dataclass(frozen=True)
class Paused:
    """A pause for somebody outside; see `interrupt`."""

    value: Any = None
    id: str | None = None


@dataclass(frozen=True)
class Answered:
    """The answer to a pause; see `answered`."""

    answer: Any


Part: TypeAlias = Said | Called | Asked | Returned | Paused | Answered | StateUpdate | NodeVisit


def user(text: str, **fields: Any) -> Said:
    """What the user says; `fields` are those of `Message`."""
    return Said("user", text, fields)


def system(text: str, **fields: Any) -> Said:
    """What the system says."""
    return Said("system", text, fields)


def says(text: str, **fields: Any) -> Said:
    """What the agent says, as a request of its own."""
    return Said("assistant", text, fields)


def call(name: str, /, **args: Any) -> Called:
    """A call of a tool with its arguments; alone among the parts it is a request of its own.

    >>> call("lookup", id="A1").returns({"status": "shipped"}).gave
    {'status': 'shipped'}
    """
    return Called(name, args)


def calls(*asked: Called, text: str = "") -> Asked:
    """Calls that one request asks for together, with what the agent says to them."""
    return Asked(asked, text)


def result(value: Any = None, *, error: str | None = None, of: str | None = None) -> Returned:
    """A result that comes after something else happened.

    Args:
        value: What the call returned.
        error: Why it failed, instead.
        of: The tool it is of; by default the call that waits longest of the last request.
    """
    return Returned(UNSET if error is not None else value, error, of)


def interrupt(value: Any = None, *, id: str | None = None) -> Paused:
    """A pause for somebody outside, on which the calls of the last request wait."""
    return Paused(value, id)


def answered(answer: Any) -> Answered:
    """The answer to the pause."""
    return Answered(answer)


def trace_of(*parts: Part, id: str = "trace", source: str = "", **fields: Any) -> Trace:
    """The trace of a conversation, part by part.

    Args:
        *parts: What happened: `user`, `system`, `says`, `call`, `calls`, `result`, `interrupt`,
            `answered`, and `StateUpdate` and `NodeVisit` as they are.
        id: The trace's id.
        source: Where it was recorded.
        **fields: The other fields of `Trace`.

    Raises:
        UsageError: A result or an answer belongs to nothing that came before it.

    >>> trace = trace_of(
    ...     user("Where is order A1?"),
    ...     calls(call("lookup", id="A1").returns("shipped"), call("weather").fails("no service")),
    ...     says("It has shipped."),
    ... )
    >>> [(call.name, call.result, call.error, call.answered) for call in trace.calls]
    [('lookup', 'shipped', None, 1), ('weather', UNSET, 'no service', 1)]
    """
    writer = _Writer(TraceBuilder(id, source))
    for part in parts:
        writer.add(part)
    return writer.build.trace(**fields)


@dataclass
class _Writer:
    build: TraceBuilder
    number: int = 0

    def add(self, part: Part, parent: str | None = None) -> None:
        match part:
            case Said("assistant", text, fields):
                self.build.assistant(text, **fields)
            case Said("user", text, fields):
                self.build.user(text, **fields)
            case Said(_, text, fields):
                self.build.system(text, **fields)
            case Called():
                self._ask((part,), "", parent)
            case Asked(asked, text):
                self._ask(asked, text, parent)
            case Returned(value, error, of):
                self._need(self.build.result(value, name=of, error=error), "a result of no call")
            case Paused(value, id):
                self.build.interrupt(value, id=id, pending=self._waiting())
            case Answered(answer):
                self._need(self.build.resume(answer), "an answer to no interrupt")
            case StateUpdate() | NodeVisit():
                self.build.steps.append(part)

    def _ask(self, asked: tuple[Called, ...], text: str, parent: str | None) -> None:
        self.build.assistant(text)
        given: list[tuple[str, Called]] = []
        for one in asked:
            self.number += 1
            call_id = one.id or f"c{self.number}"
            self.build.call(
                ToolCall(one.name, one.args, args_error=one.raw, id=call_id, parent=parent)
            )
            given.append((call_id, one))
        for call_id, one in given:
            for part in one.within:
                self.add(part, parent=call_id)
            if one.error is not None or one.gave is not UNSET:
                self.build.result(one.gave, call_id=call_id, error=one.error)

    def _waiting(self) -> tuple[str, ...]:
        request = self.build.request
        return tuple(
            step.id
            for step in self.build.steps
            if isinstance(step, ToolCall)
            and step.request == request
            and step.answered is None
            and step.id is not None
        )

    def _need(self, found: bool, what: str) -> None:
        if not found:
            raise UsageError(f"trace_of: {what} that came before it")

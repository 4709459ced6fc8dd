"""Builds a trace step by step, copying what it takes and numbering turns and requests."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from passhat.trace.model import Outcome, Trace
from passhat.trace.open_calls import OpenCalls
from passhat.trace.steps import Interrupt, Message, NodeVisit, StateUpdate, Step, ToolCall, Usage


@dataclass
class TraceBuilder:
    """Builds a `Trace`: the one place where turns, requests and results are put together.

    Everything given is copied, so the trace shares no mutable object with where it came from. A
    turn begins with a user message that follows something the agent did; a request begins with
    each assistant message.

    Args:
        id: The trace's id.
        source: Where it was recorded.
        fresh: True where everything given was made for this trace alone, so that nothing need be
            copied.

    >>> build = TraceBuilder("t1", source="openai")
    >>> build.user("Where is order A1?")
    >>> build.assistant(calls=[ToolCall("lookup", {"id": "A1"}, id="c1")])
    >>> build.result({"status": "shipped"}, call_id="c1")
    True
    >>> build.assistant("It has shipped.")
    >>> trace = build.trace()
    >>> trace.calls[0].result, trace.calls[0].answered, trace.final_response
    ({'status': 'shipped'}, 1, 'It has shipped.')
    """

    id: str
    source: str = ""
    fresh: bool = False
    steps: list[Step] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    extensions: dict[str, Any] = field(default_factory=dict)
    turn: int = 0
    request: int = -1
    _asked: bool = False
    _acted: bool = False
    _open: OpenCalls = field(default_factory=OpenCalls)

    def system(self, text: str, **fields: Any) -> None:
        """Adds a system message."""
        self.steps.append(Message("system", text, turn=self.turn, **self._taken(fields)))

    def user(self, text: str, **fields: Any) -> None:
        """Adds a user message, which opens a turn if the agent has acted since the last one."""
        if self._asked and self._acted:
            self.turn += 1
        self._asked, self._acted = True, False
        if not self.fresh:
            fields = self._taken(fields)
        self.steps.append(Message("user", text, turn=self.turn, **fields))

    def assistant(
        self, text: str = "", calls: list[ToolCall] | tuple[ToolCall, ...] = (), **fields: Any
    ) -> None:
        """Adds one answer of a model and the calls it asks for, as a request of its own."""
        self.request += 1
        self._acted = True
        if not self.fresh:
            fields = self._taken(fields)
        self.steps.append(
            Message("assistant", text, turn=self.turn, request=self.request, **fields)
        )
        for call in calls:
            self.call(call)

    def call(self, call: ToolCall, **fields: Any) -> None:
        """Adds a call of the current request (the first one, where no message came before).

        Args:
            call: The call.
            **fields: Fields of it that stand elsewhere, instead of its own.
        """
        if self.request < 0:
            self.request = 0
        self._acted = True
        if not self.fresh:
            own = {"args": call.args, "result": call.result, "extensions": call.extensions}
            fields = self._taken({**own, **fields})
        placed = replace(call, turn=self.turn, request=self.request, **fields)
        if placed.result is UNSET and placed.error is None:
            self._open.add(len(self.steps), placed)
        elif placed.answered is None:
            placed = replace(placed, answered=self.request + 1)
        self.steps.append(placed)

    def result(
        self,
        result: Any | UnsetType,
        *,
        call_id: str | None = None,
        name: str | None = None,
        error: str | None = None,
        executed: bool | None = True,
        started: float | None = None,
        ended: float | None = None,
        extensions: dict[str, Any] | None = None,
    ) -> bool:
        """Joins a result to the call it answers, and says whether there was one.

        The call is an open one with that id; without an id, one of that name (or any, where the
        result names none). Among several it is the first of the latest request that has one.
        """
        at = self._open.take(call_id, name)
        if at is None:
            return False
        call = self.steps[at]
        assert isinstance(call, ToolCall)
        self.steps[at] = replace(
            call,
            result=self._own(result),
            error=error,
            executed=executed,
            answered=self.request + 1,
            started=started if started is not None else call.started,
            ended=ended if ended is not None else call.ended,
            extensions={**call.extensions, **self._own(extensions or {})},
        )
        return True

    def declined(self, call_id: str) -> bool:
        """Says of a call that waits that it was not allowed to run; says whether there was one.

        It goes on waiting, since some frameworks still answer it with a note for the model.
        """
        at = self._open.take(call_id, None)
        if at is None:
            return False
        call = self.steps[at]
        assert isinstance(call, ToolCall)
        self.steps[at] = call = replace(call, executed=False)
        self._open.add(at, call)
        return True

    def state_update(self, delta: dict[str, Any], **fields: Any) -> None:
        """Adds a change to the state."""
        self.steps.append(StateUpdate(self._own(delta), turn=self.turn, **self._taken(fields)))

    def node_visit(self, node: str, **fields: Any) -> None:
        """Adds a visit of a graph's node."""
        self.steps.append(NodeVisit(node, turn=self.turn, **self._taken(fields)))

    def interrupt(self, value: Any = None, **fields: Any) -> None:
        """Adds a pause for somebody outside."""
        self.steps.append(Interrupt(value=self._own(value), turn=self.turn, **self._taken(fields)))

    def resume(self, answer: Any, *, id: str | None = None) -> bool:
        """Answers the earliest open interrupt (of that id, where given); says whether there was one."""
        for at, step in enumerate(self.steps):
            if isinstance(step, Interrupt) and not step.resolved and id in (None, step.id):
                self.steps[at] = replace(step, answer=self._own(answer), resolved=True)
                return True
        return False

    def gap(self, sentence: str) -> None:
        """Says what could not be recovered."""
        if sentence not in self.gaps:
            self.gaps.append(sentence)

    def trace(self, *, outcome: Outcome | None = None, **fields: Any) -> Trace:
        """The trace of all that was added.

        Args:
            outcome: How the run ended; by default `interrupted` while an interrupt is open, else
                `completed`.
            **fields: The other fields of `Trace`.
        """
        waiting = [step for step in self.steps if type(step) is Interrupt and not step.resolved]
        extensions = {**self.extensions, **fields.pop("extensions", {})}
        return Trace(
            self.id,
            source=self.source,
            steps=tuple(self.steps),
            outcome=outcome or ("interrupted" if waiting else "completed"),
            gaps=(*self.gaps, *fields.pop("gaps", ())),
            extensions=self._own(extensions),
            **self._taken(fields),
        )

    def _own(self, value: Any) -> Any:
        return value if self.fresh else copied(value)

    def _taken(self, fields: dict[str, Any]) -> dict[str, Any]:
        return fields if self.fresh else {name: copied(item) for name, item in fields.items()}


_LEAVES = frozenset({str, int, float, bool, type(None), UnsetType, Usage})


def copied(value: Any, other: Callable[[Any], Any] = deepcopy) -> Any:
    """A copy of a JSON value that shares nothing mutable with it; deep nesting is no matter.

    Args:
        value: The value.
        other: Copies what is no part of JSON.
    """
    if type(value) in _LEAVES:
        return value
    root = [value]
    made: dict[int, Any] = {}
    todo: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    while todo:
        owner, key, item = todo.pop()
        if id(item) in made:
            owner[key] = made[id(item)]
        elif type(item) is dict:
            owner[key] = made[id(item)] = twin = item.copy()
            todo += [(twin, k, inner) for k, inner in item.items() if type(inner) not in _LEAVES]
        elif type(item) is list:
            owner[key] = made[id(item)] = twins = item.copy()
            todo += [
                (twins, k, inner) for k, inner in enumerate(item) if type(inner) not in _LEAVES
            ]
        else:
            owner[key] = made[id(item)] = other(item)
    return root[0]

"""One run of a graph as it happens: its debug stream, told as a trace.

`debug` is the only stream with times. It needs no checkpointer, and with subgraphs it shows the
agents inside tools too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeAlias
from uuid import uuid4

from msgspec import UNSET, UnsetType

from passhat.errors import TraceError
from passhat.failing import outcome_of, retry_after
from passhat.trace import Outcome, Trace
from passhat_langgraph.decoding import TYPE
from passhat_langgraph.messages import calls_sent, messages_in, update_of
from passhat_langgraph.savers import plain
from passhat_langgraph.tasks import END, RETURN, is_error_handler
from passhat_langgraph.telling import Telling, by_order
from passhat_langgraph.where import Where

Event: TypeAlias = tuple[tuple[str, ...], str, Any]
MODES = ("debug", "values", "updates")
HOOKS = (".before_agent", ".before_model", ".after_model", ".after_agent")
"""What the names of the nodes of LangChain's middleware end with."""


@dataclass
class _Running:
    where: Where
    visit: int
    calls: list[str]


@dataclass
class Recording:
    """Takes the events of a graph's stream, of one run or of several on one thread.

    Args:
        id: The trace's id.
        inside: The calls that waited in graphs inside as the run began, by id, with how deep.
    """

    id: str = field(default_factory=lambda: f"langgraph-{uuid4()}")
    telling: Telling = field(init=False)
    waits: bool = False
    inside: dict[str, int] = field(default_factory=dict)
    _running: dict[str, _Running] = field(default_factory=dict)
    _first: dict[str, Any] | UnsetType = UNSET
    _last: Any = UNSET
    _given: Any = None
    _started: float | None = None
    _ended: float | None = None
    _error: str | None = None
    _outcome: Outcome | None = None
    _wait: float | None = None

    def __post_init__(self) -> None:
        self.telling = Telling(self.id)

    def begin(self, given: Any) -> None:
        """A run begins with what the graph is given."""
        self._given = given
        self.waits = False

    def take(self, event: Event) -> None:
        """Takes one event of the stream."""
        space, mode, payload = event
        if mode == "values":
            if not space:
                self._values(payload)
        elif mode == "updates":
            if not space and isinstance(payload, dict) and payload.get("__interrupt__") == ():
                self.waits = True
        elif payload.get("type") == "task":
            self._task(space, payload)
        elif payload.get("type") == "task_result":
            self._result(space, payload)

    def fail(self, error: BaseException) -> None:
        """The run ended with an exception."""
        self._input()
        self._error = repr(error)
        self._outcome = outcome_of(error)
        self._wait = retry_after(error, now=time.time())

    def stop(self, why: str) -> None:
        """The run was stopped at a limit."""
        self._error, self._outcome = why, "limit"

    def _values(self, payload: Any) -> None:
        state = told(_without_pauses(payload))
        self._last = state
        if self._given is not None and isinstance(state, dict):
            given = {entry.get("id") for entry in _entries(_as_update(self._given))}
            self.telling.know([entry for entry in _entries(state) if entry.get("id") not in given])
            if self._first is UNSET:
                self._first = state
        self._input()

    def _input(self) -> None:
        """Tells what the graph was given, once it has taken it in."""
        given, self._given = self._given, None
        if given is None:
            return
        if type(given).__name__ == "Command":
            for answer in _answers(given):
                self.telling.resume(told(answer[1]), answer[0])
            if not given.update:
                return
            given = given.update
        self.telling.take_in(list(_as_update(given).items()))

    def _task(self, space: tuple[str, ...], event: dict[str, Any]) -> None:
        self._input()
        task = event["payload"]
        at = _time(event["timestamp"])
        self._started = at if self._started is None else self._started
        path, parent = self._inside(space)
        where = Where(path, task["name"], parent, started=at)
        visit = self.telling.visit(where, step=event["step"] - 1)
        given = task.get("input")
        calls = [row["id"] for row in calls_sent(given) if row.get("id")]
        if not calls:
            known = [c.id for c in self.telling.calls.open(parent) if c.id is not None]
            calls = [id for id in known if self.inside.get(id, 0) <= len(path)]
        else:
            for call in calls:
                self.telling.calls.place(call, where)
        self._running[task["id"]] = _Running(where, visit, calls)

    def _inside(self, space: tuple[str, ...]) -> tuple[tuple[str, ...], str | None]:
        """The nodes that a namespace lies inside, and the call that it belongs to."""
        path: list[str] = []
        parent: str | None = None
        calls: list[str] = []
        for part in "|".join(space).split("|") if space else ():
            name, _, task = part.partition(":")
            if name.isdecimal() and not task:
                # The graphs after the first one inside a task are numbered.
                parent = calls[min(int(name), len(calls) - 1)] if calls else parent
                continue
            path.append(name)
            outer = self._running.get(task)
            calls = outer.calls if outer is not None else []
            parent = calls[0] if calls else parent
            if len(calls) > 1:
                self.telling.chat.gap(by_order(len(calls), name))
        return tuple(path), parent

    def _result(self, space: tuple[str, ...], event: dict[str, Any]) -> None:
        task = event["payload"]
        if task["id"] not in self._running and is_error_handler(task["name"]):
            self._task(space, event)  # LangGraph does not tell that it began.
        running = self._running.pop(task["id"], None)
        if running is None:
            return
        at = _time(event["timestamp"])
        self._ended = at
        where = replace(running.where, ended=at)
        for pause in task.get("interrupts") or ():
            held = told(pause)
            held = held if isinstance(held, dict) else {"value": held}
            self.telling.pause(held.get("value"), held.get("id"), self._waiting(held, running))
        update, delta = self._written(task.get("result"), where)
        failed = task.get("error")
        error = None if failed is None else failed if isinstance(failed, str) else repr(failed)
        done = error is None and not task.get("interrupts")
        self.telling.visited(running.visit, update=update if done else UNSET, error=error, ended=at)
        if delta:
            self.telling.chat.state_update(delta, by=where.node, at=at)
        if error is not None:
            self.telling.calls.fail(running.calls, error)

    def _written(self, result: Any, where: Where) -> tuple[dict[str, Any], dict[str, Any]]:
        """Tells the messages that a node wrote; gives all it wrote, and what is no message."""
        refused = (where.node or "").endswith(HOOKS)
        writes = result.items() if isinstance(result, dict) else result or ()
        update: dict[str, Any] = {}
        delta: dict[str, Any] = {}
        for channel, value in writes:
            written = told(value)
            update[channel] = written
            several = written.get("$writes") if isinstance(written, dict) else None
            for one in several if isinstance(several, list) else [written]:
                entries = messages_in(channel, one)
                self.telling.calls.written(channel, one)
                if entries is None and channel not in (RETURN, END):
                    delta[channel] = written
                elif entries:
                    self.telling.say(entries, where, refused=refused)
        return update, delta

    def _waiting(self, pause: dict[str, Any], running: _Running) -> tuple[str, ...]:
        value = pause.get("value")
        if isinstance(value, dict) and isinstance(value.get("tool_call_id"), str):
            return (value["tool_call_id"],)
        return tuple(id for id in running.calls if self.telling.calls.waiting(id))

    def trace(self, **fields: Any) -> Trace:
        """The trace of what was taken so far."""
        self._input()
        outcome = self._outcome or ("interrupted" if self.waits else None)
        asked = {} if self._wait is None else {"retry_after": self._wait}
        return self.telling.trace(
            extensions={**asked, **fields.pop("extensions", {})},
            error=self._error,
            outcome=outcome,
            initial_state=self._first,
            final_state=self._last,
            started=self._started,
            ended=self._ended,
            **fields,
        )


def _as_update(given: Any) -> dict[str, Any]:
    """What a graph is given, by channel."""
    if type(given).__name__ == "Command":
        given = given.update or {}
    return update_of(told(given))


def _entries(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [entry for name, value in state.items() for entry in messages_in(name, value) or ()]


def _without_pauses(payload: Any) -> Any:
    if isinstance(payload, dict) and "__interrupt__" in payload:
        return {key: value for key, value in payload.items() if key != "__interrupt__"}
    return payload


def _answers(command: Any) -> list[tuple[str | None, Any]]:
    """The answers that a command gives, each with the id of its interrupt where it names one."""
    answer = command.resume
    if isinstance(answer, dict) and answer and all(_is_id(key) for key in answer):
        return list(answer.items())
    return [] if answer is None else [(None, answer)]


def _is_id(key: Any) -> bool:
    return isinstance(key, str) and len(key) == 32 and all(c in "0123456789abcdef" for c in key)


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def told(value: Any, inside: bool = True) -> Any:
    """A value of a run as JSON; an object that could not be stored is told by its class alone."""
    try:
        return plain(value)
    except TraceError:
        if inside and isinstance(value, dict):
            return {str(key): told(item, False) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [told(item, False) for item in value]
        return {TYPE: f"{type(value).__module__}.{type(value).__qualname__}"}

"""The world that a check looks at: the state at the start and at each call, and what expressions see."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from passhat.case import Case
from passhat.checks.wording import nearest
from passhat.errors import InputError
from passhat.expressions import Expression, MissingValueError
from passhat.expressions.compiling import only_read
from passhat.grading.needs import lacking
from passhat.state import diff, snapshot
from passhat.state.documents import by_label
from passhat.state.rowkeys import is_table
from passhat.trace import StateUpdate, ToolCall, Trace
from passhat.values import ABSENT, NotEvaluated

NO_START = "neither the trace nor the case has an initial state"

_NAMES = frozenset({"state", "initial", "response", "calls", "case"})


def initial_state(trace: Trace, case: Case) -> Any:
    """The state before: that of the trace, else that of the case; `ABSENT` where neither has one.

    Raises:
        InputError: The case names a file that cannot be read.
    """
    if trace.initial_state is not UNSET:
        return trace.initial_state
    if case.initial_state is None:
        return ABSENT
    if isinstance(case.initial_state, str):
        return _from_file(case.initial_state, _stamp(case.initial_state))
    return case.initial_state


@lru_cache(maxsize=8)
def _from_file(path: str, stamp: object) -> Any:
    """The state that a file holds, read once for all cases while nobody writes to it."""
    return snapshot(path).value


def _stamp(path: str) -> tuple[Any, ...]:
    """What differs once a file, or a file in a folder, was written to."""
    folders = [(folder, names) for folder, _, names in os.walk(path)]
    files = [Path(folder, name) for folder, names in folders for name in names]
    stamps = []
    for file in files or [Path(path), Path(f"{path}-wal")]:
        try:
            status = file.stat()
        except OSError:  # Gone since, or no log beside it; reading says what is wrong.
            continue
        stamps.append((str(file), status.st_mtime_ns, status.st_size))
    return tuple(sorted(stamps))


def evaluated(expression: Expression, trace: Trace, case: Case) -> Any:
    """What an expression gives at the end of a run, with `state`, `initial`, `response`, `calls`, `case`.

    The parts of the final state are names too. A table that is a list of rows is handed over as
    documents by their key where the expression asks for one by its key.

    Raises:
        NotEvaluated: Something that it reads was not recorded.
        MissingValueError: A key or an item that it asks for is not there.
        ExpressionError: The values do not suit it.
    """
    names = expression.names_used
    needs = {"response": ("response",), "calls": ("calls",), "initial": (), "case": ()}
    for name in names:
        why = lacking(needs.get(name, ("final_state",)), trace, case)
        if why:
            raise NotEvaluated(why)
    given: dict[str, Any] = {}
    for name in names:
        if name == "response":
            given[name] = trace.final_response
        elif name == "calls":
            given[name] = [call_value(call) for call in trace.calls]
        elif name == "case":
            given[name] = case_value(case, expression)
        elif name == "initial":
            start = initial_state(trace, case)
            if start is ABSENT:
                raise NotEvaluated(NO_START)
            given[name] = with_labels(start, expression, ("initial",))
        elif name == "state":
            given[name] = with_labels(trace.final_state, expression, ("state",))
        else:
            given[name] = _part(trace.final_state, name, expression)
    return expression.evaluate(**given)


def _part(state: Any, name: str, expression: Expression) -> Any:
    known = state if isinstance(state, Mapping) else {}
    if name not in known:
        near = nearest(name, [*known, *_NAMES])
        hint = f", did you mean {near}?" if near else ""
        raise MissingValueError(f"the final state has no {name}{hint}", expression.place)
    return with_labels(state, expression, ())[name]


def with_labels(state: Any, expression: Expression, before: tuple[str, ...]) -> Any:
    """The state with those tables as documents that an expression takes a row of by its key."""
    if not isinstance(state, Mapping):
        return state
    asked = {
        path[len(before)]
        for path in expression.reads
        if path[: len(before)] == before and len(path) > len(before) + 1
    }
    tables = {name for name in asked if is_table(state.get(name))}
    return {**state, **{name: by_label(state[name], name) for name in tables}} if tables else state


def call_value(call: ToolCall) -> dict[str, Any]:
    """A call as expressions see it; `result` is there where one was recorded."""
    value = {
        "name": call.name,
        "args": call.args,
        "id": call.id,
        "turn": call.turn,
        "request": call.request,
        "agent": call.agent,
        "executed": call.executed,
        "error": call.error,
        "failed": call.failed,
    }
    return value if call.result is UNSET else {**value, "result": call.result}


def case_value(case: Case, expression: Expression) -> dict[str, Any]:
    """The case as expressions see it: of its keys those that are read."""
    fields = {key: getattr(case, key) for key in Case.__struct_fields__}
    said = {key: value for key, value in fields.items() if value is not None}
    reads = [path[1:] for path in expression.reads if path[0] == "case"]
    try:
        found: dict[str, Any] = msgspec.to_builtins(only_read(said, reads))
    except (TypeError, RecursionError) as error:
        raise InputError(f"the case holds what is no JSON value: {error}") from error
    return found


@dataclass(frozen=True)
class History:
    """The state of a run over time.

    Args:
        trace: The run.
        case: The case, for the initial state and the tools that write.
        parts: The outermost keys of the state that somebody looks at; None for all.
    """

    trace: Trace
    case: Case
    parts: frozenset[str] | None = None

    def at(self, step: int) -> Any:
        """The state as it was when a step came.

        Raises:
            NotEvaluated: Nobody can tell.
        """
        if self._start is ABSENT:
            raise NotEvaluated(NO_START)
        if self._fault:
            raise NotEvaluated(self._fault)
        if not self._updates and not self._unchanged and self._may_have_changed(step):
            raise NotEvaluated(
                "the trace has no state updates, so nobody knows the state after the first call "
                "that may have changed it"
            )
        return self._over(delta for at, delta in self._updates if at < step)

    @cached_property
    def _start(self) -> Any:
        return self._seen(initial_state(self.trace, self.case))

    @cached_property
    def _updates(self) -> list[tuple[int, Mapping[str, Any]]]:
        steps = enumerate(self.trace.steps)
        return [(at, step.delta) for at, step in steps if isinstance(step, StateUpdate)]

    @cached_property
    def _fault(self) -> str | None:
        if self._updates and not isinstance(self._start, Mapping):
            return "the initial state is no mapping, so its updates do not fit it"
        if not self._updates or self.trace.final_state is UNSET:
            return None
        led = self._seen(self._over(delta for _, delta in self._updates))
        found = diff(led, self._seen(self.trace.final_state))
        if found.equal:
            return None
        return (
            "the recorded updates do not lead from the initial state to the final one: "
            f"{found.changes[0]}"
        )

    @cached_property
    def _unchanged(self) -> bool:
        end = self.trace.final_state
        return end is not UNSET and diff(self._start, self._seen(end)).equal

    def _seen(self, state: Any) -> Any:
        if self.parts is None or not isinstance(state, Mapping):
            return state
        return {name: value for name, value in state.items() if name in self.parts}

    def _over(self, deltas: Iterable[Mapping[str, Any]]) -> Any:
        state = self._start
        for delta in deltas:
            state = {**state, **self._seen(delta)}
        return state

    def _may_have_changed(self, step: int) -> bool:
        """Whether a call before a step may have changed the state: all may, but for known readers."""
        return any(
            isinstance(earlier, ToolCall)
            and earlier.executed is not False
            and (self.case.writes is None or earlier.name in self.case.writes)
            for earlier in self.trace.steps[:step]
        )

"""A run in short: its steps, cut to what can be kept beside its result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from passhat.result import TimelineStep
from passhat.trace import Interrupt, Message, NodeVisit, StateUpdate, Step, ToolCall, Trace

MOST_STEPS = 80
_LONGEST = 500
_LONGEST_SYSTEM = 160


def timeline_of(trace: Trace) -> tuple[TimelineStep, ...]:
    """The steps of a run in short, in time order.

    Returns:
        At most 80 steps: of a longer run the first and the last ones, with a step between that says
        how many are left out. Texts and values are cut at 500 characters, with `…`.

    >>> run = Trace("t", steps=(Message("user", "Refund A1"), ToolCall("refund", {"id": "A1"})))
    >>> [(step.name, step.text) for step in timeline_of(run)]
    [('user', 'Refund A1'), ('refund', '{"id":"A1"}')]
    """
    steps = list(_told(trace))
    if len(steps) <= MOST_STEPS:
        return tuple(steps)
    head = MOST_STEPS // 2
    tail = MOST_STEPS - head - 1
    left_out = len(steps) - head - tail
    between = TimelineStep("left_out", steps[head].turn, text=f"{left_out} steps")
    return (*steps[:head], between, *steps[-tail:])


def _told(trace: Trace) -> Iterator[TimelineStep]:
    index = 0
    for step in trace.steps:
        at = _since(trace, step)
        if type(step) is Message:
            if step.text or step.content:
                most = _LONGEST_SYSTEM if step.role == "system" else _LONGEST
                name = step.agent or step.role if step.role == "assistant" else step.role
                text = _cut(step.text or _value(step.content), most)
                yield TimelineStep("message", step.turn, name, text, at=at)
        elif type(step) is ToolCall:
            yield _call(step, index, at)
            index += 1
        elif type(step) is NodeVisit:
            yield TimelineStep("node", step.turn, step.node, error=_error(step.error), at=at)
        elif type(step) is Interrupt:
            answer = None if step.answer is UNSET else _value(step.answer)
            yield TimelineStep("interrupt", step.turn, text=_value(step.value), result=answer)
        elif type(step) is StateUpdate:
            yield TimelineStep("state", step.turn, step.by or "", _value(step.delta), at=at)


def _call(call: ToolCall, index: int, at: float | None) -> TimelineStep:
    return TimelineStep(
        "call",
        call.turn,
        call.name,
        _cut(call.args_error) if call.args_error is not None else _value(call.args),
        result=None if call.result is UNSET else _value(call.result),
        error=_error(call.error),
        index=index,
        nested=call.parent is not None,
        executed=call.executed,
        at=at,
    )


def _since(trace: Trace, step: Step) -> float | None:
    """How long after the run's start a step began."""
    began = step.at if type(step) is StateUpdate else getattr(step, "started", None)
    if began is None or trace.started is None or not began >= trace.started:
        return None
    return round(began - trace.started, 3)


def _error(error: str | None) -> str | None:
    return None if error is None else _cut(error)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _cut(value)
    try:
        return _cut(msgspec.json.encode(value).decode())
    except (TypeError, ValueError, OverflowError, RecursionError):
        return f"<{type(value).__name__}>"


def _cut(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"

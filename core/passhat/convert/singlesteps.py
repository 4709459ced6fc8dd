"""Single-step cases: each decision of a recorded run as a case of its own."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from math import inf
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.case import Case, ExpectedCall
from passhat.recordings.openai_chat import adapter as openai
from passhat.recordings.writing import Asked, Results, chat_order
from passhat.trace import Message, Step, ToolCall, Trace


def step_cases(trace: Trace) -> list[Case]:
    """The decisions of a run, each as a case: what was said before it is the input.

    What the agent asked for next, in one request, is expected (in any order, and nothing else); an
    answer without calls expects none. A case is for a single step, such as `next_calls` of the
    LangGraph adapter takes: its input is the messages, as OpenAI's.

    Args:
        trace: The run.

    Returns:
        A case for each request, called `<trace>/<number>`; none where the run has no request.

    >>> from passhat.trace import ToolCall, TraceBuilder
    >>> build = TraceBuilder("t")
    >>> build.user("Where is A1?")
    >>> build.assistant(calls=[ToolCall("lookup", {"id": "A1"}, id="c1", result="Leeds")])
    >>> build.assistant("In Leeds.")
    >>> [(case.id, case.expected_calls) for case in step_cases(build.trace())]
    [('t/0', (ExpectedCall(name='lookup', args={'id': 'A1'}, extra_args='forbid'),)), ('t/1', ())]
    """
    trace = replace(trace, steps=_own(trace))
    messages: list[dict[str, Any]] = openai.from_trace(trace)["messages"]
    cases: list[Case] = []
    at = 0
    for part in chat_order(trace):
        if not isinstance(part, Asked):
            at += len(part.calls) if isinstance(part, Results) else 1
            continue
        calls = tuple(
            ExpectedCall(call.name, dict(call.args), extra_args="forbid")
            if call.args_error is None
            else ExpectedCall(call.name)
            for call in part.calls
        )
        cases.append(
            Case(
                f"{trace.id}/{len(cases)}",
                _copied(messages[:at]),
                tags=trace.tags,
                tools=trace.tools,
                expected_calls=(calls,) if len(calls) > 1 else calls,
                mode="exact",
                reference=part.message.text if part.message and part.message.text else None,
                metadata=_origin(trace),
            )
        )
        at += 1
    return cases


def _own(trace: Trace) -> tuple[Step, ...]:
    """The steps of the agent itself, without those inside its calls.

    A message does not say where it is: it is inside a call that has calls of its own, until that one
    is answered.
    """
    hosts = {call.parent for call in trace.all_calls if call.parent is not None}
    if not hosts:
        return trace.steps
    kept: list[Step] = []
    until: float = 0
    for step in trace.steps:
        call = step if isinstance(step, ToolCall) else None
        if call is not None and call.parent is not None:
            continue
        if call is not None and call.id in hosts:
            until = max(until, inf if call.answered is None else call.answered)
        elif isinstance(step, Message):
            request = step.request
            if step.role == "user" or (request is not None and request >= until):
                until = 0
            elif until:
                continue
        kept.append(step)
    return tuple(_counted(kept))


def _counted(steps: list[Step]) -> Iterator[Step]:
    """The steps with their requests counted anew: what was dropped leaves no gap."""
    order = sorted({
        step.request
        for step in steps
        if isinstance(step, Message | ToolCall) and step.request is not None
    })  # fmt: skip
    for step in steps:
        if isinstance(step, Message | ToolCall) and step.request is not None:
            step = replace(step, request=bisect_left(order, step.request))
        if isinstance(step, ToolCall) and step.answered is not None:
            step = replace(step, answered=bisect_left(order, step.answered))
        yield step


def _copied(messages: list[dict[str, Any]]) -> Any:
    return json.loads(json.dumps(messages)) or None


def _origin(trace: Trace) -> dict[str, Any]:
    held: dict[str, Any] = {"trace": trace.id}
    if trace.case_id is not None:
        held["case"] = trace.case_id
    if trace.initial_state is not UNSET:
        held["initial_state"] = trace.initial_state
    return held

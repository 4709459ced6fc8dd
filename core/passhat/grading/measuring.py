"""Numbers taken off a trace: how much it did, and how long that took."""

from __future__ import annotations

from collections.abc import Sequence

from passhat.trace import Message, ToolCall, Trace


def measures(trace: Trace) -> dict[str, float]:
    """How much the run did and, where the source has times, how long it took.

    Returns:
        `turns`, `requests`, `tool_calls`, `tool_errors` always; `model_seconds`, `tool_seconds`,
        `first_token_seconds`, `first_action_seconds` (from the run's start) where known, and
        where no clock went backwards.

    >>> measures(Trace("t"))
    {'turns': 0, 'requests': 0, 'tool_calls': 0, 'tool_errors': 0}
    """
    calls = trace.calls
    taken: dict[str, float] = {
        "turns": trace.turn_count,
        "requests": trace.requests,
        "tool_calls": len(calls),
        "tool_errors": len([call for call in calls if call.error is not None]),
    }
    model = _lengths([
        step for step in trace.messages if step.ended is not None and step.role == "assistant"
    ])  # fmt: skip
    if model:
        taken["model_seconds"] = sum(model)
    tool = _lengths([call for call in calls if call.ended is not None])
    if tool:
        taken["tool_seconds"] = sum(tool)
    began = trace.started
    if began is not None:
        tokens = [
            step.first_token
            for step in trace.messages
            if step.first_token is not None and step.role == "assistant"
        ]
        if tokens and min(tokens) >= began:
            taken["first_token_seconds"] = min(tokens) - began
        actions = [call.started for call in calls if call.started is not None]
        if actions and min(actions) >= began:
            taken["first_action_seconds"] = min(actions) - began
    return taken


def _lengths(steps: Sequence[Message | ToolCall]) -> list[float]:
    """How long each took, where both ends are known and in order."""
    return [
        step.ended - step.started
        for step in steps
        if step.started is not None and step.ended is not None and step.ended >= step.started
    ]

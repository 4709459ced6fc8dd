"""Numbers taken off a trace: how much it did, and how long that took."""

from __future__ import annotations

from passhat.trace import Trace


def measures(trace: Trace) -> dict[str, float]:
    """How much the run did and, where the source has times, how long it took.

    Returns:
        `turns`, `requests`, `tool_calls`, `tool_errors` always; `model_seconds`, `tool_seconds`,
        `first_token_seconds`, `first_action_seconds` (from the run's start) where known.

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
    answers = [step for step in trace.messages if step.role == "assistant"]
    for name, steps in (("model_seconds", answers), ("tool_seconds", calls)):
        known = [
            step.ended - step.started
            for step in steps
            if step.ended is not None and step.started is not None
        ]
        if known:
            taken[name] = sum(known)
    started = trace.started
    if started is not None:
        tokens = [step.first_token for step in answers if step.first_token is not None]
        if tokens:
            taken["first_token_seconds"] = min(tokens) - started
        actions = [call.started for call in calls if call.started is not None]
        if actions:
            taken["first_action_seconds"] = min(actions) - started
    return taken

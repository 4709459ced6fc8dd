"""What several checks read off a trace in the same way."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Literal

from passhat.case import Case
from passhat.match.trajectory import calls_with_inside
from passhat.trace import ToolCall, Trace
from passhat.values import canonical

NOTHING_DONE = "the run neither answered nor called a tool"

Nested = Literal["exclude", "include"]
"""Whether a check judges the calls made inside calls too."""


def trajectory(trace: Trace, case: Case, nested: Nested | None = None) -> tuple[ToolCall, ...]:
    """The calls that are judged: those of the agent itself, or with those made inside them.

    Raises:
        NotEvaluated: What was called inside is judged, and not recorded.
    """
    inside = (nested or case.nested) == "include"
    return calls_with_inside(trace) if inside else trace.calls


def acted(trace: Trace) -> bool:
    """Whether the run did anything that could have gone wrong: it answered, or called a tool."""
    return bool(trace.all_calls) or any(message.role == "assistant" for message in trace.messages)


def tool_catalogue(trace: Trace, case: Case) -> Mapping[str, Any]:
    """The tools there are, with their schemas: those of the suite, and those that were offered."""
    if case.tools is None:
        return trace.tools or {}
    return {**trace.tools, **case.tools} if trace.tools else case.tools


def identity(call: ToolCall) -> Hashable:
    """A key that two calls share if they are the same call: the tool and the arguments."""
    if call.args_error is not None:
        return call.name, call.args_error
    return call.name, canonical(call.args)


def answered_before(earlier: ToolCall, later: ToolCall) -> bool:
    """Whether the answer of an earlier call could be seen when a later one was asked for.

    Where a request is unknown, a call is a request of its own, and what has an answer had it
    before the next call.
    """
    if earlier.answered is not None and later.request is not None:
        return earlier.answered <= later.request
    known = earlier.request is not None and later.request is not None
    return not known and (earlier.failed or earlier.succeeded)


def could_react(later: ToolCall, earlier: ToolCall) -> bool:
    """Whether a later call may have been made because of what became of an earlier one.

    Calls that were asked for together did not see each other's answers; those that a tool makes are
    made one after the other.
    """
    if later.parent is not None and earlier.parent is not None:
        return True
    if earlier.answered is None and earlier.request is not None and later.request is not None:
        return earlier.request < later.request
    return answered_before(earlier, later)

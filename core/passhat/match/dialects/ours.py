"""Our own matcher, asked the same questions as the frameworks."""

from __future__ import annotations

from typing import Any

from passhat.case import ExpectedCall, ExpectedEntry
from passhat.match.dialects.calls import trajectories
from passhat.match.dialects.dialect import PlainCall
from passhat.match.dialects.translating import OurArgs, Ours
from passhat.trace import ToolCall


def ours_holds(ours: Ours, actual: Any, expected: Any) -> bool:
    """Whether one of our modes holds.

    Args:
        ours: The mode, with what it asks of arguments.
        actual: Calls, or lists of calls that were asked for together.
        expected: Calls, or lists of calls that have no order among themselves.

    >>> ours_holds(Ours("superset"), ["search", "book"], ["book"])
    True
    """
    from passhat.match.trajectory import match_trajectory

    made, wanted = trajectories(actual, expected)
    calls = [
        _tool_call(call, request)
        for request, message in enumerate(made.messages)
        for call in message
    ]
    entries: list[ExpectedEntry] = []
    for message in wanted.messages:
        group = tuple(_expected_call(call, ours.args) for call in message)
        entries.append(group[0] if len(group) == 1 else group)
    return match_trajectory(
        calls,
        entries,
        ours.mode,
        counts=ours.counts,
        retries=ours.retries,
        parallel=ours.parallel,
    ).ok


def _tool_call(call: PlainCall, request: int) -> ToolCall:
    if isinstance(call.args, str):
        return ToolCall(call.name, args_error=call.args, request=request, error=call.error)
    args = dict(call.args) if call.given else {}
    return ToolCall(call.name, args, request=request, error=call.error)


def _expected_call(call: PlainCall, args: OurArgs) -> ExpectedCall:
    if args == "ignore":
        return ExpectedCall(call.name)
    wanted = dict(call.args) if call.given else {}
    return ExpectedCall(call.name, wanted, extra_args="forbid" if args == "equal" else "allow")

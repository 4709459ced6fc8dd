"""Which calls may have had others inside that no session shows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from passhat.trace import Message, Step, ToolCall

_ASKED = "request"
"""The lone argument by which ADK's `AgentTool` hands an agent its task."""


def closed_calls(steps: Sequence[Step]) -> list[str]:
    """The names of the calls that may have run an agent of which nothing is told.

    ADK runs the agent of an `AgentTool` in a session of its own, which it throws away.

    >>> closed_calls([ToolCall("clerk", {"request": "Refund A1"}, result="Refunded.")])
    ['clerk']
    >>> closed_calls([ToolCall("refund", {"order": "A1"}, result="Refunded.")])
    []
    """
    found: dict[str, list[str | None]] = {}
    for step in steps:
        if (
            type(step) is ToolCall
            and len(step.args) == 1
            and type(step.args.get(_ASKED)) is str
            and step.result is not UNSET
        ):
            found.setdefault(step.name, []).append(step.id)
    if not found:
        return []
    opened = {
        step.parent if type(step) is ToolCall else step.extensions.get("parent")
        for step in steps
        if type(step) is ToolCall or type(step) is Message
    } - {None}
    return [name for name, ids in found.items() if not opened.issuperset(ids)]

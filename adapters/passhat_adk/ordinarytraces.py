"""Invocations of the ordinary shape as a trace; the same as the careful reader makes of them."""

from __future__ import annotations

from typing import Any

from passhat.trace import Message, Step, ToolCall, Trace
from passhat_adk.answering import REQUESTS
from passhat_adk.fields import number
from passhat_adk.invocations import ALONE
from passhat_adk.ordinary import ordinary_invocations


def ordinary_trace(invocations: list[Any], id: str) -> Trace | None:
    """The trace of invocations of the ordinary shape; None where one asks for a careful reader.

    Args:
        invocations: The invocations, each a turn.
        id: The trace's id.
    """
    turns = ordinary_invocations(invocations)
    if turns is None:
        return None
    steps: list[Step] = []
    ids: list[str] = []
    gaps: tuple[str, ...] = ()
    request, began = -1, None
    for at, turn in enumerate(turns):
        name = turn.invocation_id or f"turn {at}"
        if ids and ids[-1] == name:
            return None  # An id that comes again may be the same turn.
        ids.append(name)
        started = number(turn.creation_timestamp) or None
        began = started if began is None else began
        steps.append(Message("user", turn.user_content.parts[0].text, turn=at, started=started))
        between = turn.intermediate_data
        if between is not None and (between.tool_responses or between.intermediate_responses):
            return None
        uses = between.tool_uses if between is not None else ()
        if len(uses) > 1:
            gaps = (ALONE,)
        for use in uses:
            if use.name not in REQUESTS:
                request += 1
                steps.append(ToolCall(use.name, use.args, None, use.id or None, at, request))
        answer = turn.final_response
        if answer is not None:
            request += 1
            steps.append(Message("assistant", answer.parts[0].text, turn=at, request=request))
    return Trace(
        id, source="adk", steps=tuple(steps), turn_ids=tuple(ids), started=began, gaps=gaps
    )

"""Answers to interrupts: what waits at a checkpoint, and an answer in the form that each asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from passhat.errors import UsageError

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple


def pauses_of(held: CheckpointTuple) -> dict[str, Any]:
    """The interrupts that wait at a checkpoint: what each asks, by its id.

    Raises:
        UsageError: There is none.
    """
    found = {
        pause.id: pause.value
        for _, channel, value in held.pending_writes or ()
        if channel == "__interrupt__"
        for pause in value
    }
    if not found:
        raise UsageError("nothing waits for an answer at this checkpoint")
    return found


def answers_to(pauses: dict[str, Any], answer: Any) -> dict[str, Any]:
    """The answer to each interrupt, as its node takes it.

    Args:
        pauses: What each interrupt asks, by its id, in the order of the calls.
        answer: One answer for all, a mapping of ids to answers, or, where calls wait for a decision
            one by one, a list with one for each.

    Raises:
        UsageError: The list is not as long as there are calls, or it is no decision on a call.
    """
    each = all(isinstance(v, Mapping) and v.get("type") == "tool_approval" for v in pauses.values())
    if each and isinstance(answer, Mapping) and isinstance(answer.get("decisions"), list):
        answer = answer["decisions"]
    if isinstance(answer, list) and each:
        _counted(answer, len(pauses))
        return {id: _named(one) for id, one in zip(pauses, answer, strict=True)}
    if isinstance(answer, Mapping) and answer and set(answer) <= set(pauses):
        return {id: _decision(pauses[id], one) for id, one in answer.items()}
    return {id: _decision(asked, answer) for id, asked in pauses.items()}


def _decision(asked: Any, answer: Any) -> Any:
    """An answer in the form that an interrupt asks for."""
    if not isinstance(asked, Mapping):
        return answer
    requests = asked.get("action_requests")
    if isinstance(requests, list):
        if isinstance(answer, Mapping) and "decisions" in answer:
            return answer
        each = answer if isinstance(answer, list) else [answer] * len(requests)
        _counted(each, len(requests))
        return {"decisions": [_named(one) for one in each]}
    return _named(answer) if asked.get("type") == "tool_approval" else answer


def _counted(decisions: list[Any], calls: int) -> None:
    if len(decisions) != calls:
        raise UsageError(f"{len(decisions)} decisions are given, and {calls} calls wait")


def _named(decision: Any) -> Any:
    if isinstance(decision, str):
        return {"type": decision}
    if not (isinstance(decision, Mapping) and "type" in decision):
        raise UsageError(
            f"{decision!r} is no decision on a call that waits: that is 'approve', 'reject', or as "
            "the middleware takes it, {'type': 'edit', ...}"
        )
    return decision

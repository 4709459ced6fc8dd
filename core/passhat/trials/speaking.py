"""One trace of a whole conversation, of what an agent gave back turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from passhat.case import Case
from passhat.trace import Message, Step, ToolCall, Trace
from passhat.trials.conversing import Conversation


def of_turns(parts: Sequence[Trace], conversation: Conversation, case: Case, trial: int) -> Trace:
    """The trace of a conversation, of the traces of its turns.

    An agent may give back each turn alone, or all that was said so far; then the last is the whole.
    Turns and requests are numbered through.
    """
    heard = [said["content"] for said in conversation.messages if said["role"] == "user"]
    last = parts[-1]
    if len(parts) > 1 and sum(m.role == "user" for m in last.messages) >= len(parts):
        return replace(last, case_id=case.id, trial=trial)
    steps: list[Step] = []
    requests = 0
    for turn, (part, said) in enumerate(zip(parts, heard, strict=False)):
        own = [step for step in part.steps if not _is_heard(step)]
        steps.append(Message("user", said, turn=turn))
        steps += [_renumbered(step, turn, requests) for step in own]
        asked = [step.request for step in own if isinstance(step, Message | ToolCall)]
        requests += max((number for number in asked if number is not None), default=-1) + 1
    usages = [part.usage for part in parts if part.usage is not None]
    total = None
    for usage in usages:
        total = usage if total is None else total + usage
    failed = next((part for part in parts if part.error is not None), None)
    return replace(
        last,
        id=f"{case.id}/{trial}",
        case_id=case.id,
        trial=trial,
        steps=tuple(steps),
        usage=total,
        started=parts[0].started,
        initial_state=parts[0].initial_state,
        error=None if failed is None else failed.error,
        outcome=last.outcome if failed is None else failed.outcome,
        extensions={key: value for part in parts for key, value in part.extensions.items()},
        gaps=tuple(dict.fromkeys(gap for part in parts for gap in part.gaps)),
    )


def _is_heard(step: Step) -> bool:
    return isinstance(step, Message) and step.role == "user"


def _renumbered(step: Step, turn: int, before: int) -> Step:
    """A step of a turn, its request numbered after so many before."""
    step = replace(step, turn=turn)
    if isinstance(step, ToolCall) and step.request is not None and step.answered is not None:
        step = replace(step, answered=step.answered + before)
    if isinstance(step, Message | ToolCall) and step.request is not None:
        step = replace(step, request=step.request + before)
    return step

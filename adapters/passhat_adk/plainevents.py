"""Events of words, calls or results, and nothing besides, as most events are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from passhat.recordings.parts import LISTED, SPOKEN
from passhat.trace import ToolCall
from passhat_adk.answering import REQUESTS
from passhat_adk.contents import Answer, returned
from passhat_adk.fields import USER

if TYPE_CHECKING:
    from passhat_adk.events import Run

_LONG = "long_running_tool_ids"
_EVENT = frozenset({"id", "timestamp", "invocation_id", "author", "content", "actions", _LONG})
_CALL = frozenset({"id", "name", "args"})
_RESPONSE = frozenset({"id", "name", "response"})


def take_plain(run: Run, event: Mapping[str, Any]) -> bool:
    """Takes such an event, as `Run.add` does with more steps; False for any other, which is left alone.

    Args:
        run: The trace under construction.
        event: The event, in snake case.
    """
    if not event.keys() <= _EVENT or event.get(_LONG):
        return False
    id, at, author = event.get("id"), event.get("timestamp"), event.get("author")
    if type(id) is not str or not id or type(at) is not float or type(author) is not str:
        return False
    actions = event.get("actions")
    if actions and (type(actions) is not dict or any(actions.values())):
        return False
    said = _said(event.get("content"))
    if said is None:
        return False
    texts, calls, answers = said
    if author == USER:
        if calls or answers:
            return False
        run.asked(LISTED.join(texts), event.get("invocation_id"), id=id, started=at)
    elif not answers:
        run.goes_on(author)
        run.assistant(SPOKEN.join(texts), agent=author, id=id, started=at)
        for call in calls:
            run.call(call, agent=author)
    elif texts or calls:
        return False
    else:
        run.goes_on(author)
        for answer in answers:
            run.join(answer, event)
    return True


def _said(content: Any) -> tuple[list[str], list[ToolCall], list[Answer]] | None:
    """The texts, calls and results of a content; None where it holds none, or anything else."""
    parts = content.get("parts") if type(content) is dict else None
    if type(parts) is not list or not parts:
        return None
    texts: list[str] = []
    calls: list[ToolCall] = []
    answers: list[Answer] = []
    for part in parts:
        if type(part) is not dict or len(part) != 1:
            return None
        ((key, held),) = part.items()
        if key == "text" and type(held) is str:
            texts.append(held)
            continue
        if type(held) is not dict or type(name := held.get("name")) is not str:
            return None
        id = held.get("id")
        if id is not None and (type(id) is not str or not id):
            return None
        if key in ("function_call", "functionCall"):
            args = held.get("args")
            if type(args) is not dict or name in REQUESTS or not held.keys() <= _CALL:
                return None
            calls.append(ToolCall(name, args, id=id))
        elif key in ("function_response", "functionResponse") and held.keys() <= _RESPONSE:
            answers.append(
                Answer({"function_response": held}, returned(held.get("response")), id, name)
            )
        else:
            return None
    return texts, calls, answers

"""Events of words, calls, results and changes of the state, and nothing besides, as most events are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from passhat.recordings.parts import LISTED, SPOKEN
from passhat.trace import ToolCall
from passhat_adk.answering import REQUESTS
from passhat_adk.contents import HELD, Answer, returned, text_of
from passhat_adk.fields import USER, branch_of, kept, moment, text, usage_of
from passhat_adk.native import EVENT, PART, said, snaked

if TYPE_CHECKING:
    from passhat_adk.events import Run

_LONG = "long_running_tool_ids"
_BARE = frozenset({"id", "timestamp", "invocation_id", "author", "content", "actions", _LONG})
_PLAIN = EVENT - {"error_code", "error_message", "custom_metadata"}
_DELTA = ("state_delta", "stateDelta")
_HARMLESS = ("transfer_to_agent", "transferToAgent")
_CALL = frozenset({"id", "name", "args"})
_RESPONSE = frozenset({"id", "name", "response"})


def take_plain(run: Run, event: Mapping[str, Any]) -> bool:
    """Takes such an event, as `Run.add` does with more steps; False for any other, which is left alone.

    Args:
        run: The trace under construction.
        event: The event, in snake case.
    """
    keys = event.keys()
    bare = keys <= _BARE
    if (not bare and (not keys <= _PLAIN or event.get("partial"))) or event.get(_LONG):
        return False
    id, author = event.get("id"), event.get("author")
    if type(id) is not str or not id or type(author) is not str:
        return False
    at = moment(event.get("timestamp"))
    delta: Any = None
    actions = event.get("actions")
    if actions:
        if type(actions) is not dict:
            return False
        if any(actions.values()):
            plain, delta = _change(actions)
            if not plain:
                return False
    content = event.get("content")
    if content is None and delta is not None and bare:
        if author != USER:
            run.drops_pieces(author)
        run.changes(delta, [], author, at)
        return True
    said = _said(content)
    if said is None:
        return False
    texts, calls, answers = said
    more: dict[str, Any] = {} if bare else {"extensions": kept(event)}
    if author == USER:
        if calls or answers:
            return False
        run.asked(LISTED.join(texts), event.get("invocation_id"), id=id, started=at, **more)
    elif not answers:
        run.goes_on(author)
        if not bare:
            usage = event.get("usage_metadata")
            more["usage"] = usage_of(usage) if usage else None
            more["model"] = text(event.get("model_version"))
        run.assistant(SPOKEN.join(texts), agent=author, id=id, started=at, **more)
        path = () if bare else branch_of(event)
        for call in calls:
            run.call(call, agent=author, path=path)
    elif texts or calls:
        return False
    else:
        run.goes_on(author)
        for answer in answers:
            run.join(answer, event, **more)
    if delta is not None:
        run.changes(delta, [answer.call_id for answer in answers], author, at)
    return True


def _change(actions: Mapping[str, Any]) -> tuple[bool, dict[str, Any] | None]:
    """Whether actions change the state at most, and that change."""
    delta = None
    for key, item in actions.items():
        if item is None or item is False or item in ([], {}) or key in _HARMLESS:
            continue
        if key not in _DELTA or type(item) is not dict or delta is not None:
            return False, None
        delta = item
    return True, delta


def _said(content: Any) -> tuple[list[str], list[ToolCall], list[Answer]] | None:
    """The texts, calls and results of a content; None where it holds none, or anything else."""
    parts = content.get("parts") if type(content) is dict else None
    if type(parts) is not list or not parts:
        return None
    texts: list[str] = []
    calls: list[ToolCall] = []
    answers: list[Answer] = []
    for part in parts:
        if type(part) is not dict:
            return None
        if len(part) == 1:
            ((key, held),) = part.items()
            beside: dict[str, Any] = {}
        else:
            lone = _lone(snaked(part, PART))
            if lone is None:
                return None
            key, held, beside = lone
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
            extensions = {"part": beside} if beside else {}
            calls.append(ToolCall(name, args, id=id, extensions=extensions))
        elif key in ("function_response", "functionResponse") and held.keys() <= _RESPONSE:
            answers.append(
                Answer({"function_response": held}, returned(held.get("response")), id, name)
            )
        else:
            return None
    return texts, calls, answers


def _lone(part: Mapping[str, Any]) -> tuple[str, Any, dict[str, Any]] | None:
    """The call, or the text, that a part of several keys holds, and what stands beside it."""
    held = [key for key in HELD if part.get(key) is not None]
    if held == ["function_call"]:
        return "function_call", part["function_call"], said(part, HELD)
    words = None if held else text_of(part)
    return None if words is None else ("text", words, {})

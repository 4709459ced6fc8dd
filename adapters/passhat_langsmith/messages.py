"""The messages that runs hold, each as a flat LangChain message whatever wrote it.

LangChain and LangGraph write their own (serialised, flat, or live), `wrap_openai` OpenAI's of
either API, `wrap_anthropic` content blocks, and `@traceable` whatever the function took and gave.
"""

from __future__ import annotations

from typing import Any

from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.responses_items import is_call, is_output, output_of
from passhat.recordings.shapes import word
from passhat_langsmith.parts import unparted
from passhat_langsmith.plain import plain

_CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
}
_ROLES = {"user": "human", "assistant": "ai", "system": "system", "tool": "tool"}
_KINDS = frozenset(_CLASSES.values())
_TYPED = _KINDS | _CLASSES.keys()
_THOUGHTS = ("reasoning", "thinking", "redacted_thinking")
_ITEMS = frozenset({"reasoning", "mcp_list_tools"})
SPOKEN = ("text", "output_text", "input_text")
"""The types of a content's parts that are text."""

Entry = dict[str, Any]


def entries(values: Any) -> tuple[list[Entry], list[Any]]:
    """The messages of a list, and what in it is none.

    Messages in their plainest form are given as they stand, not copied: most of a history is known,
    and only looked at. What is kept of one is copied where it is.

    >>> entries([{"role": "user", "content": "hi"}, 5])
    ([{'role': 'user', 'content': 'hi', 'type': 'human'}], [5])
    """
    found: list[Entry] = []
    strange: list[Any] = []
    for value in values:
        if (entry := _plainest(value)) is not None:
            found.append(entry)
            continue
        raw = plain(value)
        messages = _entries(raw)
        if messages is None:
            strange.append(raw)
        elif found and messages and _goes_on(found[-1], raw):
            found[-1] = _joined(found[-1], messages[0])
        else:
            found += messages
    return found, strange


def _goes_on(before: Entry, raw: Any) -> bool:
    """Whether an item of OpenAI's Responses belongs to the answer that the items before it began.

    What calls gave would stand between two answers.
    """
    kind, content = word(raw, "type"), before.get("content")
    if before["type"] != "ai" or not isinstance(content, list):
        return False
    said = any(word(one, "type") in SPOKEN for one in content)
    return is_item(kind) or (kind == "message" and word(raw, "role") == "assistant" and not said)


def _joined(before: Entry, item: Entry) -> Entry:
    """Two items of one answer as one message."""
    added = item.get("content") or []
    parts = [{"type": "text", "text": added}] if isinstance(added, str) else added
    calls = [*before.get("tool_calls", ()), *item.get("tool_calls", ())]
    return {**before, **item, "content": [*before["content"], *parts], "tool_calls": calls}


def _plainest(value: Any) -> Entry | None:
    """A message of LangChain's or of a chat whose content is text; None for all others."""
    if type(value) is not dict:
        return None
    if "role" in value:
        return _said_in_chat(value)
    if "lc" in value:
        inner, names = value.get("kwargs"), value.get("id")
        if type(inner) is not dict or type(names) is not list or not names:
            return None
        kind = _CLASSES.get(names[-1]) if type(names[-1]) is str else None
    else:
        inner, kind = value, value.get("type")
        if type(kind) is not str or kind not in _KINDS:
            return None
    if kind is None or type(inner.get("content")) is not str or "role" in inner or "parts" in inner:
        return None
    if inner.get("invalid_tool_calls") or not _are_named(inner.get("tool_calls")):
        return None
    return inner if inner.get("type") == kind else {**inner, "type": kind}


def _said_in_chat(value: Entry) -> Entry | None:
    role, content = value["role"], value.get("content")
    kind = _ROLES.get(role) if type(role) is str else None
    if kind is None or (type(content) is not str and (kind != "ai" or content is not None)):
        return None
    if "type" in value or "parts" in value or not _are_named(value.get("tool_calls")):
        return None
    return {**value, "content": content or "", "type": kind}


def _are_named(calls: Any) -> bool:
    """Whether calls are objects, each with an id; so they are where there are none."""
    if not calls:
        return True
    if type(calls) is not list:
        return False
    return all(type(one) is dict and type(one.get("id")) is str for one in calls)


def _entries(raw: Any) -> list[Entry] | None:
    """What one item of a list of messages says, which may be several; None for no message."""
    if isinstance(raw, str):
        return [{"type": "human", "content": raw}]
    if isinstance(raw, dict) and "lc" not in raw:
        if raw.get("type") == "message":
            raw = {key: value for key, value in raw.items() if key != "type"}
        if is_item(kind := word(raw, "type")):
            return [_of_item(raw, kind)]
        if is_output(kind):
            return [_of_output(raw)]
        # LangChain's own may have parts of a provider's too, and name their calls beside them.
        if word(raw, "type") not in _TYPED and (apart := unparted(raw)) is not None:
            found = [_parted(langchain.normal(one)) for one in apart if langchain.is_entry(one)]
            return [entry for several in found for entry in several]
        if "role" in raw and "content" not in raw:
            raw = {**raw, "content": ""}
    if not langchain.is_entry(raw):
        return None
    entry = langchain.normal(raw)
    return _parted(entry) if entry["type"] == "human" else [entry]


def is_item(kind: str) -> bool:
    """Whether a type is that of an item of OpenAI's Responses which is no message: a thought, or a call.

    >>> is_item("reasoning"), is_item("web_search_call"), is_item("message"), is_item("tool_call")
    (True, True, False, False)
    """
    return kind in _ITEMS or (is_call(kind) and kind != "tool_call")


def _of_item(raw: Entry, kind: str) -> Entry:
    if kind != "function_call":
        return {"type": "ai", "content": [raw]}  # As LangChain has it, whose reader knows them all.
    call = {
        "type": "tool_call",
        "id": raw.get("call_id") or raw.get("id"),
        "name": raw.get("name"),
        "args": raw.get("arguments"),
    }
    return {"type": "ai", "content": [raw], "tool_calls": [call]}


def _of_output(raw: Entry) -> Entry:
    told = output_of(raw, "$")
    more = {"status": "error"} if told["failed"] else {}
    return {"type": "tool", "content": told["content"], "tool_call_id": told["call_id"], **more}


def _parted(entry: Entry) -> list[Entry]:
    """A message, with the results that Anthropic puts among a user's parts as messages of tools."""
    content = entry.get("content")
    if entry.get("type") != "human" or not isinstance(content, list):
        return [entry]
    results = [part for part in content if word(part, "type") == "tool_result"]
    if not results:
        return [entry]
    found: list[Entry] = [
        {
            "type": "tool",
            "content": part.get("content"),
            "tool_call_id": part.get("tool_use_id"),
            "status": "error" if part.get("is_error") is True else "success",
        }
        for part in results
    ]
    rest = [part for part in content if word(part, "type") != "tool_result"]
    return [*found, {**entry, "content": rest}] if rest else found


def key_of(entry: Entry) -> Any:
    """What tells a message from others in a history: its calls' ids, or what it says."""
    kind, content = entry.get("type"), entry.get("content")
    if kind == "tool":
        return kind, str(entry.get("tool_call_id")), repr(content)
    if kind == "ai" and (calls := calls_of(entry)):
        return kind, tuple([str(call.get("call_id") or call.get("id") or call) for call in calls])
    if type(content) is str:
        return kind, content
    if isinstance(content, list):
        said = [part for part in content if word(part, "type") not in _THOUGHTS]
        if all(word(part, "type") in SPOKEN for part in said):
            content = "".join(str(part.get("text")) for part in said)
    return kind, content if isinstance(content, str) else repr(content)


def calls_of(entry: Entry) -> list[Entry]:
    """The calls that a message asks for, as written."""
    for key in ("tool_calls", "invalid_tool_calls"):
        listed = entry.get(key)
        if listed and isinstance(listed, list):
            return [call for call in listed if isinstance(call, dict)]
    content = entry.get("content")
    if content and isinstance(content, list):
        return [part for part in content if _asks(word(part, "type"))]
    return []


def _asks(kind: str) -> bool:
    return kind == "tool_use" or is_call(kind)


def with_ids(entry: Entry, run_id: str, request: int) -> Entry:
    """The message with an id for each of its calls, so that results can be joined to them."""
    for key in ("tool_calls", "invalid_tool_calls"):
        calls = entry.get(key)
        if not calls or not isinstance(calls, list):
            continue
        if not all(call.get("id") for call in calls if isinstance(call, dict)):
            named = [
                {**call, "id": call.get("id") or f"{run_id}:{request}.{at}"}
                if isinstance(call, dict)
                else call
                for at, call in enumerate(calls)
            ]
            entry = {**entry, key: named}
    return entry

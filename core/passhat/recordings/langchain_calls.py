"""The calls of a LangChain message, which may be written in as many as five places.

`tool_calls` and `invalid_tool_calls` list them; the content blocks of some providers repeat them;
`additional_kwargs` keeps what the provider sent, and a streamed message its chunks. Each call counts
once.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from typing import Any

from msgspec.structs import replace

from passhat.recordings.arguments import arguments, arguments_text
from passhat.recordings.openai_calls import call_of
from passhat.recordings.requests import Request
from passhat.recordings.responses_items import call_of as provider_call
from passhat.recordings.responses_items import runs_at_the_provider
from passhat.recordings.shapes import identity, leftover, objects, text
from passhat.trace import ToolCall

CALL_KEYS = frozenset({"name", "args", "id", "type", "input", "arguments", "call_id", "index"})
_NO_TOOL = re.compile(r"Error: .{1,200} is not a valid tool, try one of \[")
_CLIENT = ("tool_use", "tool_call", "function_call")


def listed_calls(entry: dict[str, Any], more: dict[str, Any], path: str) -> list[ToolCall]:
    """The calls that a message lists, in the order in which the model wrote them where that is known.

    Args:
        entry: The message.
        more: Its `additional_kwargs`.
        path: Where it stands.

    Raises:
        TraceError: They are no list of objects.
    """
    parsed = objects(entry.get("tool_calls"), f"{path}.tool_calls", "tool calls")
    invalid = objects(
        entry.get("invalid_tool_calls"), f"{path}.invalid_tool_calls", "invalid tool calls"
    )
    sent = objects(more.get("tool_calls"), f"{path}.additional_kwargs.tool_calls", "tool calls")
    if parsed or invalid:
        calls = [_listed(item, at) for at, item in (*parsed, *invalid)]
        order = {identity(item, "id", at): n for n, (at, item) in enumerate(sent)}
        if invalid and all(call.id in order for call in calls):
            calls.sort(key=lambda call: order[call.id])
        return calls
    chunks = entry.get("tool_call_chunks")
    if not sent and chunks:
        listed = objects(chunks, f"{path}.tool_call_chunks", "tool call chunks")
        return [_listed(item, at) for at, item in listed]
    calls = [call_of(item, at) for at, item in sent]
    older = more.get("function_call")
    if isinstance(older, dict):
        calls.append(call_of(older, f"{path}.additional_kwargs.function_call"))
    return calls


def is_no_tool(answer: Any) -> bool:
    """Whether a call was answered, by LangGraph's node of tools, that there is no tool of its name.

    >>> is_no_tool("Error: nope is not a valid tool, try one of [lookup].")
    True
    """
    return isinstance(answer, str) and _NO_TOOL.match(answer) is not None


def is_further_piece(entry: dict[str, Any], before: dict[str, Any]) -> bool:
    """Whether a message is a further piece of the streamed one before it.

    >>> first = {"id": "run-1", "tool_call_chunks": [{"name": "f", "args": ""}]}
    >>> is_further_piece({"id": "run-1", "tool_call_chunks": []}, first)
    True
    """
    streamed = "tool_call_chunks" in entry and "tool_call_chunks" in before
    return streamed and entry.get("id") is not None and entry.get("id") == before.get("id")


def by_request(listed: list[ToolCall], requests: list[Request]) -> list[list[ToolCall]]:
    """The calls of each request: a listed call where a content block repeats it, else in the last.

    A block without an id cannot be told from a listed call, so it counts only where none is listed.
    """
    if len(requests) == 1 and not requests[0].calls:
        return [listed]
    waiting: defaultdict[str, deque[ToolCall]] = defaultdict(deque)
    for call in listed:
        if call.id is not None:
            waiting[call.id].append(call)
    placed: set[int] = set()
    asked: list[list[ToolCall]] = []
    for request in requests:
        calls: list[ToolCall] = []
        for path, block in request.calls:
            call = _block(block, path)
            if call.id is not None and waiting.get(call.id):
                call = waiting[call.id].popleft()
                placed.add(id(call))
            elif listed and (call.id is None or call.id in waiting):
                continue
            calls.append(call)
        asked.append(calls)
    asked[-1] += [call for call in listed if id(call) not in placed]
    return asked


def sent_entry(call: ToolCall) -> dict[str, Any]:
    """A call as the model's provider sent it, for `additional_kwargs`."""
    given = arguments_text(call.args, call.args_error)
    function = {"name": call.name, "arguments": given}
    return {"id": call.id, "type": "function", "function": function}


def is_provider_call(kind: str) -> bool:
    """Whether a content block of that type is a call as OpenAI's Responses write it."""
    return kind.endswith("_call") and kind not in (*_CLIENT, "server_tool_call")


def _listed(item: dict[str, Any], path: str) -> ToolCall:
    if "function" in item:
        return call_of(item, path)
    args, error = arguments(item.get("args"))
    return ToolCall(
        text(item, "name", path) or "",
        args,
        args_error=error,
        id=identity(item, "id", path),
        extensions=leftover(item, CALL_KEYS),
    )


def _block(block: dict[str, Any], path: str) -> ToolCall:
    if is_provider_call(block["type"]):
        return replace(provider_call(block, path), executed=runs_at_the_provider(block) or None)
    given = next((block[key] for key in ("args", "input", "arguments") if key in block), None)
    args, error = arguments(given)
    extensions = leftover(block, CALL_KEYS)
    if block["type"] not in _CLIENT:
        extensions["type"] = block["type"]
    return ToolCall(
        text(block, "name", path) or "",
        args,
        args_error=error,
        id=identity(block, "call_id", path) or identity(block, "id", path),
        extensions=extensions,
    )

"""The calls among OpenAI Responses items, and the outputs that answer them.

Functions, custom tools and MCP tools bear a name; a tool that the provider brings along is called
by its type (`web_search_call` is a call of `web_search`), and its arguments are the keys that
describe what it did.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from passhat.recordings.arguments import arguments
from passhat.recordings.parts import LISTED
from passhat.recordings.shapes import identity, leftover, text, word
from passhat.trace import ToolCall

BUILT_IN: dict[str, tuple[str, ...]] = {
    "web_search_call": ("action",),
    "file_search_call": ("queries",),
    "code_interpreter_call": ("code", "container_id"),
    "image_generation_call": (),
    "computer_call": ("action", "actions"),
    "local_shell_call": ("action",),
    "shell_call": ("action",),
    "apply_patch_call": ("operation",),
    "tool_search_call": ("arguments",),
    "program": ("code",),
}
"""The provider's own tools: the type of the item, and the keys that are its arguments."""

INLINE = {
    "file_search_call": "results",
    "code_interpreter_call": "outputs",
    "image_generation_call": "result",
    "mcp_call": "output",
}
"""Where an item holds the result of its own call."""

_NAMED = ("function_call", "custom_tool_call", "mcp_call", "mcp_approval_request")
_OUTPUTS = ("output", "result", "tools")
_CALLS = ("mcp_approval_request", "program")
_RESULTS = ("tool_search_output", "program_output")
"""What is a call, or what one gave, and is not called so."""
CALL_KEYS = frozenset({"type", "call_id", "name", "arguments", "input"})
OUTPUT_KEYS = frozenset({"type", "call_id", "output"})


def is_call(kind: Any) -> bool:
    """Whether an item of that type is a call.

    >>> is_call("function_call"), is_call("mcp_approval_request"), is_call("function_call_output")
    (True, True, False)
    """
    return isinstance(kind, str) and (kind.endswith("_call") or kind in _CALLS)


def is_output(kind: Any) -> bool:
    """Whether an item of that type is what a call gave, in an item of its own."""
    return isinstance(kind, str) and (kind.endswith("_call_output") or kind in _RESULTS)


def call_of(item: dict[str, Any], path: str) -> ToolCall:
    """The call that an item is, without its result.

    >>> call_of({"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}, "$")
    ToolCall(name='f', id='c1')
    >>> call_of({"type": "web_search_call", "id": "w1", "action": {"query": "x"}}, "$").name
    'web_search'
    """
    kind = item["type"]
    call_id = identity(item, "call_id", path) or identity(item, "id", path)
    known = CALL_KEYS if item.get("call_id") else CALL_KEYS | {"id"}
    if kind not in _NAMED:
        keys = BUILT_IN.get(kind)
        given = leftover(item, known | {"status"}) if keys is None else _picked(item, keys)
        used = known | given.keys() | {INLINE.get(kind, "type")}
        more = leftover(item, used) | {"type": kind}
        return ToolCall(kind.removesuffix("_call"), given, id=call_id, extensions=_told(more))
    if kind == "custom_tool_call":
        args, error = {"input": item.get("input")}, None
    else:
        args, error = arguments(item.get("arguments"))
    more = leftover(item, known | {INLINE.get(kind, "type"), "error"})
    if kind != "function_call":
        more["type"] = kind
    return ToolCall(
        text(item, "name", path) or "", args, args_error=error, id=call_id, extensions=_told(more)
    )


def _picked(item: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: item[key] for key in keys if item.get(key) is not None}


def _told(more: dict[str, Any]) -> dict[str, Any]:
    """What an item says besides, but for the status that says nothing."""
    if more.get("status") == "completed":
        del more["status"]
    return more


def inline_result(item: dict[str, Any]) -> tuple[Any, bool] | None:
    """The result that a call's item holds itself, and whether it failed; None where it has none."""
    key = INLINE.get(item["type"])
    if item.get("error") is not None:
        return item["error"], True
    if key is not None and item.get(key) is not None:
        return item[key], False
    if item.get("status") == "failed":
        return "failed", True
    return (None, False) if item["type"] == "mcp_call" and _completed(item) else None


def _completed(item: dict[str, Any]) -> bool:
    return item.get("status") in (None, "completed")


def runs_at_the_provider(item: dict[str, Any]) -> bool:
    """Whether a call was run by the provider, even where its result is not told."""
    return item["type"] in ("web_search_call", *INLINE) and _completed(item)


def output_of(item: dict[str, Any], path: str) -> dict[str, Any]:
    """What an output item says, as `Conversation.answer` takes it."""
    key = next((key for key in _OUTPUTS if key in item), "output")
    known = OUTPUT_KEYS | {key} if item.get("call_id") else OUTPUT_KEYS | {key, "id"}
    failed = item.get("status") == "failed" or item.get("is_error") is True
    content = item.get(key)
    more = _told(leftover(item, known))
    if item["type"] != "function_call_output":
        more["type"] = item["type"]
    return {
        "content": "failed" if failed and content is None else content,
        "call_id": identity(item, "call_id", path) or identity(item, "id", path),
        "failed": failed,
        "extensions": {"result": more} if more else None,
        "entry": item,
    }


def call_item(call: ToolCall, given: str) -> dict[str, Any]:
    """The item that asks for a call.

    Args:
        call: The call.
        given: The JSON text of its arguments.
    """
    more = leftover(call.extensions, CALL_KEYS | {"result"})
    kind = word(call.extensions, "type")
    if kind == "custom_tool_call":
        named = {"type": kind, "name": call.name, "input": call.args.get("input")}
    elif kind in BUILT_IN:
        inline = INLINE.get(kind)
        held = {} if inline is None or call.result is UNSET else {inline: call.result}
        own = {"id": call.id} if "id" not in more else {"call_id": call.id}
        return {"type": kind, **own, **call.args, **held, **more}
    else:
        named = {"type": "function_call", "name": call.name, "arguments": given}
    return {**named, "call_id": call.id, **more}


def thought_text(item: dict[str, Any]) -> str:
    """The text of a reasoning item: its content, else its summary.

    >>> thought_text({"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look."}]})
    'Look.'
    """
    for key in ("content", "summary"):
        parts = item.get(key)
        if isinstance(parts, list):
            texts = [part.get("text") for part in parts if isinstance(part, dict)]
            said = LISTED.join(words for words in texts if isinstance(words, str))
            if said:
                return said
    return ""

"""The calls that an OpenAI chat message asks for, in the ways that they are written down."""

from __future__ import annotations

from typing import Any

from passhat.jsontext import decode_text_result
from passhat.recordings.arguments import arguments
from passhat.recordings.conversation import with_outcome
from passhat.recordings.openai_writing import CALL
from passhat.recordings.shapes import identity, leftover, objects, text, wrong
from passhat.trace import ToolCall

_NAMES = ("name", "function", "tool", "tool_name")
_ARGUMENTS = ("arguments", "args", "parameters", "input", "kwargs", "tool_input")
_RESULTS = ("result", "output")


def calls_of(entry: dict[str, Any], path: str) -> list[ToolCall]:
    """The calls of a message: its `tool_calls`, which may be their JSON text, and `function_call`.

    Args:
        entry: The message.
        path: Where it stands.

    Raises:
        TraceError: They are no objects.
    """
    listed, older = entry.get("tool_calls"), entry.get("function_call")
    if (listed is None or listed == []) and older is None:
        return []
    if isinstance(listed, str):
        listed = decode_text_result(listed) if listed.strip() else None
    found = objects(listed, f"{path}.tool_calls", "tool calls")
    if isinstance(older, dict):
        found = [*found, (f"{path}.function_call", older)]
    elif older is not None:
        raise wrong("function_call is an object", older, f"{path}.function_call")
    return [call_of(item, at) for at, item in found]


def call_of(item: dict[str, Any], path: str) -> ToolCall:
    """The call that an item of `tool_calls` asks for, nested under its type or flat.

    Others write the tool's name, the arguments and even what came of it under keys of their own.

    >>> call_of({"id": "c1", "function": {"name": "f", "arguments": ""}}, "$")
    ToolCall(name='f', id='c1')
    >>> call_of({"tool": "f", "kwargs": {"n": 1}, "result": "ok"}, "$")
    ToolCall(name='f', args={'n': 1}, executed=True, result='ok')
    """
    inner = item.get("function") or item.get("custom") or item
    if isinstance(inner, str):
        inner = item
    if not isinstance(inner, dict):
        raise wrong("function is an object", inner, f"{path}.function")
    name, given = _first(inner, _NAMES), _first(inner, _ARGUMENTS)
    result = _first(inner, _RESULTS) or _first(item, _RESULTS)
    read = CALL
    if result or name not in CALL or given not in CALL:
        read = CALL | {name, given, result}
    extensions = leftover(item, read)
    if inner is not item and len(inner) > 2:
        extensions |= leftover(inner, read)
    if item.get("type") == "custom" and "input" in inner:
        args, error = {"input": inner["input"]}, None
        extensions["type"] = "custom"
    else:
        args, error = arguments(inner.get(given))
    call = ToolCall(
        text(inner, name, path) or "",
        args,
        args_error=error,
        id=identity(item, "id", path),
        extensions=extensions,
    )
    return with_outcome(call, inner.get(result, item.get(result))) if result else call


def _first(holder: dict[str, Any], keys: tuple[str, ...]) -> str:
    """The first of the keys under which something stands; an empty text for none of them."""
    for key in keys:
        if holder.get(key) is not None:
            return key
    return ""

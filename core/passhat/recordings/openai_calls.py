"""The calls that an OpenAI chat message asks for, in the ways that they are written down."""

from __future__ import annotations

from typing import Any

from passhat.jsontext import decode_text_result
from passhat.recordings.arguments import arguments
from passhat.recordings.openai_writing import CALL
from passhat.recordings.shapes import identity, leftover, objects, text, wrong
from passhat.trace import ToolCall

_ARGUMENTS = ("args", "parameters", "input")


def calls_of(entry: dict[str, Any], path: str) -> list[ToolCall]:
    """The calls of a message: its `tool_calls`, which may be their JSON text, and `function_call`.

    Args:
        entry: The message.
        path: Where it stands.

    Raises:
        TraceError: They are no objects.
    """
    listed = entry.get("tool_calls")
    if isinstance(listed, str):
        listed = decode_text_result(listed) if listed.strip() else None
    found = objects(listed, f"{path}.tool_calls", "tool calls")
    older = entry.get("function_call")
    if isinstance(older, dict):
        found = [*found, (f"{path}.function_call", older)]
    elif older is not None:
        raise wrong("function_call is an object", older, f"{path}.function_call")
    return [call_of(item, at) for at, item in found]


def call_of(item: dict[str, Any], path: str) -> ToolCall:
    """The call that an item of `tool_calls` asks for, nested under its type or flat.

    Written flat, the tool's name stands under `name` or under `function`.

    >>> call_of({"id": "c1", "function": {"name": "f", "arguments": ""}}, "$")
    ToolCall(name='f', id='c1')
    """
    inner = item.get("function") or item.get("custom") or item
    named = isinstance(inner, str)
    if named:
        inner = item
    if not isinstance(inner, dict):
        raise wrong("function is an object", inner, f"{path}.function")
    extensions = leftover(item, CALL)
    if inner is not item and len(inner) > 2:
        extensions |= leftover(inner, CALL)
    if item.get("type") == "custom" and "input" in inner:
        args, error = {"input": inner["input"]}, None
        extensions["type"] = "custom"
    else:
        given = inner.get("arguments")
        if given is None:
            given = next((inner[key] for key in _ARGUMENTS if key in inner), None)
        args, error = arguments(given)
    return ToolCall(
        text(inner, "function" if named else "name", path) or "",
        args,
        args_error=error,
        id=identity(item, "id", path),
        extensions=extensions,
    )

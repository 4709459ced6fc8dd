"""Steps of a trace as OpenAI chat messages, and the keys that these have."""

from __future__ import annotations

from typing import Any

from passhat.recordings.arguments import arguments_text
from passhat.recordings.shapes import leftover
from passhat.recordings.writing import Asked, written_content
from passhat.trace import Message, ToolCall, Usage

SAID = frozenset({"role", "content"})
ANSWERED = frozenset(
    {
        *SAID,
        *("name", "tool_calls", "function_call", "refusal", "reasoning_content", "reasoning"),
        *("usage", "model", "id"),
    }
)
CALL = frozenset(
    {
        *("id", "type", "function", "custom", "name"),
        *("arguments", "args", "parameters", "input"),
    }
)
"""The keys of a message, of an answer and of a call that a trace has a place for."""


def said_entry(message: Message) -> dict[str, Any]:
    """The message of a user, the system or a developer."""
    extensions = dict(message.extensions)
    role = extensions.pop("role", message.role) if message.role == "system" else message.role
    return {"role": role, "content": written_content(message), **leftover(extensions, SAID)}


def answer_entry(asked: Asked) -> dict[str, Any]:
    """The message of one request of the model: what it said, and the calls it asked for."""
    message = asked.message or Message("assistant")
    entry: dict[str, Any] = {"role": "assistant", **leftover(message.extensions, ANSWERED)}
    refusal = message.extensions.get("refusal")
    if message.content is not None:
        entry["content"] = message.content
    else:
        entry["content"] = None if message.text in ("", refusal) else message.text
    usage = message.usage
    stated = {
        "refusal": refusal,
        "reasoning_content": message.reasoning,
        "name": message.agent,
        "id": message.id,
        "model": message.model,
        "usage": None if usage is None else _usage_entry(usage),
        "tool_calls": [_call_entry(call) for call in asked.calls] or None,
    }
    return entry | {key: value for key, value in stated.items() if value is not None}


def _usage_entry(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_input_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "cost": usage.cost,
    }


def _call_entry(call: ToolCall) -> dict[str, Any]:
    more = leftover(call.extensions, CALL | {"result"})
    if call.extensions.get("type") == "custom":
        custom = {"name": call.name, "input": call.args.get("input")}
        return {"id": call.id, "type": "custom", "custom": custom, **more}
    function = {"name": call.name, "arguments": arguments_text(call.args, call.args_error)}
    return {"id": call.id, "type": "function", "function": function, **more}

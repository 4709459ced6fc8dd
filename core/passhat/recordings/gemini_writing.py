"""Steps of a trace as Gemini contents."""

from __future__ import annotations

from typing import Any

from passhat.recordings.shapes import leftover, listing, mapping
from passhat.recordings.writing import Asked
from passhat.trace import Message, ToolCall, Usage

_READ = ("role", "parts", "modelVersion", "usageMetadata", "thoughts")
_WRAPPERS = ("output", "result", "error")


def written_content(message: Message) -> list[Any]:
    """The parts of what somebody said."""
    if message.content is not None:
        return list(message.content)
    return [{"text": message.text}]


def answer_entry(asked: Asked) -> dict[str, Any]:
    """The content of one request of the model: what it said, and the calls it asked for."""
    message = asked.message or Message("assistant")
    parts: list[Any] = listing(message.extensions, "thoughts")
    if message.reasoning is not None and not parts:
        parts.append({"text": message.reasoning, "thought": True})
    if message.text or message.content is not None:
        parts += written_content(message)
    parts += map(_call_part, asked.calls)
    more = leftover(message.extensions, _READ)
    if message.model is not None:
        more["modelVersion"] = message.model
    if message.usage is not None:
        more["usageMetadata"] = _usage_entry(message.usage)
    return {"role": "model", "parts": parts, **more}


def _usage_entry(usage: Usage) -> dict[str, Any]:
    spoken, thoughts = usage.output_tokens, usage.reasoning_tokens
    return {
        "promptTokenCount": usage.input_tokens,
        "candidatesTokenCount": None if spoken is None else max(0, spoken - (thoughts or 0)),
        "cachedContentTokenCount": usage.cached_input_tokens,
        "thoughtsTokenCount": thoughts,
    }


def _call_part(call: ToolCall) -> dict[str, Any]:
    given = call.args if call.args_error is None else call.args_error
    held = {"name": call.name, "args": given}
    more = leftover(call.extensions, ("functionCall", "function_call", "result"))
    return {"functionCall": held if call.id is None else {"id": call.id, **held}, **more}


def response_part(call: ToolCall) -> dict[str, Any]:
    """The part that tells what came of a call."""
    held: dict[str, Any] = (
        {"name": call.name} if call.id is None else {"id": call.id, "name": call.name}
    )
    held |= leftover(mapping(call.extensions, "result"), ("id", "name", "response"))
    if call.error is not None:
        response: Any = {"error": call.error}
    elif not isinstance(call.result, dict):
        response = {"result": call.result}
    elif len(call.result) == 1 and next(iter(call.result)) in _WRAPPERS:
        response = {"output": call.result}
    else:
        response = call.result
    return {"functionResponse": {**held, "response": response}}

"""Steps of a trace as Anthropic messages, and the keys that these have."""

from __future__ import annotations

from typing import Any

from passhat.recordings.conversation import value_text
from passhat.recordings.shapes import leftover, listing, mapping
from passhat.recordings.writing import Asked
from passhat.trace import Message, ToolCall, Usage

SAID = frozenset({"role", "content", "type"})
ANSWERED = SAID | {"id", "model", "usage"}
CALL = frozenset({"type", "id", "name", "input"})
RESULT = frozenset({"type", "tool_use_id", "content", "is_error"})
"""The keys of a message, of an answer, of a call and of a result that a trace has a place for."""


def answer_entry(asked: Asked) -> dict[str, Any]:
    """The message of one request of the model: what it said, and the calls it asked for."""
    message = asked.message or Message("assistant")
    more = leftover(message.extensions, ANSWERED | {"thinking"})
    entry: dict[str, Any] = {"role": "assistant", **more}
    blocks: list[Any] = listing(message.extensions, "thinking")
    if message.reasoning is not None and not blocks:
        blocks.append({"type": "thinking", "thinking": message.reasoning})
    if message.content is not None:
        blocks += message.content
    elif message.text:
        blocks.append({"type": "text", "text": message.text})
    entry["content"] = blocks + [_call_block(call) for call in asked.calls]
    if message.id is not None:
        entry["id"] = message.id
    if message.model is not None:
        entry["model"] = message.model
    if message.usage is not None:
        entry["usage"] = _usage_entry(message.usage)
    return entry


def _usage_entry(usage: Usage) -> dict[str, Any]:
    read, cached = usage.input_tokens, usage.cached_input_tokens
    fresh = read - cached if read is not None and cached is not None else read
    return {
        "input_tokens": fresh,
        "cache_read_input_tokens": cached,
        "output_tokens": usage.output_tokens,
    }


def _call_block(call: ToolCall) -> dict[str, Any]:
    more = leftover(call.extensions, (CALL - {"type"}) | {"result"})
    given = call.args if call.args_error is None else call.args_error
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": given, **more}


def add_results(found: list[dict[str, Any]], calls: tuple[ToolCall, ...]) -> None:
    """Adds results as the user's next message; those of the provider's tools to the model's own."""
    given: list[dict[str, Any]] = []
    for call in calls:
        block = _result_block(call)
        if block["type"] == "tool_result":
            given.append(block)
        else:
            found[-1]["content"].append(block)
    if given:
        found.append({"role": "user", "content": given})


def _result_block(call: ToolCall) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id}
    block |= leftover(mapping(call.extensions, "result"), RESULT - {"type"})
    if call.error is not None:
        return block | {"content": call.error, "is_error": True}
    return block | {"content": value_text(call.result)}

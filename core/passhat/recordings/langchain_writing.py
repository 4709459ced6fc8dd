"""Steps of a trace as LangChain messages, flat, and the keys that these have."""

from __future__ import annotations

from typing import Any

from passhat.recordings.conversation import value_text
from passhat.recordings.langchain_calls import CALL_KEYS, sent_entry
from passhat.recordings.shapes import leftover, listing, mapping
from passhat.recordings.writing import Asked, written_content
from passhat.trace import Message, ToolCall, Usage

SAID = frozenset({"type", "role", "content", "id"})
ANSWERED = SAID | {
    *("name", "tool_calls", "invalid_tool_calls", "usage_metadata"),
    *("tool_call_chunks", "chunk_position", "additional_kwargs", "response_metadata"),
}
RESULT = frozenset({"type", "role", "content", "tool_call_id", "name", "status", "artifact"})
"""The keys of a message, of an answer and of a result that a trace has a place for."""


def answer_entry(asked: Asked) -> dict[str, Any]:
    """The message of one request of the model: what it said, and the calls it asked for."""
    message = asked.message or Message("assistant")
    extensions = message.extensions
    thoughts = listing(extensions, "thinking")
    refusal = extensions.get("refusal")
    more = dict(mapping(extensions, "additional_kwargs"))
    about = dict(mapping(extensions, "response_metadata"))
    content = written_content(message)
    if thoughts:
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        content = [*thoughts, *blocks] if blocks != [{"type": "text", "text": ""}] else thoughts
    elif message.reasoning is not None:
        more["reasoning_content"] = message.reasoning
    if refusal is not None:
        more["refusal"] = refusal
        content = "" if content == refusal else content
    if message.model is not None:
        about["model_name"] = message.model
    listed = [call for call in asked.calls if call.args_error is None]
    invalid = [call for call in asked.calls if call.args_error is not None]
    if [*listed, *invalid] != list(asked.calls):
        # The two lists lose their common order, which the calls as they were sent keep.
        more["tool_calls"] = [sent_entry(call) for call in asked.calls]
    entry: dict[str, Any] = {
        **leftover(extensions, ANSWERED | {"thinking", "refusal"}),
        "type": "ai",
        "content": content,
        "additional_kwargs": more,
        "response_metadata": about,
        "name": message.agent,
        "id": message.id,
        "tool_calls": [_call_entry(call, "tool_call", call.args) for call in listed],
        "invalid_tool_calls": [
            _call_entry(call, "invalid_tool_call", call.args_error) for call in invalid
        ],
    }
    if message.usage is not None:
        entry["usage_metadata"] = _usage_entry(message.usage)
    return entry


def _usage_entry(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "input_token_details": {"cache_read": usage.cached_input_tokens},
        "output_token_details": {"reasoning": usage.reasoning_tokens},
    }


def _call_entry(call: ToolCall, kind: str, given: Any) -> dict[str, Any]:
    more = leftover(call.extensions, CALL_KEYS | {"result", "artifact"})
    return {"type": kind, "id": call.id, "name": call.name, "args": given, **more}


def result_entry(call: ToolCall) -> dict[str, Any]:
    """The message that a tool answers a call with."""
    entry: dict[str, Any] = {
        **leftover(mapping(call.extensions, "result"), RESULT),
        "type": "tool",
        "name": call.name,
        "tool_call_id": call.id,
        "artifact": call.extensions.get("artifact"),
    }
    if call.error is not None:
        return entry | {"content": call.error, "status": "error"}
    return entry | {"content": value_text(call.result), "status": "success"}

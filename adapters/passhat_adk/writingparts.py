"""Single fields of ADK's events, of what a trace says: parts, usage, and what has no place there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.trace import Message, ToolCall, Usage
from passhat_adk.contents import response_for
from passhat_adk.fields import SIDECAR
from passhat_adk.native import ACTIONS, EVENT

_WRITTEN = frozenset({"thoughts", "parent", "partial"})
"""What else a message keeps, which is written in places of its own."""
_BESIDE = frozenset({"part", "response", "response_part", "response_event", "interim"})
"""What else a call keeps that does not stand in its `FunctionCall`."""


def stamps(step: Message) -> dict[str, Any]:
    """What a message says of itself: its id, and when it came."""
    return {
        key: value
        for key, value in (("id", step.id), ("timestamp", step.started))
        if value is not None
    }


def said_parts(step: Message) -> list[Any]:
    """The parts of what was said."""
    if isinstance(step.content, list):
        return [part if isinstance(part, dict) else {"text": str(part)} for part in step.content]
    return [{"text": step.text}]


def answer_parts(step: Message) -> list[Any]:
    """The parts of what a model answered, its thoughts first."""
    parts: list[Any] = list(step.extensions.get("thoughts") or ())
    if step.reasoning is not None and not parts:
        parts.append({"text": step.reasoning, "thought": True})
    return parts + (said_parts(step) if step.text or step.content is not None else [])


def call_part(call: ToolCall, native: bool) -> dict[str, Any]:
    """A call as ADK keeps it; `native` if its extensions are what ADK's own part said besides."""
    said = call.extensions if native else {}
    own = {key: item for key, item in said.items() if key not in _BESIDE}
    held: dict[str, Any] = {**own, "name": call.name}
    held["args"] = call.args if call.args_error is None else call.args_error
    if call.id is not None:
        held["id"] = call.id
    return {**said.get("part", {}), "function_call": held}


def response_part(call: ToolCall, native: bool) -> dict[str, Any]:
    """What came of a call as ADK keeps it; `native` as in `call_part`."""
    said = call.extensions if native else {}
    held: dict[str, Any] = {**said.get("response", {}), "name": call.name}
    held["response"] = response_for(call.result, call.error)
    if call.id is not None:
        held["id"] = call.id
    return {**said.get("response_part", {}), "function_response": held}


def usage_value(usage: Usage | None) -> dict[str, int] | None:
    """What a request consumed, as ADK counts it."""
    if usage is None:
        return None
    spoken = usage.output_tokens
    if spoken is not None and usage.reasoning_tokens is not None:
        spoken -= usage.reasoning_tokens
    known = {
        "prompt_token_count": usage.input_tokens,
        "candidates_token_count": spoken,
        "cached_content_token_count": usage.cached_input_tokens,
        "thoughts_token_count": usage.reasoning_tokens,
        "total_token_count": usage.tokens,
    }
    return {key: value for key, value in known.items() if value is not None}


def carry(event: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Puts what ADK has no place for on an event."""
    metadata = event.setdefault("custom_metadata", {})
    known = metadata.get(SIDECAR, {})
    if "event" in more:
        more = {"event": {**known.get("event", {}), **more["event"]}}
    metadata[SIDECAR] = {**known, **more}


def take_extensions(event: dict[str, Any], extensions: Mapping[str, Any]) -> None:
    """Puts what a message was recorded with where it was, or beside the event."""
    for key, value in extensions.items():
        if key == "custom_metadata" and isinstance(value, dict):
            event["custom_metadata"] = {**event.get("custom_metadata", {}), **value}
        elif key in EVENT:
            event.setdefault(key, value)
        elif key in ACTIONS:
            event.setdefault("actions", {}).setdefault(key, value)
        elif key not in _WRITTEN:
            carry(event, {"event": {key: value}})

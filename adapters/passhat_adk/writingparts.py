"""Single fields of ADK's events, of what a trace says: parts, usage, and what has no place there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.trace import Message, ToolCall, Usage
from passhat_adk.contents import response_for
from passhat_adk.fields import SIDECAR
from passhat_adk.native import ACTIONS, EVENT, PART, snaked

_WRITTEN = frozenset({"thoughts", "parent", "partial"})
"""What else a message keeps, which is written in places of its own."""
_BESIDE = frozenset({"part", "response", "response_part", "response_event", "interim"})
"""What else a call keeps that does not stand in its `FunctionCall`."""
_OBJECTS = frozenset({"actions", "custom_metadata"})
"""The fields of an event that are objects, to which more is added."""
_TAKEN = EVENT - _OBJECTS - {"content"}


def stamps(step: Message) -> dict[str, Any]:
    """What a message says of itself: its id, and when it came."""
    return {
        key: value
        for key, value in (("id", step.id), ("timestamp", step.started))
        if value is not None
    }


def said_parts(step: Message) -> list[Any]:
    """The parts of what was said; of another form's parts, which ADK refuses, the text alone."""
    held = step.content if isinstance(step.content, list) else []
    known = all(isinstance(part, dict) and snaked(part, PART).keys() <= PART for part in held)
    return list(held) if held and known else [{"text": step.text}]


def answer_parts(step: Message) -> list[Any]:
    """The parts of what a model answered, its thoughts first."""
    thoughts = step.extensions.get("thoughts")
    parts: list[Any] = list(thoughts) if isinstance(thoughts, list) else []
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
    return {**object_in(said, "part"), "function_call": held}


def response_part(call: ToolCall, native: bool) -> dict[str, Any]:
    """What came of a call as ADK keeps it; `native` as in `call_part`."""
    said = call.extensions if native else {}
    held: dict[str, Any] = {**object_in(said, "response"), "name": call.name}
    held["response"] = response_for(call.result, call.error)
    if call.id is not None:
        held["id"] = call.id
    return {**object_in(said, "response_part"), "function_response": held}


def object_in(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key; an empty one for anything else, since a file may say what it likes."""
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


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
    known = object_in(metadata, SIDECAR)
    if "event" in more:
        more = {"event": {**object_in(known, "event"), **more["event"]}}
    metadata[SIDECAR] = {**known, **more}


def take_extensions(event: dict[str, Any], extensions: Mapping[str, Any]) -> None:
    """Puts what a message was recorded with where it was, or beside the event."""
    for key, value in extensions.items():
        if key in _OBJECTS and isinstance(value, dict):
            event[key] = {**event.get(key, {}), **value}
        elif key in _TAKEN:
            event.setdefault(key, value)
        elif key in ACTIONS:
            event.setdefault("actions", {}).setdefault(key, value)
        elif key not in _WRITTEN:
            carry(event, {"event": {key: value}})

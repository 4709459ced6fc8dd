"""Traces as ADK sessions and invocations: the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET

from passhat.errors import InputError, TraceError
from passhat.jsontext import jsonable
from passhat.recordings.sidecar import row_of
from passhat.trace import Trace
from passhat_adk.fields import SIDECAR, USER
from passhat_adk.writingevents import EventWriter
from passhat_adk.writingparts import carry

_SESSION_ROW = ("id", "final_state", "turn_ids", "started")


def from_trace(trace: Trace, *, app_name: str = "passhat", user_id: str = "user") -> dict[str, Any]:
    """A trace as an ADK session, as JSON: `Session.model_validate` takes it.

    What has no place in a session (the case, scores, tags, calls made inside other calls) rides in
    the `custom_metadata` of events, and `to_trace` reads it back.

    Args:
        trace: The trace.
        app_name: The app, where the trace's metadata names none.
        user_id: The user, where the trace's metadata names none.

    Raises:
        TraceError: The trace holds a value that is no JSON.

    >>> from passhat.testing import call, trace_of, user
    >>> session = from_trace(trace_of(user("hi"), call("f", x=1).returns(2)))
    >>> session["events"][1]["content"]["parts"][0]["function_call"]["name"]
    'f'
    """
    writer = EventWriter(trace)
    events = writer.events()
    row = row_of(trace)
    metadata = {
        key: value for key, value in trace.metadata.items() if key not in ("app_name", "user_id")
    }
    beside = {key: item for key, item in row.items() if key not in (*_SESSION_ROW, "metadata")}
    if metadata:
        beside["metadata"] = metadata
    if trace.tools is not None:
        beside["tools"] = trace.tools
    if beside and events:
        carry(events[0], beside)
    session = {
        "id": trace.id,
        "app_name": trace.metadata.get("app_name", app_name),
        "user_id": trace.metadata.get("user_id", user_id),
        "state": {} if trace.final_state is UNSET else trace.final_state,
        "events": events,
        "last_update_time": trace.ended or trace.started or 0.0,
    }
    if trace.final_state is UNSET and events:
        carry(events[0], {"no_final_state": True})
    return _plain(session, trace)


def invocations_of(trace: Trace, ids: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """A trace as the invocations that ADK's evaluation works on, one for each turn.

    Args:
        trace: The trace.
        ids: The ids of the invocations, instead of those of the trace's turns.

    Raises:
        TraceError: The trace holds a value that is no JSON.
    """
    names = iter(ids) if ids is not None else None
    made = []
    for index, turn in enumerate(trace.turns):
        events = EventWriter(turn).events()
        asked = [event for event in events if event["author"] == USER and _worded(event)]
        others = [event for event in events if event not in asked and not _is_inside(event)]
        final = next((event for event in reversed(others) if _is_final(event)), None)
        rows = [
            {
                key: (None if event is final and key == "content" else event[key])
                for key in ("author", "content", "usage_metadata", "model_version")
                if key in event
            }
            for event in others
        ]
        known = trace.turn_ids[index] if index < len(trace.turn_ids) else f"{trace.id}#{index}"
        invocation: dict[str, Any] = {
            "invocation_id": next(names) if names is not None else known,
            "user_content": asked[0]["content"] if asked else {"role": "user", "parts": []},
            "intermediate_data": {"invocation_events": rows},
        }
        if final is not None:
            invocation["final_response"] = final["content"]
        made.append(_plain(invocation, trace))
    return made


def _is_inside(event: Mapping[str, Any]) -> bool:
    """Whether it happened inside a call, which ADK's invocations do not show."""
    return "parent" in event.get("custom_metadata", {}).get(SIDECAR, {})


def _worded(event: Mapping[str, Any]) -> bool:
    return not any("function_response" in part for part in event["content"]["parts"])


def _is_final(event: Mapping[str, Any]) -> bool:
    parts = event.get("content", {}).get("parts", ())
    return (
        event["author"] != USER
        and bool(parts)
        and all("function_call" not in part and "function_response" not in part for part in parts)
    )


def _plain(value: dict[str, Any], trace: Trace) -> dict[str, Any]:
    try:
        return jsonable(value)  # type: ignore[no-any-return]  # a dict gives a dict
    except InputError as error:
        raise TraceError(
            f"trace {trace.id!r} cannot be written: {error.message}", error.place
        ) from error

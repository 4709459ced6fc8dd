"""Messages whose content stands in parts of other tools' forms, as plain messages."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def unparted(raw: Json) -> list[Json] | None:
    """A message of such parts as plain messages; None for one that has none.

    OpenTelemetry's messages have `parts`; `wrap_gemini` writes the role `model`, and calls and what
    they gave as parts of the content.

    >>> unparted({"role": "model", "content": [{"type": "function_call",
    ...     "function_call": {"name": "lookup", "arguments": {}}}]})[0]["tool_calls"][0]["id"]
    'call_0'
    """
    parts, role = raw.get("parts"), raw.get("role")
    foreign = isinstance(parts, list)
    listed = parts if foreign else raw.get("content")
    if not foreign and role != "model" and not _has_functions(listed):
        return None
    if not isinstance(listed, list):
        return [{**raw, "role": "assistant"}] if listed else []
    found: list[Json] = []
    spoken: list[Any] = []
    calls: list[Json] = []
    for part in listed:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in ("tool_call", "function_call"):
            calls.append(_asked(part, len(calls)))
        elif kind in ("tool_call_response", "function_response"):
            found.append(_answered(part))
        elif kind == "text":
            spoken.append({"type": "text", "text": part.get("text") or part.get("content") or ""})
        elif kind == "reasoning":
            spoken.append({"type": "reasoning", "reasoning": part.get("content") or ""})
        else:
            spoken.append(part)
    if spoken or calls:
        words = all(isinstance(one, dict) and one.get("type") == "text" for one in spoken)
        content = "".join(one["text"] for one in spoken) if words else spoken
        said = {"role": "assistant" if role == "model" else role, "content": content}
        found.append({**said, "tool_calls": calls} if calls else said)
    return found


def _has_functions(listed: Any) -> bool:
    return isinstance(listed, list) and any(
        isinstance(part, dict) and part.get("type") in ("function_call", "function_response")
        for part in listed
    )


def _asked(part: Json, number: int) -> Json:
    held = part["function_call"] if isinstance(part.get("function_call"), dict) else part
    args = held.get("arguments")
    # `wrap_gemini` numbers the calls of an answer that have no id.
    id = held.get("id") or f"call_{number}"
    return {"type": "tool_call", "id": id, "name": held.get("name"), "args": args}


def _answered(part: Json) -> Json:
    held = part["function_response"] if isinstance(part.get("function_response"), dict) else part
    content = held.get("response", held.get("result"))
    return {
        "type": "tool",
        "content": content if isinstance(content, str) else json.dumps(content),
        "tool_call_id": held.get("id"),
        "name": held.get("name"),
    }

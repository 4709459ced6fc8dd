"""Messages whose content stands in parts of other tools' forms, as plain messages."""

from __future__ import annotations

import json
from typing import Any

from passhat.recordings.gemini import returned

Json = dict[str, Any]
_ROLES = {"model": "assistant", None: "user"}
_GEMINI = {
    "function_call": ("function_call", "functionCall"),
    "function_response": ("function_response", "functionResponse"),
}


def unparted(raw: Json) -> list[Json] | None:
    """A message of such parts as plain messages; None for one that has none.

    OpenTelemetry's messages have `parts`, and so have Gemini's contents; `wrap_gemini` writes the role
    `model`, and calls and what they gave as parts of the content.

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
        kind = _kind(part) if isinstance(part, dict) else None
        if kind in ("tool_call", "function_call"):
            calls.append(_asked(part, len(calls)))
        elif kind in ("tool_call_response", "function_response"):
            found.append(_answered(part))
        elif kind == "text":
            spoken.append({"type": "text", "text": part.get("text") or part.get("content") or ""})
        elif kind == "reasoning":
            said = part.get("content") or part.get("text")
            spoken.append({"type": "reasoning", "reasoning": said or ""})
        else:
            spoken.append(part)
    if spoken or calls:
        words = all(isinstance(one, dict) and one.get("type") == "text" for one in spoken)
        content = "".join(one["text"] for one in spoken) if words else spoken
        spoke = {"role": _ROLES.get(role, role), "content": content}
        found.append({**spoke, "tool_calls": calls} if calls else spoke)
    return found


def _kind(part: Json) -> Any:
    """What a part is: its type, or, of Gemini's own, the key that it has."""
    if "type" in part:
        return part["type"]
    for kind, keys in _GEMINI.items():
        if any(isinstance(part.get(key), dict) for key in keys):
            return kind
    if isinstance(part.get("text"), str):
        return "reasoning" if part.get("thought") is True else "text"
    return None


def _held(part: Json, kind: str) -> Json:
    """The call, or the response, that a part holds; the part itself where it is one."""
    found = [part[key] for key in _GEMINI[kind] if isinstance(part.get(key), dict)]
    return found[0] if found else part


def _has_functions(listed: Any) -> bool:
    return isinstance(listed, list) and any(
        isinstance(part, dict) and part.get("type") in ("function_call", "function_response")
        for part in listed
    )


def _asked(part: Json, number: int) -> Json:
    held = _held(part, "function_call")
    args = held.get("arguments", held.get("args"))
    # `wrap_gemini` numbers the calls of an answer that have no id; Gemini itself leaves them out.
    id = held.get("id") or (f"call_{number}" if "type" in part else None)
    return {"type": "tool_call", "id": id, "name": held.get("name"), "args": args}


def _answered(part: Json) -> Json:
    held = _held(part, "function_response")
    content = held.get("response", held.get("result"))
    if held is not part:
        content = returned(content)
    return {
        "type": "tool",
        "content": content if isinstance(content, str) else json.dumps(content),
        "tool_call_id": held.get("id"),
        "name": held.get("name"),
    }

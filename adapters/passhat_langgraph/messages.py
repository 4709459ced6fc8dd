"""Which values of a graph's channels are messages, and the calls that a task was started for."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from passhat.recordings.langchain import adapter as langchain
from passhat_langgraph.decoding import SEND, TYPE

Entry: TypeAlias = dict[str, Any]

_KINDS = frozenset({"human", "ai", "system", "tool", "function", "remove", "chat"})
_RESULTS = ("__return__", "__end__")
_write = msgspec.json.Encoder(order="sorted").encode


def messages_in(channel: str, value: Any) -> list[Entry] | None:
    """The messages that a channel was given, each flat with its type; None where it holds others.

    A message knows itself by its type. By role, as pairs or as text, messages are told only in a
    channel that is called so.

    >>> messages_in("messages", ["user", "hi"])
    [{'role': 'user', 'content': 'hi', 'type': 'human'}]
    >>> messages_in("topics", ["user", "hi"]) is None, messages_in("messages", [])
    (True, [])
    """
    if isinstance(value, dict) and value.get(TYPE) == "langgraph.types.Overwrite":
        value = value.get("value")
    if channel in _RESULTS and isinstance(value, dict) and "messages" in value:
        channel, value = "messages", value["messages"]
    named = channel.endswith("messages")
    if named:
        value = _with_roles(value)
    if isinstance(value, str):
        return [{"type": "human", "content": value}] if named else None
    if _is_message(value, named):
        return [_normal(value)]
    if not isinstance(value, list):
        return None
    if not value:
        return [] if named else None
    if not all(_is_message(item, named) for item in value):
        return None
    return [_normal(item) for item in value]


def update_of(given: Any) -> Entry:
    """What a graph is given, by channel: a mapping is that already; the rest is said, or an input.

    >>> update_of([["user", "hi"]]), update_of(["hi"])
    ({'messages': [['user', 'hi']]}, {'input': ['hi']})
    """
    if isinstance(given, dict):
        return given
    texts = isinstance(given, list) and any(isinstance(item, str) for item in given)
    said = isinstance(given, str) or _is_pair(given)
    said = said or (not texts and bool(messages_in("messages", given)))
    return {"messages" if said else "input": given}


def _with_roles(value: Any) -> Any:
    """The messages of a state's `messages` in one form: a text is the user's, a pair has a role."""
    if not isinstance(value, list) or _is_pair(value):
        return _with_role(value)
    return [{"type": "human", "content": v} if isinstance(v, str) else _with_role(v) for v in value]


def _with_role(value: Any) -> Any:
    return {"role": value[0], "content": value[1]} if _is_pair(value) else value


def _is_pair(value: Any) -> bool:
    """Whether a value is a role with what it says: `["user", "hi"]`, or with a list of parts."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        return False
    said = value[1]
    parts = isinstance(said, list) and all(isinstance(part, dict) for part in said)
    return langchain.is_entry([value[0], ""]) and (isinstance(said, str) or parts)


def _is_message(value: Any, named: bool) -> bool:
    if isinstance(value, dict) and "lc" not in value and not named:
        return "content" in value and _kind(value) in _KINDS
    if isinstance(value, dict) and "lc" in value:
        return langchain.is_entry(value)
    return named and langchain.is_entry(value)


def _kind(value: Entry) -> Any:
    kind = value.get("type")
    return kind.removesuffix("MessageChunk").lower() if isinstance(kind, str) else None


def _normal(value: Any) -> Entry:
    found = {k: v for k, v in langchain.normal(value).items() if k != TYPE}
    if isinstance(found.get("type"), str):
        found["type"] = {"AIMessageChunk": "ai"}.get(found["type"], found["type"])
    return found


def likeness(entry: Entry) -> bytes:
    """What two copies of a message share, whether or not the state gave one of them an id."""
    keys = ("type", "content", "tool_call_id", "tool_calls")
    return bytes(_write([entry.get(key) or None for key in keys]))


def sends_of(channel: str, value: Any) -> list[Entry]:
    """The tasks that a write sends off."""
    if channel != SENDS:
        return []
    rows = value if isinstance(value, list) else [value]
    return [row for row in rows if isinstance(row, dict) and row.get(TYPE) == SEND]


SENDS = "__pregel_tasks"


def calls_sent(argument: Any) -> list[Entry]:
    """The tool calls that a task was sent off with.

    >>> calls_sent([{"type": "tool_call", "id": "c1", "name": "f", "args": {}}])[0]["id"]
    'c1'
    """
    if isinstance(argument, dict) and isinstance(argument.get("tool_call"), dict):
        argument = argument["tool_call"]
    rows = argument if isinstance(argument, list) else [argument]
    return [row for row in rows if isinstance(row, dict) and row.get("type") == "tool_call"]

"""What to do with a file of no form that is read, and how jq makes runs of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from passhat.foreign.forms import CHAT, named
from passhat.foreign.looking import MOST_KEYS, MOST_SHOWN

Knows = Callable[[Any], bool]
"""Whether some reader knows a value as one run, or as a list of messages."""

_KEYS = ("messages", "contents", "items")
_ASKED = (".input", ".input.messages", ".request.messages", ".prompt", ".messages")
_ANSWERED = (".output", ".response", ".completion", ".output.messages", ".response.messages")
_ASKERS = ("user", "human", "system", "developer")
_ENDS = ("output", "outputs")
_MOST_BODIES = 6
_A_PAIR = 2


def advice(values: Sequence[Any], knows: Knows, *, listed: bool) -> str | None:
    """What to do with a file of no known form; None where nothing is to be said.

    Args:
        values: The first values of the file.
        knows: Whether a value is of a known form.
        listed: Whether the file is a list, rather than a value a line.

    >>> chat = [{"role": "user", "content": "hi"}]
    >>> advice([{"id": 1, "history": chat}], lambda value: "messages" in value, listed=False)
    "under 'history' stand messages: jq -c '{messages: .history} + del(.history)' makes runs of it"
    """
    if (said := named(values)) is not None:
        return said.replace("jq -c '", "jq -c '.[] | ") if listed else said
    if not values or not all(isinstance(value, dict) for value in values):
        return None
    if (said := _unknown_messages(values[0], knows)) is not None:
        return said
    shared = [key for key in values[0] if key.isidentifier() and all(key in one for one in values)]
    found = (
        _apart(values[0], knows)
        or _pair(values[0], knows)
        or _within(values[0], shared[:MOST_KEYS], knows)
    )
    if found is None:
        return None
    said, query = found
    return f"{said}: jq -c '{'.[] | ' if listed else ''}{query}' makes runs of it"


def _apart(value: dict[str, Any], knows: Knows) -> tuple[str, str] | None:
    """How jq joins a conversation with an answer that stands apart from it."""
    whole = {"input": _at(value, ".request.input"), "output": _at(value, ".response.output")}
    if None not in whole.values() and knows(whole):
        return "request and response stand apart", (
            "{input: .request.input, output: .response.output} + ."
        )
    for asked in _ASKED:
        for answered in _ANSWERED:
            chat, answer = _at(value, asked), _at(value, answered)
            if not isinstance(chat, list) or not chat or not isinstance(answer, dict | list):
                continue
            if answered.endswith(".messages") and _begins_anew(answer):
                continue
            several = answer if isinstance(answer, list) else [answer]
            if knows({"messages": [*chat, *several]}):
                joined = answered if several is answer else f"[{answered}]"
                said = f"the answer stands under {answered[1:]!r}, apart from its conversation"
                return said, f"{{messages: ({asked} + {joined})}} + ."
    return None


def _begins_anew(answer: Any) -> bool:
    """Whether messages are a whole conversation, rather than what was answered to another."""
    first = answer[0] if isinstance(answer, list) and answer else None
    return not isinstance(first, dict) or first.get("role", first.get("type")) in _ASKERS


def _pair(value: dict[str, Any], knows: Knows) -> tuple[str, str] | None:
    """How jq joins a request and the response to it that stand under any two keys."""
    held = {key: item for key, item in value.items() if key.isidentifier() and item}
    bodies = [key for key, item in held.items() if isinstance(item, dict)][:_MOST_BODIES]
    for asked in bodies:
        chat = held[asked].get("messages")
        for answered in bodies:
            if asked == answered:
                continue
            answer = held[answered]
            said = f"request and response stand under {asked!r} and {answered!r}"
            rest = f"del(.{asked}, .{answered})"
            if knows({"request": held[asked], "response": answer}):
                return said, f"{rest} + {{request: .{asked}, response: .{answered}}}"
            if isinstance(chat, list) and chat and knows({"messages": [*chat, answer]}):
                return said, f"{rest} + {{messages: (.{asked}.messages + [.{answered}])}}"
    return None


def _unknown_messages(value: dict[str, Any], knows: Knows) -> str | None:
    """What is said of messages of which some are of no form: their roles or types."""
    shallow = list(value.items())[:MOST_KEYS]
    deeper = [
        (f"{key}.{name}", item)
        for key, inner in shallow
        if isinstance(inner, dict)
        for name, item in list(inner.items())[:MOST_KEYS]
    ]
    for key, inner in (*shallow, *deeper):
        if not isinstance(inner, list) or not all(isinstance(entry, dict) for entry in inner):
            continue
        odd = [entry for entry in inner if not any(knows({name: [entry]}) for name in _KEYS)]
        if not odd or len(odd) == len(inner):
            continue
        words = {repr(entry.get("role", entry.get("type"))) for entry in odd}
        shown = ", ".join(sorted(words)[:MOST_SHOWN])
        return f"under {key!r} stand messages that no form here has ({shown}): {CHAT}"
    return None


def _within(value: dict[str, Any], keys: Sequence[str], knows: Knows) -> tuple[str, str] | None:
    """What of a value is a run, and how jq takes it out."""
    if (each := _each(value, knows)) is not None:
        return each
    chats = [(key, name) for key in keys if (name := _name_for(value, key, knows)) is not None]
    if len(chats) > 1:
        (key, _), (other, _) = chats[:2]
        return f"{key!r} and {other!r} each hold messages; taking one", f".{key}"
    if chats:
        key, name = chats[0]
        return f"under {key!r} stand messages", f"{{{name}: .{key}}} + del(.{key})"
    for key in sorted(keys, key=lambda key: key not in _ENDS):
        inner = value[key]
        several = isinstance(inner, list)
        first, path = (inner[0], f".{key}[]") if several and inner else (inner, f".{key}")
        if not isinstance(first, dict):
            continue
        below = [name for name in first if name.isidentifier()][:MOST_KEYS]
        for held, at in ((first, path), *((first[name], f"{path}.{name}") for name in below)):
            if not isinstance(held, dict) or not held:
                continue
            if not several and knows({"messages": [held]}):
                return f"under {at[1:]!r} stands a message", f"{{messages: [{at}]}} + ."
            name = next((name for name in _KEYS if knows({name: [held]})), None)
            if several and name is not None:
                return f"under {at[1:]!r} stand messages", f"{{{name}: [{at}]}} + del(.{key})"
            if knows(held):
                if at in (f".{key}", f".{key}[]"):
                    return f"under {at[1:]!r} stand runs", at if several else f"del({at}) + {at}"
                if not several:
                    return f"under {at[1:]!r} stand runs", f"del(.{key}) + {at}"
                around, _, name = at.rpartition(".")
                return f"under {at[1:]!r} stand runs", f"{around} | del(.{name}) + .{name}"
    return None


def _each(value: dict[str, Any], knows: Knows) -> tuple[str, str] | None:
    """How jq makes runs of an object that has one under each key, which is its id."""
    few = list(value.items())[:_MOST_BODIES]
    if len(few) < _A_PAIR or value.keys() & {*_ENDS}:
        return None
    if all(isinstance(item, dict) and knows(item) for _, item in few):
        return "under each key stands a run", "to_entries[] | {id: .key} + .value"
    names = {_name_for(value, key, knows) for key, _ in few}
    if len(few) > _A_PAIR and len(names) == 1 and None not in names:
        return (
            "under each key stand messages",
            f"to_entries[] | {{id: .key, {names.pop()}: .value}}",
        )
    return None


def _name_for(value: dict[str, Any], key: str, knows: Knows) -> str | None:
    """The key of a row by which the messages under another key are known."""
    inner = value[key]
    if not isinstance(inner, list) or not inner:
        return None
    rest = {other: item for other, item in value.items() if other != key}
    return next((name for name in _KEYS if knows({**rest, name: inner})), None)


def _at(value: Any, path: str) -> Any:
    for key in path.split(".")[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value

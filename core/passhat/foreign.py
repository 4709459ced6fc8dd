"""Files of no form that is read: what they seem to be, and how to make one that is.

Nothing here is sure. It is what a person would say who looks at the beginning of the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from passhat.jsontext import first_values

Knows = Callable[[Any], bool]
"""Whether some reader knows a value as one run, or as a list of messages."""

_CHAT = 'write each run as {"messages": [...]} (docs: Formats, "Forms that are not read")'
_KEYS = ("messages", "contents", "items")
_ASKED = (".input", ".input.messages", ".request.messages", ".prompt", ".messages")
_ANSWERED = (".output", ".response", ".completion")
_ENDS = ("output", "outputs")
_MOST_KEYS = 24
_MOST_BODIES = 6
_A_PAIR = 2
_MOST_SHOWN, _LONGEST_KEY = 8, 40
_EMPTY_LISTS = ([b"[]"], [b"[", b"]"])
_KINDS: dict[type, str] = {str: "a text", bool: "a boolean", list: "a list", type(None): "a null"}


def beginning(head: bytes) -> str:
    """What a file begins with, in a few words.

    >>> beginning(b'{"dialog": [], "task": 1}'), beginning(b"Dear team,")
    ("it begins with an object that has 'dialog', 'task'", 'it holds no JSON object')
    >>> beginning(b"[ ]")
    'it is an empty list'
    """
    values = first_values(head)
    if not values:
        return "it is an empty list" if head.split() in _EMPTY_LISTS else "it holds no JSON object"
    first = values[0]
    where = ""
    if isinstance(first, list):
        if not first:
            return "it begins with an empty list"
        first, where = first[0], "a list, and that with "
    if not isinstance(first, dict):
        return f"it begins with {where}{_KINDS.get(type(first), 'a number')}"
    keys = [
        repr(key) if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]!r}..." for key in first
    ]
    shown = ", ".join(keys[:_MOST_SHOWN]) + (", ..." if len(keys) > _MOST_SHOWN else "")
    return f"it begins with {where}an object that has {shown or 'no keys'}"


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
    for value in values:
        for name, told in _FORMS:
            if told(value):
                return name
    if not values or not all(isinstance(value, dict) for value in values):
        return None
    if (said := _unknown_messages(values[0], knows)) is not None:
        return said
    shared = [key for key in values[0] if key.isidentifier() and all(key in one for one in values)]
    found = (
        _apart(values[0], knows)
        or _pair(values[0], knows)
        or _within(values[0], shared[:_MOST_KEYS], knows)
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
            several = answer if isinstance(answer, list) else [answer]
            if knows({"messages": [*chat, *several]}):
                joined = answered if several is answer else f"[{answered}]"
                said = f"the answer stands under {answered[1:]!r}, apart from its conversation"
                return said, f"{{messages: ({asked} + {joined})}} + ."
    return None


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
    for key, inner in list(value.items())[:_MOST_KEYS]:
        if not isinstance(inner, list) or not all(isinstance(entry, dict) for entry in inner):
            continue
        odd = [entry for entry in inner if not any(knows({name: [entry]}) for name in _KEYS)]
        if not odd or len(odd) == len(inner):
            continue
        words = {repr(entry.get("role", entry.get("type"))) for entry in odd}
        shown = ", ".join(sorted(words)[:_MOST_SHOWN])
        return f"under {key!r} stand messages that no form here has ({shown}): {_CHAT}"
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
        below = [name for name in first if name.isidentifier()][:_MOST_KEYS]
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


def outline(value: Any) -> bytes:
    """The JSON of a value without what makes it long: enough to tell what it is.

    >>> outline({"messages": [{"role": "user", "content": "x" * 500}] * 9})[:40]
    b'{"messages": [{"role": "user", "content"'
    """
    return json.dumps(_cut(value, _DEPTH)).encode()


def _cut(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value[:_LONGEST]
    if isinstance(value, dict):
        kept = list(value.items())[: _MOST_KEYS if depth else 0]
        return {key: _cut(item, depth - 1) for key, item in kept}
    if isinstance(value, list):
        return [_cut(item, depth - 1) for item in value[: _MOST_ITEMS if depth else 0]]
    return value


_DEPTH, _LONGEST, _MOST_ITEMS = 9, 200, 8


def _at(value: Any, path: str) -> Any:
    for key in path.split(".")[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _has(*keys: str) -> Callable[[Any], bool]:
    """Whether a value has all of the keys."""
    return lambda value: isinstance(value, dict) and value.keys() >= {*keys}


def _is(key: str, *beginnings: str) -> Callable[[Any], bool]:
    """Whether the text under a key begins with one of these."""
    return lambda value: isinstance(value, dict) and str(value.get(key)).startswith(beginnings)


def _any(*tests: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: any(test(value) for test in tests)


def _among(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether it holds of a value, or of an object within it, a few floors down."""
    return lambda value: any(map(test, _objects(value)))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects within a value: the first few of each list, four floors down."""
    floor: list[Any] = [value]
    for _ in range(5):
        yield from (item for item in floor if isinstance(item, dict))
        floor = [inner for item in floor for inner in _inside(item)][:_MOST_OBJECTS]


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return list(value.values())[:_MOST_KEYS]
    return value[:_MOST_KEYS] if isinstance(value, list) else ()


_MOST_OBJECTS = 500
_FORMS: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    (
        "these are results, not recordings: they go to passhat report, gate and compare",
        _is("schema", "passhat.result/"),
    ),
    (
        "it seems a log of Claude Code: jq -c 'select(.message and (.isSidechain | not)) | .message' "
        "makes a run of it",
        _any(
            _has("parentUuid"), _has("leafUuid", "summary"), _has("session_id", "message", "type")
        ),
    ),
    (
        "it seems a log of Codex: jq -c 'select(.type == \"response_item\") | .payload' makes a run "
        "of it",
        _has("timestamp", "type", "payload"),
    ),
    (f"they seem ShareGPT's conversations: {_CHAT}", _among(_has("from", "value"))),
    (
        f"they seem messages of an Assistants thread, without their calls: {_CHAT}",
        _among(_is("object", "thread.")),
    ),
    (
        f"they seem Bedrock's messages: {_CHAT}",
        _among(_any(_has("toolUse"), _has("toolResult"))),
    ),
    (
        f"they seem Vercel AI SDK's messages: {_CHAT}",
        _among(
            _any(_has("toolInvocation"), _has("toolCallId"), _is("type", "tool-", "dynamic-tool"))
        ),
    ),
    (f"they seem Pydantic AI's messages: {_CHAT}", _among(_has("part_kind"))),
    (
        f"they seem Haystack's messages: {_CHAT}",
        _among(_any(_has("tool_call"), _has("tool_calls", "_role"))),
    ),
    (f"they seem LlamaIndex's messages: {_CHAT}", _among(_has("block_type"))),
    (
        f"they seem AutoGen's messages: {_CHAT}",
        _is("type", "ToolCallRequestEvent", "ToolCallExecutionEvent", "TextMessage"),
    ),
    (
        f"they seem OpenTelemetry's spans, which are no runs: {_CHAT}",
        _any(_has("resourceSpans"), _has("attributes", "context"), _has("attributes", "spanId")),
    ),
    (f"it seems a trajectory of ATIF: {_CHAT}", _is("schema_version", "ATIF")),
    (
        f"they seem OpenHands' events: {_CHAT}",
        _among(_any(_has("source", "action"), _has("source", "observation"))),
    ),
    (
        f"they seem steps of smolagents: {_CHAT}",
        _any(_has("step", "tool_calls"), _has("step", "observations")),
    ),
    (f"they seem answers of BFCL: {_CHAT}", _has("id", "result", "latency")),
    (f"they seem single questions and answers, not runs: {_CHAT}", _has("query", "answers")),
    (f"it seems a conversation in one text: {_CHAT}", _has("system", "chat")),
    (
        "they are pieces of a stream: put them together first",
        _any(
            _is("type", "response.", "message_start", "content_block_"),
            _is("object", "chat.completion.chunk"),
        ),
    ),
)
"""What a file seems, with what to do; and how that shows in one of its first values."""

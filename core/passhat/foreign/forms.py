"""Forms that are not read: how each shows, and what to do with a file of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from passhat.foreign.looking import MOST_KEYS

CHAT = 'write each run as {"messages": [...]} (docs: Formats, "Forms that are not read")'
"""What to do where no command does it."""


def named(values: Sequence[Any]) -> str | None:
    """What a file seems to be by its first values, and what to do; None where it is of no known form.

    >>> named([{"resourceSpans": []}])[:40]
    "they seem OpenTelemetry's spans, which a"
    """
    return next((said for value in values for said, shows in _FORMS if shows(value)), None)


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
        return list(value.values())[:MOST_KEYS]
    return value[:MOST_KEYS] if isinstance(value, list) else ()


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
    (f"they seem ShareGPT's conversations: {CHAT}", _among(_has("from", "value"))),
    (
        f"they seem messages of an Assistants thread, without their calls: {CHAT}",
        _among(_is("object", "thread.")),
    ),
    (
        f"they seem Bedrock's messages: {CHAT}",
        _among(_any(_has("toolUse"), _has("toolResult"))),
    ),
    (
        f"they seem Vercel AI SDK's messages: {CHAT}",
        _among(
            _any(_has("toolInvocation"), _has("toolCallId"), _is("type", "tool-", "dynamic-tool"))
        ),
    ),
    (f"they seem Pydantic AI's messages: {CHAT}", _among(_has("part_kind"))),
    (
        f"they seem Haystack's messages: {CHAT}",
        _among(_any(_has("tool_call"), _has("tool_calls", "_role"))),
    ),
    (f"they seem LlamaIndex's messages: {CHAT}", _among(_has("block_type"))),
    (
        f"they seem AutoGen's messages: {CHAT}",
        _is("type", "ToolCallRequestEvent", "ToolCallExecutionEvent", "TextMessage"),
    ),
    (
        f"they seem OpenTelemetry's spans, which are no runs: {CHAT}",
        _any(_has("resourceSpans"), _has("attributes", "context"), _has("attributes", "spanId")),
    ),
    (f"it seems a trajectory of ATIF: {CHAT}", _is("schema_version", "ATIF")),
    (
        f"they seem OpenHands' events: {CHAT}",
        _among(_any(_has("source", "action"), _has("source", "observation"))),
    ),
    (
        f"they seem steps of smolagents: {CHAT}",
        _any(_has("step", "tool_calls"), _has("step", "observations")),
    ),
    (f"they seem answers of BFCL: {CHAT}", _has("id", "result", "latency")),
    (f"they seem single questions and answers, not runs: {CHAT}", _has("query", "answers")),
    (f"it seems a conversation in one text: {CHAT}", _has("system", "chat")),
    (
        "they are pieces of a stream: put them together first",
        _any(
            _is("type", "response.", "message_start", "content_block_"),
            _is("object", "chat.completion.chunk"),
        ),
    ),
)
"""What a file seems, with what to do; and how that shows in one of its first values."""

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


def _answers_with_messages(value: Any) -> bool:
    """Whether a trace of Langfuse, or what stands around it, has a whole conversation for output."""
    holder = value.get("trace", value)
    output = holder.get("output") if isinstance(holder, dict) else None
    if isinstance(output, str):  # Its JSON, and perhaps the JSON of that.
        return output.lstrip('\\"{ ').startswith("messages")
    return isinstance(output, dict) and isinstance(output.get("messages"), list)


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
_INIT = _is("type", "system")
_CODEX = _has("timestamp", "type", "payload")
_CODEX_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_THREAD = _has("thread_id", "status", "values")
_LISTING = _has("object", "data", "has_more")
_ITEM = _is("type", "message", "function_call")
_LANGFUSE = _has("observations")
_OBSERVATION = _has("traceId", "parentObservationId", "type")
_FORMS: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    (
        "these are results, not recordings: they go to passhat report, gate and compare",
        _is("schema", "passhat.result/"),
    ),
    (
        f"it seems a log of Cursor's agent, whose calls are no messages: {CHAT}",
        lambda value: _INIT(value) and value.get("subtype") == "init" and "tools" not in value,
    ),
    (
        "it seems a log of Claude Code: jq -c 'select(.message and (.isSidechain or "
        ".parent_tool_use_id | not)) | .message' makes a run of it",
        _any(
            _has("parentUuid"), _has("leafUuid", "summary"), _has("session_id", "message", "type")
        ),
    ),
    (
        "it seems a log of Codex: jq -c 'select(.type == \"response_item\") | .payload' makes a run "
        "of it",
        lambda value: _CODEX(value) and value["type"] in _CODEX_TYPES,
    ),
    (
        'it seems a trajectory of mini-swe-agent: jq -c \'.messages |= map(select(.role != "exit")) | '
        '. + {id: .instance_id, outcome: ({Submitted: "completed", LimitsExceeded: "limit"}'
        '[.info.exit_status // ""] // "agent_error")}\' makes a run of it',
        _is("trajectory_format", "mini-swe-agent"),
    ),
    (
        "they seem threads of a LangGraph server: jq -c '"
        'select(.values and .status != "busy") | .values + {id: .thread_id, outcome: '
        '({error: "agent_error", interrupted: "interrupted"}[.status] // "completed")}\' '
        "makes runs of them",
        lambda value: _THREAD(value) and _has("messages")(value["values"]),
    ),
    (
        "it seems a log of Inspect: jq -c '.samples[] | . + {case_id: (.id | tostring), "
        "trial: (.epoch - 1), scores: (.scores // {} | map_values(.value | "
        'if . == "C" then 1 elif . == "I" then 0 else . end))} | '
        'if .limit then .outcome = "limit" else . end | del(.id)\' makes runs of it',
        _has("eval", "samples"),
    ),
    (
        "it seems a state of a run of OpenAI's agents: jq -c '{items: ((.original_input | "
        'if type == "string" then [{role: "user", content: .}] else . end) + '
        '[.generated_items[] | select(.type != "tool_approval_item") | .raw_item])}\' '
        "makes a run of it",
        _has("$schemaVersion", "original_input", "generated_items"),
    ),
    (
        "it seems a trace of Langfuse: jq -c '(.trace // .) | . + (.output | "
        'until(type != "string"; fromjson))\' makes a run of it',
        lambda value: _LANGFUSE(value) and _answers_with_messages(value),
    ),
    (
        f"they seem steps of smolagents: {CHAT}",
        _any(
            _has("step", "tool_calls"),
            _has("step", "observations"),
            _among(_any(_has("model_output_message"), _has("step_number", "code_action"))),
        ),
    ),
    (
        f"they seem observations of Langfuse, of which a run has several: {CHAT}",
        lambda value: _LANGFUSE(value) or (_OBSERVATION(value) and value["type"] != "GENERATION"),
    ),
    (
        f"it seems a log of Gemini CLI: {CHAT}",
        _any(_has("tool_name", "tool_id"), _is("type", "init"), _has("projectHash", "messages")),
    ),
    (
        f"they seem events of codex exec, which are no messages: {CHAT}",
        _is("type", "thread.started", "item."),
    ),
    (f"they seem ShareGPT's conversations: {CHAT}", _among(_has("from", "value"))),
    (
        f"they seem messages of an Assistants thread, without their calls: {CHAT}",
        _among(_is("object", "thread.")),
    ),
    (
        "it seems a list of the API's, which has the newest item first unless it was asked for "
        "otherwise: jq -c '{items: (.data | reverse)}' makes a run of it, and {items: .data} where "
        "the oldest is the first",
        lambda value: _LISTING(value) and any(map(_ITEM, _inside(value["data"]))),
    ),
    (f"they seem Goose's messages: {CHAT}", _among(_is("type", "toolRequest", "toolResponse"))),
    (
        f"they seem Bedrock's messages: {CHAT}",
        _among(_any(_has("toolUse"), _has("toolResult"), _has("toolUseId"))),
    ),
    (
        f"they seem Vercel AI SDK's messages: {CHAT}",
        _among(
            _any(_has("toolInvocation"), _has("toolCallId"), _is("type", "tool-", "dynamic-tool"))
        ),
    ),
    (f"they seem Pydantic AI's messages: {CHAT}", _among(_has("part_kind"))),
    (f"they seem opencode's messages: {CHAT}", _among(_has("info", "parts"))),
    (
        f"they seem Letta's messages: {CHAT}",
        _among(_is("message_type", "user_message", "tool_call_message", "tool_return_message")),
    ),
    (
        f"they seem Haystack's messages: {CHAT}",
        _among(_any(_has("tool_call"), _has("tool_calls", "_role"))),
    ),
    (f"they seem LlamaIndex's messages: {CHAT}", _among(_has("block_type"))),
    (
        f"they seem AutoGen's messages: {CHAT}",
        _among(
            _is(
                "type",
                "ToolCallRequestEvent",
                "ToolCallExecutionEvent",
                "FunctionExecutionResultMessage",
                "TextMessage",
            )
        ),
    ),
    (
        f"they seem OpenTelemetry's spans, which are no runs: {CHAT}",
        _any(
            _has("resourceSpans"),
            _has("context.span_id"),
            *(_has("attributes", key) for key in ("context", "spanId", "span_id")),
        ),
    ),
    (f"it seems a trajectory of ATIF: {CHAT}", _is("schema_version", "ATIF")),
    (
        f"they seem OpenHands' events: {CHAT}",
        _among(_any(_has("source", "action"), _has("source", "observation"))),
    ),
    (
        f"they seem Semantic Kernel's messages: {CHAT}",
        _among(_is("content_type", "function_call", "function_result")),
    ),
    (f"it seems what a crew of CrewAI gave, without its calls: {CHAT}", _has("tasks_output")),
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

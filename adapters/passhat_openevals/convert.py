"""Messages as agentevals and openevals take them, to traces and back."""

from __future__ import annotations

from typing import Any

from passhat.errors import InputError, TraceError, UsageError
from passhat.jsontext import jsonable
from passhat.recordings import to_trace as messages_to_trace
from passhat.recordings.openai_chat import adapter as openai
from passhat.recordings.shapes import word, wrong
from passhat.trace import Trace


def to_trace(messages: Any, *, id: str = "trace") -> Trace:
    """The trace of messages, in any of the forms that their evaluators take.

    Args:
        messages: OpenAI messages, LangChain messages (as objects or as dicts), a mapping with
            `messages`, or one message alone. They are left as they are.
        id: The trace's id.

    Raises:
        TraceError: They cannot be read.

    >>> to_trace({"messages": [{"role": "assistant", "content": "Hello."}]}).final_response
    'Hello.'
    """
    try:
        plain = listed(jsonable(messages))
    except InputError as error:
        raise TraceError(error.message, error.place) from error
    if not isinstance(plain, list):
        raise wrong("messages are a list, or an object with them", plain, "$")
    if not plain:
        return Trace(id, source="openevals")
    try:
        return messages_to_trace(plain, form_of(plain), id=id)
    except UsageError as error:
        raise TraceError(error.message, error.place) from error


def listed(value: Any) -> Any:
    """The list of messages in a JSON value: within a mapping, or one message alone."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return value["messages"]
    if isinstance(value, dict) and ({"role", "type"} & value.keys()):
        return [value]
    return [] if value is None else value


def form_of(messages: list[Any]) -> str | None:
    """Whose messages they are: LangChain's where one has a type and no role, else as they say."""
    dicts = [one for one in messages if isinstance(one, dict)]
    if any("role" not in one and isinstance(one.get("type"), str) for one in dicts):
        return "langchain"
    kinds = {
        word(part, "type")
        for one in dicts
        if isinstance(one.get("content"), list)
        for part in one["content"]
    }
    if kinds & {"tool_use", "tool_result"} and not any(one.get("tool_calls") for one in dicts):
        return "anthropic"
    return "openai"


def are_messages(value: Any) -> bool:
    """Whether a JSON value is messages: a list of them, or a mapping that has one."""
    held = value.get("messages") if isinstance(value, dict) else value
    return (
        isinstance(held, list)
        and bool(held)
        and all(
            isinstance(one, dict)
            and (isinstance(one.get("role"), str) or isinstance(one.get("type"), str))
            and bool({"content", "tool_calls", "function_call", "data", "kwargs"} & one.keys())
            for one in held
        )
    )


def from_trace(trace: Trace) -> list[dict[str, Any]]:
    """A trace as OpenAI messages: what their evaluators take as `outputs`.

    Raises:
        TraceError: The trace holds a value that is no JSON.

    >>> from passhat.trace import TraceBuilder
    >>> build = TraceBuilder("t")
    >>> build.user("hi")
    >>> build.assistant("Hello.")
    >>> from_trace(build.trace())
    [{'role': 'user', 'content': 'hi'}, {'role': 'assistant', 'content': 'Hello.'}]
    """
    found: list[dict[str, Any]] = openai.from_trace(trace)["messages"]
    return [_taken(message) for message in found]


def _taken(message: dict[str, Any]) -> dict[str, Any]:
    """A message as their normaliser takes it: it raises where the content is null."""
    return {**message, "content": ""} if message.get("content") is None else message

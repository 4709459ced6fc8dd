"""The messages that runs hold, each as a flat LangChain message whatever wrote it.

LangChain and LangGraph write their own (serialised, flat, or live), `wrap_openai` OpenAI's of
either API, `wrap_anthropic` content blocks, and `@traceable` whatever the function took and gave.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.shapes import identity, word
from passhat_langsmith.plain import is_mapping, plain
from passhat_langsmith.spans import unparted

_ASKED = ("input", "question", "query", "prompt", "user_input", "text", "message")
_ANSWERED = ("output", "answer", "response", "final_answer", "result", "text", "content")
_CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
}
_KINDS = frozenset(_CLASSES.values())
_SPOKEN = ("text", "output_text", "input_text")

Entry = dict[str, Any]


def entries(values: Any) -> tuple[list[Entry], list[Any]]:
    """The messages of a list, and what in it is none.

    Messages in their plainest form are given as they stand, not copied: most of a history is known,
    and only looked at. What is kept of one is copied where it is.

    >>> entries([{"role": "user", "content": "hi"}, 5])
    ([{'role': 'user', 'content': 'hi', 'type': 'human'}], [5])
    """
    found: list[Entry] = []
    strange: list[Any] = []
    for value in values:
        if (entry := _plainest(value)) is not None:
            found.append(entry)
            continue
        messages = _entries(plain(value))
        if messages is None:
            strange.append(plain(value))
        else:
            found += messages
    return found, strange


def _plainest(value: Any) -> Entry | None:
    """A message of LangChain's whose content is text, flat or serialised; None for all others."""
    if type(value) is not dict:
        return None
    if "lc" in value:
        inner, names = value.get("kwargs"), value.get("id")
        if type(inner) is not dict or type(names) is not list or not names:
            return None
        kind = _CLASSES.get(names[-1]) if type(names[-1]) is str else None
    else:
        inner, kind = value, value.get("type")
        if type(kind) is not str or kind not in _KINDS:
            return None
    if kind is None or type(inner.get("content")) is not str or "role" in inner or "parts" in inner:
        return None
    calls = inner.get("tool_calls")
    if calls and not (
        type(calls) is list
        and all(type(one) is dict and type(one.get("id")) is str for one in calls)
    ):
        return None
    if inner.get("invalid_tool_calls"):
        return None
    return inner if inner.get("type") == kind else {**inner, "type": kind}


def _entries(raw: Any) -> list[Entry] | None:
    """What one item of a list of messages says, which may be several; None for no message."""
    if isinstance(raw, str):
        return [{"type": "human", "content": raw}]
    if isinstance(raw, dict) and "lc" not in raw:
        if raw.get("type") == "message":
            raw = {key: value for key, value in raw.items() if key != "type"}
        if item := _responses_item(raw):
            return item
        if raw.get("type") == "reasoning":
            return []
        if (apart := unparted(raw)) is not None:
            found = [_parted(langchain.normal(one)) for one in apart if langchain.is_entry(one)]
            return [entry for several in found for entry in several]
        if "role" in raw and "content" not in raw:
            raw = {**raw, "content": ""}
    if not langchain.is_entry(raw):
        return None
    entry = langchain.normal(raw)
    return _parted(entry) if entry["type"] == "human" else [entry]


def _responses_item(raw: Entry) -> list[Entry] | None:
    """A call, or what a call gave, as OpenAI's Responses write them: items of their own."""
    if raw.get("type") == "function_call":
        call = {
            "type": "tool_call",
            "id": raw.get("call_id") or raw.get("id"),
            "name": raw.get("name"),
            "args": raw.get("arguments"),
        }
        return [{"type": "ai", "content": "", "tool_calls": [call]}]
    if raw.get("type") == "function_call_output":
        call_id, output = raw.get("call_id"), raw.get("output")
        return [{"type": "tool", "content": output, "tool_call_id": call_id}]
    return None


def _parted(entry: Entry) -> list[Entry]:
    """A message, with the results that Anthropic puts among a user's parts as messages of tools."""
    content = entry.get("content")
    if entry.get("type") != "human" or not isinstance(content, list):
        return [entry]
    results = [part for part in content if word(part, "type") == "tool_result"]
    if not results:
        return [entry]
    found: list[Entry] = [
        {
            "type": "tool",
            "content": part.get("content"),
            "tool_call_id": part.get("tool_use_id"),
            "status": "error" if part.get("is_error") is True else "success",
        }
        for part in results
    ]
    rest = [part for part in content if word(part, "type") != "tool_result"]
    return [*found, {**entry, "content": rest}] if rest else found


def given(inputs: Any) -> list[Any] | None:
    """The messages that a model, or an agent, was given, not yet read; None where there are none."""
    held = _unwrapped(inputs)
    if not is_mapping(held):
        return None
    for key in ("messages", "input", "prompts", "prompt"):
        value = held.get(key)
        if isinstance(value, str) and key != "messages":
            return [*_system(held), value]
        if isinstance(value, list | tuple) and value:
            if key == "messages" and _is_batch(value):
                value = value[0]
            return [*_system(held), *value]
    return None


def _is_batch(value: Any) -> bool:
    """Whether a list of messages has LangChain's dimension of batches around it.

    A pair of texts is a message, and a batch holds no text: `[["user", "hi"]]` is one message.
    """
    first = value[0]
    return isinstance(first, list) and bool(first) and not isinstance(first[0], str)


def _system(held: Mapping[str, Any]) -> list[Entry]:
    """The system prompt that some APIs take beside the messages."""
    for key in ("system", "instructions"):
        if held.get(key):
            return [{"type": "system", "content": plain(held[key])}]
    return []


def _unwrapped(inputs: Any) -> Any:
    """The inputs themselves: a target of LangSmith's `evaluate` is given them under one key."""
    held = inputs
    for key in ("inputs", "input"):
        if is_mapping(held) and is_mapping(held.get(key)):
            held = held[key]
    return held


def question(inputs: Any) -> str | None:
    """What a user asked, where an agent's inputs are a text and no messages.

    >>> question({"inputs": {"question": "Where is A1?"}}), question({"a": 1}), question({"q": "x"})
    ('Where is A1?', None, 'x')
    """
    held = _unwrapped(inputs)
    if not isinstance(held, Mapping):
        return None
    texts = [value for value in held.values() if isinstance(value, str)]
    for key in _ASKED:
        if isinstance(held.get(key), str):
            return str(held[key])
    return texts[0] if len(texts) == 1 else None


def reply(outputs: Any) -> str | None:
    """The text that an agent answered with, where its outputs tell it from other texts.

    >>> reply({"output": "It has shipped."}), reply({"label": "refund"}), reply({"output": None})
    ('It has shipped.', None, None)
    """
    if not isinstance(outputs, Mapping):
        return None
    for key in _ANSWERED:
        value = outputs.get(key)
        if isinstance(value, str) and value:
            return value
        if key == "output" and isinstance(value, Mapping):
            return reply(value)
    return None


def said(outputs: Any) -> list[Entry]:
    """What a model answered, of whichever API; nothing where it gave nothing.

    >>> said({"choices": [{"message": {"role": "assistant", "content": "hi"}}]})[0]["content"]
    'hi'
    """
    if not is_mapping(outputs):
        return []
    generations = outputs.get("generations")
    if isinstance(generations, list | tuple):
        return _generated(generations)
    choices = outputs.get("choices")
    if isinstance(choices, list | tuple) and choices:
        first = plain(choices[0])
        message = first.get("message") if isinstance(first, dict) else None
        about = {"response_metadata": {"model_name": outputs.get("model")}}
        return _answers([{**message, **about}]) if isinstance(message, dict) else []
    output = outputs.get("output")
    if isinstance(output, list | tuple) and outputs.get("object") == "response":
        return _joined(_answers(plain(output)), outputs)
    if outputs.get("role") is not None or word(outputs, "type") in ("ai", "AIMessageChunk"):
        return _answers([plain(outputs)])
    for held in (output, outputs.get("message")):
        if isinstance(held, str):
            return [{"type": "ai", "content": held}]
        if held is not None and not isinstance(held, list | tuple):
            found = _answers([plain(held)])
            if found:
                return found
    if isinstance(output, list | tuple) and output and all(isinstance(one, str) for one in output):
        return [
            {"type": "ai", "content": "".join(output)}
        ]  # What a generator gave, piece by piece.
    for key in ("messages", "output"):
        if isinstance(outputs.get(key), list | tuple) and outputs[key]:
            return _answers([outputs[key][-1]])
    text = reply(outputs)
    return [] if text is None else [{"type": "ai", "content": text}]


def _generated(generations: Any) -> list[Entry]:
    first = generations[0] if generations else None
    while isinstance(first, list | tuple):
        first = first[0] if first else None
    one = first if type(first) is dict else plain(first)
    if not isinstance(one, dict):
        return []
    message = one["message"] if type(one.get("message")) is dict else plain(one.get("message"))
    if isinstance(message, dict):
        return _answers([message])
    return [{"type": "ai", "content": one["text"]}] if isinstance(one.get("text"), str) else []


def _answers(values: list[Any]) -> list[Entry]:
    return [entry for entry in entries(values)[0] if entry.get("type") == "ai"]


def _joined(items: list[Entry], outputs: Mapping[str, Any]) -> list[Entry]:
    """The items of one response as one message: they were one request."""
    parts: list[Any] = []
    calls: list[Any] = []
    for item in items:
        content = item.get("content")
        parts += content if isinstance(content, list) else [content] if content else []
        calls += item.get("tool_calls") or []
    texts = [
        {"type": "text", "text": part["text"]}
        if isinstance(part, dict) and word(part, "type") in _SPOKEN and "text" in part
        else part
        for part in parts
    ]
    if not texts and not calls:
        return []
    id = identity(outputs, "id", "$") if isinstance(outputs.get("id"), str) else None
    return [{"type": "ai", "content": texts, "tool_calls": calls, "id": id}]


def key_of(entry: Entry) -> Any:
    """What tells a message from others in a history: its calls' ids, or what it says."""
    kind, content = entry.get("type"), entry.get("content")
    if kind == "tool":
        return kind, str(entry.get("tool_call_id")), repr(content)
    calls = tuple(str(call.get("id")) for call in calls_of(entry))
    if kind == "ai" and calls:
        return kind, calls
    if isinstance(content, list) and all(word(part, "type") in _SPOKEN for part in content):
        content = "".join(str(part.get("text")) for part in content)
    return kind, content if isinstance(content, str) else repr(content)


def calls_of(entry: Entry) -> list[Entry]:
    """The calls that a message asks for, as written."""
    for key in ("tool_calls", "invalid_tool_calls"):
        if isinstance(entry.get(key), list) and entry[key]:
            return [call for call in entry[key] if isinstance(call, dict)]
    content = entry.get("content")
    if isinstance(content, list):
        return [part for part in content if word(part, "type") == "tool_use"]
    return []

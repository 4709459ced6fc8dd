"""What a model, or an agent, answered: the messages that its outputs hold, whichever API it is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.recordings.shapes import identity, word
from passhat_langsmith.messages import SPOKEN, Entry, entries, is_item
from passhat_langsmith.plain import is_mapping, plain
from passhat_langsmith.responses import content_of, with_model

_ANSWERED = ("output", "answer", "response", "final_answer", "result", "text", "content")


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
        first = choices[0] if type(choices[0]) is dict else plain(choices[0])
        message = first.get("message") if isinstance(first, dict) else None
        if type(message) is not dict:
            message = plain(message)
        about = {"response_metadata": {"model_name": outputs.get("model")}}
        if isinstance(message, dict):
            return _answers([{**message, **about}])
        text = first.get("text") if isinstance(first, dict) else None
        return [{"type": "ai", "content": text, **about}] if isinstance(text, str) else []
    if (found := content_of(outputs)) is not None:
        content, about = found
        return [{**one, **about} for one in _answers([content])]
    output = outputs.get("output")
    if isinstance(output, list | tuple) and _are_items(outputs, output):
        return _joined(_answers(plain(output)), outputs)
    if outputs.get("role") is not None or word(outputs, "type") in ("ai", "AIMessageChunk"):
        return _answers([with_model(plain(outputs))])
    for held in (output, outputs.get("message")):
        if isinstance(held, str):
            return [{"type": "ai", "content": held}]
        if held is None or isinstance(held, list | tuple):
            continue
        if answers := _answers([plain(held)]):
            return answers
    if isinstance(output, list | tuple) and output and all(isinstance(one, str) for one in output):
        return [
            {"type": "ai", "content": "".join(output)}
        ]  # What a generator gave, piece by piece.
    for key in ("messages", "output"):
        if isinstance(outputs.get(key), list | tuple) and outputs[key]:
            return _answers([outputs[key][-1]])
    text = reply(outputs)
    return [] if text is None else [{"type": "ai", "content": text}]


def _are_items(outputs: Mapping[str, Any], output: Any) -> bool:
    """Whether a list holds the items of a response, even where all that is around it was left out."""
    return outputs.get("object") == "response" or any(
        is_item(kind) or kind == "message" for kind in (word(one, "type") for one in output)
    )


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
        if isinstance(part, dict) and word(part, "type") in SPOKEN and "text" in part
        else part
        for part in parts
    ]
    if not texts and not calls:
        return []
    id = identity(outputs, "id", "$") if isinstance(outputs.get("id"), str) else None
    joined = {"type": "ai", "content": texts, "tool_calls": calls, "id": id}
    return [{**joined, "response_metadata": {"model_name": outputs.get("model")}}]

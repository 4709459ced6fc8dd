"""What a provider's own response says, where the function that asked it gave it back as it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.recordings import anthropic, gemini, openai_chat
from passhat.recordings.shapes import word
from passhat.trace import Usage
from passhat_langsmith.plain import plain

Json = dict[str, Any]


def usage_in(outputs: Mapping[str, Any]) -> Usage | None:
    """The tokens that a response of OpenAI's, Anthropic's or Gemini's states; None where none does.

    >>> usage_in({"object": "chat.completion", "usage": {"prompt_tokens": 9, "completion_tokens": 2}})
    Usage(input_tokens=9, output_tokens=2)
    >>> usage_in({"candidates": [], "usageMetadata": {"promptTokenCount": 9}})
    Usage(input_tokens=9)
    """
    if stated := outputs.get("usage"):
        # Both write `input_tokens`; to Anthropic, those out of a cache are none of them.
        of = anthropic.adapter if word(outputs, "type") == "message" else openai_chat.adapter
        return of.usage(plain(stated))
    if stated := outputs.get("usageMetadata") or outputs.get("usage_metadata"):
        return gemini.adapter.usage(plain(stated))
    return None


def content_of(outputs: Mapping[str, Any]) -> tuple[Json, Json] | None:
    """The answer in a response of Gemini's, and what messages say of it: the model.

    >>> content_of({"candidates": [{"content": {"parts": [{"text": "hi"}]}}], "modelVersion": "m"})
    ({'parts': [{'text': 'hi'}], 'role': 'model'}, {'response_metadata': {'model_name': 'm'}})
    """
    candidates = outputs.get("candidates")
    first = plain(candidates[0]) if isinstance(candidates, list | tuple) and candidates else None
    content = first.get("content") if isinstance(first, dict) else None
    if not isinstance(content, dict):
        return None
    model = outputs.get("modelVersion") or outputs.get("model_version")
    return {**content, "role": "model"}, {"response_metadata": {"model_name": model}}


def with_model(message: Json) -> Json:
    """A response of Anthropic's as a message, with the model where messages have it; others as they are.

    What it used up is told by the run.
    """
    if word(message, "type") != "message" or "model" not in message:
        return message
    rest = {key: value for key, value in message.items() if key not in ("model", "usage")}
    return {**rest, "response_metadata": {"model_name": message["model"]}}

"""What a model, or an agent, was given: the messages, or the question, that its inputs hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat_langsmith.messages import Entry
from passhat_langsmith.plain import is_mapping, plain

_ASKED = ("input", "question", "query", "prompt", "user_input", "text", "message")
_ROLES = frozenset({"user", "human", "assistant", "ai", "system"})
_OF_GEMINI = ("system_instruction", "systemInstruction")


def given(inputs: Any) -> list[Any] | None:
    """The messages that a model, or an agent, was given, not yet read; None where there are none."""
    held = _unwrapped(inputs)
    key = _key_in(held)
    if key is None:
        return None
    value = held[key]
    if isinstance(value, str):
        return [*_system(held), value]
    if key == "messages" and _is_pair(value):
        value = [value]
    elif key == "messages" and _is_batch(value):
        value = value[0]
    return [*_system(held), *value]


def _key_in(held: Any) -> str | None:
    """Under which key messages stand."""
    if not is_mapping(held):
        return None
    for key in ("messages", "contents", "input", "prompts", "prompt"):
        value = held.get(key)
        if (isinstance(value, str) and key != "messages") or (
            isinstance(value, list | tuple) and value
        ):
            return key
    return None


def beside_messages(inputs: Any) -> Any:
    """What stands beside the messages that an agent was given; all of it where there are none.

    >>> beside_messages({"messages": [], "user_id": 5}), beside_messages({"input": "hi"})
    ({'messages': [], 'user_id': 5}, {})
    """
    held = _unwrapped(inputs)
    key = _key_in(held)
    if key is None:
        return inputs
    return {name: one for name, one in held.items() if name != key and one is not None}


def _is_pair(value: Any) -> bool:
    """Whether a value is no list of messages but one, as a role and a text: LangGraph takes that too."""
    texts = len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str)
    return texts and value[0] in _ROLES


def _is_batch(value: Any) -> bool:
    """Whether a list of messages has LangChain's dimension of batches around it.

    A pair of texts is a message, and a batch holds no text: `[["user", "hi"]]` is one message.
    """
    first = value[0]
    return isinstance(first, list) and bool(first) and not isinstance(first[0], str)


def _system(held: Mapping[str, Any]) -> list[Entry]:
    """The system prompt that some APIs take beside the messages."""
    for key in ("system", "instructions", *_OF_GEMINI):
        if held.get(key):
            return [_of_system(plain(held[key]))]
    config = plain(held["config"]) if "contents" in held and held.get("config") else None
    return _system(config) if isinstance(config, dict) else []


def _of_system(words: Any) -> Entry:
    if isinstance(words, dict) and isinstance(words.get("parts"), list):
        return {"role": "system", "parts": words["parts"]}
    return {"type": "system", "content": words}


def _unwrapped(inputs: Any) -> Any:
    """The inputs themselves: a target of LangSmith's `evaluate` is given them under one key."""
    held = inputs
    for key in ("inputs", "input"):
        if is_mapping(held) and (inner := held.get(key)) and is_mapping(inner):
            held = inner
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

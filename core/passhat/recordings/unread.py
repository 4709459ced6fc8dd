"""Calls that stand where a reader does not look: another form's parts, keys and answers.

A chat is written alike by many, and calls are not. What looks like a call and is none of the form
at hand is refused or said in the gaps, so that no check takes a run for one without calls.
"""

from __future__ import annotations

import re
from typing import Any

from passhat.recordings.shapes import mapping, word

_CALLS = re.compile("(?:tool|function)_?(?:call|use|invocation)s?", re.IGNORECASE)
_MARKS = (
    *("<tool_call>", "<function_calls>", "<function=", "[TOOL_CALLS]", "<|python_tag|>"),
    *("<|tool_calls_section_begin|>", "<\uff5ctool\u2581calls\u2581begin\uff5c>"),
    *("<attempt_completion>", "<execute>", "<execute_bash>", "<execute_ipython>", "<tool_use>"),
    *("<functioncall>", '<details type="tool_calls"'),
    *("<invoke name=", ":tool_call>", "<|tool_call|>", "<|action_start|>", "<|START_ACTION|>"),
    *("<\uff5cDSML\uff5cfunction_calls>", " to=functions.", "functools[{"),
)
_ACTION = re.compile(r"^\s*Action:\s*(?:\{|[^\n]*\n\s*Action Input:)", re.MULTILINE)
_SPOKEN_ANSWERS = {
    "<tool_response>": "<tool_call>",
    "<function_results>": "<function_calls>",
    "<returncode>": "```bash",
    "API output:": "Action:",
}
_NAMED_ANSWER = re.compile(r"\[[\w.-]+(?: for '[^\n]*')?\] Result:")
_SENT = ("tool_calls", "function_call")
_ANSWERED = ("choices", "candidates", "message", "tool_calls")
_SPOKEN = ("response", "completion", "output")
"""The keys under which a text is what was answered, and neither a reference nor what came of the run."""
_MODELS = ("assistant", "model", "ai", "AIMessage", "AIMessageChunk")
_ANSWERS = ("response", "completion", "output", "outputs", "choices", "answer", "result")


def is_tool_part(kind: str) -> bool:
    """Whether parts of that type are calls or results, which a reader must not take for content.

    >>> is_tool_part("tool_use"), is_tool_part("tool-call"), is_tool_part("image_url")
    (True, True, False)
    """
    return "tool" in kind or kind.startswith("function") or kind.endswith("_call")


def kinds_of(part: Any) -> tuple[str, ...]:
    """The type of a part; of one that states none, its keys, which say what it is.

    >>> kinds_of({"type": "text", "text": "hi"}), kinds_of({"toolUse": {}}), kinds_of("hi")
    (('text',), ('toolUse',), ())
    """
    if not isinstance(part, dict):
        return ()
    return (word(part, "type"),) if "type" in part else tuple(part)


def calls_in_text(said: str) -> str | None:
    r"""How a text of a model writes a call, where it has one that an agent's program reads out of it.

    >>> calls_in_text('<tool_call>{"name": "f"}</tool_call>'), calls_in_text("I call the tool.")
    ('<tool_call>', None)
    >>> calls_in_text('Thought: look.\nAction: {"name": "f", "arguments": {}}')
    'Action:'
    """
    if "<" in said or "[" in said:  # As all of the marks have it.
        for mark in _MARKS:
            if mark in said:
                return mark
    return "Action:" if "Action:" in said and _ACTION.search(said) else None


def answers_in_text(said: str) -> str | None:
    """How calls were written to which a text in the user's name is the answer, where it is one.

    >>> answers_in_text("API output: 5"), answers_in_text("The API output is 5")
    ('Action:', None)
    >>> answers_in_text("[read_file for 'a.py'] Result:")
    'tags, answered by [...] Result:'
    """
    if said.startswith("[") and _NAMED_ANSWER.match(said):
        return "tags, answered by [...] Result:"
    begins = (call for answer, call in _SPOKEN_ANSWERS.items() if said.startswith(answer))
    return next(begins, None)


def is_of_thread(value: dict[str, Any]) -> bool:
    """Whether a value is a message of an Assistants thread, whose calls stand elsewhere."""
    return value.get("object") == "thread.message"


def unread_calls(rest: dict[str, Any], *, known: bool = False) -> str | None:
    """The key, among those that a message has beside its form's own, that holds calls.

    Args:
        rest: What stands under these keys.
        known: Whether the message has calls of its form's own: LangChain keeps those as sent, too.

    >>> unread_calls({"toolInvocations": [{"toolName": "f"}]}), unread_calls({"tool_plan": "Look"})
    ('toolInvocations', None)
    >>> unread_calls({"additional_kwargs": {"tool_calls": [{"id": "c1"}]}})
    'additional_kwargs'
    >>> unread_calls({"thought": "Look.", "action": "ls"})
    'action'
    """
    if not known and rest.get("action") and "thought" in rest:
        return "action"
    for key, value in rest.items():
        if not isinstance(value, dict | list) or not value:
            continue
        if _CALLS.fullmatch(key):
            return key
        if key == "additional_kwargs" and not known and any(map(mapping(rest, key).get, _SENT)):
            return key
    return None


def answer_beside(row: dict[str, Any]) -> str | None:
    """The key of a row under which an answer of a model seems to stand, beside its conversation.

    >>> answer_beside({"messages": [], "output": {"role": "assistant", "content": "hi"}})
    'output'
    >>> answer_beside({"messages": [], "output": "hi"}), answer_beside({"messages": [], "result": "late"})
    ('output', None)
    """
    return next((key for key in _ANSWERS if _is_answer(key, row.get(key))), None)


def _is_answer(key: str, value: Any) -> bool:
    if isinstance(value, str):
        return key in _SPOKEN and bool(value.strip())
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, dict) and isinstance(held := first.get("messages"), list) and held:
        first = held[-1]
    if not isinstance(first, dict):
        return False
    told = any(isinstance(first.get(key), dict | list) for key in _ANSWERED)
    return told or word(first, "role") in _MODELS or word(first, "type") in _MODELS

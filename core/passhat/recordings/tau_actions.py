"""Trajectories of tau-bench's agents that write their calls into their texts, as that program reads them.

Its `react` and `act` agents end each answer with `Action:` and an object of a name and arguments. What
is none, and the action `respond`, is said to the user; the result of any other action comes back as a
message of the user's that begins with `API output:`.
"""

from __future__ import annotations

from typing import Any

from passhat.errors import InputError
from passhat.jsontext import decode
from passhat.recordings.arguments import arguments
from passhat.recordings.conversation import Conversation
from passhat.recordings.openai_chat import said
from passhat.recordings.shapes import Entry, word
from passhat.trace import ToolCall

_ROLES = ("system", "user", "assistant")
_ACTION, _OUTPUT, _RESPOND = "Action:", "API output: ", "respond"


def are_actions(entries: list[Entry]) -> bool:
    """Whether calls stand in the texts of a trajectory, and nowhere else.

    >>> asked = {"role": "assistant", "content": 'Action: {"name": "f", "arguments": {}}'}
    >>> are_actions([("$[0]", asked)]), are_actions([("$[0]", {**asked, "tool_calls": [{}]})])
    (True, False)
    """
    messages = [entry for _, entry in entries]
    if any(entry.get("tool_calls") or entry.get("role") not in _ROLES for entry in messages):
        return False
    return any(_action(entry) is not None for entry in messages)


def fill(chat: Conversation, entries: list[Entry], failed: str) -> None:
    """Puts such a trajectory into the trace under construction.

    Args:
        chat: The trace.
        entries: The messages.
        failed: What the output of a call that failed begins with.
    """
    waiting: str | None = None
    for path, entry in entries:
        content = word(entry, "content")
        if entry.get("role") == "assistant":
            waiting = _answer(chat, entry, content)
        elif waiting is not None and content.startswith(_OUTPUT):
            came = content.removeprefix(_OUTPUT)
            chat.answer(came, name=waiting, failed=came.startswith(failed), entry=entry)
            waiting = None
        else:
            said(chat, entry, path)


def _answer(chat: Conversation, entry: dict[str, Any], content: str) -> str | None:
    """Adds one answer of the model; the name of the tool that it calls, if it calls one."""
    thought, _, written = content.rpartition(_ACTION)
    reasoning = thought.strip().removeprefix("Thought:").strip() or None
    action = _action(entry)
    if action is None:
        chat.assistant(written.strip(), reasoning=reasoning)
        return None
    name, given = action["name"], action["arguments"]
    told = given.get("content") if isinstance(given, dict) else None
    if name == _RESPOND and isinstance(told, str):
        chat.assistant(told, reasoning=reasoning)
        return None
    args, error = arguments(given)
    chat.assistant("", [ToolCall(name, args, args_error=error)], reasoning=reasoning)
    return str(name)


def _action(entry: dict[str, Any]) -> dict[str, Any] | None:
    """What an answer of the model asks for, None where it asks for nothing that can be read."""
    content = word(entry, "content")
    if entry.get("role") != "assistant" or _ACTION not in content:
        return None
    try:
        action = decode(content.rpartition(_ACTION)[2].strip())
    except InputError:
        return None
    known = isinstance(action, dict) and isinstance(action.get("name"), str)
    return action if known and "arguments" in action else None

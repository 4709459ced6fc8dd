"""Native samples of the canonical traces, for worlds whose recordings are chats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from passhat.recordings.writing import Asked, Results, chat_order
from passhat.testing.canonical import CANONICAL
from passhat.trace import Interrupt, ToolCall, Trace


class ChatForm(Protocol):
    """How a world records the parts of a chat: each method gives the entries that say it."""

    def user(self, text: str, picture: bool) -> list[Any]:
        """What the user says, with a picture beside it or not."""
        ...

    def says(self, text: str) -> list[Any]:
        """What the agent says."""
        ...

    def asks(self, calls: Sequence[ToolCall]) -> list[Any]:
        """The calls that one request asks for; `args_error` is the raw text of broken arguments."""
        ...

    def gives(self, calls: Sequence[ToolCall]) -> list[Any]:
        """What came of calls: each has a `result`, or an `error`."""
        ...


def chat_samples(form: ChatForm) -> dict[str, list[Any]]:
    """The canonical traces that a chat can record, as lists of entries in its form.

    Those with interrupts and with calls inside calls are not among them.

    >>> class Lines:
    ...     def user(self, text, picture): return [f"U: {text}"]
    ...     def says(self, text): return [f"A: {text}"]
    ...     def asks(self, calls): return [f"A calls {call.name}" for call in calls]
    ...     def gives(self, calls): return [f"{call.name}: {call.result}" for call in calls]
    >>> chat_samples(Lines())["no_arguments"]
    ['U: What time is it?', 'A calls clock', 'clock: 12:30', 'A: Half past twelve.']
    """
    return {
        name: _entries(form, canonical.trace)
        for name, canonical in CANONICAL.items()
        if not any(isinstance(step, Interrupt) for step in canonical.trace.steps)
        and canonical.trace.calls == canonical.trace.all_calls
    }


def _entries(form: ChatForm, trace: Trace) -> list[Any]:
    found: list[Any] = []
    for part in chat_order(trace):
        if isinstance(part, Results):
            found += form.gives(part.calls)
        elif not isinstance(part, Asked):
            found += form.user(part.text, part.content is not None)
        elif part.calls:
            found += form.asks(part.calls)
        elif part.message is not None:
            found += form.says(part.message.text)
    return found

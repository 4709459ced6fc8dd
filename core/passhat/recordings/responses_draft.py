"""The request under construction while Responses items are read one by one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from passhat.recordings.conversation import Conversation
from passhat.recordings.parts import LISTED
from passhat.recordings.responses_items import thought_text
from passhat.recordings.shapes import leftover
from passhat.trace import ToolCall


@dataclass
class Draft:
    """What the model has put out since somebody else had the word: one request.

    It ends with the first thing that is not the model's, with a second message, and with the
    result of a call that the provider ran: what follows was put out in the knowledge of it.

    Args:
        chat: The trace under construction.
        approvals: The ids of the calls that had to be approved.
    """

    chat: Conversation
    approvals: set[str | None] = field(default_factory=set)
    _said: dict[str, Any] | None = None
    _thoughts: list[dict[str, Any]] = field(default_factory=list)
    _calls: list[ToolCall] = field(default_factory=list)
    _answers: list[dict[str, Any]] = field(default_factory=list)
    _seen: bool = False
    _waiting: list[dict[str, Any]] = field(default_factory=list)

    def message(self, said: dict[str, Any]) -> None:
        """Takes a message, as the fields of `TraceBuilder.assistant`."""
        if self._said is not None or self._seen:
            self.close()
        self._said = said

    def reasoning(self, item: dict[str, Any]) -> None:
        """Takes a reasoning item."""
        if self._seen:
            self.close()
        self._thoughts.append(item)

    def call(
        self, call: ToolCall, *, result: tuple[Any, bool] | None = None, ran: bool = False
    ) -> None:
        """Takes a call.

        Args:
            call: The call.
            result: Its result and whether it failed, where they came with it.
            ran: Whether the provider ran it, though the result is not told.
        """
        if self._seen:
            self.close()
        if ran and result is None:
            call = replace(call, executed=True, answered=self.chat.request + 2)
        self._calls.append(call)
        if result is not None:
            self._answers.append(
                {"content": result[0], "failed": result[1], "call_id": call.id, "name": call.name}
            )
        self._seen = ran or result is not None

    def wait(self, item: dict[str, Any], call: ToolCall) -> None:
        """Takes a call that somebody must approve first."""
        self.call(call)
        self.approvals.add(call.id)
        value = leftover(item, ("type", "id"))
        self._waiting.append({"id": call.id, "value": value, "pending": _ids(call)})

    def close(self) -> None:
        """Puts the request into the trace, if there is anything in it."""
        if self._said is None and not self._thoughts and not self._calls:
            return
        said: dict[str, Any] = dict(self._said or {"text": ""})
        reasoning = LISTED.join(filter(None, map(thought_text, self._thoughts)))
        if any(leftover(item, _THOUGHT_KEYS) for item in self._thoughts):
            said["extensions"] = {**said.get("extensions", {}), "reasoning": self._thoughts}
        self.chat.assistant(calls=self._calls, reasoning=reasoning or None, **said)
        for answer in self._answers:
            self.chat.answer(**answer)
        for pause in self._waiting:
            self.chat.interrupt(**pause)
        self._said, self._seen = None, False
        self._thoughts, self._calls, self._answers, self._waiting = [], [], [], []


_THOUGHT_KEYS = ("type", "summary", "content", "status")


def _ids(call: ToolCall) -> tuple[str, ...]:
    return () if call.id is None else (call.id,)

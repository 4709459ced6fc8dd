"""The calls of a trace under construction: what becomes of each after a model asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.recordings.conversation import Conversation
from passhat.recordings.langchain import adapter as langchain
from passhat.trace import ToolCall
from passhat_langgraph.messages import Entry
from passhat_langgraph.where import Where

EDITED = "hitl_edited_tool_calls"
"""The channel in which human-in-the-loop middleware notes the calls that a person edited."""


@dataclass
class Calls:
    """The calls that were told, by their ids, which may come again.

    Args:
        chat: The conversation in which they stand.
    """

    chat: Conversation
    _at: dict[str, list[int]] = field(default_factory=dict)
    _requests: dict[str, int] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)

    def ask(self, at: int, parent: str | None) -> None:
        """Takes in the call that stands there, asked for inside another one or not."""
        call = self.chat.steps[at]
        assert isinstance(call, ToolCall)
        if call.id is not None:
            self._at.setdefault(call.id, []).append(at)
        self.chat.steps[at] = replace(call, parent=parent)

    def request(self, message: str) -> None:
        """Notes that the message of that id made the last request."""
        self._requests[message] = self.chat.request

    def waiting(self, id: str) -> bool:
        """Whether a call of that id has no result yet."""
        return bool(self._waiting(id))

    def answers(self, entry: Entry) -> bool:
        """Whether a message is the result of a call that has none yet."""
        return entry.get("type") == "tool" and self.waiting(str(entry.get("tool_call_id")))

    def _waiting(self, id: str) -> list[int]:
        """Where the calls of that id stand that have no result yet."""
        found = []
        for at in self._at.get(id, ()):
            step = self.chat.steps[at]
            if isinstance(step, ToolCall) and step.answered is None:
                found.append(at)
        return found

    def open(self, parent: str | None) -> list[ToolCall]:
        """The calls of the last request that wait for their results, in order."""
        calls = [step for step in self.chat.steps if type(step) is ToolCall]
        calls = [call for call in calls if call.parent == parent]
        return [
            call for call in calls if call.request == calls[-1].request and call.answered is None
        ]

    def place(self, call_id: str, where: Where) -> None:
        """Says in which node a call runs."""
        for at in self._waiting(call_id)[-1:]:
            step = self.chat.steps[at]
            if isinstance(step, ToolCall) and step.node is None:
                self.chat.steps[at] = replace(step, node=where.node, path=where.path)

    def answer(self, entry: Entry, where: Where, *, refused: bool) -> None:
        """Tells the result of a call.

        Args:
            entry: The message that is the result.
            where: What wrote it.
            refused: Whether it says that a person did not let the call run.
        """
        id = str(entry.get("tool_call_id"))
        waited = self._waiting(id)
        refused = refused or id in self._refused
        self._refused.discard(id)
        langchain.fill(self.chat, [("$", entry)], {})
        for at in waited:
            call = self.chat.steps[at]
            assert isinstance(call, ToolCall)
            if call.answered is None:
                continue
            if refused:
                call = replace(call, executed=False)
            elif call.node is None:
                call = replace(call, node=where.node, path=where.path)
            if call.started is None and not refused:
                call = replace(call, started=where.started, ended=where.ended)
            self.chat.steps[at] = call

    def fail(self, call_ids: list[str], error: str) -> None:
        """Tells that a tool raised and so ended its node, where one call alone can have been it."""
        open_ids = [id for id in call_ids if self.waiting(id)]
        if len(open_ids) == 1:
            self.chat.result(UNSET, call_id=open_ids[0], error=error)

    def decided(self, asked: Any, answer: Any) -> None:
        """Takes a decision on a call that waited by itself: refused, it does not run; or edited."""
        if not (isinstance(asked, dict) and isinstance(answer, dict)):
            return
        id, edited = asked.get("tool_call_id"), answer.get("edited_action")
        if not isinstance(id, str):
            return
        if answer.get("type") in ("reject", "respond"):
            self._refused.add(id)
        elif answer.get("type") == "edit" and isinstance(edited, dict):
            self.written(EDITED, {id: edited})

    def written(self, channel: str, value: Any) -> None:
        """Takes over what a person changed in calls, where LangChain's middleware notes it."""
        if channel != EDITED or not isinstance(value, dict):
            return
        for id, row in value.items():
            for at in self._waiting(id):
                call = self.chat.steps[at]
                if isinstance(call, ToolCall) and isinstance(row, dict):
                    self._edit(at, call, row)

    def edited(self, entry: Entry) -> None:
        """Takes over the calls of a request that was replaced; told calls keep what was asked for."""
        request = self._requests.get(entry["id"])
        listed = entry.get("tool_calls")
        if request is None or not isinstance(listed, list):
            return
        rows = [row for row in listed if isinstance(row, dict)]
        now = {row.get("id"): row for row in rows if isinstance(row.get("id"), str | None)}
        for at, call in enumerate(self.chat.steps):
            if type(call) is not ToolCall or call.request != request or call.answered is not None:
                continue
            row = now.get(call.id)
            if row is None:
                self.chat.steps[at] = replace(call, executed=False)
            else:
                self._edit(at, call, row)

    def _edit(self, at: int, call: ToolCall, row: Entry) -> None:
        """Puts another name and other arguments into a call, which keeps what was asked for."""
        name, args = row.get("name"), row.get("args")
        if (name, args) != (call.name, call.args):
            self.chat.steps[at] = replace(
                call,
                name=str(name),
                args=args if isinstance(args, dict) else {},
                extensions={**call.extensions, "asked": {"name": call.name, "args": call.args}},
            )

    def begun(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Tells how often the tools of calls began, by the calls' ids and the tools' names.

        Where several calls have one id, it is told only if each ran once.
        """
        for (id, name), count in counts.items():
            places = [at for at in self._at.get(id, ()) if self._is_call(at, name)]
            each = count if len(places) == 1 else 1
            for at in places if each * len(places) == count else ():
                self._ran(at, each)

    def ran(self, id: str, times: int) -> None:
        """Tells how often the call of an id ran, where the last one of it is meant."""
        for at in self._at.get(id, ())[-1:]:
            self._ran(at, times)

    def _ran(self, at: int, times: int) -> None:
        step = self.chat.steps[at]
        if isinstance(step, ToolCall):
            self.chat.steps[at] = replace(step, attempts=times)

    def _is_call(self, at: int, name: str) -> bool:
        step = self.chat.steps[at]
        return isinstance(step, ToolCall) and step.name == name

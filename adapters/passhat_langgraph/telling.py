"""A trace under construction from what a graph did: one place for stored threads and live runs.

Graphs pass messages on again and again: a subgraph gives back all it was given, a state gives an id
to a message that had none, a person's edit replaces a request. Each message is told once, where it
was first seen; an edit changes the calls that it edits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from passhat.recordings.conversation import Conversation
from passhat.recordings.langchain import adapter as langchain
from passhat.trace import Interrupt, Message, NodeVisit, ToolCall, Trace
from passhat_langgraph.messages import Entry, messages_in
from passhat_langgraph.told import Told

SOURCE = "langgraph"
EDITED = "hitl_edited_tool_calls"
"""The channel in which human-in-the-loop middleware notes the calls that a person edited."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where in a graph something happened.

    Args:
        path: The nodes it happened inside, outermost first.
        node: The node.
        parent: The id of the call inside which it happened.
        started: When the node began.
        ended: When it ended.
    """

    path: tuple[str, ...] = ()
    node: str | None = None
    parent: str | None = None
    started: float | None = None
    ended: float | None = None


@dataclass
class Telling:
    """Tells what a graph did, step by step.

    Args:
        id: The trace's id.
    """

    id: str
    chat: Conversation = field(init=False)
    _told: Told = field(default_factory=Told)
    _refused: set[str] = field(default_factory=set)
    _asked_by: dict[str, int] = field(default_factory=dict)
    _pauses: dict[str, int] = field(default_factory=dict)
    _at: dict[str, list[int]] = field(default_factory=dict)
    _passed_over: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.chat = Conversation(self.id, source=SOURCE)

    def turn(self) -> None:
        """Begins a turn that no user message begins."""
        if any(step.turn == self.chat.turn for step in self.chat.steps):
            self.chat.turn += 1

    def take_in(self, update: list[tuple[str, Any]]) -> None:
        """Tells what the graph was given: messages, and values for other channels."""
        entries = [entry for name, value in update for entry in messages_in(name, value) or ()]
        if not any(entry.get("type") == "human" for entry in entries):
            self.turn()
        self.say(entries, Where(), given=True)
        delta = {name: value for name, value in update if messages_in(name, value) is None}
        if delta:
            self.chat.state_update(delta, by="__start__")

    def know(self, entries: list[Entry]) -> None:
        """Takes messages for told: those that were in the state before the run."""
        self._told.know(entries)

    def say(
        self,
        entries: list[Entry],
        where: Where,
        *,
        given: bool = False,
        refused: bool = False,
        whole: bool = False,
    ) -> None:
        """Tells messages that were not told before.

        Args:
            entries: The messages, flat.
            where: What wrote them.
            given: Whether they were given to the graph from outside.
            refused: Whether results among them say that a person did not let the call run.
            whole: Whether they are all of a conversation, with those that were told before.

        Raises:
            TraceError: One cannot be read.
        """
        known = [self._told.knows(entry) for entry in entries]
        for at, entry in enumerate(entries):
            if not self._new(entry, passed_on=whole or (not given and len(entries) > 1)):
                continue
            first = len(self.chat.steps)
            kind = entry.get("type")
            if kind == "human" and not given:
                self._spoken_inside(entry, where, passed_up=any(known[at:]))
            elif kind in ("tool", "function"):
                self._result(entry, where, refused)
            else:
                langchain.fill(self.chat, [(f"$[{at}]", entry)], {})
            self._settle(first, where)
            if kind == "ai" and isinstance(entry.get("id"), str):
                self._asked_by[entry["id"]] = self.chat.request

    def _new(self, entry: Entry, *, passed_on: bool) -> bool:
        """Whether a message was not told yet; a request that is told again may have been edited."""
        if entry.get("type") in ("tool", "function"):
            return self._told.is_new_result(entry, self.waiting(str(entry.get("tool_call_id"))))
        if entry.get("type") == "ai" and self._told.knows(entry):
            self._edited(entry)
        return self._told.is_new_message(entry, passed_on=passed_on)

    def _spoken_inside(self, entry: Entry, where: Where, *, passed_up: bool) -> None:
        """A human message that a node wrote: an agent's report, a summary, or a user played by it.

        One that is passed up before what was told already is what an agent inside the node was asked.
        """
        more = entry.get("additional_kwargs")
        origin = more.get("lc_source") if isinstance(more, dict) else None
        name = entry.get("name")
        outside = where.parent is None and not where.path and not passed_up
        if outside and name is None and origin is None:
            langchain.fill(self.chat, [("$", entry)], {})
            return
        scratch = Conversation("scratch")
        langchain.fill(scratch, [("$", entry)], {})
        told = scratch.steps[0]
        assert isinstance(told, Message)
        self.chat.steps.append(
            replace(
                told,
                role="system" if name is None else "assistant",
                agent=name or where.node,
                turn=self.chat.turn,
                extensions={**told.extensions, "type": "human"},
            )
        )

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

    def _result(self, entry: Entry, where: Where, refused: bool) -> None:
        call_id = str(entry.get("tool_call_id"))
        waited = self._waiting(call_id)
        refused = refused or call_id in self._refused
        self._refused.discard(call_id)
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

    def _edited(self, entry: Entry) -> None:
        """Takes over the calls of a request that was replaced; told calls keep what was asked for."""
        request = self._asked_by.get(entry["id"])
        listed = entry.get("tool_calls")
        if request is None or not isinstance(listed, list):
            return
        now = {row.get("id"): row for row in listed if isinstance(row, dict)}
        for at, call in enumerate(self.chat.steps):
            if type(call) is not ToolCall or call.request != request or call.answered is not None:
                continue
            row = now.get(call.id)
            if row is None:
                self.chat.steps[at] = replace(call, executed=False)
            else:
                self._edit(at, call, row)

    def written(self, channel: str, value: Any) -> None:
        """Takes over what a person changed in calls, where LangChain's middleware notes it."""
        if channel != EDITED or not isinstance(value, dict):
            return
        for id, row in value.items():
            for at in self._waiting(id):
                call = self.chat.steps[at]
                if isinstance(call, ToolCall) and isinstance(row, dict):
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

    def _settle(self, first: int, where: Where) -> None:
        """Says of what was just told where it happened."""
        for at in range(first, len(self.chat.steps)):
            step = self.chat.steps[at]
            if type(step) is ToolCall:
                if step.id is not None:
                    self._at.setdefault(step.id, []).append(at)
                self.chat.steps[at] = replace(step, parent=where.parent)
            elif type(step) is Message and step.role == "assistant" and step.ended is None:
                self.chat.steps[at] = replace(step, started=where.started, ended=where.ended)

    def visit(self, where: Where, *, step: int | None = None) -> int:
        """Tells that a node is visited; gives the number by which `visited` completes it."""
        self.chat.node_visit(
            where.node or "",
            path=where.path,
            step=step,
            started=where.started,
            ended=where.ended,
        )
        return len(self.chat.steps) - 1

    def visited(
        self,
        number: int,
        *,
        update: Any | UnsetType = UNSET,
        error: str | None = None,
        ended: float | None = None,
        extensions: dict[str, Any] | None = None,
    ) -> None:
        """Tells what a visit came to."""
        visit = self.chat.steps[number]
        assert isinstance(visit, NodeVisit)
        self.chat.steps[number] = replace(
            visit,
            update=update,
            error=error,
            ended=ended if ended is not None else visit.ended,
            extensions={**visit.extensions, **(extensions or {})},
        )

    def pause(self, value: Any, id: str | None, pending: tuple[str, ...]) -> None:
        """Tells that a node waits for somebody outside; one that is known is not told again."""
        if id is not None and id in self._pauses:
            return
        if id is not None:
            self._pauses[id] = len(self.chat.steps)
        self.chat.interrupt(value, id=id, pending=pending)

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

    def pass_over(self, id: str) -> None:
        """Tells that nobody answers an interrupt any more: the run went on without."""
        self._passed_over.add(id)
        self.chat.gap("an interrupt was passed over: the state was updated while it waited")

    def fail(self, call_ids: list[str], error: str) -> None:
        """Tells that a tool raised and so ended its node, where one call alone can have been it."""
        open_ids = [id for id in call_ids if self.waiting(id)]
        if len(open_ids) == 1:
            self.chat.result(UNSET, call_id=open_ids[0], error=error)

    def waiting(self, id: str) -> bool:
        """Whether a call of that id has no result yet."""
        return bool(self._waiting(id))

    def _waiting(self, id: str) -> list[int]:
        """Where the calls of that id stand that have no result yet."""
        found = []
        for at in self._at.get(id, ()):
            step = self.chat.steps[at]
            if isinstance(step, ToolCall) and step.answered is None:
                found.append(at)
        return found

    def place(self, call_id: str, where: Where) -> None:
        """Says in which node a call runs."""
        for at in self._waiting(call_id)[-1:]:
            step = self.chat.steps[at]
            if isinstance(step, ToolCall) and step.node is None:
                self.chat.steps[at] = replace(step, node=where.node, path=where.path)

    def open_calls(self, parent: str | None) -> list[ToolCall]:
        """The calls of the last request that wait for their results, in order."""
        calls = [step for step in self.chat.steps if type(step) is ToolCall]
        calls = [call for call in calls if call.parent == parent]
        return [
            call for call in calls if call.request == calls[-1].request and call.answered is None
        ]

    def trace(self, **fields: Any) -> Trace:
        """The trace of all that was told."""
        waiting = [one for one in self.chat.steps if type(one) is Interrupt and not one.resolved]
        if waiting and all(one.id in self._passed_over for one in waiting):
            fields["outcome"] = fields.get("outcome") or "completed"
        return self.chat.trace(**fields)


def by_order(calls: int, node: str) -> str:
    """The gap of agents that ran inside one of several calls of a node."""
    return f"which of {calls} calls of node {node} ran the agent inside it is told by their order"

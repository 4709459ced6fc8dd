"""A trace under construction from what a graph did: one place for stored threads and live runs.

Graphs pass messages on again and again: a subgraph gives back all it was given, a state gives an id
to a message that had none, a person's edit replaces a request. Each message is told once, where it
was first seen; an edit changes the calls that it edits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from passhat.recordings.conversation import Conversation
from passhat.recordings.langchain import adapter as langchain
from passhat.trace import Interrupt, Message, NodeVisit, ToolCall, Trace
from passhat_langgraph.calls import Calls
from passhat_langgraph.messages import Entry, messages_in, update_of
from passhat_langgraph.tasks import ROOT
from passhat_langgraph.told import Told
from passhat_langgraph.where import Where

SOURCE = "langgraph"


@dataclass
class Telling:
    """Tells what a graph did, step by step.

    Attributes:
        id: The trace's id.
        chat: The conversation that grows.
        calls: The calls in it.
    """

    id: str
    chat: Conversation = field(init=False)
    calls: Calls = field(init=False)
    _told: Told = field(default_factory=Told)
    _pauses: dict[str, int] = field(default_factory=dict)
    _passed_over: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.chat = Conversation(self.id, source=SOURCE)
        self.calls = Calls(self.chat)

    def turn(self) -> None:
        """Begins a turn that no user message begins."""
        if any(step.turn == self.chat.turn for step in self.chat.steps):
            self.chat.turn += 1

    def take_in(self, update: list[tuple[str, Any]]) -> None:
        """Tells what the graph was given: messages, and values for other channels."""
        if update and update[0][0] == ROOT:
            update = list(update_of(update[0][1]).items())
        entries = [entry for name, value in update for entry in messages_in(name, value) or ()]
        spoken = any(entry.get("type") == "human" for entry in entries)
        if not spoken or self._silent():
            self.turn()
        self.say(entries, Where(), given=True)
        delta = {name: value for name, value in update if messages_in(name, value) is None}
        if delta:
            self.chat.state_update(delta, by="__start__")

    def _silent(self) -> bool:
        """Whether nodes ran in this turn and no agent spoke: what the user says then is a new one."""
        now = [step for step in self.chat.steps if step.turn == self.chat.turn]
        acted = any(isinstance(s, ToolCall) or getattr(s, "role", "") == "assistant" for s in now)
        return not acted and any(isinstance(step, NodeVisit) for step in now)

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
                self.calls.answer(entry, where, refused=refused)
            else:
                langchain.fill(self.chat, [(f"$[{at}]", entry)], {})
            self._settle(first, where)
            if kind == "ai" and isinstance(entry.get("id"), str):
                self.calls.request(entry["id"])

    def _new(self, entry: Entry, *, passed_on: bool) -> bool:
        """Whether a message was not told yet; a request that is told again may have been edited."""
        if entry.get("type") in ("tool", "function"):
            return self._told.is_new_result(
                entry, self.calls.waiting(str(entry.get("tool_call_id")))
            )
        if entry.get("type") == "ai" and self._told.knows(entry):
            self.calls.edited(entry)
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

    def _settle(self, first: int, where: Where) -> None:
        """Says of what was just told where it happened."""
        for at in range(first, len(self.chat.steps)):
            step = self.chat.steps[at]
            if type(step) is ToolCall:
                self.calls.ask(at, where.parent)
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

    def resume(self, answer: Any, id: str | None) -> None:
        """Tells the answer to an interrupt, and so what becomes of a call that waited for it."""
        self.chat.resume(answer, id=id)
        at = self._pauses.get(id or "")
        pause = self.chat.steps[at] if at is not None else None
        if isinstance(pause, Interrupt):
            self.calls.decided(pause.value, answer)

    def pass_over(self, id: str) -> None:
        """Tells that nobody answers an interrupt any more: the run went on without."""
        self._passed_over.add(id)
        self.chat.gap("an interrupt was passed over: the state was updated while it waited")

    def trace(self, **fields: Any) -> Trace:
        """The trace of all that was told."""
        waiting = [one for one in self.chat.steps if type(one) is Interrupt and not one.resolved]
        if waiting and all(one.id in self._passed_over for one in waiting):
            fields["outcome"] = fields.get("outcome") or "completed"
        return self.chat.trace(**fields)


def by_order(calls: int, node: str) -> str:
    """The gap of agents that ran inside one of several calls of a node."""
    return f"which of {calls} calls of node {node} ran the agent inside it is told by their order"

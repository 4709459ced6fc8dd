"""The logbook of a trial: what was said and called, as the sandbox and the user saw it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from passhat.state import StateDiff
from passhat.surroundings import Approval
from passhat.trace import ToolCall, Trace, TraceBuilder
from passhat.trials.injecting import Strike

Source: TypeAlias = Literal["function", "cassette", "nothing"]


@dataclass(slots=True)
class CallRecord:
    """A call of a sandbox's tool.

    Attributes:
        id: Its id in the logbook.
        tool: The tool's name.
        args: The arguments it was called with.
        alone: Whether it begins a request of its own: no other call was under way when it began, or one
            of those had ended, which whoever made it may have seen.
        parent: The call inside which it was made.
        started: When it began, seconds since the Unix epoch.
        ended: When it ended.
        executed: Whether the tool ran.
        result: What it answered.
        error: Why it failed.
        strike: The fault that struck it.
        planted: The text that was planted in its answer.
        approval: What was answered where it waited for a confirmation.
        ran_with: The arguments it ran with, where the answer changed them.
        changes: What it changed; None where the world has no state, or it cannot be told.
        delta: The parts of the state that it changed, with their new values.
        source: Where the answer came from.
    """

    id: str
    tool: str
    args: dict[str, Any]
    alone: bool
    started: float
    parent: str | None = None
    ended: float | None = None
    executed: bool = False
    result: Any | UnsetType = UNSET
    error: str | None = None
    strike: Strike | None = None
    planted: str | None = None
    approval: Approval | None = None
    ran_with: dict[str, Any] | None = None
    changes: StateDiff | None = None
    delta: dict[str, Any] = field(default_factory=dict)
    source: Source = "nothing"

    @property
    def happened(self) -> dict[str, Any]:
        """What only the sandbox knows of the call, as JSON."""
        told: dict[str, Any] = {"source": self.source}
        if self.strike is not None:
            told["fault"] = {"index": self.strike.number, **self.strike.fault.to_dict()}
        if self.planted is not None:
            told["planted"] = self.planted
        if self.approval is not None:
            told["approval"] = self.approval.decision
        if self.ran_with is not None:
            told["ran_with"] = self.ran_with
        if self.changes is not None and not self.changes.equal:
            told["changes"] = [change.to_dict() for change in self.changes.changes]
        return told


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the user or the agent."""

    role: Literal["user", "assistant"]
    text: str
    at: float


@dataclass(slots=True)
class Logbook:
    """Keeps what happens in a trial, in order; it may be written by several threads."""

    events: list[CallRecord | Said] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    _begun: int = 0
    _open: int = 0
    _answered: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def calls(self) -> list[CallRecord]:
        """The calls, in the order in which they began."""
        return [event for event in self.events if isinstance(event, CallRecord)]

    @property
    def said(self) -> list[Said]:
        """The messages."""
        return [event for event in self.events if isinstance(event, Said)]

    def say(self, role: Literal["user", "assistant"], text: str) -> None:
        """Notes a message."""
        with self._lock:
            self.events.append(Said(role, text, time.time()))

    def begin(self, tool: str, args: dict[str, Any], parent: str | None = None) -> CallRecord:
        """Notes that a call begins, inside another where it was made there."""
        with self._lock:
            alone = not parent and (self._open == 0 or self._answered)
            record = CallRecord(
                f"call-{self._begun}", tool, args, alone, time.time(), parent or None
            )
            self._answered = self._answered and not alone
            self._begun += 1
            self._open += 1
            self.events.append(record)
        return record

    def end(self, record: CallRecord) -> None:
        """Notes that a call ended."""
        with self._lock:
            record.ended = time.time()
            self._open -= 1
            self._answered = self._answered or record.parent is None

    def gap(self, sentence: str) -> None:
        """Notes what could not be told."""
        with self._lock:
            if sentence not in self.gaps:
                self.gaps.append(sentence)

    def trace(self, id: str, *, answer: str | None = None, asked: str = "") -> Trace:
        """The trace of what was seen; calls that began before any of them had ended share a request.

        Args:
            id: Its id.
            answer: What the agent gave back at the end, where it gave a text.
            asked: What the user said first, where the logbook has no message of theirs.
        """
        building = TraceBuilder(id)
        with self._lock:
            events = list(self.events)
        if asked and not any(isinstance(event, Said) for event in events):
            building.user(asked)
        for event in events:
            if isinstance(event, Said):
                if event.role == "user":
                    building.user(event.text)
                else:
                    building.assistant(event.text, ended=event.at)
                continue
            if event.alone:
                building.assistant()
            if event.approval is not None:
                building.interrupt(
                    {"tool": event.tool, "args": event.args},
                    id=f"{event.id}-approval",
                    pending=(event.id,),
                    answer=answer_of(event.approval),
                    resolved=True,
                )
            building.call(call_of(event))
            if event.delta:
                building.state_update(event.delta, by=event.id, at=event.ended)
        last = events[-1] if events else None
        repeated = isinstance(last, Said) and last.role == "assistant" and last.text == answer
        if answer is not None and not repeated:
            building.assistant(answer)
        return building.trace()


def call_of(record: CallRecord) -> ToolCall:
    """The call of a trace that a record is."""
    return ToolCall(
        record.tool,
        record.args,
        id=record.id,
        parent=record.parent,
        executed=record.executed,
        result=record.result,
        error=record.error,
        started=record.started,
        ended=record.ended,
        extensions={"sandbox": record.happened},
    )


def answer_of(approval: Approval) -> dict[str, Any]:
    """The answer of an approval as an interrupt records it.

    >>> answer_of(Approval("refund", "decline", message="too much"))
    {'decision': 'decline', 'message': 'too much'}
    """
    said: dict[str, Any] = {"decision": approval.decision}
    if approval.args is not None:
        said["args"] = approval.args
    if approval.message:
        said["message"] = approval.message
    return said

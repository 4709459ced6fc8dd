"""What `TracePlugin` saw, kept until a metric asks for it: by the ids of invocations."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from msgspec import UNSET, MsgspecError, msgpack
from msgspec.structs import replace

from passhat.trace import Step, ToolCall, Trace
from passhat_adk.events import Run
from passhat_adk.failing import error_text, outcome_of

KEEP = 20_000
"""How many invocations are kept; the oldest go first."""

ROOM = 256 * 2**20
"""How many bytes they may take together; the oldest go first, and the last one stays."""

Packed: TypeAlias = bytes | str
"""A JSON value that takes little room: as msgpack, or as text where that cannot say it."""

Span: TypeAlias = tuple[float, float | None]
"""When a call began, and when it ended; None while it goes on."""


def pack(value: Any) -> Packed:
    """The value, packed.

    >>> unpack(pack({"a": [1, 10**30]}))
    {'a': [1, 1000000000000000000000000000000]}
    """
    try:
        return msgpack.encode(value)
    except (MsgspecError, OverflowError, UnicodeError):  # a number or a text beyond msgpack
        return json.dumps(value)


def unpack(packed: Packed) -> Any:
    """A copy of what was packed."""
    return json.loads(packed) if isinstance(packed, str) else msgpack.decode(packed)


@dataclass(slots=True)
class Recorded:
    """One invocation as the plugin saw it.

    Attributes:
        invocation_id: Its id.
        session_id: The session it belongs to.
        before: The state when it began.
        after: The state when it ended; None while it runs.
        events: Its events, with those of runs inside its calls among them.
        spans: When each call began and ended, by the ids of calls, which models may give twice.
        failures: What tools raised, by the ids of calls.
        raised: Who raised an exception, a tool or the model, by its class and its words. The run
            may have gone on.
        started: When it began, seconds since the Unix epoch.
        ended: When it ended.
        failed: Who raised the exception that ended it (a tool, the model, or else the run), its
            class and its words.
        gaps: What could not be recorded.
        apart: Whether ADK alone tells what happened, and only the states are recorded here.
        heard: How many events of its session were looked at for what users say into a live run.
        size: How many bytes its events and states take.
    """

    invocation_id: str
    session_id: str = ""
    before: Packed | None = None
    after: Packed | None = None
    events: list[Packed] = field(default_factory=list)
    spans: dict[str, list[Span]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    raised: dict[tuple[str, str], str] = field(default_factory=dict)
    started: float | None = None
    ended: float | None = None
    failed: tuple[str, str, str] | None = None
    gaps: list[str] = field(default_factory=list)
    apart: bool = False
    heard: int = 0
    size: int = 0


class Recorder:
    """Keeps what was recorded, up to a bound of runs and of bytes.

    >>> kept = Recorder(keep=1)
    >>> kept.put(Recorded("e-1"))
    >>> kept.put(Recorded("e-2"))
    >>> kept.get("e-1"), kept.get("e-2").invocation_id, kept.dropped
    (None, 'e-2', 1)
    """

    def __init__(self, keep: int = KEEP, room: int = ROOM) -> None:
        self.keep = keep
        self.room = room
        self.size = 0
        self.dropped = 0
        self._rows: OrderedDict[str, Recorded] = OrderedDict()
        self._traces: OrderedDict[tuple[str, ...], Trace] = OrderedDict()

    def put(self, recorded: Recorded) -> None:
        """Keeps an invocation."""
        self.forget([recorded.invocation_id])
        self._rows[recorded.invocation_id] = recorded
        self._grown(recorded.size)

    def add(self, row: Recorded, event: dict[str, Any]) -> None:
        """Adds an event, as JSON, to an invocation."""
        packed = pack(event)
        row.events.append(packed)
        self._takes(row, len(packed))

    def begun(self, row: Recorded, state: dict[str, Any]) -> None:
        """Keeps the state in which an invocation began."""
        row.before = pack(state)
        self._takes(row, len(row.before))

    def ended(self, row: Recorded, state: dict[str, Any]) -> None:
        """Keeps the state in which an invocation ended, or in which it is by now."""
        before = 0 if row.after is None else len(row.after)
        row.after = pack(state)
        self._takes(row, len(row.after) - before)

    def _takes(self, row: Recorded, more: int) -> None:
        row.size += more
        if self._rows.get(row.invocation_id) is row:
            self._grown(more)

    def _grown(self, more: int) -> None:
        self.size += more
        while len(self._rows) > self.keep or (self.size > self.room and len(self._rows) > 1):
            _, row = self._rows.popitem(last=False)
            self.size -= row.size
            self.dropped += 1

    def put_trace(self, ids: Iterable[str], trace: Trace) -> None:
        """Keeps a trace that was recorded elsewhere, under the ids of its invocations."""
        self._traces[tuple(ids)] = trace
        while len(self._traces) > self.keep:
            self._traces.popitem(last=False)
            self.dropped += 1

    def release(self, ids: Iterable[str]) -> None:
        """Lets go of a trace that was recorded elsewhere."""
        self._traces.pop(tuple(ids), None)

    def get(self, invocation_id: str) -> Recorded | None:
        """The invocation of that id."""
        return self._rows.get(invocation_id)

    def trace(self, ids: Sequence[str]) -> Trace | None:
        """The trace of the invocations of those ids; None where one of them was not recorded."""
        known = self._traces.get(tuple(ids))
        if known is not None:
            return known
        rows = self._all(ids)
        return trace_of(rows) if rows and not any(row.apart for row in rows) else None

    def states(self, ids: Sequence[str]) -> dict[str, Any]:
        """The states before and after the invocations of those ids, as fields of a trace."""
        rows = self._all(ids)
        return _states_of(rows) if rows else {}

    def _all(self, ids: Sequence[str]) -> list[Recorded]:
        """The invocations of those ids; none where one of them was not recorded."""
        rows = [row for id in ids if (row := self._rows.get(id)) is not None]
        return rows if len(rows) == len(ids) else []

    def of_session(self, session_id: str) -> list[Recorded]:
        """The invocations of a session, in the order in which they began."""
        return [row for row in self._rows.values() if row.session_id == session_id]

    def forget(self, ids: Iterable[str]) -> None:
        """Lets go of invocations."""
        for id in ids:
            row = self._rows.pop(id, None)
            self.size -= 0 if row is None else row.size


RECORDER = Recorder()
"""Where every `TracePlugin` of this process keeps what it sees."""


def trace_of(rows: Sequence[Recorded]) -> Trace:
    """The trace of the invocations of one session, in order."""
    run = Run(rows[0].session_id or rows[0].invocation_id, sees_inside=True)
    known: dict[str, int] = {}
    for row in rows:
        begin = len(run.steps)
        run.add_all(unpack(event) for event in row.events)
        _time(run.steps, begin, row, known)
        for gap in row.gaps:
            run.gap(gap)
    fields: dict[str, Any] = {
        **_states_of(rows),
        "started": rows[0].started,
        "ended": rows[-1].ended,
    }
    failed = rows[-1].failed
    if failed is not None:
        who, code, words = failed
        fields["error"] = f"{who} exception: {error_text(code, words)}"
        fields["outcome"] = outcome_of(code, words)
    return run.finished(**fields)


def _states_of(rows: Sequence[Recorded]) -> dict[str, Any]:
    """The state before the first of some invocations, and that after the last."""
    before, after = rows[0].before, rows[-1].after
    return {
        "initial_state": UNSET if before is None else unpack(before),
        "final_state": UNSET if after is None else unpack(after),
    }


def _time(steps: list[Step], begin: int, row: Recorded, known: dict[str, int]) -> None:
    """Gives calls their times, and what their tools raised.

    They are the calls of this invocation, or those of an earlier one that went on in it. An id that
    comes twice in an invocation stands for one call after the other.

    Args:
        steps: All steps so far; those of this invocation are changed.
        begin: Where this invocation begins among them.
        row: What was recorded of it.
        known: Where the latest call of each id stands; takes those of this invocation.
    """
    places: dict[str, list[int]] = {}
    for at in range(begin, len(steps)):
        step = steps[at]
        if type(step) is ToolCall and step.id is not None:
            places.setdefault(step.id, []).append(at)
    for id, spans in row.spans.items():
        here = places.get(id) or ([known[id]] if id in known else [])
        for number, at in enumerate(here):
            # The last call takes the last span: a call that waited for somebody runs twice.
            chosen = -1 if number == len(here) - 1 else min(number, len(spans) - 1)
            steps[at] = _timed(steps[at], spans[chosen], row.failures.get(id))
    known.update((id, here[-1]) for id, here in places.items())


def _timed(call: Step, span: Span, failure: str | None) -> Step:
    assert type(call) is ToolCall
    if call.answered is None and failure is not None:
        return replace(call, started=span[0], ended=span[1], error=failure, executed=True)
    return replace(call, started=span[0], ended=span[1])

"""What `TracePlugin` saw, kept until a metric asks for it: by the ids of invocations."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.trace import ToolCall, Trace
from passhat_adk.events import Run
from passhat_adk.failing import error_text, outcome_of

KEEP = 20_000
"""How many invocations are kept; the oldest go first."""


@dataclass(slots=True)
class Recorded:
    """One invocation as the plugin saw it.

    Attributes:
        invocation_id: Its id.
        session_id: The session it belongs to.
        before: The state when it began.
        after: The state when it ended; None while it runs.
        events: Its events as JSON, with those of runs inside its calls among them.
        spans: When each call began and ended, by the ids of calls.
        failures: What tools raised, by the ids of calls.
        started: When it began, seconds since the Unix epoch.
        ended: When it ended.
        failed: The class and the words of the exception that ended it, with whether the model
            raised it or a tool.
        gaps: What could not be recorded.
    """

    invocation_id: str
    session_id: str = ""
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    spans: dict[str, tuple[float, float | None]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    started: float | None = None
    ended: float | None = None
    failed: tuple[str, str, str] | None = None
    gaps: list[str] = field(default_factory=list)


class Recorder:
    """Keeps what was recorded, up to a bound.

    >>> kept = Recorder(keep=1)
    >>> kept.put(Recorded("e-1"))
    >>> kept.put(Recorded("e-2"))
    >>> kept.get("e-1"), kept.get("e-2").invocation_id, kept.dropped
    (None, 'e-2', 1)
    """

    def __init__(self, keep: int = KEEP) -> None:
        self.keep = keep
        self.dropped = 0
        self._rows: OrderedDict[str, Recorded] = OrderedDict()
        self._traces: OrderedDict[tuple[str, ...], Trace] = OrderedDict()

    def put(self, recorded: Recorded) -> None:
        """Keeps an invocation."""
        self._rows[recorded.invocation_id] = recorded
        while len(self._rows) > self.keep:
            self._rows.popitem(last=False)
            self.dropped += 1

    def put_trace(self, ids: Iterable[str], trace: Trace) -> None:
        """Keeps a trace that was recorded elsewhere, under the ids of its invocations."""
        self._traces[tuple(ids)] = trace
        while len(self._traces) > self.keep:
            self._traces.popitem(last=False)
            self.dropped += 1

    def get(self, invocation_id: str) -> Recorded | None:
        """The invocation of that id."""
        return self._rows.get(invocation_id)

    def trace(self, ids: Sequence[str]) -> Trace | None:
        """The trace of the invocations of those ids; None where one of them was not recorded."""
        known = self._traces.get(tuple(ids))
        if known is not None:
            return known
        rows = [self._rows.get(id) for id in ids]
        if not ids or any(row is None for row in rows):
            return None
        return trace_of([row for row in rows if row is not None])

    def of_session(self, session_id: str) -> list[Recorded]:
        """The invocations of a session, in the order in which they began."""
        return [row for row in self._rows.values() if row.session_id == session_id]

    def forget(self, ids: Iterable[str]) -> None:
        """Lets go of invocations."""
        for id in ids:
            self._rows.pop(id, None)


RECORDER = Recorder()
"""Where every `TracePlugin` of this process keeps what it sees."""


def trace_of(rows: Sequence[Recorded]) -> Trace:
    """The trace of the invocations of one session, in order."""
    run = Run(rows[0].session_id or rows[0].invocation_id)
    for row in rows:
        run.add_all(row.events)
        for gap in row.gaps:
            run.gap(gap)
    fields: dict[str, Any] = {
        "initial_state": UNSET if rows[0].before is None else rows[0].before,
        "final_state": UNSET if rows[-1].after is None else rows[-1].after,
        "started": rows[0].started,
        "ended": rows[-1].ended,
    }
    failed = rows[-1].failed
    if failed is not None:
        who, code, words = failed
        fields["error"] = f"{who} exception: {error_text(code, words)}"
        fields["outcome"] = outcome_of(code, words)
    spans = {id: span for row in rows for id, span in row.spans.items()}
    failures = {id: words for row in rows for id, words in row.failures.items()}
    run.steps[:] = [
        _timed(step, spans, failures) if type(step) is ToolCall else step for step in run.steps
    ]
    return run.finished(**fields)


def _timed(
    call: ToolCall, spans: dict[str, tuple[float, float | None]], failures: dict[str, str]
) -> ToolCall:
    """The call with its times, and with what its tool raised."""
    if call.id is None or call.id not in spans:
        return call
    started, ended = spans[call.id]
    changes: dict[str, Any] = {"started": started, "ended": ended}
    if call.answered is None and call.id in failures:
        changes |= {"error": failures[call.id], "executed": True}
    return replace(call, **changes)

"""What of a recorded run a case does not hold."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from passhat.convert.ledger import FieldNote
from passhat.convert.recorded import stated_in
from passhat.trace import Trace

_OF_CALLS = ("calls' name", "calls' args", "calls' turn", "calls' request", "calls' executed")
_HELD: dict[str, tuple[str, ...]] = {
    "cases": (
        *("id", "case_id", "tags", "tools", "initial_state", "turn_ids"),
        *("messages' role", "messages' text", "messages' turn", "messages' request"),
        *_OF_CALLS,
    ),
    "steps": (
        *("id", "case_id", "tags", "tools", "initial_state", "turn_ids"),
        *("messages' role", "messages' text", "messages' turn", "messages' request"),
        *("messages' content", *_OF_CALLS, "calls' id", "calls' result", "calls' answered"),
    ),
}
"""The fields of a trace, and those of its steps, that come into a case."""


def left_out(trace: Trace, way: Literal["cases", "steps"]) -> list[FieldNote]:
    """The fields of a run that the cases made of it do not hold, a note for each.

    >>> from passhat.trace import Message
    >>> run = Trace("t", steps=(Message("user", "hi"), Message("assistant", "Hello.")), pins={"m": 1})
    >>> [(note.field, note.kind, note.note) for note in left_out(run, "cases")]  # doctest: +ELLIPSIS
    [('pins.m', 'lost', 'a case does not hold it'), ("messages' text", 'lost', "the agent's own...")]
    """
    held = (*_HELD[way], *(["outcome"] if trace.outcome == "completed" else []))
    notes = [
        FieldNote(trace.id, name, "lost", "a case does not hold it", side="read")
        for name in stated_in(trace)
        if name not in held
        and not name.startswith(tuple(f"{one}[" for one in held))
        and not name.startswith(tuple(f"{one}." for one in held))
    ]
    if way == "cases":
        roles = Counter(m.role for m in trace.messages if m.text or m.role == "system")
        said, calls = len(trace.messages), trace.calls
        for name, told, number, of in (
            ("messages' text", "the agent's own words", roles["assistant"], said),
            ("messages' text", "the system's words", roles["system"], said),
            ("calls", "failed, and are not expected", sum(c.failed for c in calls), len(calls)),
        ):
            if number:
                share = (number, of)
                notes.append(FieldNote(trace.id, name, "lost", told, side="read", share=share))
    if inner := [call for call in trace.steps if getattr(call, "parent", None) is not None]:
        told = f"made inside other calls, and not expected: {len(inner)}"
        notes.append(FieldNote(trace.id, "calls", "lost", told, side="read"))
    return notes

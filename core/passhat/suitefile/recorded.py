"""Cases made of recorded runs: what was asked becomes the input, what was done the expectation."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from passhat.case import Case, ExpectedCall, ExpectedEntry, Turn
from passhat.errors import UsageError
from passhat.trace import Trace


def case_from_trace(trace: Trace, id: str | None = None, **corrections: Any) -> Case:
    """A case that asks for what a recorded run did, with your corrections.

    Record a run, look at it, say what should have been otherwise: the case is the quickest way to
    a regression test. What one request asked for together becomes a group in any order; calls that
    failed are left out, and where nothing but failed calls was made nothing is expected. A last
    word of the user that set nothing off is no turn.

    Args:
        trace: The run.
        id: The case's id; by default the trace's own case, or else its id.
        **corrections: Keys of a case, each instead of what the run would give:
            `expected_calls=[...]`, `mode="exact"`, `forbidden_calls=["refund"]`, `tags=("billing",)`.

    Raises:
        UsageError: A correction is no key of a case.

    >>> from passhat.trace import Message, ToolCall
    >>> trace = Trace("t7", steps=(
    ...     Message("user", "Where is A1?"), ToolCall("lookup", {"id": "A1"}, result={"at": "Leeds"})))
    >>> case_from_trace(trace, "where", response_must_include=["Leeds"]).expected_calls
    (ExpectedCall(name='lookup', args={'id': 'A1'}),)
    """
    unknown = [key for key in corrections if key not in Case.__struct_fields__]
    if unknown:
        raise UsageError(
            f"a case has no {unknown[0]!r}: its keys are {', '.join(Case.__struct_fields__)}"
        )
    acted = {call.turn for call in trace.calls}
    acted |= {message.turn for message in trace.messages if message.role == "assistant"}
    last = max(acted, default=0)
    asked = [m for m in trace.messages if m.role == "user" and (m.turn <= last or not acted)]
    stated: dict[str, Any] = {"tags": trace.tags, "tools": trace.tools}
    if trace.initial_state is not UNSET:
        stated["initial_state"] = trace.initial_state
    turns: dict[int, str] = {}
    for message in asked:
        turns[message.turn] = "\n".join(filter(None, (turns.get(message.turn), message.text)))
    if len(turns) > 1:
        stated["turns"] = tuple(
            Turn(text, expected_calls=_calls(trace, turn)) for turn, text in sorted(turns.items())
        )
        if "expected_calls" in corrections:
            stated["turns"] = tuple(Turn(turn.input) for turn in stated["turns"])
    else:
        stated["input"] = next(iter(turns.values()), None)
        stated["expected_calls"] = _calls(trace)
    return Case(id or trace.case_id or trace.id, **{**stated, **corrections})


def _calls(trace: Trace, turn: int | None = None) -> tuple[ExpectedEntry, ...] | None:
    """The calls that succeeded, those of one request as a group; None where all that were failed."""
    groups: dict[object, list[ExpectedCall]] = {}
    made = [call for call in trace.calls if turn in (None, call.turn)]
    if made and all(call.failed for call in made):
        return None
    for number, call in enumerate(made):
        if not call.failed:
            key = ("alone", number) if call.request is None else call.request
            groups.setdefault(key, []).append(ExpectedCall(call.name, dict(call.args)))
    return tuple(group[0] if len(group) == 1 else tuple(group) for group in groups.values())

"""What the sandbox and the user saw, put into the trace that an agent gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.state import Snapshot
from passhat.trace import Interrupt, Message, StateUpdate, Step, ToolCall, Trace
from passhat.trials.logbook import CallRecord, answer_of, call_of
from passhat.trials.toolset import TrialTools
from passhat.values import canonical

SEEN = "sandbox"
"""The key of `extensions` under which a trace and its calls tell what the sandbox saw."""


def witnessed(trace: Trace, tools: TrialTools, *, asked: str = "") -> Trace:
    """A trace with what the sandbox knows: calls, what they changed, faults, the state at both ends.

    A trace that tells of no call is given those that the sandbox saw; one that tells of some gets
    what only the sandbox knows of each, and the calls that it leaves out.

    Args:
        trace: The trace.
        tools: The trial's tools, whose log is read.
        asked: What the user said first.
    """
    log = tools.log
    if log.calls and not trace.all_calls:
        own = log.trace(trace.id, answer=trace.final_response, asked=asked)
        trace = replace(trace, steps=own.steps)
    elif log.calls and not any(SEEN in call.extensions for call in trace.all_calls):
        trace = replace(trace, steps=tuple(_joined(trace.steps, log.calls)))
    final = tools.final()
    seen: dict[str, Any] = {
        "faults": [fault.to_dict() for fault in tools.faults],
        "struck": [
            {"fault": record.strike.number, "tool": record.tool, "kind": record.strike.fault.kind}
            for record in log.calls
            if record.strike is not None
        ],
        "calls": len(log.calls),
    }
    own_states = {
        name: getattr(trace, name)
        for name, taken in (("initial_state", tools.initial), ("final_state", final))
        if taken is not None and getattr(trace, name) is not UNSET
    }
    if own_states:
        seen["of_the_agent"] = own_states
    return replace(
        trace,
        initial_state=_value(tools.initial, trace.initial_state),
        final_state=_value(final, trace.final_state),
        tools=trace.tools if trace.tools is not None else tools.schemas,
        extensions={**trace.extensions, SEEN: seen},
        gaps=(*trace.gaps, *(gap for gap in log.gaps if gap not in trace.gaps)),
    )


def _value(taken: Snapshot | None, otherwise: Any) -> Any:
    return otherwise if taken is None else taken.value


def _joined(steps: Sequence[Step], records: Iterable[CallRecord]) -> list[Step]:
    """The steps with what the sandbox knows of each call, and the calls that they leave out."""
    waiting: dict[Any, list[CallRecord]] = {}
    for record in records:
        waiting.setdefault(_key(record.tool, record.args), []).append(record)
    calls = [step for step in steps if type(step) is ToolCall and step.executed is not False]
    left_to_match = Counter(_key(call.name, call.args) for call in calls)
    found: list[Step] = []
    for step in steps:
        if type(step) is not ToolCall or step.executed is False:
            found.append(step)
            continue
        key = _key(step.name, step.args)
        told = waiting.get(key)
        if not told:
            found.append(step)
            continue
        record = told.pop(0)
        attempts = []
        while step.succeeded and record.error is not None and len(told) >= left_to_match[key]:
            # The framework itself tried again: the model saw one call.
            attempts.append(replace(call_of(record), turn=step.turn, parent=step.id or record.id))
            record = told.pop(0)
        left_to_match[key] -= 1
        call = _completed(step, record)
        if attempts:
            call = replace(call, attempts=len(attempts) + 1)
            found += attempts
        if record.approval is not None:
            found.append(_interrupt(call, record))
        found.append(call)
        if record.delta:
            found.append(StateUpdate(record.delta, by=call.id, at=record.ended, turn=call.turn))
    left = [record for told in waiting.values() for record in told]
    if not left:
        return found
    at = len(found)
    if found and isinstance(found[-1], Message) and found[-1].role == "assistant":
        at -= 1
    turn = found[-1].turn if found else 0
    missing = [replace(call_of(record), turn=turn) for record in sorted(left, key=_begun)]
    return [*found[:at], *missing, *found[at:]]


def _begun(record: CallRecord) -> float:
    return record.started


def _key(tool: str, args: Any) -> Any:
    return tool, canonical(args)


def _completed(call: ToolCall, record: CallRecord) -> ToolCall:
    own = call_of(record)
    known: dict[str, Any] = {}
    if call.id is None:
        known["id"] = own.id
    if call.error is None and own.error is not None:
        known["error"] = own.error
    if call.result is UNSET and own.result is not UNSET:
        known["result"] = own.result
    if call.answered is None and call.request is not None:
        known["answered"] = call.request + 1
    for name in ("started", "ended"):
        if getattr(call, name) is None:
            known[name] = getattr(own, name)
    return replace(
        call,
        executed=own.executed,
        extensions={**call.extensions, SEEN: record.happened},
        **known,
    )


def _interrupt(call: ToolCall, record: CallRecord) -> Interrupt:
    assert record.approval is not None
    assert call.id is not None
    return Interrupt(
        id=f"{call.id}-approval",
        value={"tool": record.tool, "args": record.args},
        pending=(call.id,),
        answer=answer_of(record.approval),
        resolved=True,
        turn=call.turn,
    )

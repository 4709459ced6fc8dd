"""A run that was stopped, as a next step: the calls that were asked for and did not run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from msgspec.structs import asdict, replace

from passhat.trace import Interrupt, Message, ToolCall, Trace
from passhat_langgraph.nextstep import NextStep
from passhat_langgraph.savers import plain

if TYPE_CHECKING:
    from passhat_langgraph.barrier import Barrier


def next_step(trace: Trace, barrier: Barrier) -> NextStep:
    """A recorded run as a next step: the calls that were asked for and did not run."""
    steps: list[Any] = []
    settled: list[ToolCall] = []
    names = {(one.call_id, one.name) for one in barrier.stopped if one.what == "tool"}
    # An id may come again: what was stopped is the last call that has it.
    last = {(s.id, s.name): at for at, s in enumerate(trace.steps) if isinstance(s, ToolCall)}
    stopped = {at for name, at in last.items() if name in names}
    waiting = barrier.waiting
    spoken = max((at for at, step in enumerate(trace.steps) if _is_users(step)), default=0)
    for at, step in enumerate(trace.steps):
        if type(step) is not ToolCall:
            if not (isinstance(step, Interrupt) and _own(step)):
                steps.append(step)
        elif at in stopped:
            # What it has for a result is what some code made of having been stopped.
            unrun = replace(step, result=UNSET, error=None, answered=None)
            steps.append(_pending(unrun, barrier))
        elif step.answered is not None or barrier.allows(step.name):
            settled.append(step)
        elif at < spoken and step.id not in waiting:
            settled.append(_pending(step, barrier))  # It was left: the user went on without it.
        else:
            steps.append(_pending(step, barrier))
    steps = [_before(_beside(step, steps), barrier) for step in steps]
    steps += _unasked(steps, barrier)
    tried = tuple(dict.fromkeys(one.name for one in barrier.stopped if one.what != "model"))
    fields = {**asdict(trace), "steps": tuple(steps), "tried": tried, "settled": tuple(settled)}
    waits = any(type(step) is ToolCall for step in steps)
    fields["gaps"] = (*trace.gaps, *barrier.gaps, *(() if waits else _unread(trace, barrier)))
    still = any(isinstance(step, Interrupt) and not step.resolved for step in steps)
    fields["outcome"] = "interrupted" if waits or still else trace.outcome
    return NextStep(**fields)


def _is_users(step: Any) -> bool:
    return isinstance(step, Message) and step.role == "user"


def _unread(trace: Trace, barrier: Barrier) -> tuple[str, ...]:
    """The gap of a step without calls: a decision in a form that tells none, or no decision at all."""
    nodes = [one.name for one in barrier.stopped if one.what == "node"]
    if nodes:
        return (f"calls: what was asked for before {nodes[0]} could not be read",)
    came = any(
        isinstance(s, Interrupt) or getattr(s, "role", "") == "assistant" for s in trace.steps
    )
    if trace.outcome == "interrupted" and not came:
        return ("calls: nothing was decided before the breakpoint",)
    return ()


def _own(step: Interrupt) -> bool:
    """Whether an interrupt is the barrier's own."""
    from passhat_langgraph.barrier import STOP

    return step.id is not None and step.id.startswith(STOP)


def _pending(call: ToolCall, barrier: Barrier) -> ToolCall:
    """The call as one that did not run, with the node in which it was about to."""
    found = replace(call, executed=False, parent=None, started=None, ended=None)
    for one in barrier.stopped:
        if found.node is None and one.what == "tool" and one.call_id == call.id:
            return replace(found, node=one.node, path=one.path)
    return found


def _before(step: Any, barrier: Barrier) -> Any:
    """The call with the node that was stopped before it, where no tool in it began."""
    if type(step) is ToolCall and step.node is None:
        for one in barrier.stopped:
            if one.what == "node":
                return replace(step, node=one.node, path=one.path)
    return step


def _beside(step: Any, steps: list[Any]) -> Any:
    """The call with the node of its request: a node with several calls is stopped at the first."""
    if type(step) is not ToolCall or step.node is not None:
        return step
    for other in steps:
        if type(other) is ToolCall and other.request == step.request and other.node is not None:
            return replace(step, node=other.node, path=other.path)
    return step


def _unasked(steps: list[Any], barrier: Barrier) -> Iterator[ToolCall]:
    """The tools that a node began by itself, though no message asked for them."""
    known = {step.id for step in steps if type(step) is ToolCall}
    for one in barrier.stopped:
        if one.what == "tool" and (one.call_id is None or one.call_id not in known):
            args = plain(one.args) if one.args is not None else {}
            yield ToolCall(
                one.name,
                args if isinstance(args, dict) else {"input": args},
                id=one.call_id,
                request=0,
                node=one.node,
                path=one.path,
                executed=False,
            )

"""The canonical traces: what every adapter must be able to say, or say that its world cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard

from msgspec import UNSET

from passhat.testing.building import (
    answered,
    call,
    calls,
    interrupt,
    result,
    says,
    trace_of,
    user,
)
from passhat.trace import Interrupt, Message, ToolCall, Trace

_ORDER = {"status": "shipped", "items": ["lamp", "desk"], "total": 79.5, "note": None}
_GREETING = "Grüße aus 東京 🙂 — e\u0301tat, שָׁלוֹם\u200d"


@dataclass(frozen=True, slots=True)
class Canonical:
    """One canonical trace.

    Args:
        about: What it shows.
        trace: The trace. Calls are known as `c1`, `c2`, ... in the order they are asked for.
    """

    about: str
    trace: Trace


CANONICAL: dict[str, Canonical] = {
    "plain_answer": Canonical(
        "a question and an answer, no tools",
        trace_of(user("What can you do?"), says("I look up orders and cancel them.")),
    ),
    "parallel_calls": Canonical(
        "two calls that one request asks for together",
        trace_of(
            user("Where are orders A1 and A2?"),
            calls(
                call("lookup_order", order_id="A1").returns({"status": "shipped"}),
                call("lookup_order", order_id="A2").returns({"status": "packed"}),
            ),
            says("A1 has shipped, A2 is packed."),
        ),
    ),
    "failed_call": Canonical(
        "a call that failed, and the agent gave up",
        trace_of(
            user("Cancel order A1."),
            call("cancel_order", order_id="A1").fails("order A1 has shipped"),
            says("It has shipped, so I cannot cancel it."),
        ),
    ),
    "retry": Canonical(
        "a call that failed, then the same again with success",
        trace_of(
            user("Where is order A1?"),
            call("lookup_order", order_id="A1").fails("timed out"),
            call("lookup_order", order_id="A1").returns({"status": "shipped"}),
            says("It has shipped."),
        ),
    ),
    "unknown_tool": Canonical(
        "a call of a tool that does not exist",
        trace_of(
            user("Send order A1 faster."),
            call("teleport_order", order_id="A1").fails("there is no tool teleport_order"),
            says("I cannot do that."),
        ),
    ),
    "unparsable_arguments": Canonical(
        "a call whose arguments are no JSON",
        trace_of(
            user("Where is order A1?"),
            call("lookup_order").unparsable('{"order_id": "A1').fails("arguments are no JSON"),
            says("Something went wrong."),
        ),
    ),
    "no_arguments": Canonical(
        "a call without arguments, and a result that is text",
        trace_of(
            user("What time is it?"),
            call("clock").returns("12:30"),
            says("Half past twelve."),
        ),
    ),
    "unanswered_call": Canonical(
        "a call whose result never comes",
        trace_of(user("Where is order A1?"), call("lookup_order", order_id="A1")),
    ),
    "pending_call": Canonical(
        "a call that waits for an approval when the recording ends",
        trace_of(
            user("Refund order A1."),
            call("refund_order", order_id="A1"),
            interrupt("Refund order A1?"),
        ),
    ),
    "approved_call": Canonical(
        "a call that waited for an approval, got it, and ran",
        trace_of(
            user("Refund order A1."),
            call("refund_order", order_id="A1"),
            interrupt("Refund order A1?"),
            answered(True),
            result({"refunded": 79.5}),
            says("Refunded."),
        ),
    ),
    "nested_agent": Canonical(
        "a call inside which another agent makes calls of its own",
        trace_of(
            user("Is order A1 late?"),
            call("ask_shipping", question="Is A1 late?")
            .inside(
                call("track_parcel", order_id="A1").returns({"late": False}),
                says("It is on time."),
            )
            .returns("It is on time."),
            says("It is not late."),
        ),
    ),
    "multi_turn": Canonical(
        "two turns, with calls in the second",
        trace_of(
            user("Hello."),
            says("Hello, how can I help?"),
            user("Where is order A1?"),
            call("lookup_order", order_id="A1").returns({"status": "shipped"}),
            says("It has shipped."),
        ),
    ),
    "no_output": Canonical(
        "a call was answered, and then the agent said nothing",
        trace_of(
            user("Where is order A1?"),
            call("lookup_order", order_id="A1").returns({"status": "shipped"}),
        ),
    ),
    "structured_content": Canonical(
        "a message with an image, nested arguments and a nested result",
        trace_of(
            user("What is this?", content=["a text and an image, as the source writes them"]),
            call("find_order", like={"items": ["lamp"], "limit": 1}).returns(_ORDER),
            says("A lamp of order A1."),
        ),
    ),
    "unicode": Canonical(
        "texts, arguments and results beyond ASCII",
        trace_of(
            user(_GREETING),
            call("échо", grüße=_GREETING).returns({"🙂": _GREETING}),
            says(_GREETING),
        ),
    ),
}


def essence(trace: Trace) -> Trace:
    """What of a trace must be the same whatever world recorded it.

    Ids are numbered anew, and so are the requests; times, usage, models, agents, states, node
    visits, metadata and extensions are left out. Of parts only is kept that there are some, of an
    interrupt what waits on it and whether it was answered.

    >>> one = trace_of(user("hi"), call("f").known_as("x"), id="a")
    >>> essence(one) == essence(trace_of(user("hi"), call("f"), id="b", tags=("t",)))
    True
    """
    kept = [step for step in trace.steps if isinstance(step, Message | ToolCall | Interrupt)]
    requests = {step.request for step in kept if not isinstance(step, Interrupt)}
    ranks = {number: rank for rank, number in enumerate(sorted(filter(_known, requests)))}
    calls = [step for step in kept if isinstance(step, ToolCall)]
    ids = {call.id: f"c{n}" for n, call in enumerate(calls, 1) if call.id is not None}
    numbers = {id(call): f"c{n}" for n, call in enumerate(calls, 1)}
    steps = [
        _call(step, numbers[id(step)], ranks, ids)
        if isinstance(step, ToolCall)
        else _interrupt(step, ids)
        if isinstance(step, Interrupt)
        else _message(step, ranks)
        for step in kept
    ]
    return Trace("", steps=tuple(steps), outcome=trace.outcome)


def _known(request: int | None) -> TypeGuard[int]:
    return request is not None


def _message(step: Message, ranks: dict[int, int]) -> Message:
    return Message(
        step.role,
        step.text,
        content=None if step.content is None else "parts",
        turn=step.turn,
        request=None if step.request is None else ranks[step.request],
    )


def _interrupt(step: Interrupt, ids: dict[str, str]) -> Interrupt:
    return Interrupt(
        pending=tuple(ids.get(waiting, waiting) for waiting in step.pending),
        answer="answered" if step.resolved else UNSET,
        resolved=step.resolved,
        turn=step.turn,
    )


def _call(step: ToolCall, number: str, ranks: dict[int, int], ids: dict[str, str]) -> ToolCall:
    seen = step.answered
    return ToolCall(
        step.name,
        step.args,
        args_error=step.args_error,
        id=number,
        turn=step.turn,
        request=None if step.request is None else ranks[step.request],
        parent=None if step.parent is None else ids.get(step.parent, step.parent),
        executed=step.executed,
        result=step.result,
        error=step.error,
        answered=None if seen is None else sum(request < seen for request in ranks),
    )

"""Traces in a few words."""

import pytest

from passhat.errors import UsageError
from passhat.testing import (
    answered,
    call,
    calls,
    essence,
    interrupt,
    result,
    says,
    system,
    trace_of,
    user,
)
from passhat.trace import Interrupt, NodeVisit, StateUpdate, ToolCall, TraceBuilder


def test_a_conversation_reads_as_it_is_written():
    trace = trace_of(
        system("Be brief."),
        user("Where are A1 and A2?"),
        calls(
            call("lookup", id="A1").returns(1), call("lookup", id="A2").fails("gone"), text="Hm."
        ),
        says("A1 is here."),
        user("Thanks."),
        id="t",
        source="test",
        case_id="c",
    )
    build = TraceBuilder("t", "test")
    build.system("Be brief.")
    build.user("Where are A1 and A2?")
    build.assistant(
        "Hm.",
        [ToolCall("lookup", {"id": "A1"}, id="c1"), ToolCall("lookup", {"id": "A2"}, id="c2")],
    )
    build.result(1, call_id="c1")
    build.result(trace.calls[1].result, call_id="c2", error="gone")
    build.assistant("A1 is here.")
    build.user("Thanks.")
    assert trace == build.trace(case_id="c")


def test_what_waits_and_what_is_answered():
    trace = trace_of(
        user("Refund A1."),
        calls(call("refund", id="A1"), call("log").returns(None)),
        interrupt("Refund?", id="i"),
        answered("yes"),
        result("done"),
        says("Refunded."),
    )
    pause = next(step for step in trace.steps if isinstance(step, Interrupt))
    assert (pause.pending, pause.answer) == (("c1",), "yes")
    assert [call.result for call in trace.calls] == ["done", None]


def test_calls_inside_calls_and_other_steps():
    trace = trace_of(
        user("x"),
        call("ask").inside(call("f").unparsable("{").fails("no"), says("Well.")).returns("Well."),
        StateUpdate({"n": 1}),
        NodeVisit("agent"),
    )
    outer, inner = trace.all_calls
    assert trace.calls == (outer,)
    assert (inner.parent, inner.args_error, inner.request) == (outer.id, "{", 1)
    assert outer.answered > inner.answered
    assert trace.nodes


@pytest.mark.parametrize("part", [result("x"), answered("x")])
def test_an_answer_to_nothing_is_refused(part):
    with pytest.raises(UsageError, match="came before it"):
        trace_of(user("x"), part)


def test_the_essence_is_the_same_whatever_the_ids():
    one = trace_of(user("x"), call("f").known_as("a").returns(1), call("g"), interrupt("?"), id="1")
    other = trace_of(
        user("x", id="m"), call("f").known_as("z").returns(1), call("g"), interrupt("!"), id="2"
    )
    assert essence(one) == essence(other)
    assert essence(one) != essence(trace_of(user("x"), call("f").returns(2), call("g")))

"""The trace model: what is derived, how it is built, and its file form."""

import pickle
from datetime import date

import pytest
from msgspec import UNSET

from passhat.errors import Place, TraceError
from passhat.trace import (
    Interrupt,
    Message,
    NodeVisit,
    StateUpdate,
    ToolCall,
    Trace,
    TraceBuilder,
    Usage,
    decode_trace,
    encode_trace,
)


def conversation():
    build = TraceBuilder("t", source="test")
    build.system("Be kind.")
    build.user("Refund A1.")
    build.assistant(calls=[ToolCall("lookup", {"id": "A1"}, id="c1")], usage=Usage(10, 5))
    build.result({"total": 5}, call_id="c1")
    build.assistant("Shall I?", usage=Usage(20, 5, cost=0.25))
    build.user("Yes.")
    build.assistant("On it.", calls=[ToolCall("refund", {"id": "A1"}, id="c2")])
    build.call(ToolCall("audit", id="c3", parent="c2"))
    build.result(None, call_id="c2", error="timeout")
    build.assistant("It failed.")
    return build.trace(initial_state={"a": 1}, final_state={"a": 2}, started=1.0, ended=3.5)


def test_views():
    trace = conversation()
    assert [call.name for call in trace.calls] == ["lookup", "refund"]
    assert [call.name for call in trace.all_calls] == ["lookup", "refund", "audit"]
    assert [call.answered for call in trace.calls] == [1, 3]
    assert trace.calls[0].succeeded
    assert trace.calls[1].failed
    assert trace.final_response == "It failed."
    assert trace.requests == 4
    assert trace.total_usage == Usage(30, 10, cost=0.25)
    assert trace.seconds == 2.5


def test_each_turn_is_a_trace_of_its_own():
    first, second = conversation().turns
    assert [call.name for call in first.calls] == ["lookup"]
    assert first.final_response == "Shall I?"
    assert first.initial_state == {"a": 1}
    assert first.final_state is UNSET
    assert second.initial_state is UNSET
    assert second.final_state == {"a": 2}
    assert second.final_response == "It failed."
    assert Trace("t").turns == ()


def test_user_messages_in_a_row_are_one_turn():
    build = TraceBuilder("t")
    build.assistant("Hello!")
    build.user("Hi.")
    build.user("Are you there?")
    build.assistant("Yes.")
    build.user("Good.")
    assert [step.turn for step in build.trace().steps] == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("steps", "response"),
    [
        ((), None),
        ((Message("user", "hi"),), None),
        ((Message("assistant", "a", request=0),), "a"),
        ((Message("assistant", "a", request=0), ToolCall("t", request=0)), None),
        ((Message("assistant", "a", request=0), Message("user", "b", turn=1)), None),
        ((Message("assistant", "a"), ToolCall("t")), "a"),
        ((Message("assistant", "a", request=0), Message("user", "Bye! ###STOP###", turn=1)), "a"),
        ((Message("user", "Do it."), Message("user", "###STOP###")), None),
        (
            (
                Message("assistant", "a", request=0),
                Message("user", "b", turn=1),
                Message("assistant", "", turn=1, request=1),
                ToolCall("t", turn=1, request=1),
                Message("user", "###TRANSFER###", turn=2),
            ),
            None,
        ),
    ],
)
def test_the_final_response_is_an_answer_not_a_request_for_a_call(steps, response):
    assert Trace("t", steps=steps).final_response == response


def test_results_join_by_id_then_by_name():
    build = TraceBuilder("t")
    build.assistant(calls=[ToolCall("a"), ToolCall("b"), ToolCall("a")])
    assert build.result(1, name="b")
    assert build.result(2, name="a")
    assert build.result(3)
    assert not build.result(4)
    assert not build.result(4, call_id="c9", name="a")
    assert [call.result for call in build.trace().calls] == [2, 1, 3]


def test_an_open_interrupt_leaves_the_run_interrupted():
    build = TraceBuilder("t")
    build.assistant(calls=[ToolCall("pay", id="c1")])
    build.interrupt("Pay?", id="i", pending=("c1",))
    assert build.trace().outcome == "interrupted"
    assert build.resume("yes", id="i")
    assert not build.resume("again")
    assert build.trace().outcome == "completed"


def test_a_trace_shares_nothing_with_what_it_was_built_from():
    args, result, state = {"x": [1]}, {"rows": [1]}, {"t": [1]}
    build = TraceBuilder("t")
    build.assistant(calls=[ToolCall("a", args, id="c")])
    build.result(result, call_id="c")
    trace = build.trace(final_state=state, metadata={"m": [1]})
    for value in (args["x"], result["rows"], state["t"]):
        value.append(2)
    assert trace.calls[0].args == {"x": [1]}
    assert trace.calls[0].result == {"rows": [1]}
    assert trace.final_state == {"t": [1]}


def everything():
    return Trace(
        "t",
        steps=(
            Message("user", "q", content=[{"type": "image"}]),
            ToolCall("a", {"x": None}, result=None, request=0),
            ToolCall("a", args_error="{x", request=0),
            StateUpdate({"k": 1}, by="c1", at=2.0),
            NodeVisit("agent", ("sub",), 1, update=None),
            Interrupt("i", "Pay?", ("c1",), None, True),
        ),
        initial_state=None,
        outcome="limit",
        usage=Usage(1, 2),
        tools={"a": {"type": "object"}},
        scores={"reward": 1.0},
        gaps=("calls: none kept",),
    )


@pytest.mark.parametrize("make", [conversation, everything])
def test_the_file_form_and_pickles_come_back_equal(make):
    trace = make()
    assert decode_trace(encode_trace(trace)) == trace
    assert pickle.loads(pickle.dumps(trace)) == trace
    back = decode_trace(encode_trace(everything()))
    assert back.initial_state is None
    assert back.final_state is UNSET
    assert back.calls[0].result is None
    assert back.calls[1].result is UNSET


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "not a trace"),
        (b"[]", "Expected `object`"),
        (b'{"id": 3}', r"Expected `str`, got `int` - at `\$.id`"),
        (b'{"id": "t", "stepz": []}', "unknown field `stepz`"),
        (b'{"id": "t", "schema": "passhat.trace/9"}', "passhat.trace/9"),
        (b'{"id": "t", "steps": [{"kind": "dance"}]}', r"\$.steps\[0\]"),
        (b'{"id": "\xff"}', "not a trace"),
        (b'{"id": ' + b"[" * 100_000, "not a trace"),
    ],
)
def test_what_is_no_trace_is_told_with_its_place(line, message):
    with pytest.raises(TraceError, match=message) as caught:
        decode_trace(line, Place("runs.jsonl", 7))
    assert str(caught.value).startswith("runs.jsonl:7: ")


def test_what_is_no_json_cannot_be_written():
    with pytest.raises(TypeError):
        encode_trace(Trace("t", metadata={"x": object()}))
    assert b"2024-05-20" in encode_trace(Trace("t", metadata={"d": date(2024, 5, 20)}))

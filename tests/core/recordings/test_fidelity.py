"""What becomes of a trace in a form that cannot say all of it."""

import pytest

from passhat.adapter import adapter_named
from passhat.errors import TraceError
from passhat.recordings.fidelity import differences
from passhat.recordings.openai_chat import adapter
from passhat.testing import call, interrupt, says, trace_of, user
from passhat.trace import Message, StateUpdate, ToolCall, Trace


def notes(trace, tmp_path):
    report = adapter.write_traces([trace], tmp_path / "out.jsonl")
    return {note.what: (note.kind, note.note or note.share) for note in report.notes}


def test_a_trace_that_was_read_is_written_without_loss(tmp_path):
    trace = trace_of(user("hi"), call("f", n=1).returns("x"), says("Done."), source="openai")
    assert notes(trace, tmp_path) == {}


def test_what_recorded_a_trace_is_no_loss_in_another_form(tmp_path):
    trace = trace_of(user("hi"), call("f", n=1).returns("x"), says("Done."), source="anthropic")
    assert adapter.write_traces([trace], tmp_path / "out.jsonl").lossless


def test_each_loss_is_listed(tmp_path):
    trace = trace_of(
        user("hi"),
        call("ask").inside(call("f").returns("1")).returns(5),
        StateUpdate({"n": 1}),
        interrupt("Sure?"),
        id="t",
        source="langgraph",
    )
    found = notes(trace, tmp_path)
    assert "t: source" not in found
    assert found["t: calls"] == ("lost", (1, 2))
    assert found["t: state updates"] == ("lost", (1, 1))
    assert found["t: interrupts"] == ("lost", (1, 1))


def test_a_number_becomes_a_text_and_that_is_listed(tmp_path):
    trace = trace_of(user("hi"), call("f").returns(5), id="t", source="openai")
    assert notes(trace, tmp_path) == {"t: calls' result": ("approximated", (1, 1))}


def test_parts_of_another_form_are_left_and_listed(tmp_path):
    trace = trace_of(user("hi", content=[{"inlineData": {}}]), id="t", source="openai")
    assert notes(trace, tmp_path) == {"t: messages' content": ("lost", (1, 1))}


def test_another_order_is_a_difference():
    one, two = Message("user", "a"), ToolCall("f")
    found = differences(Trace("t", steps=(one, two)), Trace("t", steps=(two, one)))
    assert [(note.what, note.note) for note in found] == [
        ("t: steps", "they stand in another order")
    ]


def test_results_stand_before_the_request_that_sees_them():
    late = [
        {"role": "assistant", "tool_calls": [{"id": "a", "name": "f"}, {"id": "b", "name": "g"}]},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "assistant", "content": "Waiting for f."},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "assistant", "content": "Done."},
    ]
    trace = adapter.to_trace(late)
    assert [call.answered for call in trace.calls] == [2, 1]
    written = adapter.from_trace(trace)
    assert [entry["role"] for entry in written["messages"]] == [entry["role"] for entry in late]
    assert adapter.to_trace(written) == trace


def test_what_is_given_back_shares_nothing_with_the_trace():
    trace = trace_of(user("hi"), call("f", n=[1]).returns([2]), metadata={"a": [3]})
    row = adapter.from_trace(trace)
    row["metadata"]["a"].append(4)
    assert trace.metadata == {"a": [3]}


@pytest.mark.parametrize("name", ["out.json", "out.jsonl"])
def test_a_list_or_lines_by_the_targets_name(name, tmp_path):
    traces = [trace_of(user("hi"), says("Hello."), id=str(n), source="openai") for n in range(3)]
    adapter.write_traces(traces, tmp_path / name)
    assert list(adapter.read_traces(tmp_path / name)) == traces
    assert (tmp_path / name).read_text().startswith("[" if name == "out.json" else "{")
    adapter.write_traces([], tmp_path / name)
    assert list(adapter.read_traces(tmp_path / name)) == []


def test_calls_that_no_message_asked_for_are_written_all_the_same():
    alone = ToolCall("f", id="a", result=1)
    asked = ToolCall("g", id="b", request=0, result="2", answered=1)
    written = adapter.from_trace(Trace("t", steps=(alone, asked)))
    assert [entry["role"] for entry in written["messages"]] == ["assistant", "tool"] * 2


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "gemini", "langchain"])
def test_tools_are_written_as_each_form_states_them(name):
    tools = {"f": {"type": "object", "properties": {"n": {"type": "integer"}}}, "g": {}}
    reader = adapter_named(name)
    trace = trace_of(user("hi"), says("Hello."), source=name, tools=tools)
    assert reader.to_trace(reader.from_trace(trace)) == trace


def test_a_trace_that_holds_no_json_is_named():
    trace = trace_of(user("hi"), id="t7", metadata={"when": {1, 2}})
    with pytest.raises(
        TraceError, match=r"\$\.metadata\.when: trace 't7' cannot be written: a set"
    ):
        adapter.from_trace(trace)

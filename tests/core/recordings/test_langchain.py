"""LangChain messages: what is theirs alone."""

import json

import pytest

from passhat import read_traces
from passhat.errors import TraceError
from passhat.recordings.langchain import adapter
from passhat.trace import ToolCall, TraceBuilder, Usage


def read(*messages):
    return adapter.to_trace({"messages": list(messages)})


def ai(content="", **fields):
    return {"type": "ai", "content": content, **fields}


def test_messages_by_role_and_pairs_may_stand_among_them():
    trace = read({"role": "user", "content": "hi"}, ["assistant", "Hello."], ("human", "Bye."))
    assert [(m.role, m.text) for m in trace.messages] == [
        ("user", "hi"),
        ("assistant", "Hello."),
        ("user", "Bye."),
    ]


def test_roles_of_theirs_tell_a_file(tmp_path):
    path = tmp_path / "chat.json"
    called = {"role": "ai", "content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c1"}]}
    path.write_text(json.dumps([{"role": "human", "content": "hi"}, called]))
    (trace,) = read_traces(path)
    assert (trace.source, [call.name for call in trace.calls]) == ("langchain", ["f"])


def test_a_call_written_in_several_places_counts_once():
    trace = read(
        ai(
            [
                {"type": "text", "text": "ok"},
                {"type": "tool_use", "id": "a", "name": "f", "input": {}},
            ],
            tool_calls=[{"id": "a", "name": "f", "args": {"n": 1}}],
            additional_kwargs={"tool_calls": [{"id": "a", "function": {"name": "f"}}]},
        )
    )
    assert [(call.id, call.args) for call in trace.calls] == [("a", {"n": 1})]


@pytest.mark.parametrize(
    "message",
    [
        ai([{"type": "tool_use", "id": "a", "name": "f", "input": {"n": 1}}]),
        ai(
            additional_kwargs={
                "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": '{"n": 1}'}}]
            }
        ),
        ai(additional_kwargs={"function_call": {"id": "a", "name": "f", "arguments": '{"n": 1}'}}),
        ai(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": '{"n": 1}'}}]),
    ],
    ids=["block", "sent", "older", "openai"],
)
def test_a_call_written_in_one_of_them_counts_too(message):
    assert [(call.id, call.name, call.args) for call in read(message).calls] == [
        ("a", "f", {"n": 1})
    ]


def test_invalid_calls_stand_where_the_model_put_them():
    sent = [{"id": i, "function": {"name": "f", "arguments": "{"}} for i in "abc"]
    trace = read(
        ai(
            tool_calls=[{"id": "a", "name": "f", "args": {}}, {"id": "c", "name": "f", "args": {}}],
            invalid_tool_calls=[{"id": "b", "name": "f", "args": "{", "error": "cut"}],
            additional_kwargs={"tool_calls": sent},
        )
    )
    assert [(call.id, call.args_error) for call in trace.calls] == [
        ("a", None),
        ("b", "{"),
        ("c", None),
    ]
    assert trace.calls[1].extensions == {"error": "cut"}


def test_the_order_of_broken_calls_among_others_is_written():
    asked = [ToolCall("f", id="c1", args_error="{"), ToolCall("g", id="c2"), ToolCall("h", id="c3")]
    build = TraceBuilder("t")
    build.assistant(calls=asked)
    back = adapter.to_trace(adapter.from_trace(build.trace()))
    assert [(c.name, c.args_error) for c in back.calls] == [("f", "{"), ("g", None), ("h", None)]


def test_a_failed_tool_and_an_artifact():
    trace = read(
        ai(tool_calls=[{"id": "a", "name": "f", "args": {}}, {"id": "b", "name": "g", "args": {}}]),
        {"type": "tool", "tool_call_id": "a", "content": '{"no": 1}', "status": "error"},
        {"type": "tool", "tool_call_id": "b", "content": "1", "artifact": {"rows": [1]}},
    )
    assert (trace.calls[0].error, trace.calls[0].succeeded) == ('{"no": 1}', False)
    assert trace.calls[1].extensions["artifact"] == {"rows": [1]}
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


@pytest.mark.parametrize(("status", "executed"), [("error", False), ("success", True)])
def test_a_tool_that_does_not_exist_did_not_run(status, executed):
    """LangGraph's node of tools says so; a tool that says it itself did run."""
    said = "Error: f is not a valid tool, try one of [g]."
    answer = {"type": "tool", "tool_call_id": "a", "content": said, "status": status}
    (call,) = read(ai(tool_calls=[{"id": "a", "name": "f", "args": {}}]), answer).calls
    assert (call.executed, call.error or call.result) == (executed, said)


def test_a_message_keeps_all_that_is_said_of_it():
    trace = read(
        ai(
            [{"type": "reasoning", "reasoning": "hmm"}, {"type": "text", "text": "Yes."}],
            name="planner",
            id="m1",
            response_metadata={"model_name": "gpt", "finish_reason": "stop"},
            usage_metadata={
                "input_tokens": 9,
                "output_tokens": 2,
                "input_token_details": {"cache_read": 4},
            },
        )
    )
    message = trace.messages[0]
    assert (message.text, message.reasoning) == ("Yes.", "hmm")
    assert (message.agent, message.model, message.usage) == ("planner", "gpt", Usage(9, 2, 4))
    assert message.extensions["response_metadata"] == {"finish_reason": "stop"}
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


def test_removed_messages_are_kept_aside():
    trace = read({"type": "human", "content": "hi"}, {"type": "remove", "id": "m1", "content": ""})
    assert trace.extensions["removed"][0]["id"] == "m1"


def test_models_of_the_library_are_read_as_they_are():
    messages = pytest.importorskip("langchain_core.messages")
    given = [
        messages.HumanMessage("hi"),
        messages.AIMessage("", tool_calls=[{"name": "f", "args": {"n": 1}, "id": "a"}]),
        messages.ToolMessage("done", tool_call_id="a"),
    ]
    trace = adapter.to_trace(given)
    assert [(call.name, call.result) for call in trace.calls] == [("f", "done")]
    assert given[1].tool_calls[0]["args"] is not trace.calls[0].args


CHUNK = {"type": "AIMessageChunk", "id": "run-1", "content": ""}


def test_a_call_that_stands_in_the_chunks_alone_is_one():
    chunk = {"name": "f", "args": '{"a": 1}', "id": "c1", "index": 0}
    (call,) = read({**CHUNK, "tool_call_chunks": [chunk]}).calls
    assert (call.name, call.args, call.id) == ("f", {"a": 1}, "c1")


def test_pieces_of_a_streamed_message_are_refused_for_no_piece_is_a_call():
    pieces = [
        {**CHUNK, "tool_call_chunks": [{"name": "f", "args": "", "id": "c1", "index": 0}]},
        {**CHUNK, "tool_call_chunks": [{"name": None, "args": '{"a"', "id": None, "index": 0}]},
    ]
    with pytest.raises(TraceError, match=r"\$.messages\[2\]: pieces of one streamed message"):
        read({"role": "user", "content": "hi"}, *pieces)


def test_an_unknown_type_is_named():
    with pytest.raises(TraceError, match=r"\$\.messages\[0\].*'poem'"):
        read({"type": "poem", "content": "x"})


def test_the_providers_own_calls_in_the_content():
    trace = read(
        {"type": "human", "content": "x"},
        ai(
            [
                {"type": "web_search_call", "id": "w", "action": {"q": 1}, "status": "completed"},
                {
                    "type": "code_interpreter_call",
                    "id": "c",
                    "code": "1",
                    "outputs": [{"logs": "1"}],
                },
                {"type": "text", "text": "One."},
            ]
        ),
    )
    search, code = trace.calls
    assert (search.name, search.args, search.executed) == ("web_search", {"action": {"q": 1}}, True)
    assert (code.name, code.result, code.request) == ("code_interpreter", [{"logs": "1"}], 1)
    assert trace.final_response == "One."

"""Anthropic messages: what is theirs alone."""

import json

import pytest

from passhat.errors import TraceError
from passhat.recordings import to_trace
from passhat.recordings.anthropic import adapter
from passhat.trace import Message, ToolCall, Usage


def test_the_system_prompt_and_the_tools_come_from_the_row():
    trace = adapter.to_trace(
        {
            "system": [{"type": "text", "text": "Be brief."}],
            "tools": [{"name": "f", "description": "F.", "input_schema": {"type": "object"}}],
            "messages": [{"role": "user", "content": "hi"}],
        }
    )
    assert trace.messages[0].text == "Be brief."
    assert trace.tools == {"f": {"description": "F.", "type": "object"}}
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


def test_a_server_tool_is_a_call_and_what_follows_a_request_of_its_own():
    trace = adapter.to_trace(
        [
            {"role": "user", "content": "News?"},
            {
                "role": "assistant",
                "id": "m1",
                "usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 3},
                "content": [
                    {"type": "thinking", "thinking": "search", "signature": "sig"},
                    {"type": "text", "text": "Let me look."},
                    {
                        "type": "server_tool_use",
                        "id": "s1",
                        "name": "web_search",
                        "input": {"q": 1},
                    },
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "s1",
                        "content": [{"url": "u"}],
                    },
                    {"type": "text", "text": "Rain."},
                ],
            },
        ]
    )
    said = [step for step in trace.steps if isinstance(step, Message)][1:]
    call = trace.calls[0]
    assert [(message.text, message.request) for message in said] == [
        ("Let me look.", 0),
        ("Rain.", 1),
    ]
    assert said[0].reasoning == "search"
    assert said[0].usage == Usage(12, 3, 7)
    assert (call.name, call.result, call.answered) == ("web_search", [{"url": "u"}], 1)
    assert trace.final_response == "Rain."
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


def test_a_server_tool_that_failed_says_so_by_its_type():
    trace = adapter.to_trace(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "mcp_tool_use", "id": "s1", "name": "roll", "input": {}},
                    {
                        "type": "mcp_tool_result",
                        "tool_use_id": "s1",
                        "content": {"type": "mcp_error", "error_code": "unavailable"},
                    },
                ],
            }
        ]
    )
    assert trace.calls[0].error == '{"type":"mcp_error","error_code":"unavailable"}'


def test_results_and_words_in_one_user_message():
    trace = adapter.to_trace(
        [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t", "content": "1"},
                    {"type": "text", "text": "And now?"},
                ],
            },
        ]
    )
    assert isinstance(trace.steps[1], ToolCall)
    assert trace.steps[1].result == "1"
    assert trace.steps[2].text == "And now?"


BODY = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}],
    "stop_reason": "tool_use",
}


def test_what_the_api_answered_is_a_run_for_each_request(tmp_path):
    path = tmp_path / "bodies.jsonl"
    rows = [BODY, {**BODY, "id": "msg_2", "stop_reason": "max_tokens"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = list(adapter.read_traces(path))
    assert [(len(trace.calls), trace.outcome) for trace in found] == [
        (1, "completed"),
        (1, "limit"),
    ]
    assert adapter.to_trace(BODY).calls == to_trace(BODY).calls == found[0].calls


def test_answers_among_the_messages_of_a_conversation_are_no_runs_of_their_own(tmp_path):
    path = tmp_path / "chat.jsonl"
    told = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    rows = [{"role": "user", "content": "hi"}, BODY, {"role": "user", "content": [told]}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (trace,) = adapter.read_traces(path)
    assert [call.result for call in trace.calls] == ["ok"]


def test_a_call_of_the_user_is_refused_rather_than_lost():
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    with pytest.raises(TraceError, match="no place for a call"):
        adapter.to_trace([{"role": "user", "content": [block]}])


def piece(id, *blocks):
    stated = {"id": id, "usage": {"input_tokens": 10, "output_tokens": 5}}
    return {"role": "assistant", **stated, "content": list(blocks)}


def asks(id):
    return {"type": "tool_use", "id": id, "name": "read", "input": {"path": id}}


def gives(id, *more):
    block = {"type": "tool_result", "tool_use_id": id, "content": f"text of {id}"}
    return {"role": "user", "content": [block, *more]}


def test_calls_of_one_answer_that_a_log_has_between_their_results_were_asked_for_together():
    trace = adapter.to_trace(
        [
            {"role": "user", "content": "Compare a and b."},
            piece("m1", {"type": "text", "text": "Both."}, asks("a")),
            gives("a"),
            piece("m1", asks("b")),
            gives("b"),
            piece("m2", {"type": "text", "text": "Alike."}),
        ]
    )
    assert [(call.id, call.request, call.answered, call.result) for call in trace.calls] == [
        ("a", 0, 1, "text of a"),
        ("b", 0, 1, "text of b"),
    ]
    assert trace.total_usage == Usage(20, 10)
    assert trace.final_response == "Alike."


def test_an_answer_ends_where_somebody_spoke():
    spoke = gives("a", {"type": "text", "text": "And b?"})
    trace = adapter.to_trace([piece("m1", asks("a")), spoke, piece("m1", asks("b")), gives("b")])
    assert [(call.id, call.request) for call in trace.calls] == [("a", 0), ("b", 1)]


def test_results_of_amp_are_refused_since_they_hold_what_a_tool_gave_elsewhere():
    asked = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    given = {"type": "tool_result", "toolUseID": "t1", "run": {"status": "error"}}
    entries = [{"role": "assistant", "content": [asked]}, {"role": "user", "content": [given]}]
    with pytest.raises(TraceError, match="toolUseID") as found:
        adapter.to_trace(entries)
    assert found.value.place.path == "$[1].content[0]"

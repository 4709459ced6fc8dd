"""OpenAI Responses items: what is theirs alone."""

import json

import pytest

from passhat import Case, grade, read_traces
from passhat.errors import TraceError
from passhat.recordings import to_trace
from passhat.recordings.openai_responses import adapter
from passhat.trace import Interrupt, Usage


def says(text):
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "role": "assistant", "content": [part], "status": "completed"}


def function(call_id, name="f"):
    return {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name}


def test_items_of_the_model_are_one_request_until_an_output():
    trace = adapter.to_trace(
        [
            {"role": "user", "content": "x"},
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hmm"}]},
            says("Let me look."),
            function("a"),
            function("b"),
            {"type": "function_call_output", "call_id": "a", "output": "1"},
            {"type": "function_call_output", "call_id": "b", "output": "2"},
            says("Done."),
        ]
    )
    assert [call.request for call in trace.calls] == [0, 0]
    assert [(m.text, m.reasoning, m.request) for m in trace.messages[1:]] == [
        ("Let me look.", "hmm", 0),
        ("Done.", None, 1),
    ]
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


def test_a_whole_response_says_how_it_ended():
    response = {
        "object": "response",
        "id": "resp_1",
        "model": "gpt",
        "status": "failed",
        "error": {"code": "rate_limit_exceeded", "message": "slow down"},
        "instructions": "Be brief.",
        "input": "hi",
        "output": [],
        "usage": {"input_tokens": 5, "output_tokens": 0},
        "tools": [{"type": "function", "name": "f", "parameters": {}}, {"type": "web_search"}],
        "temperature": 0.5,
    }
    trace = adapter.to_trace(response)
    assert (trace.id, trace.outcome) == ("resp_1", "infrastructure_error")
    assert trace.error == "rate_limit_exceeded: slow down"
    assert [message.text for message in trace.messages] == ["Be brief.", "hi"]
    assert trace.total_usage == Usage(5, 0)
    assert trace.pins == {"model": "gpt"}
    assert trace.tools == {"f": {}, "web_search": {}}
    assert trace.metadata["temperature"] == 0.5


@pytest.mark.parametrize(
    ("item", "name", "args", "result", "executed"),
    [
        (
            {"type": "web_search_call", "id": "w", "action": {"query": "q"}, "status": "completed"},
            "web_search",
            {"action": {"query": "q"}},
            "unset",
            True,
        ),
        (
            {
                "type": "file_search_call",
                "id": "f",
                "queries": ["q"],
                "results": [{"file_id": "1"}],
            },
            "file_search",
            {"queries": ["q"]},
            [{"file_id": "1"}],
            True,
        ),
        (
            {"type": "mcp_call", "id": "m", "name": "roll", "arguments": '{"n": 6}', "output": "4"},
            "roll",
            {"n": 6},
            "4",
            True,
        ),
        (
            {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "select 1"},
            "sql",
            {"input": "select 1"},
            "unset",
            None,
        ),
        (
            {"type": "teapot_call", "id": "t", "tea": "green"},
            "teapot",
            {"tea": "green"},
            "unset",
            None,
        ),
    ],
)
def test_the_calls_there_are(item, name, args, result, executed):
    trace = adapter.to_trace([{"role": "user", "content": "x"}, item, says("Done.")])
    call = trace.calls[0]
    assert (call.name, call.args, call.executed) == (name, args, executed)
    assert (call.result if call.succeeded else "unset") == result
    if executed:
        assert trace.final_response == "Done."


def test_outputs_of_all_kinds_find_their_calls():
    trace = adapter.to_trace(
        [
            {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "select 1"},
            {"type": "local_shell_call", "id": "x", "call_id": "l", "action": {"command": ["ls"]}},
            {"type": "apply_patch_call", "call_id": "p", "operation": {"type": "delete_file"}},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "1"},
            {"type": "local_shell_call_output", "id": "l", "output": "a.txt"},
            {"type": "apply_patch_call_output", "call_id": "p", "status": "failed", "output": "no"},
        ]
    )
    assert [(call.result if call.succeeded else call.error) for call in trace.calls] == [
        "1",
        "a.txt",
        "no",
    ]
    assert trace.gaps == ()


def test_a_declined_approval():
    trace = adapter.to_trace(
        [
            {"type": "mcp_approval_request", "id": "m", "name": "refund", "arguments": "{}"},
            {"type": "mcp_approval_response", "approval_request_id": "m", "approve": False},
            says("I will not."),
        ]
    )
    pause = next(step for step in trace.steps if isinstance(step, Interrupt))
    assert (pause.pending, pause.answer, pause.resolved) == (("m",), {"approve": False}, True)
    assert trace.calls[0].executed is False
    assert trace.outcome == "completed"


def test_an_approved_call_whose_request_is_not_recorded_is_no_less_a_call():
    item = {
        "type": "mcp_call",
        "id": "m",
        "name": "f",
        "approval_request_id": "gone",
        "output": "1",
    }
    assert [call.result for call in adapter.to_trace([item]).calls] == ["1"]


def test_items_that_hide_others_are_a_gap_in_the_calls():
    trace = adapter.to_trace([{"type": "item_reference", "id": "msg_1"}])
    assert trace.gaps[0].startswith("calls: ")
    assert trace.extensions["items"] == [{"type": "item_reference", "id": "msg_1"}]


@pytest.mark.parametrize(
    "earlier", [{"previous_response_id": "resp_0"}, {"conversation": {"id": "conv_1"}}]
)
def test_a_response_that_goes_on_from_another_is_not_all_of_the_run(earlier):
    response = {"object": "response", "output": [{"role": "assistant", "content": "Done."}]}
    assert adapter.to_trace(response).gaps == ()
    (gap,) = adapter.to_trace({**response, **earlier}).gaps
    assert gap.startswith("calls: it goes on from ")
    assert adapter.to_trace({"items": response["output"], **earlier}).gaps == ()


def test_items_of_a_newer_type_hide_nothing_of_the_others():
    items = [{"type": "newer", "id": "n1"}, function("c1"), {"type": "compaction", "id": "n2"}]
    trace = to_trace(items)
    assert (trace.source, [call.name for call in trace.calls]) == ("openai-responses", ["f"])
    assert len(trace.gaps) == 2
    assert (
        adapter.recognises([{"type": "newer", "id": "n1"}, {"role": "user", "content": "hi"}]) == 0
    )


def test_a_batch_of_responses_is_a_run_a_line(tmp_path):
    path = tmp_path / "batch.jsonl"
    called = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    bodies = [
        {"object": "response", "id": "resp_1", "output": [called]},
        {"error": {"code": "server_error", "message": "again"}},
    ]
    path.write_text("".join(
        json.dumps({"id": "b", "custom_id": f"r{n}", "response": {"body": body}, "error": None}) + "\n"
        for n, body in enumerate(bodies)
    ))  # fmt: skip
    first, second = read_traces(path)
    assert ([call.name for call in first.calls], first.metadata["custom_id"]) == (["f"], "r0")
    assert (second.outcome, second.metadata["custom_id"]) == ("infrastructure_error", "r1")


def test_an_output_that_says_it_is_an_error_is_one():
    called = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    told = {"type": "function_call_output", "call_id": "c1", "output": "boom", "is_error": True}
    (call,) = adapter.to_trace([called, told]).calls
    assert call.error == "boom"


def test_items_of_which_the_newest_stand_first_are_refused():
    called = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    told = {"type": "function_call_output", "call_id": "c1", "output": "5"}
    asked = {"type": "message", "role": "user", "content": "Where is A1?"}
    with pytest.raises(TraceError, match="give the oldest first") as found:
        adapter.to_trace([says("It is 5."), told, called, asked])
    assert found.value.place.path == "$[1]"
    late = {**called, "call_id": "c2"}, {**told, "call_id": "c2"}
    assert len(adapter.to_trace([asked, *late, told, called]).calls) == 2


def test_a_row_without_items_is_refused():
    with pytest.raises(TraceError, match="'items', 'input' or 'output'"):
        adapter.to_trace({"question": "hi"})


def test_an_incomplete_message_stays_known_as_one():
    trace = adapter.to_trace([{**says("It is"), "status": "incomplete", "phase": "commentary"}])
    assert trace.messages[0].extensions == {"status": "incomplete", "phase": "commentary"}
    assert adapter.to_trace({"output": [], "status": "incomplete"}).outcome == "limit"


def test_listed_tools_join_the_catalogue():
    listed = {
        "type": "mcp_list_tools",
        "server_label": "s",
        "tools": [{"name": "roll", "input_schema": {}}],
    }
    row = {"tools": [{"type": "mcp", "server_label": "s"}], "output": [listed]}
    assert set(adapter.to_trace(row).tools) == {"mcp", "roll"}
    assert adapter.to_trace({"output": [listed]}).tools is None


def test_what_has_no_place_is_kept_and_may_have_been_a_call():
    trace = adapter.to_trace([says("Done."), {"type": "orchestration", "id": "o"}])
    assert trace.extensions["items"] == [{"type": "orchestration", "id": "o"}]
    assert len(trace.gaps) == 1
    assert "'orchestration'" in trace.gaps[0]
    assert grade(trace, Case("c", forbidden_calls=["f"])).status == "not_evaluated"


def test_a_copy_of_the_files_leaves_no_gap():
    copy = {"type": "ghost_snapshot", "ghost_commit": {"id": "c0ffee"}}
    trace = adapter.to_trace([{"role": "user", "content": "x"}, copy, says("Done.")])
    assert (trace.gaps, trace.extensions) == ((), {"items": [copy]})


def test_a_program_is_a_call_and_so_is_what_it_calls():
    program = {"type": "program", "id": "cm_1", "call_id": "p1", "code": "text(await f({}))"}
    called = {**function("f1"), "caller": {"type": "program", "caller_id": "p1"}}
    ended = {"type": "program_output", "id": "cmo_1", "call_id": "p1", "result": "5"}
    output = {"type": "function_call_output", "call_id": "f1", "output": "5"}
    thought = {"type": "reasoning", "id": "r", "summary": []}
    trace = adapter.to_trace([thought, program, called, output, ended, says("Five.")])
    assert [(call.name, call.id, call.request, call.result) for call in trace.calls] == [
        ("program", "p1", 0, "5"),
        ("f", "f1", 0, "5"),
    ]
    assert (trace.calls[0].args, trace.gaps) == ({"code": "text(await f({}))"}, ())
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


def test_a_call_of_the_providers_tools_keeps_both_of_its_ids():
    trace = adapter.to_trace(
        [
            {"type": "shell_call", "id": "sh_1", "call_id": "c1", "action": {"commands": ["ls"]}},
            {"type": "shell_call_output", "call_id": "c1", "output": "a.txt"},
            says("One file."),
        ]
    )
    again = adapter.to_trace(adapter.from_trace(trace))
    assert [(call.id, call.result) for call in again.calls] == [("c1", "a.txt")]
    assert again == trace

"""What is said of files of no known form, and that the advice holds."""

import json
import shutil
import subprocess

import pytest

from passhat import read_traces
from passhat.adapter import sniffed
from passhat.errors import InputError
from passhat.foreign import outline

ASKED = {"role": "user", "content": "Where is order A1?"}
CALLING = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "function": {"name": "lookup", "arguments": "{}"}}],
}
CHAT = [ASKED, CALLING, {"role": "tool", "tool_call_id": "c1", "content": "ok"}]
CONTENTS = [
    {"role": "user", "parts": [{"text": "Where is order A1?"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "lookup", "args": {}}}]},
]
USED = {"id": "m1", "role": "assistant", "content": [
    {"type": "tool_use", "id": "t1", "name": "lookup", "input": {}}
]}  # fmt: skip
ENDED = {"messages": [*CHAT, {"role": "assistant", "content": "Shipped."}]}
STATE = {
    "$schemaVersion": "1.18",
    "original_input": "Where is order A1?",
    "generated_items": [
        {
            "type": "tool_call_item",
            "raw_item": {"type": "function_call", "call_id": "c1", "name": "lookup"},
        },
        {"type": "tool_approval_item", "raw_item": {"type": "function_call", "name": "lookup"}},
    ],
}
ITEM = {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": "{}"}


def refused(tmp_path, *rows, listed=False):
    path = tmp_path / ("runs.json" if listed else "runs.jsonl")
    lines = json.dumps(rows) if listed else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(lines)
    with pytest.raises(InputError, match="does not tell what recorded it") as found:
        sniffed(path)
    return path, found.value.message


def made(tmp_path, *rows, listed=False):
    """The runs that the command which is advised makes of rows."""
    path, message = refused(tmp_path, *rows, listed=listed)
    query = message.partition("jq -c '")[2].partition("' makes ")[0]
    done = subprocess.run(["jq", "-c", query, path], capture_output=True, check=True)
    runs = tmp_path / "made.jsonl"
    runs.write_bytes(done.stdout)
    return list(read_traces(runs))


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize(
    "row",
    [
        {"id": "r1", "trajectory": CHAT, "resolved": True},
        {"history": CHAT, "info": {}, "environment": "e"},
        {"conversations": CHAT, "tools": []},
        {"history": CONTENTS},
        {"data": [{"messages": CHAT}, {"messages": CHAT}]},
        {"rows": [{"row_idx": 0, "row": {"messages": CHAT}}]},
        {"values": {"messages": CHAT}, "next": []},
        {"input": [ASKED], "output": CALLING, "model": "m"},
        {"input": {"messages": [ASKED]}, "output": CALLING},
        {"prompt": [ASKED], "completion": [CALLING]},
        {"input": {"messages": [ASKED]}, "output": {"messages": CHAT}},
        {"input": {"messages": [ASKED]}, "output": {"messages": [CALLING]}},
        {"input": {"messages": [ASKED]}, "output": {"messages": CHAT[1:]}},
        {"request": {"model": "m", "messages": [ASKED]}, "response": USED},
        {"custom_id": "a", "result": {"type": "succeeded", "message": USED}},
        {"request": {"input": [ASKED]}, "response": {"object": "response", "output": [ITEM]}},
        {
            "request_body": {"messages": [ASKED]},
            "response_body": {"choices": [{"message": CALLING}]},
        },
        {"op": "chat", "inputs": {"messages": [ASKED]}, "reply": USED},
        {"new_items": [{"type": "tool_call_item", "raw_item": ITEM}], "final_output": "ok"},
        {"log": [{"at": 1, "entry": ASKED}, {"at": 2, "entry": CALLING}], "case_id": "c"},
        {"first": {"messages": CHAT}, "second": {"messages": CHAT}},
        {"1": CHAT, "2": CHAT, "3": CHAT},
        {"parentUuid": None, "isSidechain": False, "message": USED},
        {"timestamp": "t", "type": "response_item", "payload": ITEM},
        {"trace": {"id": "t1", "output": json.dumps(json.dumps(ENDED))}, "observations": [{}]},
        {"id": "t1", "output": ENDED, "observations": [{"input": {"messages": [ASKED]}}]},
        {"thread_id": "t", "status": "idle", "values": {"messages": CHAT}, "metadata": {}},
        {"object": "list", "data": [ITEM, ASKED], "has_more": False},
        STATE,
        {**STATE, "original_input": [ASKED], "pending_session_write": {"items": [ITEM]}},
    ],
)
def test_what_is_advised_makes_a_run_of_it(row, listed, tmp_path):
    if listed and row.keys() & {"parentUuid", "payload"}:
        return  # Of lines, all of which are one run.
    for trace in made(tmp_path, *([row] * 2 if listed else [row]), listed=listed):
        assert [call.name for call in trace.calls] == ["lookup"]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_a_log_in_a_list_is_taken_out_of_it_without_the_agents_inside(tmp_path):
    inside = {"role": "assistant", "content": [{"type": "tool_use", "id": "t2", "name": "cancel"}]}
    lines = [
        {"type": "assistant", "session_id": "s", "message": USED},
        {"type": "assistant", "session_id": "s", "message": inside, "parent_tool_use_id": "t1"},
    ]
    (trace,) = made(tmp_path, *lines, listed=True)
    assert [call.name for call in trace.calls] == ["lookup"]


def test_an_event_with_a_payload_is_no_log_of_codex(tmp_path):
    event = {"timestamp": "t", "type": "note", "payload": {"text": "hi"}}
    assert "Codex" not in refused(tmp_path, event)[1]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"conversations": [{"from": "human", "value": "hi"}]}, "ShareGPT's conversations"),
        ({"object": "list", "data": [{"object": "thread.message"}]}, "Assistants thread"),
        ({"messages": [{"role": "user", "content": [{"toolResult": {}}]}]}, "Bedrock's messages"),
        ({"messages": [{"role": "user", "parts": [{"type": "tool-f"}]}]}, "Vercel AI SDK's"),
        ({"parts": [{"part_kind": "text"}], "kind": "request"}, "Pydantic AI's messages"),
        ({"source": "agent", "action": "run", "args": {}}, "OpenHands' events"),
        ({"type": "TextMessage", "source": "a", "content": "hi"}, "AutoGen's messages"),
        ({"messages": [{"type": "ToolCallRequestEvent", "source": "a"}]}, "AutoGen's messages"),
        ({"messages": [{"message_type": "tool_call_message", "tool_call": {}}]}, "Letta's"),
        ({"info": {"id": "s"}, "messages": [{"info": {"id": "m"}, "parts": []}]}, "opencode's"),
        ({"messages": [{"items": [{"content_type": "function_call"}]}]}, "Semantic Kernel's"),
        ({"raw": "Done.", "tasks_output": [{"raw": "Done."}]}, "what a crew of CrewAI gave"),
        ({"step_number": 1, "code_action": "f()", "observations": "5"}, "steps of smolagents"),
        (
            {"output": "5", "steps": [{"tool_calls": [ITEM], "model_output_message": CHAT[0]}]},
            "steps of smolagents",
        ),
        ({"trace_id": "t", "span_id": "s", "attributes": {}}, "OpenTelemetry's spans"),
        ({"schema_version": "ATIF-v1.4", "steps": [{"source": "agent", "action": 1}]}, "of ATIF"),
        ({"resourceSpans": []}, "OpenTelemetry's spans"),
        ({"id": "simple_0", "result": [{"f": "{}"}], "latency": 1}, "answers of BFCL"),
        ({"id": 0, "query": "q", "answers": "[]", "tools": "[]"}, "single questions and answers"),
        ({"system": "s", "chat": "USER: hi"}, "a conversation in one text"),
        ({"type": "response.created", "response": {}}, "put them together first"),
        ({"type": "message_start", "message": {"role": "assistant"}}, "put them together first"),
        ({"schema": "passhat.result/1", "case_id": "c"}, "these are results, not recordings"),
        ({"trace": {"output": None}, "observations": [{"input": CHAT}]}, "of Langfuse, of which"),
        ({"id": "t", "output": '"Shipped."', "observations": []}, "of Langfuse, of which"),
        (
            {
                "traceId": "t",
                "parentObservationId": "p",
                "type": "SPAN",
                "input": {"messages": CHAT},
            },
            "of Langfuse, of which",
        ),
        ({"type": "tool_use", "tool_name": "f", "tool_id": "1"}, "a log of Gemini CLI"),
        ({"sessionId": "s", "projectHash": "h", "messages": []}, "a log of Gemini CLI"),
        ({"type": "item.completed", "item": {"type": "agent_message"}}, "events of codex exec"),
        ({"type": "system", "subtype": "init", "session_id": "s"}, "a log of Cursor's agent"),
        ({"content": [{"type": "toolRequest", "toolCall": {"value": {}}}]}, "Goose's messages"),
        ({"a": CHAT, "b": CHAT}, "'a' and 'b' each hold messages"),
        (
            {"messages": [ASKED, {"role": "ipython", "content": "5"}]},
            "no form here has ('ipython')",
        ),
        ({"log": [ASKED, {"role": "call", "name": "f"}]}, "no form here has ('call')"),
        (
            {"index": 0, "output": {"history": [ASKED, {"role": "agent", "content": "f()"}]}},
            "under 'output.history' stand messages that no form here has ('agent')",
        ),
    ],
)
def test_a_form_that_is_not_read_is_named(row, said, tmp_path):
    assert said in refused(tmp_path, row)[1]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize(
    ("row", "ids"),
    [
        ({"a": {"messages": CHAT}, "b": {"messages": CHAT}}, ["a", "b"]),
        ({"a": CHAT, "b": CHAT, "c": CHAT}, ["a", "b", "c"]),
        ({"id": "r1", "values": {"messages": CHAT}}, ["r1"]),
        ({"id": "r1", "run": {"at": 1, "state": {"messages": CHAT}}}, ["r1"]),
        ({"rows": [{"id": "r1", "row": {"messages": CHAT}}]}, ["r1"]),
    ],
)
def test_what_is_advised_loses_no_run_and_no_id(row, ids, tmp_path):
    assert [trace.id for trace in made(tmp_path, row)] == ids


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize(
    ("row", "found"),
    [
        (
            {
                "messages": [*CHAT, {"role": "exit", "content": "diff"}],
                "info": {"exit_status": "Submitted"},
                "trajectory_format": "mini-swe-agent-1.1",
                "instance_id": "repo-1",
            },
            [("repo-1", None, None, "completed", {})],
        ),
        (
            {
                "messages": [*CHAT, {"role": "exit", "content": ""}],
                "info": {"exit_status": "LimitsExceeded"},
                "trajectory_format": "mini-swe-agent-1.1",
                "instance_id": "repo-1",
            },
            [("repo-1", None, None, "limit", {})],
        ),
        (
            {
                "eval": {"task": "shop"},
                "samples": [
                    {"id": 1, "epoch": 1, "messages": CHAT, "scores": {"right": {"value": "C"}}},
                    {"id": 1, "epoch": 2, "messages": CHAT, "scores": {"right": {"value": "I"}}},
                    {"id": 2, "epoch": 1, "messages": CHAT, "limit": {"type": "message"}},
                ],
            },
            [
                ("made.jsonl:1", "1", 0, "completed", {"right": 1}),
                ("made.jsonl:2", "1", 1, "completed", {"right": 0}),
                ("made.jsonl:3", "2", 0, "limit", {}),
            ],
        ),
        (
            {"thread_id": "t", "status": "interrupted", "values": {"messages": CHAT}},
            [("t", None, None, "interrupted", {})],
        ),
    ],
)
def test_what_is_advised_tells_cases_trials_scores_and_endings(row, found, tmp_path):
    traces = made(tmp_path, row)
    assert [(t.id, t.case_id, t.trial, t.outcome, t.scores) for t in traces] == found
    assert all([call.name for call in trace.calls] == ["lookup"] for trace in traces)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{'role': 'user', 'content': 'hi'}]", "it begins like JSON, but is not JSON: "),
        ('[{"dialog": 1},]', "it begins like JSON, but is not JSON: "),
        ("Dear team,", "it holds no JSON object"),
    ],
)
def test_what_is_no_json_is_told_from_what_looks_like_it(text, said, tmp_path):
    path = tmp_path / "runs.json"
    path.write_text(text)
    with pytest.raises(InputError) as found:
        sniffed(path)
    assert said in found.value.message


def test_where_nothing_can_be_said_the_readers_are_named(tmp_path):
    assert "say so with --from (format=): " in refused(tmp_path, {"dialog": [], "task": 1})[1]
    # What only the first line has says nothing of the others.
    rows = {"agent": {"messages": CHAT}}, {"tools": {"messages": CHAT}}
    assert "say so with --from" in refused(tmp_path, *rows)[1]


def test_a_deep_and_a_long_beginning_are_looked_at_in_outline(tmp_path):
    deep: list = []
    for _ in range(40):
        deep = [deep]
    _, message = refused(tmp_path, {"deep": deep, "history": CHAT, "text": "x" * 10_000})
    assert "under 'history' stand messages" in message
    assert len(outline({"a": ["x" * 10_000] * 100})) < 2_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("case,trial,passed\na,0,1\n", "it is a table of results, not a recording"),
        ("\ufeffcase,status\r\na,passed\r\n", "it is a table of results, not a recording"),
        ('id,inputs,outputs\nr1,"{""q"": 1}","two\nlines"\n', "it seems a table in CSV"),
        ("Run ID,Input,Correct?\nr1,hi,1\n", "it seems a table in CSV"),
        ("Dear team, we are late,\nas ever, and sorry.\n", "say so with --from"),
        ("case,trial,passed\n", "say so with --from"),
    ],
)
def test_a_table_is_told_from_a_recording(text, said, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(InputError) as raised:
        list(read_traces(path))
    assert said in str(raised.value)

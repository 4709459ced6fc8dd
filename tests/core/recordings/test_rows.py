"""What people put around a conversation: other names for ids, texts in place of lists, wrappers."""

import json

import pytest

from passhat.adapter import read_traces, sniffed
from passhat.errors import TraceError, UsageError
from passhat.recordings.failing import compiled, with_errors
from passhat.testing import call, calls, result, says, trace_of, user

CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
CALL = {"id": "c", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
CALLING = [CHAT[0], {"role": "assistant", "content": None, "tool_calls": [CALL]}]


def read(tmp_path, *rows, name="runs.jsonl"):
    path = tmp_path / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path, list(read_traces(path, None if CALLING in rows else "openai"))


@pytest.mark.parametrize(
    ("stated", "id", "metadata"),
    [
        ({"trace_id": "t1"}, "t1", {}),
        ({"run_id": 7}, "7", {}),
        ({"trace_id": "t1", "run_id": "r1"}, "t1", {"run_id": "r1"}),
        ({"id": "a", "run_id": "r1"}, "a", {"run_id": "r1"}),
        ({"run_id": None}, "runs.jsonl:1", {}),
        ({"run_id": ""}, "runs.jsonl:1", {"run_id": ""}),
        ({"run_id": True}, "runs.jsonl:1", {"run_id": True}),
    ],
)
def test_a_trace_or_run_id_is_the_id_where_there_is_no_other(tmp_path, stated, id, metadata):
    _, (first, _) = read(tmp_path, {**stated, "messages": CHAT}, {"messages": CHAT})
    assert (first.id, first.metadata) == (id, metadata)


def test_messages_given_as_json_text_are_read(tmp_path):
    row = {"id": "a", "messages": json.dumps(CALLING)}
    path, (first, second, broken) = read(
        tmp_path, row, row | {"id": "b"}, {"id": "c", "messages": "Hi there"}
    )
    assert sniffed(path).name == "openai"
    assert [one.calls[0].name for one in (first, second)] == ["lookup", "lookup"]
    assert isinstance(broken, TraceError)
    assert "runs.jsonl:3: $.messages: OpenAI chat messages are a list" in str(broken)


@pytest.mark.parametrize("key", ["runs", "traces", "conversations"])
def test_an_object_around_the_runs_is_opened(tmp_path, key):
    rows = [{"id": "a", "messages": CALLING, "metadata": {"x": 1}}, CALLING, {"id": "b"}]
    path, found = read(tmp_path, {"batch": 3, key: rows}, name="runs.json")
    assert sniffed(path).name == "openai"
    first, second, broken = found
    assert (first.id, first.metadata) == ("a", {"batch": 3, "x": 1})
    assert (second.id, second.metadata) == (f"runs.json.{key}[1]", {"batch": 3})
    assert [len(one.calls) for one in (first, second)] == [1, 1]
    assert (
        f"$.{key}[2]: OpenAI chat messages are a list, or an object with 'messages'; this "
        in str(broken)
    )


def test_runs_beside_messages_are_no_wrapper(tmp_path):
    _, (only,) = read(tmp_path, {"messages": CHAT, "runs": [{"a": 1}]}, name="run.json")
    assert only.metadata == {"runs": [{"a": 1}]}


def test_answers_that_match_a_pattern_are_errors():
    run = trace_of(
        user("Go."),
        calls(call("a"), call("b"), call("c"), call("d")),
        result("ERR: gone"),
        result({"status": "ERR"}),
        result("no ERR at all"),
        says("Done."),
    )
    found = with_errors(run, compiled(r'^ERR|"status":"ERR"'))
    errors = [made.error for made in found.calls]
    assert errors == ["ERR: gone", '{"status":"ERR"}', None, None]
    assert [made.succeeded for made in found.calls] == [False, False, True, False]
    assert with_errors(run, compiled("never")) is run
    with pytest.raises(UsageError, match="is no regular expression"):
        compiled("(")

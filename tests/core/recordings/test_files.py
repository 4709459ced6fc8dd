"""Files of recordings: rows, lists, one conversation; what breaks, and what it costs."""

import gzip
import io
import json
import sys
import tracemalloc

import pytest

from passhat.adapter import read_traces, sniffed
from passhat.errors import InputError, TraceError, UsageError
from passhat.recordings import to_trace
from passhat.recordings.openai_chat import adapter
from passhat.trace import Trace

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]
ROW = json.dumps({"messages": CHAT})


def read(path):
    return list(adapter.read_traces(path))


def kinds(found):
    return ["trace" if isinstance(item, Trace) else str(item) for item in found]


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("a.jsonl", f"{ROW}\n\n{ROW}\n", ["a.jsonl:1", "a.jsonl:3"]),
        ("a.jsonl", ROW, ["a.jsonl:1"]),
        ("a.json", f"[{ROW}, {ROW}]", ["a.json[0]", "a.json[1]"]),
        ("a.json", json.dumps([json.loads(ROW)] * 2, indent=2), ["a.json[0]", "a.json[1]"]),
        ("a.json", json.dumps(json.loads(ROW), indent=2), ["a.json"]),
        ("a.json", json.dumps(CHAT), ["a.json"]),
        ("a.json", json.dumps(CHAT, indent=2), ["a.json"]),
        ("a.json", json.dumps([CHAT, CHAT]), ["a.json[0]", "a.json[1]"]),
        ("a.jsonl", f"{json.dumps(CHAT)}\n{json.dumps(CHAT)}\n", ["a.jsonl:1", "a.jsonl:2"]),
        ("a.jsonl", "\n".join(map(json.dumps, CHAT)), ["a.jsonl"]),
        ("a.jsonl", "\ufeff" + ROW, ["a.jsonl:1"]),
    ],
)
def test_where_one_attempt_ends_and_the_next_begins(name, text, ids, tmp_path):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    found = read(path)
    assert [trace.id for trace in found] == ids
    assert all(trace.final_response == "Hello." for trace in found)
    assert sniffed(path).name == "openai"


def test_what_is_broken_costs_itself_and_is_named(tmp_path):
    path = tmp_path / "runs.jsonl"
    bad = [
        b'{"messages": [{"role": "user", "content": "\xff"}]}',
        b'{"messages": [{"role": "user", "content": "\\ud800"}]}',
        b'{"messages": ' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        b'{"messages": [{"role": "user", "cont',
        b'{"messages": {"role": "user"}}',
        b'{"question": "hi"}',
        b"[1]",
        b"5",
    ]
    path.write_bytes(b"\n".join([ROW.encode(), *bad, ROW.encode()]))
    found = kinds(read(path))
    assert found[0] == found[-1] == "trace"
    wanted = [
        "runs.jsonl:2: not UTF-8: byte 0xff at column 44; save it as UTF-8",
        "runs.jsonl:3: $.messages[0].content: half a character",
        "runs.jsonl:4: nested deeper than",
        "runs.jsonl:5: not JSON: it ends too early (cut off?) at column 32",
        "runs.jsonl:6: $.messages: OpenAI chat messages are a list",
        "runs.jsonl:7: $: OpenAI chat messages are a list, or an object with 'messages'; this object has",
        "runs.jsonl:8: $[0]: each of the entries",
        "runs.jsonl:9: $: OpenAI chat messages are a list",
    ]
    assert len(found) == len(wanted) + 2
    for error, start in zip(found[1:-1], wanted, strict=True):
        assert error.removeprefix(f"{tmp_path}/").startswith(start)


def test_a_list_that_is_cut_off_gives_what_is_complete(tmp_path):
    path = tmp_path / "runs.json"
    whole = json.dumps([json.loads(ROW)] * 3, indent=1)
    path.write_text(whole[: whole.rindex('"Hello."')])
    *good, error = kinds(read(path))
    assert good == ["trace", "trace"]
    assert "$[2]: the list ends too early" in error
    assert ":26: " in error


def test_an_element_that_is_no_attempt_costs_itself(tmp_path):
    path = tmp_path / "runs.json"
    path.write_text(f'[{ROW}, {{"messages": 5}},\n{ROW}, {{"messages": NaN}}, {ROW}]')
    found = kinds(read(path))
    assert [item for item in found if item == "trace"] == ["trace"] * 3
    assert "runs.json:1: $[1].messages: " in found[1]
    assert "runs.json:2: $[3].messages: " in found[3]


def test_nan_is_kept(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"messages": [], "metadata": {"loss": NaN, "top": 1e999}}')
    assert read(path)[0].metadata == {"loss": {"$float": "NaN"}, "top": {"$float": "1e999"}}


def test_standard_input_is_told_apart_and_then_read(monkeypatch):
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{ROW}\n{ROW}\n".encode()), "utf-8")
    )
    assert [trace.id for trace in read_traces("-")] == ["stdin:1", "stdin:2"]


def test_a_packed_file_is_unpacked(tmp_path):
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(f"{ROW}\n{ROW}\n".encode()))
    assert len(list(read_traces(path))) == 2
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"runs\.jsonl\.gz: cannot be read"):
        list(adapter.read_traces(path))


def test_memory_stays_flat_in_the_number_of_traces(tmp_path):
    path = tmp_path / "runs.jsonl"
    row = json.dumps({"messages": [{"role": "user", "content": "x" * 10_000}]}) + "\n"
    path.write_text(row * 2_000)
    tracemalloc.start()
    count = sum(1 for _ in adapter.read_traces(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 2_000
    assert peak < 2_000_000


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_is_said_to_be_empty(content, tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match="the file is empty"):
        list(read_traces(path))
    assert read(path) == []


def test_options_and_formats_that_there_are_not():
    with pytest.raises(UsageError, match="no option 'speed'"):
        adapter.read_traces([], speed=1)
    with pytest.raises(UsageError, match="no reader 'morse'"):
        to_trace(CHAT, "morse")


def test_messages_in_memory_tell_whose_they_are():
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    assert to_trace(CHAT).source == "openai"
    assert to_trace([*CHAT, {"role": "assistant", "content": [block]}]).source == "anthropic"
    assert to_trace({"contents": [{"parts": [{"text": "hi"}]}]}).source == "gemini"
    assert to_trace(CHAT, "anthropic").source == "anthropic"
    with pytest.raises(UsageError, match="reads files"):
        to_trace(CHAT, "passhat")
    with pytest.raises(UsageError, match="do not tell"):
        to_trace([{"hello": 1}])
    with pytest.raises(TraceError, match=r"\$\[0\]\.content: a object is no JSON value"):
        to_trace([{"role": "user", "content": object()}])

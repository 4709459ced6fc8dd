"""Hostile recordings: whatever stands in a file, readers give traces and errors, nothing else."""

from __future__ import annotations

import copy
import json
import random
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passhat.adapter import adapters
from passhat.errors import InputError, TraceError, UsageError
from passhat.recordings import RecordingReader
from passhat.recordings.native import Native
from passhat.testing import CANONICAL
from passhat.trace import Trace, decode_trace, encode_trace

READERS = {
    name: adapter
    for name, adapter in adapters().items()
    if isinstance(adapter, RecordingReader | Native)
}
ODD = [None, True, 0, -1, 10**30, 2.5, 1e308, float("nan"), float("inf"), "", "\ud800", "Error: no"]
ODD += ['{"a": 1}', "[1]", '{"error": "x"}', '{"a":' + "[" * 300 + "]" * 300 + "}", [], {}]

BUSY = {
    "anthropic": {
        "system": [{"type": "text", "text": "s"}],
        "messages": [
            {"role": "user", "content": "x"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "t", "signature": "z"},
                    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
                    {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{}]},
                    {"type": "text", "text": "b"},
                ],
                "usage": {"input_tokens": 1, "cache_read_input_tokens": 2},
            },
        ],
    },
    "openai-responses": {
        "object": "response",
        "status": "failed",
        "error": {"code": "server_error", "message": "m"},
        "input": "hi",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "x"}], "id": "r"},
            {"type": "web_search_call", "id": "w", "action": {"q": 1}, "status": "completed"},
            {"type": "mcp_approval_request", "id": "m", "name": "f", "arguments": "{}"},
            {"type": "mcp_approval_response", "approval_request_id": "m", "approve": False},
            {"type": "mcp_call", "id": "n", "name": "f", "approval_request_id": "m", "output": "x"},
            {"type": "code_interpreter_call", "id": "c", "code": "1", "outputs": []},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "refusal", "refusal": "no"}],
            },
            {"type": "item_reference", "id": "q"},
        ],
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "s"}]},
        "contents": [
            {"role": "user", "parts": [{"text": "x"}]},
            {
                "role": "model",
                "parts": [
                    {"text": "t", "thought": True, "thoughtSignature": "s"},
                    {"executableCode": {"code": "1", "language": "PYTHON"}},
                    {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "bad"}},
                    {"toolCall": {"id": "1", "toolType": "SEARCH", "args": {}}},
                    {"toolResponse": {"id": "1", "response": {"output": 1}}},
                    {"text": "done"},
                ],
            },
        ],
        "usageMetadata": {"promptTokenCount": 3},
    },
    "langchain": {
        "messages": [
            ["user", "hi"],
            {
                "type": "ai",
                "content": [
                    {"type": "reasoning", "reasoning": "r"},
                    {"type": "server_tool_call", "id": "s", "name": "w", "args": {}},
                    {"type": "server_tool_result", "tool_call_id": "s", "output": [1]},
                    {"type": "tool_use", "id": "t", "name": "f", "input": {}},
                ],
                "tool_calls": [{"name": "f", "args": {}, "id": "t"}],
                "invalid_tool_calls": [{"name": "g", "args": "{", "id": "u", "error": "e"}],
                "additional_kwargs": {
                    "tool_calls": [{"id": "u", "function": {"name": "g", "arguments": "{"}}],
                    "reasoning_content": "x",
                    "refusal": "no",
                },
                "response_metadata": {"model_name": "m"},
                "usage_metadata": {"input_tokens": 1},
            },
            {"type": "tool", "content": "x", "tool_call_id": "t", "artifact": {"a": 1}},
        ]
    },
    "tau-bench": {
        "info": {"environment_info": {}, "agent_info": {"llm": "m"}, "seed": 1},
        "tasks": [
            {
                "id": "1",
                "user_scenario": {"instructions": {"reason_for_call": "x"}},
                "evaluation_criteria": {"actions": [{"name": "f", "arguments": {"a": 1}}]},
            }
        ],
        "simulations": [
            {
                "id": "s",
                "task_id": "1",
                "trial": 0,
                "termination_reason": "user_stop",
                "start_time": "2026-01-01T00:00:00",
                "reward_info": {"reward": 1.0},
                "messages": [
                    {"role": "user", "tool_calls": [{"id": "u", "name": "f", "arguments": {}}]},
                    {"role": "tool", "id": "u", "requestor": "user", "content": "y"},
                    {"role": "assistant", "tool_calls": [{"id": "c", "name": "g"}], "cost": 0.1},
                    {"role": "tool", "tool_messages": [{"role": "tool", "id": "c", "error": True}]},
                ],
            }
        ],
    },
}


def places(value):
    """Every list and object within a value with each of its keys."""
    found, todo = [], [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict | list):
            keys = list(item) if isinstance(item, dict) else range(len(item))
            found += [(item, key) for key in keys]
            todo += [item[key] for key in keys]
    return found


def seeds(name):
    """Recordings of one form: the canonical traces, and one that uses what these do not."""
    reader = READERS[name]
    if isinstance(reader, RecordingReader):
        rows = [reader.from_trace(one.trace) for one in CANONICAL.values()]
    else:
        rows = [json.loads(encode_trace(one.trace)) for one in CANONICAL.values()]
    return rows + [BUSY[name]] * 6 if name in BUSY else rows


SEEDS = {name: seeds(name) for name in READERS}
WORDS = sorted(
    {
        word
        for rows in SEEDS.values()
        for row in rows
        for _, word in places(row)
        if type(word) is str
    }
    | {
        item[key]
        for rows in SEEDS.values()
        for row in rows
        for item, key in places(row)
        if type(item[key]) is str and len(item[key]) < 24
    }
)


def odd_value(rng, depth=0):
    if depth > 3 or rng.random() < 0.6:
        return rng.choice(ODD) if rng.random() < 0.5 else rng.choice(WORDS)
    if rng.random() < 0.5:
        return [odd_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(WORDS): odd_value(rng, depth + 1) for _ in range(rng.randrange(5))}


def mutated(value, rng):
    """The value with a few keys deleted, values replaced, entries repeated."""
    value = copy.deepcopy(value)
    for _ in range(rng.randrange(1, 4)):
        holder, key = rng.choice(places(value) or [({"": 0}, "")])
        kind = rng.randrange(5)
        if kind == 0:
            del holder[key]
        elif kind == 1 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(rng.choice(holder)))
        elif kind == 2 and isinstance(holder, dict):
            holder[rng.choice(WORDS)] = odd_value(rng)
        elif kind == 3:
            holder[key] = [holder[key]] if rng.random() < 0.5 else {"type": holder[key]}
        else:
            holder[key] = odd_value(rng)
    return value


def damaged(data, rng):
    """The text as it is most of the time, else cut off or with a byte that is no UTF-8."""
    kind = rng.randrange(10)
    if kind == 0:
        return data[: rng.randrange(len(data) + 1)]
    return data.replace(b"a", b"\xff", 1) if kind == 1 else data


def read(reader, data, folder):
    """The traces of a file of the bytes, after holding them to what readers promise."""
    file = folder / "hostile.jsonl"
    file.write_bytes(data)
    found = list(reader.read_traces(file))
    for error in found:
        assert isinstance(error, Trace | TraceError)
        assert isinstance(error, Trace) or "hostile.jsonl" in str(error)
    traces = [item for item in found if isinstance(item, Trace)]
    for trace in traces:
        assert decode_trace(encode_trace(trace)) == trace
        assert len(trace.turns) <= len(trace.steps)
    reader.sniff(file, data)
    with suppress(UsageError, InputError):
        reader.read_suite(file)
    return traces


hostile = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", READERS)
@settings(hostile, max_examples=60)
@given(rng=st.randoms(use_true_random=False))
def test_mutated_recordings_give_traces_or_errors_and_can_be_written(name, rng, tmp_path):
    row = rng.choice(SEEDS[name])
    data = json.dumps(mutated(row, rng)).encode()
    more = json.dumps(row).encode() if rng.random() < 0.3 else b""
    traces = read(READERS[name], damaged(data, rng) + b"\n" + more, tmp_path)
    for other in rng.sample(list(READERS.values()), 2):
        other.write_traces(traces, tmp_path / "written.jsonl")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@hostile
@given(value=JSON)
def test_any_json_gives_traces_or_errors(value, tmp_path):
    data = json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")
    for reader in READERS.values():
        read(reader, data, tmp_path)


@hostile
@given(data=st.binary(max_size=200))
def test_any_bytes_give_traces_or_errors(data, tmp_path):
    for reader in READERS.values():
        try:
            read(reader, data, tmp_path)
        except InputError as error:
            assert error.place.file, "an error of no file"  # noqa: PT017  # either is right


@pytest.fixture(scope="module")
def runs(shared):
    return json.loads((shared / "real/tau_airline/runs.json").read_bytes())


@settings(hostile, max_examples=60)
@given(rng=st.randoms(use_true_random=False))
def test_mutated_real_runs_give_traces_or_errors(rng, runs, tmp_path):
    few = rng.sample(runs, 3)
    data = json.dumps([few[0], mutated(few[1], rng), few[2]]).encode()
    traces = read(READERS["tau-bench"], damaged(data, rng), tmp_path)
    chats = [{"messages": run["traj"]} for run in few]
    data = b"\n".join(json.dumps(mutated(chat, rng)).encode() for chat in chats)
    for name in ("openai", "anthropic", "langchain", "openai-responses"):
        traces += read(READERS[name], damaged(data, rng), tmp_path)


@settings(hostile, max_examples=60)
@given(rng=st.randoms(use_true_random=False))
def test_no_call_of_a_real_run_is_lost_with_its_surroundings(rng, runs):
    messages = copy.deepcopy(rng.choice(runs)["traj"])
    asked = [call["function"]["name"] for m in messages for call in m.get("tool_calls") or []]
    for message in list(messages):
        for call in message.get("tool_calls") or []:
            call["id"] = rng.choice([call["id"], None, "same", ""])
            call["function"]["arguments"] = rng.choice(
                [call["function"]["arguments"], "", "{", "[]"]
            )
        if message["role"] == "tool":
            message["tool_call_id"] = rng.choice([message["tool_call_id"], None, "same", "other"])
            if rng.random() < 0.3:
                messages.remove(message)
            elif rng.random() < 0.3:
                messages.insert(rng.randrange(len(messages)), messages.pop(messages.index(message)))
    trace = READERS["openai"].to_trace(messages)
    assert [call.name for call in trace.calls] == asked
    given_back = sum(message["role"] == "tool" for message in messages)
    kept = sum(call.succeeded or call.failed for call in trace.calls)
    assert kept + len(trace.extensions.get("unmatched_results", [])) == given_back


def test_the_mutations_do_hurt():
    rng = random.Random(0)
    rows = [row for name in SEEDS for row in SEEDS[name]]
    assert sum(mutated(row, rng) != row for row in rows) > 0.8 * len(rows)

"""What LangSmith's own tools write: its command line, batches of its clients, `langsmith-fetch`."""

import json
from pathlib import Path
from typing import Any

import pytest

from passhat.adapter import read_traces, sniffed
from passhat.case import ExpectedCall
from passhat.errors import TraceError
from passhat.trace import Trace, Usage
from passhat_langsmith import adapter, case_of, to_trace

Json = dict[str, Any]
ROOT = "e0000000-0000-4000-8000-000000000000"


def row(id: str, name: str, kind: str, at: int, **more: Any) -> Json:
    """A row of `langsmith trace export`."""
    return {
        "run_id": id, "trace_id": ROOT, "name": name, "run_type": kind,
        "parent_run_id": None if id == ROOT else ROOT,
        "start_time": f"2026-01-01T00:00:0{at}Z", "end_time": f"2026-01-01T00:00:0{at}.5Z", **more,
    }  # fmt: skip


def exported() -> list[Json]:
    """A trace as `langsmith trace export --full` writes it."""
    said = {
        "role": "assistant", "content": None,
        "tool_calls": [{"id": "c1", "type": "function",
                        "function": {"name": "lookup", "arguments": '{"id": 1}'}}],
    }  # fmt: skip
    asked = {"role": "user", "content": "Where is it?"}
    return [
        row(
            ROOT, "agent", "chain", 0,
            inputs={"question": "Where is it?"}, outputs={"output": "Here."}, error=None,
            custom_metadata={"thread_id": "T"}, token_usage={"prompt_tokens": 9}, costs=None,
            feedback_stats={"thumbs": {"n": 1, "avg": 1.0}}, tags=["prod"],
        ),
        row(
            "m", "model", "llm", 1, inputs={"messages": [asked]},
            outputs={"choices": [{"message": said}]}, custom_metadata={"ls_model_name": "gpt"},
            token_usage={"prompt_tokens": 9, "completion_tokens": 2}, costs={"total_cost": 0.5},
        ),
        row("t", "lookup", "tool", 2, inputs={"id": 1}, outputs={"output": "here"}),
    ]  # fmt: skip


def lines(rows: list[Json]) -> str:
    return "\n".join(map(json.dumps, rows))


@pytest.mark.parametrize(
    "text",
    [
        lines(exported()),
        json.dumps(exported()),
        json.dumps({"trace_id": ROOT, "run_count": 3, "runs": exported()}),
        json.dumps([{"trace_id": ROOT, "run_count": 3, "runs": exported()}]),
    ],
    ids=["trace export", "run list", "trace get", "trace list --show-hierarchy"],
)
def test_what_the_command_line_writes(tmp_path: Path, text: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(text)
    assert sniffed(path).name == "langsmith"
    (trace,) = adapter.read_traces(path)
    assert isinstance(trace, Trace)
    (call,) = trace.calls
    assert (trace.id, call.name, call.args, call.result) == (ROOT, "lookup", {"id": 1}, "here")
    assert (trace.final_response, trace.scores, trace.gaps) == ("Here.", {"thumbs": 1.0}, ())
    assert trace.metadata["thread_id"] == "T"
    assert trace.pins == {"model": "gpt"}


def test_tokens_and_cost_of_a_request_that_only_the_server_counted() -> None:
    trace = to_trace(exported())
    said = next(step for step in trace.steps if getattr(step, "usage", None))
    assert said.usage == Usage(input_tokens=9, output_tokens=2, cost=0.5)  # type: ignore[union-attr]


def test_rows_without_inputs_and_outputs_say_that_calls_are_not_known() -> None:
    bare = [{key: one[key] for key in row("", "", "", 0)} for one in exported()]
    assert to_trace(bare).gaps == (
        "calls: run m: the model's answer was not recorded",
        "calls: run t: what the tool was given was not recorded",
        "run t: what the tool gave was not recorded",
    )


def test_a_batch_posts_and_patches() -> None:
    """As LangSmith's client for JavaScript sends it, with its times and a patch without an id."""
    order = f"20241013T070537170001Z{ROOT}"
    began = {
        "id": ROOT, "run_type": "llm", "name": "ChatOpenAI", "start_time": 1728803137170,
        "inputs": {"messages": [{"role": "user", "content": "howdy"}]}, "dotted_order": order,
    }  # fmt: skip
    ended = {
        "end_time": 1728803138285, "dotted_order": order, "error": None,
        "outputs": {"choices": [{"message": {"role": "assistant", "content": "Howdy!"}}]},
    }  # fmt: skip
    trace = to_trace({"post": [began], "patch": [ended]})
    assert (trace.final_response, trace.started, trace.ended) == (
        "Howdy!",
        1728803137.17,
        1728803138.285,
    )
    stray = {"id": "other", "end_time": 1728803138285}
    read, broken = adapter.read_traces({"post": [began], "patch": [stray]})
    assert isinstance(broken, Trace)
    assert isinstance(read, TraceError)
    assert "run other: neither a run" in read.message


def test_a_file_of_batches_tells_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "batches.jsonl"
    began = {"id": ROOT, "run_type": "llm", "inputs": {"messages": []}, "start_time": 1}
    ended = {"id": ROOT, "end_time": 2, "outputs": {"role": "assistant", "content": "Howdy!"}}
    path.write_text(json.dumps({"post": [began], "patch": [ended]}) + "\n")
    (trace,) = read_traces(path)
    assert isinstance(trace, Trace)
    assert (trace.source, trace.id, trace.final_response) == ("langsmith", ROOT, "Howdy!")


def test_a_batch_of_rows_of_the_command_line() -> None:
    """They call the id `run_id`."""
    posted = [{"run_id": "r", "run_type": "chain", "inputs": {"question": "Where is A1?"}}]
    trace = to_trace({"post": posted, "patch": [{"id": "r", "outputs": {"output": "Here."}}]})
    assert (trace.id, trace.final_response) == ("r", "Here.")


MESSAGES = [
    {"type": "human", "content": "hi"},
    {"type": "ai", "content": "", "tool_calls": [{"id": "c", "name": "lookup", "args": {}}]},
    {"type": "tool", "content": "ok", "tool_call_id": "c"},
    {"type": "ai", "content": "Done."},
]


def test_a_file_of_messages_is_the_trace_that_it_is_named_after(tmp_path: Path) -> None:
    path = tmp_path / f"{ROOT}.json"
    path.write_text(json.dumps(MESSAGES))
    (trace,) = adapter.read_traces(path)
    assert isinstance(trace, Trace)
    assert (trace.id, [call.name for call in trace.calls]) == (ROOT, ["lookup"])
    path.write_text(lines(MESSAGES)[:-3])
    (broken,) = adapter.read_traces(path)
    assert isinstance(broken, TraceError)


def test_messages_with_what_is_known_of_their_trace(tmp_path: Path) -> None:
    about = {
        "start_time": "2026-01-01T00:00:00", "end_time": "2026-01-01T00:00:05",
        "custom_metadata": {}, "token_usage": {"prompt_tokens": 10, "completion_tokens": 5},
        "costs": {"total_cost": 0.01}, "feedback_stats": {"ok": {"n": 1, "avg": 1.0}},
    }  # fmt: skip
    held = {"trace_id": ROOT, "messages": MESSAGES, "metadata": about, "feedback": []}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(held))
    assert sniffed(path).name == "langsmith"
    (trace,) = adapter.read_traces(path)
    assert isinstance(trace, Trace)
    assert trace.usage == Usage(input_tokens=10, output_tokens=5, cost=0.01)
    assert (trace.ended or 0) - (trace.started or 0) == 5
    assert trace.scores == {"ok": 1.0}


def test_a_run_inside_without_an_id_is_told_by_the_one_around_it() -> None:
    inside = {"run_type": "tool", "name": "search", "inputs": {}}
    with pytest.raises(TraceError, match="run r: inside it, a run has an id"):
        to_trace({"id": "r", "run_type": "chain", "child_runs": [inside]})


def test_a_run_without_an_id_is_told() -> None:
    with pytest.raises(TraceError, match="a run has an id, not null"):
        to_trace({"id": None, "run_type": "chain"})
    with pytest.raises(TraceError, match="not a number"):
        to_trace(5)


def test_messages_of_the_agent_in_no_known_form_are_gaps() -> None:
    root = {"id": "r", "run_type": "chain", "inputs": {"messages": [{"weird": 1}]}}
    trace = to_trace({**root, "outputs": {"messages": [3]}})
    assert trace.gaps == (
        "run r: a message in a form that is not known",
        "calls: run r: a message in a form that is not known",
    )
    assert trace.extensions["unread_messages"] == [{"weird": 1}, 3]


def test_the_generator_of_datasets(tmp_path: Path) -> None:
    made = {
        "trace_id": "t",
        "inputs": {"query": "x"},
        "outputs": {"expected_trajectory": ["a", "b"]},
    }
    assert case_of(made).expected_calls == (ExpectedCall("a"), ExpectedCall("b"))
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps([made]))
    assert sniffed(path).name == "langsmith"


def test_arguments_are_expected_under_any_of_the_names_for_them() -> None:
    for key in ("args", "arguments", "input", "tool_input", "parameters", "params"):
        made = {"inputs": {}, "outputs": {"expected_tool_calls": [{"tool": "f", key: {"a": 1}}]}}
        assert case_of(made).expected_calls == (ExpectedCall("f", {"a": 1}),), key

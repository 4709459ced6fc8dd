"""Files with anything in any place are read, or refused with an error of ours: nothing else comes out."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langsmith_runs import USER, Json, asks, llm, run
from spoiling import spoiled, spoiled_traces

from passhat.errors import PasshatError
from passhat.trace import Trace
from passhat_langsmith import adapter, from_trace, to_trace
from passhat_langsmith.examples import as_examples
from passhat_langsmith.pushing import examples_for

HUGE = (10**400, float("inf"))
ID = "00000000-0000-4000-8000-000000000001"
ORDER = f"20260101T000000000000Z{ID}"
TIMES = {"start_time": "2026-01-01T00:00:00", "end_time": 1767225600000}
RUNS = [
    {
        **run("chain", "root", inputs={"messages": [USER]}, outputs={"output": "ok"}, **TIMES),
        "trace_id": "root",
        "tags": ["a"],
        "feedback_stats": {"thumbs": {"n": 1, "avg": 1.0}},
        "attachments": {"note": {"mime_type": "text/plain", "presigned_url": "x"}},
    },
    llm("m", "root", [USER], asks(("c1", "lookup", {"id": "A1"})), events=[
        {"name": "new_token", "time": "2026-01-01"},
    ]),
    run("tool", "lookup", "root", outputs={"output": {"type": "tool", "content": "x",
                                                      "tool_call_id": "c1", "artifact": [1]}}),
]  # fmt: skip
BATCH = {
    "post": [{"id": ID, "run_type": "chain", "dotted_order": ORDER, "inputs": {"q": "x"}},
             {"run_id": "t", "run_type": "tool", "trace_id": ID, "parent_run_id": ID}],
    "patch": [{"id": ID, "outputs": {"output": "x"}}, {"dotted_order": ORDER, "error": "E()"}],
}  # fmt: skip
ROW = {
    "run_id": "r", "trace_id": "r", "parent_run_id": None, "run_type": "llm", "inputs": {"q": "x"},
    "outputs": {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f"}}]}}],
                "usageMetadata": {"promptTokenCount": 3}},
    "token_usage": {"prompt_tokens": 3}, "costs": {"total_cost": "1"}, "custom_metadata": {"a": 1},
}  # fmt: skip
FETCHED = {
    "trace_id": "t",
    "messages": [USER, {"type": "ai", "content": [{"type": "text", "text": "x"}],
                        "tool_calls": [{"id": "1", "name": "f", "args": {}}]}],
    "metadata": {"status": "error", "start_time": "2026-01-01", "costs": {"total_cost": 1},
                 "token_usage": {"prompt_tokens": 1}, "feedback_stats": {"a": {"avg": 1}}},
}  # fmt: skip
SPAN = {
    **run("chain", "s"),
    "metadata": {
        "gen_ai.operation.name": "chat", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "x",
        "gen_ai.completion.0.tool_calls.0.name": "f", "gen_ai.usage.input_tokens": 5,
        "llm.tools.0.tool.json_schema": '{"name": "f"}',
    },
}  # fmt: skip
PARTS: list[list[Any]] = [
    [f"post.{ID}", {"id": ID, "trace_id": ID, "run_type": "chain", "name": "n", **TIMES}],
    [f"post.{ID}.inputs", {"q": "x"}],
    [f"patch.{ID}", {"id": ID, "trace_id": ID, "attachments": {"a": 1}}],
    [f"patch.{ID}.outputs", {"output": "x"}],
    [f"attachment.{ID}.note", "hi"],
    ["feedback.f", {"run_id": ID, "key": "k", "score": 1}],
]
KEPT = {
    "files": {"a": {"text": "x", "mime_type": "text/plain"}}, "attachments": ["a"], "inputs": {"q": 1},
}  # fmt: skip
EXAMPLE = {
    "id": "e",
    "inputs": {"question": "x"},
    "outputs": {
        "expected_tool_calls": [{"name": "f", "args": {"a": 1}}], "mode": "exact",
        "messages": [USER, {"role": "assistant", "tool_calls": [{"id": "1", "name": "f"}]}],
    },
    "metadata": {
        "passhat": {"id": "e", "input_is": "value", "suite": {"name": "s"}, "split": "a",
                    "exact": "{}", "extensions": {"langsmith": KEPT}},
        "dataset_split": ["base"], "team": 1,
    },
    "attachments": {"a": {"presigned_url": "x"}},
}  # fmt: skip
PLAIN = {key: held for key, held in EXAMPLE.items() if key != "metadata"}


@pytest.mark.parametrize("value", [RUNS, BATCH, [ROW], FETCHED, [SPAN]])
def test_runs_with_anything_anywhere(tmp_path: Path, value: Any) -> None:
    for trace in spoiled_traces(adapter, tmp_path / "runs.json", value, *HUGE):
        from_trace(trace)
    assert to_trace(value).id


def test_captures_with_anything_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "captured"

    def read(made: Any) -> list[Any]:
        parts = [one for one in made if isinstance(one, list) and len(one) == 2]
        head = '--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
        body = "".join(head % (name, json.dumps(held)) for name, held in parts).encode()
        path.write_bytes(body)
        adapter.sniff(path, body)
        return list(adapter.read_traces(path))

    (trace,) = read(PARTS)
    assert isinstance(trace, Trace)
    for _, _, made in spoiled(PARTS, *HUGE):
        with suppress(PasshatError):
            read(made)


@pytest.mark.parametrize("value", [EXAMPLE, PLAIN])
def test_examples_with_anything_anywhere(tmp_path: Path, value: Json) -> None:
    path = tmp_path / "dataset.jsonl"

    def there_and_back(made: Any) -> None:
        content = json.dumps(made).encode()
        path.write_bytes(content)
        adapter.sniff(path, content)
        adapter.lint(path)
        suite, _ = adapter.read_suite(path)
        adapter.write_suite(suite, tmp_path / "written.jsonl")
        examples_for(suite, "other")
        as_examples(suite)

    there_and_back(value)
    for _, _, made in spoiled(value, *HUGE):
        with suppress(PasshatError):
            there_and_back(made)

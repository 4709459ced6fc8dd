"""Rows with anything in any place are read, or refused with an error of ours: nothing else comes out."""

import json
from contextlib import suppress

import pytest
from spoiling import spoiled, spoiled_traces

from passhat.errors import PasshatError
from passhat_openevals import adapter, as_evaluator, evaluator_for, from_trace

CALLS = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]
MESSAGES = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "", "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "1", "content": "x"},
    {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
]
ROW = {
    "id": "a",
    "inputs": "hi",
    "outputs": MESSAGES,
    "reference_outputs": MESSAGES,
    "evaluator": {
        "trajectory_match_mode": "superset",
        "tool_args_match_mode": "subset",
        "tool_args_match_overrides": {"f": ["a"], "g": "ignore"},
    },
    "metadata": {"a": 1},
    "passhat": {"schema": "passhat.case/1", "suite": {"name": "s"}, "forbidden_calls": ["g"]},
}
LANGCHAIN = [
    {"type": "human", "content": "hi"},
    {"type": "ai", "content": "", "tool_calls": [{"id": "1", "name": "f", "args": {}}]},
    {"type": "tool", "tool_call_id": "1", "content": "x"},
]


@pytest.mark.parametrize("value", [ROW, {"outputs": LANGCHAIN}])
def test_runs_with_anything_anywhere(tmp_path, value):
    for trace in spoiled_traces(adapter, tmp_path / "rows.jsonl", value, 10**400):
        from_trace(trace)


@pytest.mark.parametrize(
    "value",
    [[ROW], [{"trajectory_match_mode": "strict"}, {"reference_outputs": MESSAGES[1:2]}]],
)
def test_suites_with_anything_anywhere(tmp_path, value):
    path = tmp_path / "rows.json"

    def there_and_back(made):
        path.write_text(json.dumps(made))
        suite, _ = adapter.read_suite(path)
        adapter.write_suite(suite, tmp_path / "written.jsonl")

    there_and_back(value)
    for _, _, made in spoiled(value, 10**400):
        with suppress(PasshatError):
            there_and_back(made)


def test_what_an_evaluator_is_given_is_judged_or_an_error():
    judge = as_evaluator("trajectory")
    for _, _, made in spoiled({"outputs": MESSAGES, "reference_outputs": MESSAGES}):
        told = judge(outputs=made.get("outputs"), reference_outputs=made.get("reference_outputs"))
        assert told["metadata"]["status"] in ("passed", "failed", "not_evaluated", "error")


def test_evaluators_of_rows_with_anything_anywhere():
    pytest.importorskip("openevals")
    row = {"evaluator": ROW["evaluator"], "library": "openevals"}
    assert evaluator_for(row)
    for _, _, made in spoiled(row):
        with suppress(PasshatError):
            evaluator_for(made)

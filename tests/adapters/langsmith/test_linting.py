"""Files of examples as suites on the command line, and what nobody reads in them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import passhat
from passhat_langsmith import from_trace
from passhat_langsmith.reader import adapter

EXAMPLES = [
    {
        "id": "e1",
        "inputs": {"question": "Where is A1?"},
        "outputs": {"expected_tool_calls": ["lookup"]},
        "dataset_id": "d",
        "metadata": {"dataset_split": ["base"]},
    },
    {
        "id": "e2",
        "inputs": {"question": "Hi"},
        "outputs": {"expected_tool_calls": []},
        "dataset_id": "d",
        "metadata": {},
    },
]


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "passhat", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_dataset_is_a_suite_on_the_command_line(tmp_path: Path) -> None:
    suite = write(tmp_path / "dataset.jsonl", *EXAMPLES)
    trace = passhat.Trace(
        "t",
        case_id="e1",
        steps=(
            passhat.Message("user", "Where is A1?"),
            passhat.ToolCall("lookup", {}, id="c", request=0, result=1),
        ),
    )
    runs = write(tmp_path / "runs.jsonl", *from_trace(trace))
    found = {one.case_id: one.status for one in passhat.score(runs, suite)}
    assert found == {"e1": "passed", "e2": "not_run"}
    told = command("score", runs, "--suite", suite, "--format", "json")
    assert told.returncode in (0, 3), told.stderr
    assert json.loads(told.stdout)["trials"] == 2
    assert command("validate", suite).returncode == 0


def test_keys_that_nearly_expect_something(tmp_path: Path) -> None:
    wrong = {**EXAMPLES[0], "outputs": {"expected_tool_call": ["lookup"], "answer": "x"}}
    path = write(tmp_path / "dataset.jsonl", EXAMPLES[0], wrong)
    assert [(fault.message, fault.place.line) for fault in adapter.lint(path)] == [
        ("'e1' is the id of another example too", 2),
        ("outputs.expected_tool_call expects nothing; did you mean expected_tool_calls?", 2),
    ]
    told = command("validate", path)
    assert told.returncode == 2
    assert "did you mean expected_tool_calls?" in told.stdout
    assert adapter.lint(write(tmp_path / "good.jsonl", *EXAMPLES)) == ()


@pytest.mark.parametrize("text", ['{"id": "e1", "inputs": {', "[1, 2", "\x00"])
def test_a_file_that_is_cut(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "dataset.jsonl", EXAMPLES[0])
    path.write_text(path.read_text("utf-8") + text, "utf-8")
    (fault,) = adapter.lint(path)
    assert fault.place.line == 2

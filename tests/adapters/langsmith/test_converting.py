"""`passhat convert` with a dataset on the server at either end."""

import json
from pathlib import Path
from typing import Any

import pytest

from passhat.convert import convert_file
from passhat.errors import UsageError
from passhat.suitefile import read_suite

pytest.importorskip("langsmith")

SUITE = """\
schema: passhat.suite/1
name: shop
cases:
  - id: A1
    input: Refund A1
    tags: [money]
    expected_calls: [refund]
    mode: in_order
  - id: A2
    input: {question: Refund A2}
    forbidden_calls: [refund]
"""


@pytest.fixture
def surroundings(server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("LANGSMITH_ENDPOINT", server.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", "x")
    return server


def test_a_suite_goes_to_a_dataset_and_comes_back(surroundings: Any, tmp_path: Path) -> None:
    source = tmp_path / "suite.yaml"
    source.write_text(SUITE)
    report = convert_file(source, "langsmith:dataset/golden", to="langsmith")
    assert report.lossless
    assert len(surroundings.examples("golden")) == 2
    convert_file("langsmith:dataset/golden", tmp_path / "back.yaml", to="passhat")
    assert read_suite(tmp_path / "back.yaml") == read_suite(source)
    convert_file("langsmith:dataset/golden", tmp_path / "golden.evalset.json", to="adk")
    convert_file(tmp_path / "golden.evalset.json", tmp_path / "again.yaml", to="passhat")
    assert read_suite(tmp_path / "again.yaml") == read_suite(source)


def test_strict_pushes_nothing_where_something_would_be_lost(
    surroundings: Any, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"reference_outputs": [{"role": "assistant", "content": "x"}], '
        '"trajectory_match_mode": "superset", "tool_args_match_mode": "superset"}\n'
        '{"reference_outputs": [{"role": "assistant", "content": "", "tool_calls": [{"id": "1", '
        '"function": {"name": "f", "arguments": "{}"}}]}], "trajectory_match_mode": "superset", '
        '"tool_args_match_mode": "superset"}\n'
    )
    report = convert_file(rows, "langsmith:dataset/golden", to="langsmith", strict=True)
    assert not report.written
    assert not surroundings.count("POST /datasets")


def test_edited_examples_are_told_before_anything_is_written(
    surroundings: Any, tmp_path: Path
) -> None:
    source = tmp_path / "suite.yaml"
    source.write_text(SUITE)
    convert_file(source, "langsmith:dataset/golden", to="langsmith")
    edited = surroundings.examples("golden")[0]
    edited["outputs"] = {"mode": "exact", "expected_calls": ["edited"]}
    source.write_text(SUITE.replace("name:", "metadata: {v: 2}\nname:", 1))
    before = json.dumps(surroundings.examples("golden"), sort_keys=True)
    with pytest.raises(UsageError, match=r"edited.*nothing was written.*--force"):
        convert_file(source, "langsmith:dataset/golden", to="langsmith")
    assert json.dumps(surroundings.examples("golden"), sort_keys=True) == before
    report = convert_file(source, "langsmith:dataset/golden", to="langsmith", force=True)
    assert report.lossless
    convert_file("langsmith:dataset/golden", tmp_path / "back.yaml", to="passhat")
    assert read_suite(tmp_path / "back.yaml") == read_suite(source)


def test_a_state_that_is_a_file_goes_to_the_server_as_what_it_holds(
    surroundings: Any, tmp_path: Path
) -> None:
    (tmp_path / "world.json").write_text('{"orders": [{"id": "A1"}]}')
    source = tmp_path / "suite.yaml"
    source.write_text("cases: [{id: a, input: hi, initial_state: world.json}]\n")
    convert_file(source, "langsmith:dataset/golden", to="langsmith")
    assert str(tmp_path) not in json.dumps(surroundings.examples("golden"))
    convert_file("langsmith:dataset/golden", tmp_path / "back.yaml", to="passhat")
    back = read_suite(tmp_path / "back.yaml")
    assert back.cases[0].initial_state == {"orders": [{"id": "A1"}]}

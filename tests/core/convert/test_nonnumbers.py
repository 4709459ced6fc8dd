"""What is written as a number and is none in JSON: told, wherever a suite was read with it."""

import json

import pytest

from passhat.convert import convert_file

CALL = '{"name": "f", "args": {"x": %s}}'
EVALSET = """{"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [{
  "user_content": {"parts": [{"text": "hi"}], "role": "user"},
  "intermediate_data": {"tool_uses": [%s]}}],
  "session_input": {"app_name": "p", "user_id": "u", "state": {"deep": [{"k": %s}]}}}]}"""


def told(tmp_path, number, to):
    source = tmp_path / "s.evalset.json"
    source.write_text(EVALSET % (CALL % number, number))
    report = convert_file(source, tmp_path / "out" / "t.json", to=to, force=True)
    return {n.field: n for n in report.notes if n.kind == "approximated"}, report


@pytest.mark.parametrize("to", ["passhat", "adk", "langsmith", "openevals"])
@pytest.mark.parametrize(
    ("number", "word"), [("NaN", "NaN"), ("-Infinity", "-Infinity"), ("1e999", "1e999")]
)
def test_they_are_approximated_with_their_place(number, word, to, tmp_path):
    (tmp_path / "out").mkdir()
    found, report = told(tmp_path, number, to)
    assert found.keys() == {"initial_state", "expected_calls"}
    assert word in found["initial_state"].note
    assert found["initial_state"].parts == ("deep[0].k",)
    assert "$float" in (tmp_path / "out" / "t.json").read_text()
    assert not report.lossless
    assert bool(found["expected_calls"].run) == (word == "NaN")


@pytest.mark.parametrize(
    "number", ["7", '{"$float": "NaN"}', '"NaN"', "123456789012345678901234567890"]
)
def test_what_json_has_is_kept(number, tmp_path):
    (tmp_path / "out").mkdir()
    found, _ = told(tmp_path, number, "passhat")
    assert found == {}
    assert (
        json.loads(number)
        == (
            json.loads((tmp_path / "out" / "t.json").read_text())["cases"][0]["initial_state"][
                "deep"
            ][0]["k"]
        )
    )

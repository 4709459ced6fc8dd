"""What is wrong is said before anything is written."""

import json
import os

import pytest

from passhat.convert import convert_file
from passhat.errors import InputError, SuiteError, UsageError
from passhat.suitefile import read_suite

SUITE = """\
schema: passhat.suite/1
name: shop
cases:
  - id: A1
    input: Refund A1
    expected_calls: [refund]
"""
CHAT = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "Hello.", "refusal": None},
]


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE)
    return path


def only(folder, *names):
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


def test_an_unknown_format_is_told_with_the_known_ones(suite, tmp_path):
    for given in ({"to": "langsmit"}, {"to": "passhat", "from_format": "langsmit"}):
        with pytest.raises(UsageError, match=r"did you mean langsmith.*passhat, adk.*tau-bench"):
            convert_file(suite, tmp_path / "x", **given)
    only(tmp_path, "suite.yaml")


@pytest.mark.parametrize(
    ("claimed", "told"),
    [
        ("adk", "suite.yaml"),
        ("langsmith", "suite.yaml"),
        ("openevals", "suite.yaml"),
        ("openai", "suite.yaml"),
    ],
)
def test_a_source_that_is_not_what_it_claims(claimed, told, suite, tmp_path):
    with pytest.raises(InputError, match=told):
        convert_file(suite, tmp_path / "x", to="passhat", from_format=claimed)
    only(tmp_path, "suite.yaml")


def test_an_evalset_that_claims_to_be_langsmiths(tmp_path):
    source = tmp_path / "s.json"
    source.write_text(json.dumps({"eval_set_id": "s", "eval_cases": []}))
    with pytest.raises(InputError, match=r"s\.json"):
        convert_file(source, tmp_path / "x", to="passhat", from_format="langsmith")
    only(tmp_path, "s.json")


def test_two_cases_of_one_id(tmp_path):
    source = tmp_path / "s.json"
    case = {"id": "A1", "input": "hi"}
    source.write_text(json.dumps({"name": "s", "cases": [case, case]}))
    with pytest.raises(SuiteError, match="A1"):
        convert_file(source, tmp_path / "x", to="adk")
    only(tmp_path, "s.json")


@pytest.mark.parametrize("form", ["adk", "langsmith", "openevals"])
def test_two_cases_of_one_id_in_any_form(form, tmp_path):
    turn = {"user_content": {"parts": [{"text": "hi"}]}}
    case = {"eval_id": "A1", "conversation": [turn]}
    rows = {
        "adk": {"eval_set_id": "s", "eval_cases": [case, case]},
        "langsmith": [{"id": "A1", "inputs": {"q": "hi"}, "outputs": {}}] * 2,
        "openevals": [{"id": "A1", "reference_outputs": CHAT}] * 2,
    }
    source = tmp_path / "s.json"
    source.write_text(json.dumps(rows[form]))
    with pytest.raises(SuiteError, match="A1"):
        convert_file(source, tmp_path / "x.yaml", to="passhat", from_format=form)
    only(tmp_path, "s.json")


def test_a_form_that_holds_no_suite(suite, tmp_path):
    for to in ("openai", "langgraph", "anthropic"):
        with pytest.raises(UsageError, match="suite"):
            convert_file(suite, tmp_path / "x", to=to)
    only(tmp_path, "suite.yaml")


def test_nothing_is_written_over_without_being_told_to(suite, tmp_path):
    target = tmp_path / "t.json"
    target.write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        convert_file(suite, target, to="adk")
    assert target.read_text() == "mine"
    only(tmp_path, "suite.yaml", "t.json")
    convert_file(suite, target, to="adk", force=True)
    assert json.loads(target.read_text())["eval_set_id"] == "shop"


def test_what_belongs_beside_the_target_is_not_written_over_either(suite, tmp_path):
    beside = tmp_path / "test_config.json"
    beside.write_text('{"criteria": {"safety_v1": 1}}')
    with pytest.raises(UsageError, match=r"test_config\.json.*--force"):
        convert_file(suite, tmp_path / "t.json", to="adk")
    assert "safety_v1" in beside.read_text()
    only(tmp_path, "suite.yaml", "test_config.json")


def test_the_same_beside_the_target_stays(suite, tmp_path):
    convert_file(suite, tmp_path / "a.json", to="adk")
    convert_file(suite, tmp_path / "b.json", to="adk")
    only(tmp_path, "suite.yaml", "a.json", "b.json", "test_config.json")


def test_where_nothing_can_be_written(suite, tmp_path):
    for target in (tmp_path / "no" / "x", tmp_path):
        with pytest.raises(UsageError, match="cannot be written"):
            convert_file(suite, target, to="passhat")


def test_a_move_that_fails_leaves_all_as_it_was(suite, tmp_path, monkeypatch):
    convert_file(suite, tmp_path / "t.json", to="adk")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    suite.write_text(
        SUITE.replace("[refund]", "[refund, mail]") + "    mode: unordered\n    counts: false\n"
    )
    changed = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    real, moved = os.replace, []

    def replace(one, there, **more):
        moved.append(there)
        if len(moved) == 2:
            raise OSError(28, "No space left on device")
        return real(one, there, **more)

    monkeypatch.setattr("pathlib.os.replace", replace)
    with pytest.raises(UsageError, match="No space left"):
        convert_file(suite, tmp_path / "t.json", to="adk", force=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == changed
    assert changed["t.json"] == before["t.json"]
    assert len(moved) >= 2


def test_strict_writes_nothing_that_is_not_whole(tmp_path):
    source = tmp_path / "c.jsonl"
    source.write_text(
        json.dumps({"id": "t", "messages": [{**CHAT[0], "id": "m1"}, CHAT[1]]}) + "\n"
    )
    report = convert_file(source, tmp_path / "x", to="langgraph", strict=True)
    assert not report.lossless
    assert not report.written
    only(tmp_path, "c.jsonl")


def test_a_broken_trace_costs_itself_and_is_told(tmp_path):
    source = tmp_path / "c.jsonl"
    good = json.dumps({"id": "t", "messages": CHAT})
    source.write_text(f"{good}\n{{broken\n{good}\n")
    report = convert_file(source, tmp_path / "x.jsonl", to="passhat", from_format="openai")
    assert report.count == 2
    (lost,) = (note for note in report.notes if note.kind == "lost")
    assert "c.jsonl:2" in lost.note
    assert len((tmp_path / "x.jsonl").read_text().splitlines()) == 2


def test_where_nothing_can_be_read_nothing_is_written(tmp_path):
    source = tmp_path / "c.jsonl"
    source.write_text("{broken\n")
    with pytest.raises(InputError, match=r"c\.jsonl:1"):
        convert_file(source, tmp_path / "x", to="passhat", from_format="openai", way="traces")
    only(tmp_path, "c.jsonl")


def test_an_empty_file(tmp_path):
    source = tmp_path / "c.jsonl"
    source.write_text("")
    with pytest.raises(InputError, match="empty"):
        convert_file(source, tmp_path / "x", to="passhat")


def test_a_state_that_is_a_file_is_named_from_the_target(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "world.json").write_text('{"orders": []}')
    source = tmp_path / "suite.yaml"
    source.write_text(SUITE + "    initial_state: data/world.json\n")
    for to in ("passhat", "adk", "langsmith", "openevals"):
        there = tmp_path / f"{to}.json"
        report = convert_file(source, there, to=to, force=True)
        assert report.lossless, to
        back = tmp_path / f"{to}-back.yaml"
        convert_file(there, back, to="passhat")
        assert read_suite(back) == read_suite(source), to


def test_a_state_outside_of_the_targets_folder_is_refused(tmp_path):
    (tmp_path / "world.json").write_text("{}")
    source = tmp_path / "suite.yaml"
    source.write_text(SUITE + "    initial_state: world.json\n")
    (tmp_path / "there").mkdir()
    with pytest.raises(UsageError, match=r"world\.json"):
        convert_file(source, tmp_path / "there" / "t.json", to="adk")
    only(tmp_path / "there")

"""What is wrong is said before anything is written."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from passhat.convert import convert_file
from passhat.convert.drafts import draft_folder
from passhat.errors import InputError, Place, SuiteError, UsageError
from passhat.report.conversion import conversion_markdown, conversion_text
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


@pytest.mark.parametrize(
    ("claimed", "held", "told"),
    [
        ("openai", {"cases": [{"id": "a"}]}, "OpenAI chat messages are a list, or an object with "
         "'messages'; this object has none; it looks like a suite of passhat: leave --from out"),
        ("gemini", {"messages": CHAT}, "Gemini contents are a list, or an object with 'contents'; "
         "this object has none; it looks like OpenAI chat messages: leave --from out"),
        ("openai-responses", {"a": 1}, "OpenAI Responses items are a list, or an object with 'items', "
         "'input' or 'output'; this object has none of them"),
        ("tau-bench", {"a": 1}, "tau-bench results are objects with 'traj'; this object has none"),
        ("tau-bench", 1, "tau-bench results are objects with 'traj', not a number"),
    ],
)  # fmt: skip
def test_a_format_that_does_not_fit_is_told_once(claimed, held, told, tmp_path):
    source = tmp_path / "a.json"
    source.write_text(json.dumps(held))
    with pytest.raises(InputError) as caught:
        convert_file(source, tmp_path / "x", to="passhat", from_format=claimed)
    assert str(caught.value) == f"{source}:1: $: {told}"
    only(tmp_path, "a.json")


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


@pytest.mark.parametrize("way", ["cases", "steps"])
def test_where_no_case_can_be_made_the_first_fault_is_told(way, tmp_path):
    runs = tmp_path / "runs.jsonl"
    runs.write_text('{"schema": "passhat.trace/1", "id": "t", "steps": [{"kind": "dance"}]}')
    with pytest.raises(UsageError, match="case could be made of: not a trace") as caught:
        convert_file(runs, tmp_path / "s.yaml", to="passhat", way=way)
    assert caught.value.place.path == "$.steps[0].kind"


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


def test_a_state_in_another_folder_is_put_into_the_case(tmp_path):
    world = {"orders": [{"id": "A1", "paid": 3}]}
    (tmp_path / "world.json").write_text(json.dumps(world))
    source = tmp_path / "suite.yaml"
    source.write_text(SUITE + "    initial_state: world.json\n")
    for to in ("passhat", "adk", "langsmith", "openevals"):
        (tmp_path / to).mkdir()
        report = convert_file(source, tmp_path / to / "t.json", to=to)
        (told,) = (note for note in report.notes if note.field == "initial_state")
        assert told.kind == "translated"
        assert "world.json lies in another folder" in told.note
        convert_file(tmp_path / to / "t.json", tmp_path / to / "back.yaml", to="passhat")
        back = read_suite(tmp_path / to / "back.yaml")
        assert back.cases[0].initial_state == world
        assert str(tmp_path) not in (tmp_path / to / "t.json").read_text()


def test_a_database_in_another_folder_is_put_into_the_case_but_for_its_keys(tmp_path):
    with closing(sqlite3.connect(tmp_path / "world.db")) as made:
        made.execute("create table orders (id text primary key, paid int)")
        made.execute("insert into orders values ('A1', 3)")
        made.commit()
    source = tmp_path / "suite.yaml"
    source.write_text(SUITE + "defaults: {initial_state: world.db}\n")
    (tmp_path / "there").mkdir()
    report = convert_file(source, tmp_path / "there" / "t.yaml", to="passhat")
    (told,) = (note for note in report.notes if note.kind == "approximated")
    assert told.field == "defaults"
    assert "keys" in told.note
    back = read_suite(tmp_path / "there" / "t.yaml")
    assert back.cases[0].initial_state == {"orders": [{"id": "A1", "paid": 3}]}


def test_a_state_in_another_folder_that_cannot_be_read(tmp_path):
    (tmp_path / "world.json").write_text("{broken")
    source = tmp_path / "suite.yaml"
    source.write_text(SUITE + "    initial_state: world.json\n")
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match=r"world\.json"):
        convert_file(source, tmp_path / "there" / "t.json", to="adk")
    only(tmp_path / "there")


def test_the_comments_of_a_suite_are_spoken_of(tmp_path):
    source = tmp_path / "suite.yaml"
    source.write_text("# Ours.\n" + SUITE + "    tags: ['a # b']  # why\n")
    report = convert_file(source, tmp_path / "t.json", to="adk", strict=True)
    assert report.remarks == ("2 comments stay behind (lines 1, 8)",)
    assert report.written
    assert "2 comments stay behind" in conversion_text(report)
    assert "2 comments stay behind" in conversion_markdown(report)
    bare = convert_file(tmp_path / "t.json", tmp_path / "back.yaml", to="passhat")
    assert bare.remarks == ()


def test_what_a_case_does_not_hold_of_a_run_is_told(tmp_path):
    chat = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Hello."},
    ]
    row = {"id": "t", "messages": chat, "reward": 1.0, "zq_1": {"deep": 7}}
    (tmp_path / "c.json").write_text(json.dumps(row))
    for way in ("cases", "steps"):
        report = convert_file(tmp_path / "c.json", tmp_path / f"{way}.yaml", to="passhat", way=way)
        lost = {(note.field, note.told) for note in report.notes if note.kind == "lost"}
        assert ("scores.reward", "a case does not hold it") in lost
        assert ("messages' text", "the system's words: 1 of 3") in lost or way == "steps"
        assert ("messages' text", "the agent's own words: 1 of 3") in lost or way == "steps"
        assert "zq_1" in json.dumps(report.to_dict())
        assert not report.lossless


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    source = tmp_path / "s.json"
    source.write_text('{"name": "s", "cases": [{"id": "a", "input": "\\ud800"}]}')
    with pytest.raises(InputError, match=r"s\.json.*surrogate"):
        convert_file(source, tmp_path / "x", to="adk")
    source.write_text('{"name": "s", "x": ' + "[" * 10_000 + "]" * 10_000 + "}")
    with pytest.raises(InputError, match=r"s\.json.*(deep|nest)"):
        convert_file(source, tmp_path / "x", to="adk")
    only(tmp_path, "s.json")


def test_a_full_disk_is_told_of_the_target(suite, tmp_path, monkeypatch):
    monkeypatch.setattr("passhat.convert.suites.write_suite", fails_in_the_draft)
    with pytest.raises(UsageError) as caught:
        convert_file(suite, tmp_path / "t.json", to="adk")
    assert str(caught.value) == f"{tmp_path / 't.json'}: cannot be written: No space left on device"
    only(tmp_path, "suite.yaml")


def fails_in_the_draft(suite, to, path):
    raise UsageError("cannot be written: No space left on device", Place(str(path)))


SLOW = """
import sys, time
from passhat.cli import main
from passhat.convert import suites

def slowly(*args, wrote=suites.write_suite):
    wrote(*args)
    print("writing", flush=True)
    time.sleep(60)

suites.write_suite = slowly
sys.argv = ["passhat", "convert", *sys.argv[1:]]
main()
"""


def killed(suite, target, number):
    """A conversion that is ended while it writes; gives its exit code."""
    line = [sys.executable, "-c", SLOW, str(suite), "--to", "openevals", "-o", str(target)]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"writing\n"
        running.send_signal(number)
        return running.wait()


def test_a_conversion_that_is_asked_to_end_leaves_nothing(suite, tmp_path):
    before = sorted(tmp_path.iterdir())
    assert killed(suite, tmp_path / "rows.jsonl", signal.SIGTERM) == 128 + signal.SIGTERM
    assert sorted(tmp_path.iterdir()) == before


def test_what_a_killed_conversion_leaves_is_hidden_and_the_next_one_takes_it_away(suite, tmp_path):
    target = tmp_path / "rows.jsonl"
    assert killed(suite, target, signal.SIGKILL) == -signal.SIGKILL
    (left,) = tmp_path.glob(".passhat-draft-*")
    assert not target.exists()
    convert_file(suite, target, to="openevals")
    assert left.exists(), "one that is new may be somebody's who has not yet said so"
    old = left.stat().st_mtime - 3600
    os.utime(left, (old, old))
    with draft_folder(tmp_path) as working:
        os.utime(working, (old, old))
        convert_file(suite, target, to="openevals", force=True)
        assert working.exists()
    assert list(tmp_path.glob(".*")) == []

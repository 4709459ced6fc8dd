"""Databases that are none, broken, pickled, encrypted or hostile: one error, and the others go on."""

import os
import pickle
import sqlite3
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from passhat import InputError, TraceError, score
from passhat_langgraph import read_checkpoints, to_trace
from passhat_langgraph.decoding import decoded


@pytest.fixture
def three(scripted, shop, saver, on):
    graph = scripted.react(
        [scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped.")], [shop.lookup], saver=saver
    )
    for thread in ("one", "two", "three"):
        graph.invoke(scripted.HI, on(thread))
    return saver


def spoil(path, statement, *values):
    db = sqlite3.connect(path)
    with db:
        db.execute(statement, values)
    db.close()


def outcome(found):
    return ["error" if isinstance(one, TraceError) else one.id for one in found]


EVIL = msgspec.msgpack.encode(
    [msgspec.msgpack.Ext(0, msgspec.msgpack.encode(["os", "system", "touch pwned"]))]
)


@pytest.mark.parametrize(
    ("kind", "blob", "words"),
    [
        ("msgpack", b"\xc1", "broken"),
        ("msgpack", b"", "broken"),
        ("pickle", pickle.dumps([1]), "pickled"),
        ("msgpack+aes", b"xyz", "encrypted"),
        ("json", b"{", "no JSON"),
        ("yaml", b"", "not known"),
        ("msgpack", b"\x91" * 5000 + b"\x01", "deep"),
    ],
)
def test_a_blob_that_cannot_be_read_costs_its_thread_alone(kind, blob, words, three):
    spoil(three.path, "update writes set type = ?, value = ? where thread_id = 'two'", kind, blob)
    found = three.read()
    assert outcome(found) == ["one", "error", "three"]
    assert "thread 'two': checkpoint 1" in str(found[1])
    assert words in str(found[1]) or "recursion" in str(found[1])
    assert str(three.path) in str(found[1])


@pytest.mark.parametrize("metadata", ["{", 5])
def test_metadata_that_is_no_json_costs_its_thread_alone(metadata, three):
    spoil(three.path, "update checkpoints set metadata = ? where thread_id = 'two'", metadata)
    assert outcome(three.read()) == ["one", "error", "three"]


@pytest.mark.parametrize("value", ["text", 12, 10**14])
@pytest.mark.parametrize(("table", "column"), [("writes", "value"), ("checkpoints", "checkpoint")])
def test_values_that_are_no_bytes_cost_their_thread_alone(table, column, value, three):
    spoil(three.path, f"update {table} set {column} = ? where thread_id = 'two'", value)
    assert outcome(three.read(states=True)) == ["one", "error", "three"]


@pytest.mark.parametrize(
    "path",
    [
        "~__pregel_push, 9" + "9" * 5000,
        "~__pregel_push, ~__pregel_pull, agent, last",
        "~__pregel_push, (x, ~__pregel_pull, agent), 0",
    ],
)
def test_task_paths_that_say_nothing_are_read_past(path, three):
    spoil(three.path, "update writes set task_path = ? where thread_id = 'two'", path)
    assert outcome(three.read()) == ["one", "two", "three"]


def test_places_that_are_no_numbers_are_read_past(three):
    spoil(three.path, "update writes set idx = channel where thread_id = 'two' and idx = 1")
    assert outcome(three.read()) == ["one", "two", "three"]


def test_states_that_are_broken_cost_their_thread_only_when_asked_for(three):
    spoil(three.path, "update checkpoints set checkpoint = x'c1' where thread_id = 'two'")
    assert outcome(three.read()) == ["one", "two", "three"]
    assert outcome(three.read(states=True)) == ["one", "error", "three"]


def test_what_a_blob_names_is_never_imported_or_run(three, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def never(*args, **kwargs):
        raise AssertionError("something ran")

    monkeypatch.setattr(os, "system", never)
    monkeypatch.setattr("importlib.import_module", never)
    assert decoded("msgpack", EVIL) == ["touch pwned"]
    spoil(three.path, "update writes set value = ? where channel = 'messages'", EVIL)
    spoil(three.path, "update checkpoints set checkpoint = ?", EVIL)
    assert len(list(read_checkpoints(three.path, states=True))) == 3
    assert not (tmp_path / "pwned").exists()


def test_a_thread_that_is_not_there_is_named(three, scripted, shop, raised):
    with raised(InputError, "'four'", "no such thread"):
        three.read(thread="four")
    with raised(TraceError, "'four'", "no such thread"):
        to_trace(three, "four")
    with raised(TraceError, "checkpoint nowhere"):
        to_trace(three, {"configurable": {"thread_id": "one", "checkpoint_id": "nowhere"}})
    assert outcome(three.read(thread="two")) == ["two"]


def test_checkpoints_in_a_circle_are_an_error(three):
    spoil(
        three.path,
        "update checkpoints set parent_checkpoint_id = checkpoint_id where thread_id = 'two'",
    )
    assert outcome(three.read()) == ["one", "error", "three"]


def test_a_database_that_is_refused_is_let_go_of(tmp_path, monkeypatch, raised):
    other = tmp_path / "other.db"
    spoil(other, "create table orders (id text)")
    opened, connect = [], sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *a, **k: opened.append(connect(*a, **k)) or opened[-1]
    )
    with raised(InputError, "no checkpoints of LangGraph"):
        list(read_checkpoints(other))
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[-1].execute("select 1")


def test_what_is_no_database_of_checkpoints_is_refused(tmp_path, raised):
    text = tmp_path / "text.db"
    text.write_text("no database")
    with raised(InputError, "text.db"):
        list(read_checkpoints(text))
    other = tmp_path / "other.db"
    spoil(other, "create table orders (id text)")
    with raised(InputError, "no checkpoints of LangGraph"):
        list(read_checkpoints(other))
    older = tmp_path / "older.db"
    spoil(older, "create table checkpoints (thread_id text, thread_ts text, checkpoint blob)")
    with raised(InputError, "lacks", "older layout"):
        list(read_checkpoints(older))
    with raised(InputError, "nowhere.db"):
        list(read_checkpoints(tmp_path / "nowhere.db"))
    with raised(InputError, "it is a folder"):
        list(read_checkpoints(tmp_path))


def test_a_database_from_before_task_paths_is_read(three):
    spoil(three.path, "alter table writes drop column task_path")
    found = three.read()
    assert outcome(found) == ["one", "two", "three"]
    assert [call.name for call in found[0].calls] == ["lookup"]
    assert [visit.node for visit in found[0].nodes] == ["agent", "tools", "agent"]


def test_a_truncated_database_is_one_error(three, tmp_path, raised):
    cut = tmp_path / "cut.db"
    three.conn.execute("pragma wal_checkpoint(truncate)")
    cut.write_bytes(three.path.read_bytes()[:6000])
    with raised(InputError, "cut.db"):
        list(read_checkpoints(cut))


def test_score_reads_a_database_by_what_it_holds(three, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "schema: passhat.suite/1\nname: s\ncases:\n"
        "  - {id: where, input: Where is A1?, expected_calls: [lookup]}\n"
    )
    results = score(three.path, suite)
    assert [trial.status for trial in results.trials] == ["passed"] * 3
    keyed = score(three.path, suite, case="where")
    assert keyed.summary().n == 3


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({1: "a", "b": (1, 2)}, {"1": "a", "b": [1, 2]}),
        ({"at": datetime(2026, 5, 1)}, {"at": "2026-05-01T00:00:00"}),
        ({"set": {3}}, {"set": [3]}),
        ({"path": Path("a/b")}, {"path": "a/b"}),
        ({"nan": float("nan")}, {"nan": {"$float": "NaN"}}),
        (b"ab", "YWI="),
        ([b"ab"], ["YWI="]),
        (None, None),
    ],
)
def test_plain_values_become_their_json(value, expected):
    from passhat_langgraph.savers import plain

    assert plain(value) == expected

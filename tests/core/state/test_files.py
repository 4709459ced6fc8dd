"""Snapshots of folders and files of JSON, JSONL and CSV, and of values in memory."""

import os
from collections import namedtuple
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum

import pytest

from passhat.errors import InputError, UsageError
from passhat.state import diff, snapshot
from passhat.values import canonical


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_folder_is_tables_and_documents_by_name(tmp_path):
    folder = write(
        tmp_path,
        {
            "users.json": '{"u1": {"name": "Ada"}}',
            "orders.jsonl": '{"id": 1}\n\n{"id": 2}\n',
            "lines.csv": "id,sku,count,price,zip\n1,A,2,49.5,07030\n2,B,,1e5,+1\n",
            "more/log.tsv": "a\tb\n1,5\tx\n",
            "more/deep/one.json": "[1]",
            "README.md": "hello",
            ".hidden/x.json": "1",
        },
    )
    taken = snapshot(folder)
    assert taken.value == {
        "users": {"u1": {"name": "Ada"}},
        "orders": [{"id": 1}, {"id": 2}],
        "lines": [
            {"id": 1, "sku": "A", "count": 2, "price": 49.5, "zip": "07030"},
            {"id": 2, "sku": "B", "count": "", "price": "1e5", "zip": "+1"},
        ],
        "more/log": [{"a": "1,5", "b": "x"}],
        "more/deep/one": [1],
    }
    assert taken.gaps == ("files left out: .hidden, README.md",)


def test_cells_of_two_texts_are_never_one_value(tmp_path):
    texts = [
        "1",
        "1.0",
        "1.00",
        "01",
        "+1",
        "1.1",
        "1.10",
        "-0",
        "0",
        "1e0",
        "007",
        "7",
        " 7",
        "7.5",
    ]
    write(tmp_path, {"a.csv": "id,v\n" + "".join(f"r{n},{t}\n" for n, t in enumerate(texts))})
    cells = [row["v"] for row in snapshot(tmp_path)["a"]]
    assert [str(cell) for cell in cells] == texts
    assert len({canonical(cell) for cell in cells}) == len(texts)
    assert [cell for cell in cells if not isinstance(cell, str)] == [1, 1.1, 0, 7, 7.5]
    for before, after in (("1.10", "1.1"), ("007", "7"), ("1.0", "1")):
        write(tmp_path, {"b/v.csv": f"id,v\nx,{before}\n", "c/v.csv": f"id,v\nx,{after}\n"})
        assert not diff(snapshot(tmp_path / "b"), snapshot(tmp_path / "c")).equal


def test_a_lone_file_is_what_it_holds(tmp_path):
    write(tmp_path, {"a.json": '[{"id": 1}]', "b.json": '[{"id": 1, "n": null}]'})
    found = diff(snapshot(tmp_path / "a.json"), snapshot(str(tmp_path / "b.json")))
    assert str(found.changes[0]) == "+ $[1].n: null"


def test_a_header_alone_that_changed_is_never_equal(tmp_path):
    write(tmp_path, {"a/t.csv": "id,name\n", "b/t.csv": "id,name,note\n", "c/t.csv": ""})
    empty, wider, none = (snapshot(tmp_path / name) for name in "abc")
    assert diff(empty, wider).schema == ("t.note is new",)
    assert diff(wider, none).schema == ("t.id is gone", "t.name is gone", "t.note is gone")
    lone = [snapshot(tmp_path / name / "t.csv") for name in "ab"]
    assert diff(*lone).schema == ("$.note is new",)
    assert diff(empty, snapshot({"t": []})).equal


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.json": '{"x": 1,\n "y": {"k": 1, "k": 2}}'}, "'k' stands twice"),
        ({"a.json": '{"x": [1, 2'}, r"a\.json: not JSON: it ends too early"),
        ({"a.jsonl": '{"x": 1}\n{"x": 1, "x": 2}'}, r"a\.jsonl:2: the key 'x' stands twice"),
        ({"a.csv": "id,n\n1,2\n3\n"}, r"a\.csv:3: 1 cells, and the header has 2"),
        ({"a.csv": "id,id\n1,2\n"}, r"a\.csv:1: two columns are called 'id'"),
        ({"a.csv": 'id\n"x'}, "no CSV"),
        ({"a.csv": "id\n" + "x" * 200_000}, r"a\.csv:2: a cell has more than 131,072 characters"),
        ({"a.json": "1", "a.csv": "id\n1"}, r"a\.csv and a\.json are both a"),
        ({"readme.txt": "x"}, "has no file of"),
        ({"a.json": "[" * 300 + "]" * 300}, "nested deeper"),
    ],
)
def test_what_cannot_be_read_names_its_place(tmp_path, files, said):
    with pytest.raises(InputError, match=said):
        snapshot(write(tmp_path, files))


def test_a_tag_for_an_odd_number_is_no_key_that_was_written(tmp_path):
    write(tmp_path, {"a.json": '{"a": NaN, "b": 1e999, "c": {"$float": "NaN"}}'})
    assert snapshot(tmp_path)["a"]["a"] == {"$float": "NaN"}
    write(tmp_path, {"a.json": '{"a": NaN, "b": 1, "b": 2}'})
    with pytest.raises(InputError, match="'b' stands twice"):
        snapshot(tmp_path)


def test_no_link_leads_out_of_the_folder(tmp_path):
    write(tmp_path, {"out/secret.json": "1", "state/a.json": "1"})
    (tmp_path / "state/inside.json").symlink_to("a.json")
    assert snapshot(tmp_path / "state").value == {"a": 1, "inside": 1}
    (tmp_path / "state/b.json").symlink_to(tmp_path / "out/secret.json")
    with pytest.raises(InputError, match=r"b\.json is a link that leads out"):
        snapshot(tmp_path / "state")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.json")
    for source in (tmp_path, tmp_path / "a.json"):
        with pytest.raises(InputError, match=r"a\.json: is no file, but a pipe"):
            snapshot(source)


@pytest.mark.parametrize("name", ["nothing", "a.parquet"])
def test_what_is_no_state(tmp_path, name):
    write(tmp_path, {"a.parquet": "PAR1"})
    with pytest.raises(InputError):
        snapshot(tmp_path / name)


def test_a_state_in_memory_is_copied_as_json():
    @dataclass
    class Item:
        sku: str

    state = {
        "cart": [Item("A")],
        "at": datetime(2024, 5, 20, tzinfo=UTC),
        "price": Decimal("12.50"),
        "rate": Decimal("0.12345678901234567890"),
        "huge": Decimal("1E+9999999"),
        "tags": {"b", "a"},
        "pair": (1, True),
        7: float("inf"),
    }
    assert snapshot(state).value == {
        "cart": [{"sku": "A"}],
        "at": "2024-05-20T00:00:00+00:00",
        "price": 12.5,
        "rate": "0.12345678901234567890",
        "huge": "1E+9999999",
        "tags": ["a", "b"],
        "pair": [1, True],
        "7": {"$float": "Infinity"},
    }


def test_members_of_an_enumeration_are_what_they_stand_for():
    kind = Enum("kind", {"pair": (1, 2), "word": "x", "node": {"a": [1]}})
    assert snapshot({"kinds": list(kind)})["kinds"] == [[1, 2], "x", {"a": [1]}]


def test_states_of_sessions():
    graph = namedtuple("StateSnapshot", "values next")({"step": 1}, ())
    assert snapshot(graph).value == {"step": 1}

    class Session:
        app_name = "app"
        state = {"user:name": "Ada"}  # noqa: RUF012

    assert snapshot(Session()).value == {"user:name": "Ada"}

    class State:
        def to_dict(self):
            return {"a": 1}

    assert snapshot(State()).value == {"a": 1}


class Odd:
    def model_dump(self, **options):
        raise ValueError("circular")


@dataclass
class Node:
    next: object = None


def test_what_no_snapshot_can_hold():
    cycle = {}
    cycle["me"] = [cycle]
    node = Node()
    node.next = Node([node])
    for held in (cycle, {"node": node}):
        with pytest.raises(InputError, match="lies in itself"):
            snapshot(held)
    for held in (Odd(), {"odd": [Odd()]}):
        with pytest.raises(
            InputError, match="a Odd is not to be had as JSON: ValueError: circular"
        ):
            snapshot(held)
    with pytest.raises(InputError, match="holds a object, which is no JSON value"):
        snapshot({"x": object()})
    with pytest.raises(InputError, match="two keys are the same as text"):
        snapshot({"x": {1: "a", "1": "b"}})
    for nothing in (5, object(), len):
        with pytest.raises(UsageError):
            snapshot(nothing)


def test_a_snapshot_of_a_snapshot_is_itself():
    taken = snapshot({"a": 1})
    assert snapshot(taken) is taken


def test_nesting_is_no_matter():
    deep = leaf = {}
    for _ in range(5_000):
        leaf["a"] = {}
        leaf = leaf["a"]
    assert diff(snapshot(deep), deep).equal

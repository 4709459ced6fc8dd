"""`passhat diff`: folders, files and databases; what a case expects; exit codes."""

import json
import sqlite3

import pytest

ORDERS = [{"id": "A1", "status": "open", "at": 1}, {"id": "A2", "status": "open", "at": 1}]


@pytest.fixture
def states(tmp_path):
    """A function that writes two folders of tables, the second with changes."""

    def write(**after):
        for name, tables in (
            ("before", {"orders": ORDERS}),
            ("after", {"orders": ORDERS, **after}),
        ):
            folder = tmp_path / name
            folder.mkdir(exist_ok=True)
            for table, rows in tables.items():
                folder.joinpath(f"{table}.json").write_text(json.dumps(rows))
        return tmp_path / "before", tmp_path / "after"

    return write


CANCELLED = [{**ORDERS[0], "status": "cancelled", "at": 2}, ORDERS[1]]


def test_equal_and_different(passhat, states):
    ran = passhat("diff", *states())
    assert (ran.code, ran.out) == (0, "no difference\n")
    ran = passhat("diff", *states(orders=CANCELLED))
    assert ran.code == 1
    assert ran.out == (
        "orders: 1 changed (2 places)\n"
        '  orders[A1].status: "open" -> "cancelled"\n'
        "  orders[A1].at: 1 -> 2\n"
    )


def test_as_json_and_markdown(passhat, states):
    folders = states(orders=CANCELLED, refunds=[])
    ran = passhat("diff", *folders, "--format", "json")
    assert ran.code == 1
    assert ran.json["schema"] == "passhat.diff/1"
    assert ran.json["equal"] is False
    assert ran.json["counts"]["orders"] == {"added": 0, "removed": 0, "changed": 1, "leaves": 2}
    assert ran.json["changes"][0] == {
        "path": "orders[A1].status",
        "kind": "changed",
        "before": "open",
        "after": "cancelled",
    }
    assert ran.json["changes"][-1] == {"path": "refunds", "kind": "added", "after": []}
    ran = passhat("diff", *folders, "--format", "md")
    assert '| `orders[A1].status` | `"open"` | `"cancelled"` |' in ran.out


def test_options(passhat, states):
    folders = states(orders=[{**row, "at": 2} for row in reversed(ORDERS)])
    assert passhat("diff", *folders, "--ignore", "*.at").code == 0
    assert passhat("diff", *folders, "--tolerance", "1").code == 0
    assert passhat("diff", *folders, "--key", "orders=id,status", "--ignore", "orders.at").code == 0
    ran = passhat("diff", *folders, "--key", "orders=status")
    assert (ran.code, "have the same status" in ran.err) == (2, True)


def test_lists(passhat, tmp_path):
    for name, tags in (("a", [1, 2]), ("b", [2, 1])):
        tmp_path.joinpath(f"{name}.json").write_text(json.dumps({"t": {"tags": tags, "n": 0}}))
    files = tmp_path / "a.json", tmp_path / "b.json"
    assert passhat("diff", *files).code == 1
    assert passhat("diff", *files, "--lists", "set").code == 0
    ran = passhat("diff", *files, "--lists", "position")
    assert ran.out.splitlines()[1:] == ["  t.tags[0]: 1 -> 2", "  t.tags[1]: 2 -> 1"]


def test_many_places_are_cut_short(passhat, tmp_path):
    for name, at in (("a", 0), ("b", 1)):
        rows = [{"id": n, "n": at} for n in range(300)]
        tmp_path.joinpath(f"{name}.json").write_text(json.dumps({"t": rows}))
    files = tmp_path / "a.json", tmp_path / "b.json"
    assert passhat("diff", *files).out.endswith("... and 100 more\n")
    assert len(passhat("diff", *files, "--all").out.splitlines()) == 301


def test_a_folder_beside_a_database_beside_a_script(passhat, states, tmp_path):
    script = "create table orders (id text primary key, status text, at int);\n" + "".join(
        f"insert into orders values ('{row['id']}', '{row['status']}', {row['at']});\n"
        for row in ORDERS
    )
    tmp_path.joinpath("seed.sql").write_text(script)
    connection = sqlite3.connect(tmp_path / "shop.db")
    connection.executescript(script)
    connection.close()
    before, _ = states()
    assert passhat("diff", tmp_path / "seed.sql", tmp_path / "shop.db").code == 0
    assert passhat("diff", before, tmp_path / "shop.db").code == 0


def test_a_schema_that_changed_is_no_equal(passhat, tmp_path):
    for name, columns in (("a", "id int"), ("b", "id int, note text")):
        tmp_path.joinpath(f"{name}.sql").write_text(f"create table t ({columns});")
    ran = passhat("diff", tmp_path / "a.sql", tmp_path / "b.sql")
    assert (ran.code, ran.out) == (1, "schema: t.note (TEXT) is new\n")
    tmp_path.joinpath("suite.yaml").write_text(
        "schema: passhat.suite/1\ncases:\n  - {id: c, input: x, expected_final_state: {}}\n"
    )
    judge = ("--suite", tmp_path / "suite.yaml", "--case", "c")
    ran = passhat("diff", tmp_path / "a.sql", tmp_path / "b.sql", *judge)
    assert ran.code == 3
    assert "c: not_evaluated: columns of tables differ" in ran.out
    assert passhat("diff", tmp_path / "a.sql", tmp_path / "a.sql", *judge).code == 0


def test_from_standard_input(passhat, states):
    before, _ = states()
    ran = passhat("diff", before / "orders.json", "-", stdin=json.dumps(ORDERS))
    assert ran.code == 0
    assert passhat("diff", "-", "-").code == 2


SUITE = """\
schema: passhat.suite/1
cases:
  - id: cancel
    input: Cancel A1.
    expected_final_state:
      orders: [{id: A1, status: cancelled}]
    state: {ignore: ["*.at"]}
  - id: look
    input: Where is A1?
    state: {allow: [orders.at]}
  - id: odd
    input: x
    expected_final_state: {orders: {A1: {status: {$match: semantic, $value: cancelled}}}}
"""


@pytest.mark.parametrize(
    ("case", "after", "code", "told"),
    [
        ("cancel", CANCELLED, 0, "cancel: as expected"),
        (
            "cancel",
            ORDERS,
            1,
            'cancel: not as expected: orders[A1].status is "open", not "cancelled"',
        ),
        (
            "cancel",
            [CANCELLED[0], {**ORDERS[1], "status": "void"}],
            1,
            'nothing asked for: orders[A2].status: "open" -> "void"',
        ),
        ("look", [{**ORDERS[0], "at": 5}, ORDERS[1]], 0, "look: as expected"),
        (
            "look",
            CANCELLED,
            1,
            'look: not as expected: changed: orders[A1].status: "open" -> "cancelled"',
        ),
        ("odd", CANCELLED, 3, "odd: not_evaluated"),
    ],
)
def test_what_a_case_expects(passhat, states, tmp_path, case, after, code, told):
    suite = tmp_path / "suite.yaml"
    suite.write_text(SUITE)
    ran = passhat("diff", *states(orders=after), "--suite", suite, "--case", case)
    assert ran.code == code, ran.err
    assert told in ran.out.splitlines()[-1]
    ran = passhat("diff", *states(), "--suite", suite, "--case", case, "--format", "json")
    assert ran.json["verdict"]["case_id"] == case


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["nowhere"], "nowhere: cannot be read"),
        (["--ignore", "a..b"], "is no path"),
        (["--key", "orders"], "--key is TABLE=COLUMN"),
        (["--tolerance", "-1"], "a tolerance is a number"),
        (["--suite", "s.yaml"], "--suite and --case go together"),
        (["--suite", "s.yaml", "--case", "cancl"], "no case 'cancl'; there is cancel"),
        (["--suite", "gone.yaml", "--case", "x"], "cannot be read"),
    ],
)
def test_wrong_input_exits_with_two(passhat, states, tmp_path, monkeypatch, args, said):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("s.yaml").write_text(SUITE)
    before, after = states()
    sides = [before, args.pop()] if args[0] == "nowhere" else [before, after]
    ran = passhat("diff", *sides, *args)
    assert ran.code == 2
    assert said in ran.err


def test_nothing_in_a_state_steers_the_terminal(passhat, tmp_path):
    for name, text in (("a", "x"), ("b", "\x1b[2J\u202e\x9b")):
        tmp_path.joinpath(f"{name}.json").write_text(json.dumps({"t\x1b": {"n": text, "k": 1}}))
    out = passhat("diff", tmp_path / "a.json", tmp_path / "b.json").out
    assert not set(out) & {"\x1b", "\u202e", "\x9b"}

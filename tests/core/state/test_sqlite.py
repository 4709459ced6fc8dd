"""Snapshots of SQLite files, connections and scripts: consistent, read-only, and bounded."""

import hashlib
import sqlite3

import pytest

from passhat.errors import InputError
from passhat.state import diff, snapshot
from passhat.state.sources import sqlite as source


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.db"
    connection = sqlite3.connect(path)
    connection.executescript("""
        create table orders (id integer primary key, status text, amount real, note);
        create table lines (order_id, line, sku text, primary key (line, order_id));
        create view open_orders as select * from orders where status = 'open';
        create virtual table search using fts5(body);
        insert into orders values (1, 'open', 12.5, null), (2, 'paid', 7, 'x');
        insert into lines values (1, 1, 'A'), (1, 2, 'B');
    """)
    yield path
    connection.close()


def listing(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_tables_keys_columns_and_what_was_left_out(shop):
    taken = snapshot(shop)
    assert taken["orders"] == [
        {"id": 1, "status": "open", "amount": 12.5, "note": None},
        {"id": 2, "status": "paid", "amount": 7.0, "note": "x"},
    ]
    assert taken.primary_keys["lines"] == ("line", "order_id")
    assert taken.columns["orders"] == {
        "id": "INTEGER",
        "status": "TEXT",
        "amount": "REAL",
        "note": "",
    }
    assert taken.gaps == (
        "views left out: open_orders",
        "virtual tables left out: search",
        "shadow tables left out: "
        + ", ".join(f"search_{name}" for name in ("config", "content", "data", "docsize", "idx")),
    )


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_the_file_and_its_folder_stay_as_they_are(shop, mode):
    with sqlite3.connect(shop) as connection:
        connection.execute(f"pragma journal_mode = {mode}")
    connection.close()
    before = listing(shop.parent)
    assert len(snapshot(shop)["orders"]) == 2
    assert listing(shop.parent) == before


def test_a_log_that_a_writer_left_open_is_read(shop):
    writer = sqlite3.connect(shop)
    writer.execute("pragma journal_mode = wal")
    writer.execute("delete from orders where id = 1")
    writer.commit()
    assert [row["id"] for row in snapshot(shop)["orders"]] == [2]
    writer.close()


def test_locked_by_a_writer_is_said_so(shop, monkeypatch):
    monkeypatch.setattr(source, "_PATIENCE", 0.05)
    writer = sqlite3.connect(shop, isolation_level=None)
    writer.execute("begin exclusive")
    with pytest.raises(InputError, match="a writer holds the database"):
        snapshot(shop)
    writer.close()


def test_a_damaged_file(shop):
    data = bytearray(shop.read_bytes())
    data[100:4096] = b"\x00" * 3996
    shop.write_bytes(data)
    with pytest.raises(InputError, match=r"shop\.db: cannot be read"):
        snapshot(shop)


def test_a_connection_keeps_its_ways_and_its_transaction(shop):
    connection = sqlite3.connect(shop, detect_types=sqlite3.PARSE_DECLTYPES)
    connection.row_factory = sqlite3.Row
    connection.execute("create table t (at timestamp)")
    connection.execute("insert into t values ('2024-05-20 10:00:00')")
    taken = snapshot(connection)
    assert taken["t"] == [{"at": "2024-05-20 10:00:00"}]
    assert connection.in_transaction
    assert connection.row_factory is sqlite3.Row
    connection.rollback()
    snapshot(connection)
    assert not connection.in_transaction
    connection.close()


def test_blobs_and_text_that_is_none(shop):
    connection = sqlite3.connect(shop)
    large = b"x" * 100_000
    connection.execute("create table files (id integer primary key, body blob)")
    connection.execute("insert into files values (1, x'00ff'), (2, ?)", (large,))
    connection.execute("insert into files values (3, cast(x'ff41' as text))")
    taken = snapshot(connection)
    digest = hashlib.sha256(large).hexdigest()
    assert [row["body"] for row in taken["files"]] == [
        {"$bytes": "AP8="},
        {"$bytes": {"sha256": digest, "size": 100_000}},
        {"$bytes": "/0E="},
    ]
    assert "files.body: 1 blob over 64 KiB held as SHA-256 and size" in taken.gaps
    connection.execute("update files set body = ? where id = 2", (b"y" + large[1:],))
    assert not diff(taken, snapshot(connection)).equal
    connection.close()


def test_a_schema_that_changed_is_never_equal(shop):
    connection = sqlite3.connect(shop)
    connection.execute("delete from orders")
    before = snapshot(connection)
    connection.execute("alter table orders add column at text")
    connection.execute("alter table orders drop column note")
    found = diff(before, snapshot(connection))
    assert found.changes == ()
    assert found.schema == ("orders.note is gone", "orders.at (TEXT) is new")
    assert not found.equal
    connection.close()


def script(tmp_path, text):
    path = tmp_path / "seed.sql"
    path.write_text(text)
    return path


def test_a_script_runs_in_a_database_of_its_own(tmp_path):
    taken = snapshot(
        script(
            tmp_path,
            """pragma foreign_keys = off;
            begin transaction;
            create table t (id integer primary key, n text); -- a comment; with a semicolon
            insert into t values (1, 'a;b');
            create trigger tr after insert on t begin /* ; */ update t set n = 'c'; end /* ; */;
            insert into t values (2, 'x');
            commit;
            """,
        )
    )
    assert taken["t"] == [{"id": 1, "n": "c"}, {"id": 2, "n": "c"}]
    assert taken.primary_keys == {"t": ("id",)}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("create table t (a);\n\ninsert into t\nvalues (1, 2);", 3, "2 values"),
        ("attach 'other.db' as other;", 1, "not authorized"),
        ("select 1;\nselect load_extension('x');", 2, "not authorized"),
        ("vacuum into 'copy.db';", 1, "authorization denied"),
        ("create table t (a);\nselect 1 from", 2, "incomplete"),
        ("create table t (a);\ninsert into t values ('\0');", 2, "NUL"),
        ("-- a; b\nselect ';\n';\n\ncreate table t (a); selec", 5, "syntax error"),
    ],
)
def test_a_script_that_does_not_run_names_its_line(tmp_path, text, line, said):
    with pytest.raises(InputError, match=said) as caught:
        snapshot(script(tmp_path, text))
    assert caught.value.place.line == line
    assert [path.name for path in tmp_path.iterdir()] == ["seed.sql"]


def test_a_script_has_a_bound_on_what_it_costs(tmp_path, monkeypatch):
    endless = "create table t as with recursive n(i) as (select 1 union all select i from n) select i from n;"
    monkeypatch.setattr(source, "_MOST_STEPS", 1_000_000)
    with pytest.raises(InputError, match="takes too long"):
        snapshot(script(tmp_path, endless))
    monkeypatch.undo()
    monkeypatch.setattr(source, "_MOST_PAGES", 100)
    with pytest.raises(InputError, match="full"):
        snapshot(script(tmp_path, endless))


@pytest.mark.parametrize(
    ("words", "rows", "said"),
    [
        ("hex(zeroblob(400000000))", 1, "too big"),
        ("hex(zeroblob(400000))", 200, "t.g is generated"),
    ],
)
def test_a_few_words_in_a_schema_fill_no_memory(tmp_path, words, rows, said):
    path = tmp_path / "bomb.db"
    with sqlite3.connect(path) as database:
        database.execute(f"create table t (id integer primary key, g as ({words}))")
        database.executemany("insert into t (id) values (?)", [(n,) for n in range(rows)])
    with pytest.raises(InputError, match=said):
        snapshot(path)


def test_a_value_as_large_as_its_file_is_read(tmp_path):
    path = tmp_path / "large.db"
    with sqlite3.connect(path) as database:
        database.execute("create table t (id integer primary key, body, size as (length(body)))")
        database.execute("insert into t (id, body) values (1, ?)", ("x" * 3_000_000,))
    assert snapshot(path)["t"][0]["size"] == 3_000_000


def test_a_script_makes_no_value_much_larger_than_itself(tmp_path):
    with pytest.raises(InputError, match="too big"):
        snapshot(script(tmp_path, "create table t as select zeroblob(900000000) as b;"))

"""Snapshots of databases through SQLAlchemy; PostgreSQL and MariaDB where the machine has a server."""

import threading

import pytest

from passhat.errors import InputError, MissingExtraError, UsageError
from passhat.state import diff, snapshot

sqlalchemy = pytest.importorskip("sqlalchemy")

SCHEMA = """
    create table orders (id int primary key, amount numeric(10, 2), at timestamptz, paid boolean,
        note text, tags text[], extra jsonb, big numeric, share double precision, photo bytea);
    create table lines (order_id int, line int, sku text, primary key (order_id, line));
    create table "odd ""name%" ("a %% b" text);
    create view open_orders as select * from orders where not paid;
    create schema audit;
    create table audit.log (id int);
    insert into orders values
        (1, 12.50, '2024-05-20 10:00+00', true, null, '{a,b}', '{"x": [1, null]}',
         0.1234567890123456789, 'NaN', '\\x00ff'),
        (2, 7, '2024-05-21 10:00+00', false, 'late', '{}', null, 3, 0.5, null);
    insert into lines values (1, 1, 'A'), (1, 2, 'B');
    insert into "odd ""name%" values ('100%');
"""


@pytest.fixture
def engine(postgres):
    engine = sqlalchemy.create_engine(postgres)
    with engine.begin() as connection:
        connection.exec_driver_sql("drop schema public cascade")
        connection.exec_driver_sql("drop schema if exists audit cascade")
        connection.exec_driver_sql("create schema public")
        connection.exec_driver_sql(SCHEMA.replace("%", "%%"))
    yield engine
    engine.dispose()


def test_postgresql_as_json_with_keys_columns_and_gaps(engine):
    taken = snapshot(engine)
    first, second = taken["orders"]
    assert first == {
        "id": 1,
        "amount": 12.5,
        "at": "2024-05-20T10:00:00+00:00",
        "paid": True,
        "note": None,
        "tags": ["a", "b"],
        "extra": {"x": [1, None]},
        "big": "0.1234567890123456789",
        "share": {"$float": "NaN"},
        "photo": {"$bytes": "AP8="},
    }
    assert second["amount"] == 7
    assert type(second["amount"]) is int
    assert taken['odd "name%'] == [{"a %% b": "100%"}]
    assert taken.primary_keys == {"orders": ("id",), "lines": ("order_id", "line")}
    assert taken.columns["orders"]["amount"] == "NUMERIC(10, 2)"
    assert taken.gaps == ("views left out: open_orders", "schemas left out: audit")


def test_postgresql_changes_by_a_key_of_two_columns(engine):
    before = snapshot(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("update lines set sku = 'C' where line = 2")
        connection.exec_driver_sql("delete from orders where id = 2")
    found = diff(before, snapshot(engine))
    assert [change.path for change in found.changes] == ["lines[1,2].sku", "orders[2]"]


def test_months_are_no_days_and_what_is_left_out_is_named(engine):
    before = snapshot(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("create materialized view paid as select * from orders")
        connection.exec_driver_sql("create table plans (id int primary key, every interval)")
        connection.exec_driver_sql("insert into plans values (1, '1 month'), (2, null)")
    monthly = snapshot(engine)
    assert monthly["plans"] == [{"id": 1, "every": "1 mon"}, {"id": 2, "every": None}]
    with engine.begin() as connection:
        connection.exec_driver_sql("update plans set every = '30 days' where id = 1")
    assert not diff(monthly, snapshot(engine)).equal
    assert monthly.gaps == ("views left out: open_orders, paid", before.gaps[1])


def test_a_row_of_a_partition_is_one_row(engine):
    with engine.begin() as connection:
        connection.exec_driver_sql("create table log (id int, at date) partition by range (at)")
        connection.exec_driver_sql(
            "create table log_2024 partition of log for values from ('2024-01-01') to ('2025-01-01')"
        )
    before = snapshot(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("insert into log values (1, '2024-05-20')")
    found = diff(before, snapshot(engine))
    assert found.counts() == {"log": {"added": 1, "removed": 0, "changed": 0, "leaves": 0}}
    assert "partitions read with their tables: log_2024" in found.gaps


@pytest.fixture
def mysql(mariadb):
    engine = sqlalchemy.create_engine(mariadb)
    with engine.begin() as connection:
        connection.exec_driver_sql("drop database shop")
        connection.exec_driver_sql("create database shop")
        connection.exec_driver_sql("use shop")
        connection.exec_driver_sql(
            "create table orders (id int primary key, amount decimal(10, 2), at datetime, b blob)"
        )
        connection.exec_driver_sql(
            "insert into orders values (1, 12.5, '2024-05-20 10:00:00', x'00ff'), (2, 7, null, null)"
        )
        connection.exec_driver_sql("create view big as select * from orders where amount > 10")
    yield engine
    engine.dispose()


def test_mysql_as_json_and_still_writable(mysql):
    taken = snapshot(mysql)
    assert taken["orders"] == [
        {"id": 1, "amount": 12.5, "at": "2024-05-20T10:00:00", "b": {"$bytes": "AP8="}},
        {"id": 2, "amount": 7, "at": None, "b": None},
    ]
    assert (taken.primary_keys, taken.gaps) == ({"orders": ("id",)}, ("views left out: big",))
    with mysql.begin() as connection:
        connection.exec_driver_sql("update orders set amount = 8 where id = 2")
    assert str(diff(taken, snapshot(mysql)).changes[0]) == "orders[2].amount: 7 -> 8"


def test_mysql_numbers_of_single_precision_are_all_told_apart(mysql):
    with mysql.begin() as connection:
        connection.exec_driver_sql("create table t (id int primary key, f float, d double)")
        connection.exec_driver_sql(
            "insert into t values (1, 16777215, 0.1), (2, 0.1, 2), (3, 5, 5)"
        )
        connection.exec_driver_sql("update t set f = null where id = 3")
    before = snapshot(mysql)
    assert [row["f"] for row in before["t"]] == [16777215, 0.1, None]
    with mysql.begin() as connection:
        connection.exec_driver_sql("update t set f = f + 1 where id = 1")
    assert str(diff(before, snapshot(mysql)).changes[0]) == "t[1].f: 16777215.0 -> 16777216.0"


@pytest.mark.parametrize("server", ["engine", "mysql"])
def test_one_moment_while_a_writer_is_at_work(server, request):
    """Every commit writes both tables alike; no snapshot may see one without the other."""
    engine = request.getfixturevalue(server)
    stop = threading.Event()
    with engine.begin() as connection:
        for table in "az":
            connection.exec_driver_sql(f"create table {table} (id int primary key, n int)")
            connection.exec_driver_sql(f"insert into {table} values (1, 0)")

    def write():
        while not stop.is_set():
            with engine.begin() as connection:
                connection.exec_driver_sql("update a set n = n + 1")
                connection.exec_driver_sql("update z set n = n + 1")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        taken = [snapshot(engine) for _ in range(10)]
    finally:
        stop.set()
        writer.join()
    assert all(state["a"] == state["z"] for state in taken)
    assert len({state["a"][0]["n"] for state in taken}) > 1


def test_a_connection_is_read_within_its_transaction_and_left_in_it(engine):
    with engine.connect() as connection:
        connection.exec_driver_sql("delete from lines")
        assert snapshot(connection)["lines"] == []
        assert connection.in_transaction()
        connection.rollback()
        assert len(snapshot(connection)["lines"]) == 2
        assert not connection.in_transaction()


def test_a_new_column_is_a_change_of_schema(engine):
    before = snapshot(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("delete from lines")
    emptied = snapshot(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("alter table lines add column note text")
    found = diff(emptied, snapshot(engine))
    assert not found.equal
    assert found.changes == ()
    assert str(found).startswith("schema: lines.note (TEXT) is new\nnote: views left out")
    assert not diff(before, emptied).schema


def test_by_url_without_its_password_in_any_word(postgres):
    with pytest.raises(InputError) as caught:
        snapshot("postgresql+psycopg://me:secret@127.0.0.1:1/nowhere")
    assert "secret" not in str(caught.value)
    assert "cannot be read" in str(caught.value)
    assert snapshot(postgres).source.startswith("postgresql+psycopg://tester@/postgres")


@pytest.mark.parametrize("url", ["nonsense://x", "postgresql+nodriver://x", "sqlite+aiosqlite://"])
def test_urls_that_are_none(url):
    with pytest.raises(UsageError):
        snapshot(url)


def test_sqlite_through_an_engine(tmp_path):
    engine = sqlalchemy.create_engine(f"sqlite:///{tmp_path}/shop.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("create table t (id integer primary key, n int)")
        connection.exec_driver_sql("insert into t values (1, 5)")
    taken = snapshot(engine)
    assert taken["t"] == [{"id": 1, "n": 5}]
    assert taken.primary_keys == {"t": ("id",)}
    with engine.connect() as connection:
        connection.exec_driver_sql("insert into t values (2, 6)")
        assert len(snapshot(connection)["t"]) == 2
    assert snapshot(engine)["t"] == [{"id": 1, "n": 5}]
    engine.dispose()


@pytest.mark.parametrize("of", [str, sqlalchemy.create_engine])
def test_a_sqlite_file_that_is_not_there_is_no_empty_database(of, tmp_path):
    file = tmp_path / "none.db"
    with pytest.raises(InputError, match="No such file"):
        snapshot(of(f"sqlite:///{file}"))
    assert not file.exists()


def test_without_sqlalchemy_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sqlalchemy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'passhat\[sql\]'"):
        snapshot("postgresql://x/y")

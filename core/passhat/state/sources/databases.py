"""Snapshots of any database that SQLAlchemy speaks to: PostgreSQL, MySQL and others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

from passhat.errors import InputError, MissingExtraError, Place, UsageError
from passhat.state.rowkeys import Row
from passhat.state.snapshots import Snapshot
from passhat.state.sources import sqlite
from passhat.state.sources.cells import Cells

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Engine
    from sqlalchemy.engine.reflection import Inspector

_BATCH = 1000

_SYSTEM_SCHEMAS = frozenset({"information_schema", "performance_schema", "mysql", "sys"})


def of_url(url: str) -> Snapshot:
    """The tables of the database at a URL of SQLAlchemy.

    Raises:
        MissingExtraError: SQLAlchemy is not installed.
        UsageError: The URL is none, or its driver is not installed.
        InputError: The database cannot be reached or read.
    """
    try:
        import sqlalchemy
        from sqlalchemy import exc
    except ImportError as error:
        raise MissingExtraError("sqlalchemy", "sql") from error
    try:
        engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.pool.NullPool)
    except (exc.ArgumentError, exc.NoSuchModuleError, ImportError) as error:
        raise UsageError(
            f"no database of SQLAlchemy: {error}; write postgresql+psycopg://user@host/name",
            Place(url.partition("://")[0] + "://..."),
        ) from error
    return of_engine(engine)


def of_engine(engine: Engine) -> Snapshot:
    """The tables of an engine's default schema, read in one transaction that changes nothing.

    Raises:
        InputError: The database cannot be reached or read.
    """
    name = engine.url.render_as_string(hide_password=True)
    if engine.dialect.is_async:
        raise UsageError("is an async engine; make one with create_engine", Place(name))
    _refuse_missing(engine, name)
    with _errors(name), engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            return sqlite.of_connection(_sqlite_of(connection), name)
        gaps = _one_transaction(connection)
        try:
            return _read(connection, name, gaps)
        finally:
            connection.rollback()


def _refuse_missing(engine: Engine, name: str) -> None:
    """Refuses the file of SQLite that is not there: connecting would make it, and find it empty."""
    file = engine.url.database
    if engine.dialect.name != "sqlite" or not file or file.startswith((":memory:", "file:")):
        return
    if not Path(file).exists():
        raise InputError("cannot be read: No such file or directory", Place(name))


def of_connection(connection: Connection) -> Snapshot:
    """The tables as a connection sees them, in the transaction that it is in.

    Raises:
        InputError: The database cannot be read.
    """
    name = connection.engine.url.render_as_string(hide_password=True)
    with _errors(name):
        if connection.dialect.name == "sqlite":
            return sqlite.of_connection(_sqlite_of(connection), name)
        within = connection.in_transaction()
        try:
            return _read(connection, name, [])
        finally:
            if not within:
                connection.rollback()


def _sqlite_of(connection: Connection) -> Any:
    # SQLAlchemy's own driver begins no transaction for reading.
    return connection.connection.driver_connection


def _one_transaction(connection: Connection) -> list[str]:
    """Begins a transaction that sees the database at one moment and may only read; says if it cannot."""
    import sqlalchemy

    dialect = connection.dialect.name
    if dialect == "postgresql":
        connection.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True, postgresql_deferrable=False
        )
        return []
    if dialect in ("mysql", "mariadb"):
        connection.execution_options(isolation_level="REPEATABLE READ")
        connection.execute(sqlalchemy.text("COMMIT"))
        connection.execute(sqlalchemy.text("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"))
        return []
    return [f"{dialect}: read in one transaction, as consistent as its default isolation is"]


def _read(connection: Connection, name: str, gaps: list[str]) -> Snapshot:
    import sqlalchemy
    from sqlalchemy import exc

    inspector: Inspector = sqlalchemy.inspect(connection)
    cells = Cells()
    value: dict[str, list[Row]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    columns: dict[str, dict[str, str]] = {}
    partitions = _partitions(connection, inspector)
    for table in sorted(set(inspector.get_table_names()) - partitions):
        with catch_warnings():
            simplefilter("ignore", exc.SAWarning)  # Of types it does not know.
            described = inspector.get_columns(table)
        columns[table] = {entry["name"]: str(entry["type"]) for entry in described}
        if key := inspector.get_pk_constraint(table)["constrained_columns"]:
            keys[table] = tuple(key)
        names = list(columns[table])
        kinds = [entry["type"] for entry in described]
        listed = [_whole(name, kind, connection) for name, kind in zip(names, kinds, strict=True)]
        query = sqlalchemy.select(*listed).select_from(sqlalchemy.table(table))
        result = connection.execute(query.execution_options(yield_per=_BATCH))
        singles = [at for at, kind in enumerate(kinds) if _is_rounded(kind, connection)]
        value[table] = cells.rows(table, names, _shortest(result, singles) if singles else result)
    if partitions:
        gaps = [*gaps, f"partitions read with their tables: {', '.join(sorted(partitions))}"]
    gaps = [*gaps, *_left_out(inspector), *cells.gaps()]
    return Snapshot(value, name, keys, columns, tuple(gaps))


def _whole(name: str, kind: Any, connection: Connection) -> ColumnElement[Any]:
    """A column as it is to be asked for, so that two values of it never come as one.

    Psycopg makes days of months, and MySQL writes a FLOAT with six digits.
    """
    import sqlalchemy

    column: ColumnElement[Any] = sqlalchemy.column(name)
    if connection.dialect.name == "postgresql" and str(kind).startswith("INTERVAL"):
        return sqlalchemy.cast(column, sqlalchemy.Text)
    if _is_rounded(kind, connection):
        return column + sqlalchemy.literal_column("0e0")
    return column


def _is_rounded(kind: Any, connection: Connection) -> bool:
    return connection.dialect.name in ("mysql", "mariadb") and str(kind).startswith("FLOAT")


def _shortest(rows: Iterable[Sequence[Any]], singles: Collection[int]) -> Iterator[list[Any]]:
    """The rows with the numbers of single precision as short as they can be told."""
    import numpy as np

    for row in rows:
        yield [
            float(str(np.float32(cell))) if at in singles and cell is not None else cell
            for at, cell in enumerate(row)
        ]


def _partitions(connection: Connection, inspector: Inspector) -> frozenset[str]:
    """The partitions of PostgreSQL: their rows are those of the tables that they are parts of."""
    import sqlalchemy

    version = connection.dialect.server_version_info or ()
    if connection.dialect.name != "postgresql" or version < (10,):
        return frozenset()
    asked = sqlalchemy.text(
        "SELECT relname FROM pg_catalog.pg_class WHERE relispartition AND relnamespace = "
        "(SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = :schema)"
    )
    found = connection.execute(asked, {"schema": inspector.default_schema_name})
    return frozenset(found.scalars())


def _left_out(inspector: Inspector) -> Iterator[str]:
    from sqlalchemy.dialects.postgresql.base import PGInspector

    views = inspector.get_view_names()
    foreign: list[str] = []
    if isinstance(inspector, PGInspector):
        views = [*views, *inspector.get_materialized_view_names()]
        foreign = inspector.get_foreign_table_names()
    if views:
        yield f"views left out: {', '.join(sorted(views))}"
    if foreign:
        yield f"foreign tables left out: {', '.join(sorted(foreign))}"
    own = inspector.default_schema_name
    others = [
        schema
        for schema in inspector.get_schema_names()
        if schema != own and schema not in _SYSTEM_SCHEMAS and not schema.startswith("pg_")
    ]
    filled = [schema for schema in sorted(others) if inspector.get_table_names(schema=schema)]
    if filled:
        yield f"schemas left out: {', '.join(filled)}"


@contextmanager
def _errors(name: str) -> Iterator[None]:
    """Turns what a database says into an error of ours, without the statement it was told."""
    from sqlalchemy import exc

    try:
        yield
    except exc.DBAPIError as error:
        said = " ".join(str(error.orig).split())
        raise InputError(f"cannot be read: {said}", Place(name)) from error
    except exc.SQLAlchemyError as error:
        raise InputError(f"cannot be read: {error}", Place(name)) from error

"""Queries compared by the rows they give, in a private SQLite database that cannot be left."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from passhat.errors import UsageError
from passhat.values.equality import canonical

_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_NEVER = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA}
_STEPS = 20_000_000
_ROWS = 100_000
_LENGTH = 100_000_000
"""Of one value, and of all that a query gives together, in characters or bytes."""
_BROKEN = (sqlite3.Error, sqlite3.Warning, ValueError)
"""What a query raises that does not run; ValueError where its text is none that SQLite takes."""


def same_rows(fixture: str, actual: Any, expected: Any, *, ordered: bool = False) -> bool:
    """Whether two queries give the same rows on a fixture.

    The fixture fills an in-memory database; the queries may only read it, for a bounded number of
    steps, rows and characters. A query that fails gives no rows and equals nothing.

    Args:
        fixture: A script of SQL.
        actual: The query to judge; anything but text is no query.
        expected: The query it is judged by.
        ordered: Whether the order of the rows counts.

    Raises:
        UsageError: The fixture or the expected query does not run.
    """
    if not isinstance(actual, str):
        return False
    with _database(fixture) as database:
        try:
            wanted = _rows(database, str(expected))
        except _BROKEN as error:
            raise UsageError(f"execution: the expected query does not run: {error}") from error
        try:
            got = _rows(database, actual)
        except _BROKEN:
            return False
    return got == wanted if ordered else Counter(got) == Counter(wanted)


@contextmanager
def _database(fixture: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as database:
        budget = iter(range(_STEPS // 1000))
        database.set_progress_handler(lambda: next(budget, None) is None, 1000)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LENGTH)
        database.set_authorizer(lambda action, *_: int(action in _NEVER))
        try:
            database.executescript(fixture)
        except _BROKEN as error:
            raise UsageError(f"execution: the fixture does not run: {error}") from error
        database.set_authorizer(
            lambda action, _a, name, *_: int(action not in _READING or name == "load_extension")
        )
        yield database


def _rows(database: sqlite3.Connection, query: str) -> list[Any]:
    rows: list[Any] = []
    length = 0
    for row in database.execute(query):
        length += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(rows) == _ROWS or length > _LENGTH:
            raise sqlite3.OperationalError(f"more than {_ROWS} rows, or {_LENGTH} characters")
        rows.append(canonical(row))
    return rows

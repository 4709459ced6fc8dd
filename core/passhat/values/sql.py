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


def same_rows(fixture: str, actual: Any, expected: Any, *, ordered: bool = False) -> bool:
    """Whether two queries give the same rows on a fixture.

    The fixture fills an in-memory database; the queries may only read it, for a bounded number of
    steps and rows. A query that fails gives no rows and equals nothing.

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
        except sqlite3.Error as error:
            raise UsageError(f"execution: the expected query does not run: {error}") from error
        try:
            got = _rows(database, actual)
        except (sqlite3.Error, sqlite3.Warning):
            return False
    return got == wanted if ordered else Counter(got) == Counter(wanted)


@contextmanager
def _database(fixture: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as database:
        budget = iter(range(_STEPS // 1000))
        database.set_progress_handler(lambda: next(budget, None) is None, 1000)
        database.set_authorizer(lambda action, *_: int(action in _NEVER))
        try:
            database.executescript(fixture)
        except sqlite3.Error as error:
            raise UsageError(f"execution: the fixture does not run: {error}") from error
        database.set_authorizer(
            lambda action, _a, name, *_: int(action not in _READING or name == "load_extension")
        )
        yield database


def _rows(database: sqlite3.Connection, query: str) -> list[Any]:
    rows = database.execute(query).fetchmany(_ROWS + 1)
    if len(rows) > _ROWS:
        raise sqlite3.OperationalError(f"more than {_ROWS} rows")
    return [canonical(row) for row in rows]

"""The sessions in a SQLite file of ADK's session services, read as they are: no ADK, nothing written.

`adk web` and `adk run` keep theirs so, in `.adk/session.db` of an agent's folder.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from passhat.errors import InputError, Place
from passhat.jsontext import decode

MAGIC = b"SQLite format 3\x00"
"""What every SQLite file begins with."""
_TABLES = {
    "sessions": {"app_name", "user_id", "id", "state", "create_time", "update_time"},
    "events": {"app_name", "user_id", "session_id", "timestamp", "event_data"},
}
_BUSY = 10.0


def is_database(path: Path) -> bool:
    """Whether a file is a SQLite database, whoever wrote it."""
    if not path.is_file():  # A pipe could be read only once.
        return False
    with path.open("rb", buffering=0) as file:
        return file.read(len(MAGIC)) == MAGIC


def holds_sessions(path: Path) -> bool:
    """Whether a SQLite file is one of ADK's."""
    try:
        with closing(_opened(path)):
            return True
    except InputError:
        return False


def sessions_in(path: Path) -> Iterator[dict[str, Any] | InputError]:
    """The sessions as JSON, the oldest first; one that is broken is given as its error.

    Raises:
        InputError: The file cannot be opened, or is no database of ADK's sessions.
    """
    place = Place(str(path))
    query = "select app_name, user_id, id, state from sessions order by create_time, rowid"
    try:
        with closing(_opened(path)) as connection:
            shared = {name: _states(connection, name, place) for name in ("app", "user")}
            for app, user, id, state in connection.execute(query):
                try:
                    events = [
                        decode(text or "null", place)
                        for (text,) in connection.execute(_EVENTS, (app, user, id))
                    ]
                    own = _object(state, place)
                except InputError as error:
                    yield InputError(f"session {id!r}: {error.message}", place)
                    continue
                for kind, key in (("app", (app,)), ("user", (app, user))):
                    known = shared[kind].get(key, {})
                    own |= {f"{kind}:{name}": item for name, item in known.items()}
                whose = {"id": id, "app_name": app, "user_id": user}
                yield {**whose, "state": own, "events": events}
    except sqlite3.Error as error:
        raise InputError(f"the database is broken: {error}", place) from None


_EVENTS = (
    "select event_data from events where app_name = ? and user_id = ? and session_id = ? "
    "order by timestamp, rowid"
)


def _opened(path: Path) -> sqlite3.Connection:
    """A connection that can only read, also while ADK writes.

    Raises:
        InputError: The file cannot be opened, or is no database of ADK's sessions.
    """
    place = Place(str(path))
    used = Path(f"{path}-wal").exists()  # A writer keeps a log beside it, which has the newest.
    how = "mode=ro" if used else "mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=_BUSY)
        try:
            _check_layout(connection, place)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise InputError(f"no SQLite database can be read there: {error}", place) from None
    return connection


def _check_layout(connection: sqlite3.Connection, place: Place) -> None:
    for table, needed in _TABLES.items():
        found = {row[1] for row in connection.execute(f"pragma table_info({table})")}
        if table == "events" and {"actions", "content"} <= found:
            raise InputError(
                "the database has an older layout of ADK's, with events that are pickled; "
                "`adk migrate session` writes it anew",
                place,
            )
        if needed - found:
            raise InputError("the database holds no sessions of ADK", place)


def _states(
    connection: sqlite3.Connection, kind: str, place: Place
) -> dict[tuple[str, ...], dict[str, Any]]:
    """What all sessions of an app, or of its user, share; by the app, or by both."""
    table, keys = f"{kind}_states", ("app_name", "user_id") if kind == "user" else ("app_name",)
    if not connection.execute(f"pragma table_info({table})").fetchone():
        return {}
    rows = connection.execute(f"select {', '.join(keys)}, state from {table}")
    return {tuple(key): _object(state, place) for *key, state in rows}


def _object(text: Any, place: Place) -> dict[str, Any]:
    value = decode(text or "{}", place)
    return value if isinstance(value, dict) else {}

"""The door to every source: what a snapshot is taken of, told by what it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from passhat.errors import InputError, Place, UsageError
from passhat.jsontext import head_of
from passhat.state.equality import refuse_cycles
from passhat.state.snapshots import Snapshot
from passhat.state.sources import files, sqlite
from passhat.state.sources.cells import Cells, dumped


def snapshot(source: Any) -> Snapshot:
    """A state as it is now, sharing nothing with where it comes from; the source stays as it is.

    Args:
        source: One of these:

            - a mapping or a list in memory, or the state of a session: LangGraph's
              `StateSnapshot`, ADK's `State` or `Session`;
            - a folder of JSON, JSONL and CSV files, each a table or a document; or one such file;
            - a SQLite file, or an open `sqlite3.Connection`;
            - a `.sql` script, which runs in a private SQLite database in memory;
            - an engine or a connection of SQLAlchemy, or its URL (`postgresql+psycopg://...`).

    Returns:
        The state as JSON, with the keys and columns that a database names. Dates are ISO text,
        bytes are tagged, and `gaps` says what was left out.

    Raises:
        InputError: It cannot be read, is damaged, or a writer holds it.
        UsageError: It is nothing that a snapshot can be taken of.
        MissingExtraError: It needs SQLAlchemy, which is not installed.

    >>> cart = {"items": [{"sku": "A1", "count": 1}]}
    >>> before = snapshot(cart)
    >>> cart["items"][0]["count"] = 2
    >>> before["items"]
    [{'sku': 'A1', 'count': 1}]
    """
    if isinstance(source, Snapshot):
        return source
    if isinstance(source, str | Path):
        return _of_text(source)
    if isinstance(source, sqlite3.Connection):
        return sqlite.of_connection(source)
    if type(source).__module__.partition(".")[0] == "sqlalchemy":
        from passhat.state.sources import databases

        if hasattr(source, "connect"):
            return databases.of_engine(source)
        if hasattr(source, "exec_driver_sql"):
            return databases.of_connection(source)
        raise UsageError(
            f"a snapshot is of an engine or a connection, not a {type(source).__name__}"
        )
    return _of_value(source)


def _of_text(source: str | Path) -> Snapshot:
    if isinstance(source, str) and "://" in source:
        from passhat.state.sources import databases

        return databases.of_url(source)
    path = Path(source)
    if path.is_dir():
        return files.of_folder(path, str(source))
    if str(source) != "-":
        files.refuse_pipes(path)
    suffix = path.suffix.lower()
    if suffix == ".sql":
        return sqlite.of_script(source)
    if head_of(source, len(sqlite.HEADER)) == sqlite.HEADER:
        return sqlite.of_file(path, str(source))
    if str(source) != "-" and suffix not in files.READABLE:
        raise InputError(
            f"is no folder, no SQLite file and none of {', '.join((*files.READABLE, '.sql'))}",
            Place(str(source)),
        )
    return files.of_file(source)


def _of_value(source: Any) -> Snapshot:
    value = _state_of(source)
    if not isinstance(value, Mapping | list | tuple):
        raise UsageError(
            f"a snapshot is of a state, a file or a database, not of a {type(source).__name__}"
        )
    refuse_cycles(value, "the state")
    cells = Cells(other=_refused)
    return Snapshot(cells.value(value, "the state"), gaps=tuple(cells.gaps()))


def _state_of(source: Any) -> Any:
    """The mapping that the state of a session is, in the shapes that frameworks give it."""
    if isinstance(source, Mapping):
        return source
    if isinstance(source, tuple) and isinstance(inner := getattr(source, "values", None), Mapping):
        return inner  # LangGraph's StateSnapshot.
    if hasattr(source, "app_name") and isinstance(inner := getattr(source, "state", None), Mapping):
        return inner  # ADK's Session.
    to_dict = getattr(source, "to_dict", None)  # ADK's State.
    dump = getattr(source, "model_dump", None)  # A state that is a model.
    if callable(to_dict):
        return to_dict()
    return dumped(source) if callable(dump) and not isinstance(source, type) else source


def _refused(value: Any) -> Any:
    raise InputError(
        f"the state holds a {type(value).__name__}, which is no JSON value; give a snapshot what "
        "it can be told from others by"
    )

"""Stored checkpoints to traces: files, databases, savers and graphs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from passhat.errors import Place, TraceError
from passhat.trace import Trace
from passhat_langgraph import sqlite
from passhat_langgraph.points import unreadable
from passhat_langgraph.threads import traces_of


def read_checkpoints(
    source: str | Path, *, thread: str | None = None, states: bool = False
) -> Iterator[Trace | TraceError]:
    """The traces of a checkpoint database, lazily: one for each branch of each thread.

    It is only read, with no graph and no LangGraph, also while another process writes it. Blobs are
    decoded with tagged types; no class that one names is imported. A thread that cannot be read is
    given as its error, and the others go on.

    Args:
        source: The file of a SqliteSaver, or the `postgresql://` address of a PostgresSaver's
            database.
        thread: The one thread to read.
        states: Whether to decode the state in which each branch began (its first input taken in)
            and ended. Without it, memory does not grow with the state.

    Raises:
        InputError: The database cannot be opened, or holds no checkpoints of LangGraph.
        MissingExtraError: It is one of PostgreSQL, and psycopg is not installed.
    """
    if is_address(source):
        from passhat_langgraph import postgres

        return postgres.traces(str(source), thread=thread, states=states)
    return _of_file(Path(source), thread, states)


def is_address(source: str | Path) -> bool:
    """Whether a source is the address of a PostgreSQL database."""
    return str(source).startswith(("postgresql://", "postgres://"))


def _of_file(path: Path, thread: str | None, states: bool) -> Iterator[Trace | TraceError]:
    connection, _ = sqlite.opened(path)
    with closing(connection):
        begun = sqlite.thread_ids(connection, Place(str(path)), thread)
    return _of_threads(path, begun, states)


def _of_threads(path: Path, begun: list[str], states: bool) -> Iterator[Trace | TraceError]:
    connection, still = sqlite.opened(path)
    try:
        for id in begun:
            found = _of_thread(connection, id, path, states)
            if still and sqlite.in_use(path):
                connection.close()
                connection, still = sqlite.opened(path)
                found = _of_thread(connection, id, path, states)
            yield from found
    finally:
        connection.close()


def _of_thread(
    connection: sqlite3.Connection, id: str, path: Path, states: bool
) -> list[Trace | TraceError]:
    """The traces of a thread, from one and the same moment of the database."""
    try:
        connection.execute("begin")
        return [
            item
            for row in sqlite.threads(connection, str(path), id)
            for item in ([row] if isinstance(row, TraceError) else traces_of(row, states=states))
        ]
    except sqlite3.Error as error:
        return [unreadable(id, None, f"the database is broken: {error}", str(path))]
    finally:
        if connection.in_transaction:
            connection.rollback()

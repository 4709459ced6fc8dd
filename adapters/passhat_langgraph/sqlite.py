"""The rows of a SqliteSaver's file, read as they are: no graph, no LangGraph, nothing written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from passhat.errors import InputError, Place, TraceError
from passhat_langgraph.decoding import decoded
from passhat_langgraph.points import Point, Thread, Write, unreadable

MAGIC = b"SQLite format 3\x00"
_CHECKPOINTS = frozenset(
    {"thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id"}
    | {"type", "checkpoint", "metadata"}
)
_WRITES = frozenset(
    {"thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx", "channel", "type", "value"}
)
_BUSY = 10.0


def in_use(path: Path) -> bool:
    """Whether a database may be written meanwhile: a writer keeps a log of writes beside it."""
    return Path(f"{path}-wal").exists()


def opened(path: Path) -> tuple[sqlite3.Connection, bool]:
    """A connection that can only read, also while another process writes.

    A file in use is read through the writer's log. One that is not is read as it lies there, so
    that no log is left beside it; second comes whether it is, and so must stay unwritten.

    Raises:
        InputError: The file cannot be opened, or is no database of a SqliteSaver.
    """
    place = Place(str(path))
    if not path.is_file():
        raise InputError("it is a folder" if path.is_dir() else "there is no such file", place)
    still = not in_use(path)
    try:
        connection = _connected(path, "immutable=1" if still else "mode=ro")
        try:
            check_layout(connection, place)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise InputError(f"no SQLite database can be read there: {error}", place) from None
    return connection, still


def _connected(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?{how}", uri=True, timeout=_BUSY, check_same_thread=False
    )
    connection.isolation_level = None
    return connection


def check_layout(connection: sqlite3.Connection, place: Place) -> None:
    """Makes sure that a database is one of a SqliteSaver.

    Raises:
        InputError: It is not, or has a layout that is too old.
    """
    found = {name: _columns(connection, name) for name in ("checkpoints", "writes")}
    if not found["checkpoints"]:
        raise InputError("the database holds no checkpoints of LangGraph", place)
    for table, needed in (("checkpoints", _CHECKPOINTS), ("writes", _WRITES)):
        if lacking := sorted(needed - found[table]):
            raise InputError(
                f"the table {table} lacks {', '.join(lacking)}: an older layout of LangGraph, or "
                "another program's",
                place,
            )


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"pragma table_info({table})")}


def is_saver_file(path: Path) -> bool:
    """Whether a file is a database of a SqliteSaver."""
    try:
        with closing(opened(path)[0]):
            return True
    except InputError:
        return False


def thread_ids(connection: sqlite3.Connection, place: Place, only: str | None = None) -> list[str]:
    """The ids of the threads, in the order in which they began.

    Raises:
        InputError: The database is broken, or does not hold the one thread asked for.
    """
    query = "select thread_id from checkpoints group by thread_id order by min(checkpoint_id)"
    try:
        found = [row[0] for row in connection.execute(query)]
    except sqlite3.Error as error:
        raise InputError(f"the database is broken: {error}", place) from None
    if only is None:
        return found
    if only not in found:
        raise InputError(f"thread {only!r}: there is no such thread", place)
    return [only]


def threads(
    connection: sqlite3.Connection, file: str | None, only: str | None = None
) -> Iterator[Thread | TraceError]:
    """The threads of a database, in the order in which they began.

    Args:
        connection: The database.
        file: Its name, for errors.
        only: The one thread to read.
    """
    for id in [only] if only is not None else thread_ids(connection, Place(file)):
        try:
            yield _thread(connection, id, file)
        except TraceError as error:
            yield error
        except sqlite3.Error as error:
            yield unreadable(str(id), None, f"the database is broken: {error}", file)


def _thread(connection: sqlite3.Connection, id: str, file: str | None) -> Thread:
    path = "task_path" if "task_path" in _columns(connection, "writes") else "''"
    writes: dict[tuple[str, str], list[Write]] = {}
    rows = connection.execute(
        f"select checkpoint_ns, checkpoint_id, task_id, {path}, idx, channel, type, value "
        "from writes where thread_id = ? order by rowid",
        (id,),
    )
    for ns, checkpoint, task, task_path, index, channel, kind, value in rows:
        try:
            given = decoded(kind, value)
        except InputError as error:
            why = f"what {channel!r} was given cannot be read: {error.message}"
            raise unreadable(id, checkpoint, why, file) from None
        number = index if isinstance(index, int) else 0
        found = Write(str(task), str(task_path or ""), number, str(channel), given)
        writes.setdefault((ns, checkpoint), []).append(found)
    points = []
    made = connection.execute(
        "select rowid, checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata "
        "from checkpoints where thread_id = ? order by checkpoint_id",
        (id,),
    ).fetchall()
    if not made:
        raise unreadable(str(id), None, "there is no such thread", file)
    for rowid, ns, checkpoint, parent, metadata in made:
        try:
            about = json.loads(metadata or b"{}")
        except (ValueError, TypeError, RecursionError) as error:
            raise unreadable(id, checkpoint, f"its metadata is no JSON: {error}", file) from None
        load = _loader(connection, rowid, id, checkpoint, file)
        written = tuple(writes.get((ns, checkpoint), ()))
        points.append(point(ns, checkpoint, parent, about, written, load))
    return Thread(str(id), tuple(points), Place(file))


def point(
    ns: str,
    id: str,
    parent: str | None,
    about: Any,
    writes: tuple[Write, ...],
    load: Callable[[], dict[str, Any]],
) -> Point:
    """A checkpoint of its row and its metadata."""
    about = about if isinstance(about, dict) else {}
    step = about.get("step")
    return Point(
        str(ns or ""),
        str(id),
        str(parent) if parent else None,
        str(about.get("source") or "loop"),
        step if isinstance(step, int) else 0,
        about,
        writes,
        load,
    )


def _loader(
    connection: sqlite3.Connection, rowid: int, thread: str, checkpoint: str, file: str | None
) -> Callable[[], dict[str, Any]]:
    def load() -> dict[str, Any]:
        kind, blob = connection.execute(
            "select type, checkpoint from checkpoints where rowid = ?", (rowid,)
        ).fetchone()
        try:
            value = decoded(kind, blob)
        except InputError as error:
            why = f"its state cannot be read: {error.message}"
            raise unreadable(thread, checkpoint, why, file) from None
        return value if isinstance(value, dict) else {}

    return load

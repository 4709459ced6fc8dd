"""The rows of a PostgresSaver's database, read as they are: no graph and no LangGraph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from passhat.errors import InputError, MissingExtraError, Place, TraceError
from passhat.trace import Trace
from passhat_langgraph.decoding import decoded
from passhat_langgraph.points import Point, Thread, Write, unreadable
from passhat_langgraph.sqlite import point
from passhat_langgraph.threads import traces_of

if TYPE_CHECKING:
    from psycopg import Connection

_NEEDED = {
    "checkpoints": {"thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint", "metadata"},
    "checkpoint_writes": {
        "thread_id",
        "checkpoint_id",
        "task_id",
        "idx",
        "channel",
        "type",
        "blob",
    },
    "checkpoint_blobs": {"thread_id", "checkpoint_ns", "channel", "version", "type", "blob"},
}


def traces(
    address: str, *, thread: str | None = None, states: bool = False
) -> Iterator[Trace | TraceError]:
    """The traces of a database, lazily; a thread that cannot be read is given as its error.

    Args:
        address: `postgresql://user@host/name`.
        thread: The one thread to read.
        states: Whether to decode the states in which each branch began and ended.

    Raises:
        InputError: It cannot be reached, or holds no checkpoints of LangGraph.
        MissingExtraError: psycopg is not installed.
    """
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError("psycopg", "langgraph") from None
    place = Place(_shown(address))
    try:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.read_only = True
            _check_layout(connection, place)
            ids = _thread_ids(connection)
            if thread is not None and thread not in ids:
                raise InputError(f"thread {thread!r}: there is no such thread", place)
            for id in ids if thread is None else [thread]:
                with connection.transaction():
                    yield from _of_thread(connection, id, place, states)
    except psycopg.Error as error:
        raise InputError(f"the database cannot be read: {error}".strip(), place) from None


def threads(connection: Connection[Any], only: str | None = None) -> Iterator[Thread | TraceError]:
    """The threads of a database that is open already.

    Args:
        connection: The connection; its rows may be tuples or dicts.
        only: The one thread to read.
    """
    for id in _thread_ids(connection) if only is None else [only]:
        try:
            yield _thread(connection, id, Place())
        except TraceError as error:
            yield error


def _shown(address: str) -> str:
    """The address without its password."""
    head, _, rest = address.partition("://")
    login, at, host = rest.rpartition("@")
    return f"{head}://{login.partition(':')[0]}{at}{host}"


def _check_layout(connection: Connection[Any], place: Place) -> None:
    rows = _rows(
        connection,
        "select table_name, column_name from information_schema.columns "
        "where table_schema = any(current_schemas(false))",
    )
    for table, needed in _NEEDED.items():
        found = {column for name, column in rows if name == table}
        if not found:
            raise InputError(f"the database holds no table {table} of LangGraph", place)
        if lacking := sorted(needed - found):
            raise InputError(f"the table {table} lacks {', '.join(lacking)}: another layout", place)


def _rows(connection: Connection[Any], query: str, *given: Any) -> list[tuple[Any, ...]]:
    from psycopg.rows import tuple_row

    with connection.cursor(row_factory=tuple_row) as cursor:
        return cursor.execute(query.encode(), given).fetchall()


def _thread_ids(connection: Connection[Any]) -> list[str]:
    rows = _rows(
        connection,
        "select thread_id from checkpoints group by thread_id order by min(checkpoint_id)",
    )
    return [row[0] for row in rows]


def _of_thread(
    connection: Connection[Any], id: str, place: Place, states: bool
) -> list[Trace | TraceError]:
    try:
        return list(traces_of(_thread(connection, id, place), states=states))
    except TraceError as error:
        return [error]


def _thread(connection: Connection[Any], id: str, place: Place) -> Thread:
    columns = {
        row[0]
        for row in _rows(
            connection,
            "select column_name from information_schema.columns "
            "where table_name = 'checkpoint_writes'",
        )
    }
    path = "task_path" if "task_path" in columns else "''"
    writes: dict[tuple[str, str], list[Write]] = {}
    for ns, checkpoint, task, task_path, index, channel, kind, blob in _rows(
        connection,
        f"select checkpoint_ns, checkpoint_id, task_id, {path}, idx, channel, type, blob "
        "from checkpoint_writes where thread_id = %s order by checkpoint_id, task_id, idx",
        id,
    ):
        value = _value(kind, blob, id, checkpoint, channel, place)
        writes.setdefault((ns, checkpoint), []).append(
            Write(task, task_path or "", index, channel, value)
        )
    points: list[Point] = []
    for ns, checkpoint, parent, metadata in _rows(
        connection,
        "select checkpoint_ns, checkpoint_id, parent_checkpoint_id, metadata "
        "from checkpoints where thread_id = %s order by checkpoint_id",
        id,
    ):
        load = _loader(connection, id, ns, checkpoint, place)
        written = tuple(writes.get((ns, checkpoint), ()))
        points.append(point(ns, checkpoint, parent, metadata, written, load))
    if not points:
        raise unreadable(id, None, "there is no such thread", place.file)
    return Thread(id, tuple(points), place)


def _value(
    kind: str | None, blob: Any, thread: str, checkpoint: str, channel: str, place: Place
) -> Any:
    try:
        return decoded(kind, blob)
    except InputError as error:
        why = f"what {channel!r} holds cannot be read: {error.message}"
        raise unreadable(thread, checkpoint, why, place.file) from None


def _loader(
    connection: Connection[Any], thread: str, ns: str, checkpoint: str, place: Place
) -> Callable[[], dict[str, Any]]:
    """Gives the stored checkpoint: small values stand in it, others in blobs by their version."""

    def load() -> dict[str, Any]:
        ((held,),) = _rows(
            connection,
            "select checkpoint from checkpoints "
            "where thread_id = %s and checkpoint_ns = %s and checkpoint_id = %s",
            thread,
            ns,
            checkpoint,
        )
        stored = dict(held) if isinstance(held, dict) else {}
        values = dict(stored.get("channel_values") or {})
        for channel, kind, blob in _rows(
            connection,
            "select b.channel, b.type, b.blob from checkpoint_blobs b "
            "join checkpoints c on c.thread_id = b.thread_id "
            "and c.checkpoint_ns = b.checkpoint_ns "
            "join jsonb_each_text(c.checkpoint -> 'channel_versions') v "
            "on v.key = b.channel and v.value = b.version "
            "where c.thread_id = %s and c.checkpoint_ns = %s and c.checkpoint_id = %s",
            thread,
            ns,
            checkpoint,
        ):
            if kind != "empty":
                values[channel] = _value(kind, blob, thread, checkpoint, channel, place)
        return {**stored, "channel_values": values}

    return load

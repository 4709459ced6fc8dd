"""The rows of a checkpointer in this process, whatever it stores to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from passhat.errors import InputError, TraceError, UsageError
from passhat_langgraph import sqlite
from passhat_langgraph.decoding import decoded
from passhat_langgraph.points import Point, Thread, Write, unreadable

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


def saver_of(source: Any) -> BaseCheckpointSaver[Any]:
    """The checkpointer of a graph, or the checkpointer itself.

    Raises:
        UsageError: It is neither, or the graph has none.
    """
    saver = getattr(source, "checkpointer", source)
    if saver is None or isinstance(saver, bool):
        raise UsageError("the graph has no checkpointer, so nothing is stored; `record` runs it")
    if not (hasattr(saver, "get_tuple") and hasattr(saver, "list")):
        raise UsageError(f"a graph or a checkpointer was expected, not {type(source).__name__}")
    return saver  # type: ignore[no-any-return]  # told by what it can do, so that any will do


def waiting_saver(source: Any) -> BaseCheckpointSaver[Any]:
    """The checkpointer, one that can be asked without being awaited.

    Raises:
        UsageError: As `saver_of`, or it can only be awaited.
    """
    saver = saver_of(source)
    if type(saver).__name__.startswith("Async"):
        raise UsageError(
            f"{type(saver).__name__} can only be awaited: `anext_calls` does, and read_checkpoints "
            "reads its file or its database"
        )
    return saver


def threads(
    saver: BaseCheckpointSaver[Any], only: str | None = None
) -> Iterator[Thread | TraceError]:
    """The threads of a checkpointer.

    A SqliteSaver and a PostgresSaver are read by their tables, which is quick; any other by its
    `list`.

    Args:
        saver: The checkpointer.
        only: The one thread to read.
    """
    held: Any = waiting_saver(saver)
    kind = type(saver).__name__ if type(held.serde).__name__ == "JsonPlusSerializer" else ""
    if kind == "SqliteSaver":
        held.setup()
        with held.lock:
            rows = list(sqlite.threads(held.conn, None, only))
        yield from rows
        return
    if kind == "PostgresSaver" and hasattr(held.conn, "cursor"):
        from passhat_langgraph import postgres

        with held.lock:
            rows = list(postgres.threads(held.conn, only))
        yield from rows
        return
    yield from _listed(saver, only)


async def awaited_thread(saver: BaseCheckpointSaver[Any], id: str) -> Thread | TraceError | None:
    """One thread of a checkpointer, awaited: of one that can only be awaited, too."""
    config: Any = {"configurable": {"thread_id": id}}
    rows = [row async for row in saver.alist(config)]
    return next(_threads(rows, saver), None)


def _listed(saver: BaseCheckpointSaver[Any], only: str | None) -> Iterator[Thread | TraceError]:
    config: Any = {"configurable": {"thread_id": only}} if only is not None else None
    return _threads(saver.list(config), saver)


def _threads(rows: Iterable[Any], saver: BaseCheckpointSaver[Any]) -> Iterator[Thread | TraceError]:
    found = sorted(rows, key=_thread_and_id)
    groups = [
        (id, list(rows)) for id, rows in groupby(found, key=lambda one: _thread_and_id(one)[0])
    ]
    groups.sort(key=lambda group: str(group[1][0].checkpoint["id"]))
    for id, rows in groups:
        try:
            yield Thread(id, tuple(_point(row, saver, id) for row in rows))
        except TraceError as error:
            yield error


def _thread_and_id(one: Any) -> tuple[str, str]:
    return str(one.config["configurable"]["thread_id"]), str(one.checkpoint["id"])


def _point(row: Any, saver: BaseCheckpointSaver[Any], thread: str) -> Point:
    held = row.config["configurable"]
    parent = row.parent_config["configurable"]["checkpoint_id"] if row.parent_config else None
    id = row.checkpoint["id"]
    writes = tuple(
        Write(task, path, number, channel, plain(value, thread, id))
        for number, (task, channel, value, path) in enumerate(_writes(row, saver))
    )
    return sqlite.point(
        held.get("checkpoint_ns", ""), id, parent, dict(row.metadata), writes, _loader(row, thread)
    )


def _writes(row: Any, saver: Any) -> Iterator[tuple[str, str, Any, str]]:
    """What was written from a checkpoint, each with the task's path where the saver tells it."""
    # An update writes in the name of a task that waits, to channels of its own.
    paths: dict[tuple[str, str], str] = {}
    held = getattr(saver, "writes", None)
    if isinstance(held, dict):
        where = row.config["configurable"]
        key = (where["thread_id"], where.get("checkpoint_ns", ""), row.checkpoint["id"])
        stored = [one for one in held.get(key, {}).values() if len(one) > 3]
        paths = {(task, channel): path for task, channel, _, path in stored}
    for task, channel, value in row.pending_writes or ():
        yield task, channel, value, paths.get((task, channel), "")


def _loader(row: Any, thread: str) -> Callable[[], dict[str, Any]]:
    def load() -> dict[str, Any]:
        found = plain(dict(row.checkpoint), thread, row.checkpoint["id"])
        return found if isinstance(found, dict) else {}

    return load


def plain(value: Any, thread: str = "", checkpoint: str | None = None) -> Any:
    """A value of LangGraph's as it would be stored, decoded: JSON with tagged types.

    Raises:
        TraceError: It cannot be stored.
    """
    try:
        kind, blob = _serializer().dumps_typed(value)
        return decoded(kind, blob)
    except (TypeError, ValueError, InputError) as error:
        raise unreadable(thread, checkpoint, f"a value cannot be stored: {error}") from None


@cache
def _serializer() -> Any:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    return JsonPlusSerializer()

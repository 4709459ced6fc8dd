"""`to_trace` and `to_traces`: whatever holds threads of LangGraph, to traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from passhat.errors import InputError, Place, TraceError, UsageError
from passhat.jsontext import jsonable
from passhat.recordings.attempts import attempts
from passhat.trace import Trace
from passhat_langgraph import savers, server
from passhat_langgraph.checkpoints import is_address, read_checkpoints
from passhat_langgraph.points import Thread
from passhat_langgraph.sqlite import MAGIC
from passhat_langgraph.threads import traces_of

PREFIX = "langgraph:"
"""What a source that is no file begins with on the command line."""


def to_trace(
    source: Any, config: Mapping[str, Any] | str | None = None, *, states: bool = False
) -> Trace:
    """The trace of one thread: of the branch of its present state, or of the one asked for.

    Args:
        source: A graph with a checkpointer, a checkpointer, or the history of a thread as the
            LangGraph Server gives it (a list of states). It is left as it is.
        config: The thread, as `{"configurable": {"thread_id": ...}}` or its id alone. With a
            `checkpoint_id` the trace goes up to that checkpoint. A history needs none.
        states: Whether to decode the state in which the branch began and ended.

    Raises:
        TraceError: The thread or the checkpoint is not there, or cannot be read.
        UsageError: The source has no checkpointer, or the config names no thread.
    """
    thread, head = rows_of(source, config)
    return trace_of(thread, states=states, head=head)


def trace_of(thread: Thread, *, states: bool = False, head: str | None = None) -> Trace:
    """The trace of a thread's present state, or of the checkpoint asked for; see `to_trace`."""
    first = next(iter(traces_of(thread, states=states, head=head)))
    if isinstance(first, TraceError):
        raise first
    return first


def rows_of(source: Any, config: Mapping[str, Any] | str | None) -> tuple[Thread, str | None]:
    """The rows of one thread, and the checkpoint that was asked for; see `to_trace`."""
    if config is None and isinstance(source, list | tuple | dict):
        try:
            return server.thread_of(jsonable(source), "trace"), None
        except TraceError:
            raise
        except InputError as error:
            raise TraceError(error.message, error.place) from error
    name, head = _wanted(config)
    return found_thread(next(iter(savers.threads(savers.saver_of(source), name)), None), name), head


def found_thread(row: Thread | TraceError | None, name: str) -> Thread:
    """A thread that was looked for, if it is there and can be read."""
    if row is None:
        raise TraceError(f"thread {name!r}: there is no such thread")
    if isinstance(row, TraceError):
        raise row
    return row


def to_traces(source: Any, *, states: bool = False) -> Iterator[Trace]:
    """The traces of all threads, a branch each.

    Args:
        source: A graph with a checkpointer, a checkpointer, a file or database as
            `read_checkpoints` takes it, or thread histories.
        states: Whether to decode the states in which each branch began and ended.

    Raises:
        TraceError: A thread cannot be read; `read_checkpoints` gives the others.
    """
    for item in read_traces(source, states=states):
        if isinstance(item, TraceError):
            raise item
        yield item


def read_traces(
    source: Any, *, states: bool = True, thread: str | None = None
) -> Iterator[Trace | TraceError]:
    """The traces of whatever holds threads, lazily; one that cannot be read is its error.

    Raises:
        InputError: The file or database cannot be opened.
    """
    if isinstance(source, str):
        source = source.removeprefix(PREFIX)
    if isinstance(source, str | Path) and (is_address(source) or _is_database(source)):
        yield from read_checkpoints(source, states=states, thread=thread)
    elif isinstance(source, str | Path | list | tuple | dict):
        for attempt in attempts(source, server.is_state):
            if isinstance(attempt, InputError):
                yield TraceError(attempt.message, attempt.place)
                continue
            for item in _of_history(attempt.value, attempt.id, states):
                yield item if isinstance(item, Trace) else _placed(item, attempt.place)
    else:
        for row in savers.threads(savers.saver_of(source), thread):
            if isinstance(row, TraceError):
                yield row
            else:
                yield from traces_of(row, states=states)


def _is_database(source: str | Path) -> bool:
    if str(source) == "-":
        return False
    try:
        with Path(source).open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise InputError(f"it cannot be opened: {error.strerror}", Place(str(source))) from None


def _of_history(value: Any, id: str, states: bool) -> Iterator[Trace | TraceError]:
    try:
        yield from traces_of(server.thread_of(jsonable(value), id), states=states)
    except TraceError as error:
        yield error
    except InputError as error:
        yield TraceError(error.message, error.place)


def _placed(error: TraceError, outer: Place) -> TraceError:
    inner = (error.place.path or "$")[1:]
    return TraceError(error.message, Place(outer.file, outer.line, (outer.path or "$") + inner))


def _wanted(config: Mapping[str, Any] | str | None) -> tuple[str, str | None]:
    """The thread and the checkpoint that a config names."""
    if isinstance(config, str):
        return config, None
    held = config.get("configurable") if isinstance(config, Mapping) else None
    held = held if isinstance(held, Mapping) else {}
    thread = held.get("thread_id")
    if thread is None:
        raise UsageError('which thread? Give {"configurable": {"thread_id": ...}} or its id')
    checkpoint = held.get("checkpoint_id")
    return str(thread), str(checkpoint) if checkpoint is not None else None

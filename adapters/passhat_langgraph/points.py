"""A thread as rows, whatever stores it: points (checkpoints) and what the tasks wrote from each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from passhat.errors import Place, TraceError

GREGORIAN = 0x01B21DD213814000
"""100-nanosecond steps from the calendar's reform in 1582, where UUIDs count from, to 1970."""


@dataclass(frozen=True, slots=True)
class Write:
    """One value that a task wrote to a channel.

    Args:
        task: The task's id.
        path: How the task came to run: `~__pregel_pull, agent`.
        index: Its place among the task's writes; specials (errors, interrupts) are below 0.
        channel: The channel.
        value: The value, decoded.
    """

    task: str
    path: str
    index: int
    channel: str
    value: Any


@dataclass(frozen=True, slots=True)
class Point:
    """One checkpoint: the state before its tasks ran, which is decoded only when asked for.

    Args:
        ns: Its namespace; empty for the graph itself.
        id: Its id.
        parent: The id of the checkpoint it follows.
        source: What made it: `input`, `loop`, `update` or `fork`.
        step: The superstep.
        metadata: Its metadata, with that of the run.
        writes: What the tasks that ran from it wrote.
        load: Gives the stored checkpoint (`channel_values`, `updated_channels`), decoded.
        tasks: The names of the tasks that were to run from it, by id, where the source names them.
        inside: The ids of the tasks in which a graph ran, where the source names them.
        next: The nodes that were to run from it, where the source says so.
    """

    ns: str
    id: str
    parent: str | None
    source: str
    step: int
    metadata: dict[str, Any]
    writes: tuple[Write, ...]
    load: Callable[[], dict[str, Any]]
    tasks: dict[str, str] = field(default_factory=dict)
    inside: frozenset[str] = frozenset()
    next: tuple[str, ...] | None = None

    @property
    def parents(self) -> dict[str, Any]:
        """For a graph inside another, the checkpoints it ran from, by their namespaces."""
        found = self.metadata.get("parents")
        return found if isinstance(found, dict) else {}

    @property
    def at(self) -> float | None:
        """When it was made, in seconds since the Unix epoch, which its id tells."""
        return id_time(self.id)


@dataclass(frozen=True, slots=True)
class Thread:
    """All that is stored of one thread.

    Args:
        id: The thread's id.
        points: Its checkpoints in every namespace, in the order in which they were made.
        place: Where it is stored.
    """

    id: str
    points: tuple[Point, ...]
    place: Place = field(default_factory=Place)


def id_time(id: str) -> float | None:
    """The time in a checkpoint's id, a UUID of version 6; None for any other id.

    >>> round(id_time("1f1ec379-7e99-6af7-8001-b9dafaec77c4"))
    1795985894
    >>> id_time("one")
    """
    digits = id.replace("-", "")
    if len(digits) != 32 or digits[12:13] != "6":
        return None
    try:
        ticks = int(digits[:12] + digits[13:16], 16)
    except ValueError:
        return None
    return (ticks - GREGORIAN) / 1e7


def unreadable(
    thread: str, checkpoint: str | None, why: str, file: str | None = None
) -> TraceError:
    """The error of a thread that cannot be read, with the thread and the checkpoint."""
    where = f"checkpoint {checkpoint}: " if checkpoint else ""
    return TraceError(f"thread {thread!r}: {where}{why}", Place(file))

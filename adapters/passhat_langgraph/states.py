"""States at checkpoints: the graph's own channels, and what of them is only written, not stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from passhat_langgraph.branches import branches, chain_to
from passhat_langgraph.decoding import DELTA_SNAPSHOT, TYPE
from passhat_langgraph.messages import SENDS, Entry, messages_in
from passhat_langgraph.points import Point, Thread, unreadable
from passhat_langgraph.tasks import ROOT, START, tasks_of

_RESTARTS = ("fork", "update")


def values_of(point: Point) -> dict[str, Any]:
    """The values that a checkpoint stores, by channel."""
    held = point.load().get("channel_values")
    return held if isinstance(held, dict) else {}


def is_own(channel: str) -> bool:
    """Whether a channel is the graph's own, and none that LangGraph runs it by.

    >>> is_own("orders"), is_own("branch:to:agent"), is_own("__start__")
    (True, False, False)
    """
    return channel == ROOT or not (channel.startswith("__") or re.match(r"(branch|join):", channel))


def delta_channels(point: Point) -> list[str]:
    """The channels whose values are stored only now and then."""
    counters = point.metadata.get("counters_since_delta_snapshot")
    return list(counters) if isinstance(counters, dict) else []


def state_at(chain: list[Point], at: int) -> Any:
    """The state at a checkpoint of a branch: the values of the graph's own channels.

    A state that is no mapping is itself.
    """
    point = chain[at]
    found = {name: value for name, value in values_of(point).items() if is_own(name)}
    for channel in delta_channels(point):
        if found.get(channel) is None:
            found[channel] = _put_together(chain[: at + 1], channel)
    state = {channel: _unsnapped(value) for channel, value in found.items()}
    return state.get(ROOT, state)


def _put_together(chain: list[Point], channel: str) -> Any:
    """A delta channel's value: the last one stored whole, and all that was written since."""
    value: list[Any] = []
    for at, point in enumerate(chain):
        whole = _unsnapped(values_of(point).get(channel))
        if whole is not None:
            value = list(whole) if isinstance(whole, list) else [whole]
        if at + 1 < len(chain) and chain[at + 1].source not in _RESTARTS:
            tasks = tasks_of(point, [])
            value = _merged(value, [v for t in tasks for name, v in t.update if name == channel])
    return value


def _unsnapped(value: Any) -> Any:
    if isinstance(value, dict) and value.get(TYPE) == DELTA_SNAPSHOT:
        return value.get("value")
    return value


def _merged(value: list[Any], writes: list[Any]) -> list[Any]:
    """A list with what was written to it: messages replace those of their id, all else follows."""
    found = list(value)
    at = {item.get("id"): n for n, item in enumerate(found) if isinstance(item, dict)}
    for write in writes:
        entries = messages_in("messages", write)
        rows = entries if entries is not None else write if isinstance(write, list) else [write]
        for row in rows:
            id = row.get("id") if isinstance(row, dict) else None
            if id is not None and id in at:
                found[at[id]] = row
            else:
                at[id] = len(found)
                found.append(row)
    return found


def sends_to(chain: list[Point], at: int) -> list[Entry]:
    """What was sent off towards a checkpoint, in the order in which its tasks number it."""
    point = chain[at]
    if not any(write.path.startswith("~__pregel_push, ") for write in point.writes):
        return []
    if point.source == "loop" and at > 0:
        tasks = tasks_of(chain[at - 1], [])
        found = [sent for task in tasks for sent in task.sent]
        if found:
            return found
    sends = values_of(point).get(SENDS)
    return [row for row in sends if isinstance(row, dict)] if isinstance(sends, list) else []


@dataclass(frozen=True, slots=True)
class Superstep:
    """The nodes that ran side by side, with the state before and after them."""

    step: int
    nodes: tuple[str, ...]
    before: Any
    after: Any


def supersteps(thread: Thread, head: str | None = None) -> Iterator[Superstep]:
    """The supersteps of a branch, that of the present state or that of a checkpoint, in order.

    Raises:
        TraceError: There is no such checkpoint, or a state cannot be read.
    """
    by_id = {point.id: point for point in thread.points if not point.ns}
    last = by_id.get(head) if head is not None else next(iter(branches(thread)), None)
    if last is None:
        raise unreadable(thread.id, head, "there is no such checkpoint", thread.place.file)
    chain = chain_to(by_id, last, thread)
    for at, (point, after) in enumerate(pairwise(chain)):
        tasks = tasks_of(point, sends_to(chain, at))
        nodes = tuple(task.node for task in tasks if task.node != START)
        if nodes and after.source == "loop":
            yield Superstep(point.step, nodes, state_at(chain, at), state_at(chain, at + 1))

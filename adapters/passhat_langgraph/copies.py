"""A checkpoint on its own: copied to a saver in memory, so that what runs from it touches nothing.

Of the writes that stand with a checkpoint only those are copied that a resumed run needs. With the
others a model would not be asked again but its old answer given, and an interrupt that was answered
once would keep its first answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from passhat.errors import UsageError
from passhat_langgraph.branches import nodes_of_space
from passhat_langgraph.graphs import inner_graphs, on_its_own
from passhat_langgraph.savers import saver_of, waiting_saver

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
    from langgraph.pregel import Pregel

    Graph = Pregel[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Copied:
    """A graph on a copy of a checkpoint.

    Args:
        graph: The graph, with a saver in memory that holds the checkpoint alone.
        config: The config of the copied thread.
    """

    graph: Any
    config: dict[str, Any]


def config_of(source: Any) -> dict[str, Any] | None:
    """The config that something names a checkpoint by: itself, or a snapshot's; None for a state."""
    held = getattr(source, "config", source)
    if isinstance(held, dict) and isinstance(held.get("configurable"), dict):
        return held
    return None


def sought(graph: Graph, config: dict[str, Any]) -> CheckpointTuple | None:
    """The checkpoint that a config names, if there is one."""
    return waiting_saver(graph).get_tuple(config)  # type: ignore[arg-type]  # a config is a plain dict


async def asought(graph: Graph, config: dict[str, Any]) -> CheckpointTuple | None:
    """The checkpoint that a config names, if there is one, awaited."""
    return await saver_of(graph).aget_tuple(config)  # type: ignore[arg-type]  # as above


def fetched(graph: Graph, config: dict[str, Any]) -> CheckpointTuple:
    """The checkpoint that a config names.

    Raises:
        UsageError: There is none.
    """
    return _there(sought(graph, config), config)


async def afetched(graph: Graph, config: dict[str, Any]) -> CheckpointTuple:
    """The checkpoint that a config names, awaited; see `fetched`."""
    return _there(await asought(graph, config), config)


def _there(there: CheckpointTuple | None, config: dict[str, Any]) -> CheckpointTuple:
    if there is None:
        held = config["configurable"]
        where = f" checkpoint {held['checkpoint_id']!r}" if held.get("checkpoint_id") else ""
        raise UsageError(f"thread {held.get('thread_id')!r}:{where} there is nothing stored of it")
    return there


def copied(
    graph: Graph, config: dict[str, Any], held: CheckpointTuple, *, waiting: bool = False
) -> Copied:
    """The graph on a copy of a checkpoint.

    Args:
        graph: The graph. A checkpoint of a subgraph is copied as one of that subgraph alone.
        config: The config that named the checkpoint; what else it configures is kept.
        held: The checkpoint.
        waiting: Whether the tasks that wait at an interrupt go on waiting in the copy, with the
            graphs inside them; else every task of the checkpoint runs anew.
    """
    from langgraph.checkpoint.memory import InMemorySaver

    original = saver_of(graph)
    space = space_of(held)
    inner = _inside(graph, space)
    thread = f"passhat-{uuid4()}"
    saver = InMemorySaver(serde=original.serde)
    metadata = {**held.metadata, "parents": {}} if space else held.metadata
    _put(saver, thread, "", held, metadata, _whole(graph, inner, held, space), waiting)
    if waiting and not space:
        for one in original.list({"configurable": {"thread_id": _placed(held)["thread_id"]}}):
            parents = one.metadata.get("parents") or {}
            under = space_of(one)
            if under and parents.get("") == held.checkpoint["id"]:
                _put(saver, thread, under, one, one.metadata, one.checkpoint, waiting)
    kept = {
        key: value
        for key, value in config["configurable"].items()
        if key not in ("thread_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map")
    }
    rest = {key: value for key, value in config.items() if key != "configurable"}
    return Copied(on_its_own(inner, saver), {**rest, "configurable": {**kept, "thread_id": thread}})


def space_of(held: CheckpointTuple) -> str:
    """The namespace in which a checkpoint is stored."""
    return _placed(held).get("checkpoint_ns") or ""


def _placed(held: CheckpointTuple) -> dict[str, Any]:
    """Where a checkpoint is stored: its thread and its namespace."""
    return dict(held.config.get("configurable") or {})


def _inside(graph: Graph, space: str) -> Graph:
    """The graph whose namespace it is.

    Raises:
        UsageError: It is none that the graph has as its node.
    """
    path = nodes_of_space(space)
    for where, inner in inner_graphs(graph):
        if where == path:
            return inner
    raise UsageError(
        f"the checkpoint is one of {'/'.join(path)}, which is no subgraph that the graph shows; "
        "give the inner graph itself"
    )


def _whole(graph: Graph, inner: Graph, held: CheckpointTuple, space: str) -> Any:
    """The checkpoint with the whole value of delta channels, which it holds only in part."""
    names = [
        name for name, channel in inner.channels.items() if type(channel).__name__ == "DeltaChannel"
    ]
    if not names:
        return held.checkpoint
    from langgraph.checkpoint.serde.types import _DeltaSnapshot

    state = graph.get_state(held.config).values
    values = dict(held.checkpoint["channel_values"])
    values |= {name: _DeltaSnapshot(state[name]) for name in names if name in state}
    return {**held.checkpoint, "channel_values": values}


def _put(
    saver: BaseCheckpointSaver[Any],
    thread: str,
    space: str,
    held: CheckpointTuple,
    metadata: Any,
    checkpoint: Any,
    waiting: bool,
) -> None:
    config: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": space}}
    own: Any = {**checkpoint, "channel_values": dict(checkpoint["channel_values"])}
    put = saver.put(config, own, metadata, own["channel_versions"])
    if not waiting:
        return
    writes = held.pending_writes or ()
    waits = {task for task, channel, _ in writes if channel == "__interrupt__"}
    by_task: dict[str, list[tuple[str, Any]]] = {}
    for task, channel, value in writes:
        # Of a task that waits, whatever it did once it was answered is dropped, answers included.
        if channel == "__interrupt__" or (channel != "__resume__" and task not in waits):
            by_task.setdefault(task, []).append((channel, value))
    for task, kept in by_task.items():
        saver.put_writes(put, kept, task)

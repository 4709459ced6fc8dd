"""What a graph is made of: the graphs inside it, its tool nodes, copies of it, checks of its names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from passhat.errors import UsageError
from passhat_langgraph.needs import need_langgraph

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.pregel import Pregel

_BREAKS = ("interrupt_before", "interrupt_after")


def graph_of(source: Any) -> Pregel[Any, Any, Any, Any]:
    """The compiled graph.

    Raises:
        UsageError: It is none.
        MissingExtraError: LangGraph is not installed.
    """
    need_langgraph()
    from langgraph.pregel import Pregel

    if isinstance(source, Pregel):
        return source
    if hasattr(source, "compile"):
        raise UsageError("a compiled graph was expected; call its compile() first")
    raise UsageError(f"a compiled graph was expected, not {type(source).__name__}")


def inner_graphs(
    graph: Pregel[Any, Any, Any, Any],
) -> Iterator[tuple[tuple[str, ...], Pregel[Any, Any, Any, Any]]]:
    """The graph, and the graphs that are its nodes, each with the nodes it lies inside.

    One may be the node of several; of one that is inside itself, that inside is left out.
    """
    from langgraph.pregel import Pregel

    todo: list[tuple[tuple[str, ...], list[Pregel[Any, Any, Any, Any]]]] = [((), [graph])]
    while todo:
        path, around = todo.pop()
        yield path, around[-1]
        for name, inner in around[-1].get_subgraphs():
            if isinstance(inner, Pregel) and not any(inner is one for one in around):
                todo.append(((*path, name), [*around, inner]))


def check_breakpoints(graph: Pregel[Any, Any, Any, Any], options: dict[str, Any]) -> None:
    """Makes sure that breakpoints name nodes: LangGraph passes over a wrong name and runs on.

    Raises:
        UsageError: One names no node.
    """
    for option in _BREAKS:
        names = options.get(option)
        if names is None or names == "*":
            continue
        for name in [names] if isinstance(names, str) else names:
            check_node(graph, name, option)


def check_options(graph: Pregel[Any, Any, Any, Any], options: dict[str, Any]) -> None:
    """Makes sure of what is to be passed to a graph's `stream`.

    Raises:
        UsageError: A breakpoint names no node, or an option is one that passhat sets.
    """
    check_breakpoints(graph, options)
    if taken := sorted({"stream_mode", "subgraphs", "version"} & options.keys()):
        raise UsageError(f"{', '.join(taken)}: passhat sets this itself")


def check_node(graph: Pregel[Any, Any, Any, Any], name: str, what: str = "node") -> None:
    """Makes sure that a graph has a node.

    Raises:
        UsageError: It has not; the nearest are named.
    """
    known = [node for node in graph.nodes if node != "__start__"]
    if name in known:
        return
    near = get_close_matches(name, known, 3) or known
    inside = [
        "/".join((*path, name)) for path, one in inner_graphs(graph) if path and name in one.nodes
    ]
    hint = f"; {', '.join(inside)} is inside a subgraph" if inside else ""
    raise UsageError(
        f"{what}: the graph has no node {name!r}; there are {', '.join(sorted(near))}{hint}"
    )


def with_saver(
    graph: Pregel[Any, Any, Any, Any], saver: BaseCheckpointSaver[Any]
) -> Pregel[Any, Any, Any, Any]:
    """A copy of the graph that keeps its checkpoints elsewhere."""
    return graph.copy({"checkpointer": saver})


def on_its_own(
    graph: Pregel[Any, Any, Any, Any], saver: BaseCheckpointSaver[Any] | None
) -> Pregel[Any, Any, Any, Any]:
    """A copy of the graph that gives nothing from a cache and writes to no store but its own.

    Args:
        graph: The graph.
        saver: Where the copy keeps its checkpoints; None for where the graph does.
    """
    changes: dict[str, Any] = {"cache": None}
    if saver is not None:
        changes["checkpointer"] = saver
    if graph.store is not None:
        from passhat_langgraph.stores import OwnStore

        changes["store"] = OwnStore(graph.store)
    return graph.copy(changes)


def with_callbacks(config: Any, handlers: Iterable[Any]) -> RunnableConfig:
    """The config with callbacks beside those that it has."""
    from langchain_core.runnables.config import ensure_config, merge_configs

    return merge_configs(ensure_config(config), {"callbacks": list(handlers)})


def checked_config(config: Any) -> dict[str, Any]:
    """The config of a run, as it is or none.

    Raises:
        UsageError: It is no mapping, or names its thread where LangGraph does not look.
    """
    if not isinstance(config, Mapping | None):
        raise UsageError(
            'a config is a mapping, {"configurable": {"thread_id": ...}}, not '
            f"{type(config).__name__}"
        )
    held = dict(config or {})
    if lost := sorted({"thread_id", "checkpoint_id", "checkpoint_ns"} & held.keys()):
        raise UsageError(f"{', '.join(lost)} of a config stands under its configurable")
    return held


def with_thread(graph: Pregel[Any, Any, Any, Any], config: Any, thread: str) -> dict[str, Any]:
    """The config, with a thread of its own where the graph keeps checkpoints and none is named."""
    found = checked_config(config)
    held = dict(found.get("configurable") or {})
    saver = graph.checkpointer
    if saver is not None and not isinstance(saver, bool) and "thread_id" not in held:
        held["thread_id"] = thread
    return {**found, "configurable": held} if held else found


def tool_nodes(graph: Pregel[Any, Any, Any, Any]) -> set[tuple[str, ...]]:
    """The nodes that are LangGraph's own ToolNode, each with the nodes that it lies inside.

    One with a tool that is called in a way of its own is none: it may not say that it begins.
    """
    from langgraph.prebuilt import ToolNode

    return {
        (*path, name)
        for path, one in inner_graphs(graph)
        for name, node in one.nodes.items()
        if isinstance(node.bound, ToolNode)
        and all(map(_tells_its_calls, node.bound.tools_by_name.values()))
    }


def _tells_its_calls(tool: Any) -> bool:
    kind = type(tool)
    return all(how.__module__.startswith("langchain_core.") for how in (kind.invoke, kind.ainvoke))

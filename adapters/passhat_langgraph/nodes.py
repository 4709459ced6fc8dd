"""Single nodes: `run_node` runs one, `route_from` tells where the graph goes after it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import copy as copied
from dataclasses import dataclass
from typing import Any

from passhat.errors import UsageError
from passhat.state import StateDiff, diff
from passhat_langgraph.convert import rows_of
from passhat_langgraph.graphs import check_node, graph_of, with_saver
from passhat_langgraph.states import Superstep, supersteps

_RUNTIME = "__pregel_runtime"
"""The key of a config under which LangGraph finds the runtime of a run."""


def run_node(
    graph: Any, name: str, state: Any, context: Any = None, *, config: Any = None, store: Any = None
) -> Any:
    """What one node writes for a state, as it gives it: its update, no edge followed.

    The node runs for real, in a graph of its own, so one that needs LangGraph's `Runtime` (its
    context, its store) runs too. Several writes come as a list; of a `Command` its update is given.

    Args:
        graph: The compiled graph; its checkpoints are left as they are.
        name: The node.
        state: The state that it is given.
        context: The run's context, where the graph has a `context_schema`.
        config: The config of the run.
        store: The store; by default that of the graph.

    Raises:
        UsageError: There is no such node, the graph was not built as a StateGraph, or the node
            interrupts to ask somebody.
    """
    compiled = graph_of(graph)
    check_node(compiled, name)
    from langgraph.errors import ParentCommand
    from langgraph.graph import START, StateGraph

    builder = getattr(compiled, "builder", None)
    if builder is None:
        raise UsageError("only the nodes of a StateGraph can be run alone")
    spec = builder.nodes[name]
    alone: Any = StateGraph(builder.state_schema, context_schema=builder.context_schema)
    alone.add_node(name, spec.runnable, input_schema=spec.input_schema)
    alone.add_edge(START, name)
    one = alone.compile(store=store if store is not None else compiled.store)
    try:
        events = _run(one, spec.runnable, state, config, context)
    except ParentCommand as leaving:
        return leaving.args[0].update
    if asked := [pause.value for event in events for pause in event.get("__interrupt__", ())]:
        raise UsageError(f"the node {name!r} waits for an answer to {asked[0]!r}; see `resume`")
    found = [event[name] for event in events if name in event]
    return found[0] if len(found) == 1 else found


def _run(one: Any, node: Any, state: Any, config: Any, context: Any) -> list[dict[str, Any]]:
    """The updates of a graph's one run; of a node that can only be awaited in a loop of its own."""
    options = {"context": context, "stream_mode": "updates"}
    if getattr(node, "func", node) is not None or getattr(node, "afunc", None) is None:
        return list(one.stream(state, config, **options))

    async def awaited() -> list[dict[str, Any]]:
        return [event async for event in one.astream(state, config, **options)]

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, asyncio.run, awaited()).result()


def route_from(
    graph: Any,
    node: str,
    state: Any,
    *,
    run: bool = False,
    context: Any = None,
    config: Any = None,
) -> tuple[str, ...]:
    """Where the graph goes after a node has left a state: the nodes that come next, none at its end.

    The edges decide on the state alone; the node does not run. A node that is sent several tasks
    stands there for each. A node that leads on by itself, with a `Command(goto=...)`, has to run.

    Args:
        graph: The compiled graph; its checkpoints are left as they are.
        node: The node that is left.
        state: The whole state, what the node wrote included; with `run`, that which it is given.
        run: Whether the node runs, for real, and where it leads by itself counts beside its edges.
            No other node runs.
        context: The run's context, where the graph has a `context_schema`.
        config: The config of the run.

    Raises:
        UsageError: There is no such node; or it says that it leads on by itself, and `run` is not
            set; or it is to run, and the graph was not built as a StateGraph.
    """
    compiled = graph_of(graph)
    check_node(compiled, node)
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.runtime import Runtime

    builder = getattr(compiled, "builder", None)
    place: Any = {**(config or {}), "configurable": {**((config or {}).get("configurable") or {})}}
    place["configurable"]["thread_id"] = "route"
    if run:
        if builder is None:
            raise UsageError("only the nodes of a StateGraph can be run alone")
        alone = _leading(builder, node).compile(
            checkpointer=InMemorySaver(),
            store=compiled.store,
            interrupt_before=[name for name in builder.nodes if name != node],
            interrupt_after=[node],
        )
        _run(alone, builder.nodes[node].runnable, state, place, context)
        return tuple(alone.get_state(place).next)
    ends = getattr(builder.nodes[node], "ends", ()) if builder is not None else ()
    if ends:
        raise UsageError(
            f"the node {node!r} leads on by itself, with a Command, to {', '.join(ends)}: "
            "it has to run for that; route_from(..., run=True) gives it the state and runs it"
        )
    copy = with_saver(compiled, InMemorySaver())
    # An update has no run, whose runtime an edge may ask for.
    place["configurable"][_RUNTIME] = Runtime(context=context, store=compiled.store)
    copy.update_state(place, state, as_node=node)
    return tuple(copy.get_state(place).next)


def _leading(builder: Any, node: str) -> Any:
    """A graph that begins with a node and goes where it leads."""
    alone = copied(builder)
    alone.edges = {("__start__", node), *(edge for edge in builder.edges if edge[0] == node)}
    alone.waiting_edges = set()
    alone.branches = {name: held for name, held in builder.branches.items() if name == node}
    alone.compiled = False
    return alone


@dataclass(frozen=True, slots=True)
class NodeDiff:
    """What a superstep changed in the state.

    Attributes:
        step: The superstep.
        nodes: The nodes that ran side by side in it.
        diff: The state before against the state after.
    """

    step: int
    nodes: tuple[str, ...]
    diff: StateDiff


def node_diffs(source: Any, config: Any = None) -> Iterator[NodeDiff]:
    """What each node changed in the state, step by step, of a stored thread.

    Args:
        source: A graph with a checkpointer, a checkpointer, or the history of a thread.
        config: The thread, as `to_trace` takes it.

    Raises:
        TraceError: The thread is not there, or cannot be read.
    """
    thread, head = rows_of(source, config)
    yield from map(_diff, supersteps(thread, head))


def _diff(one: Superstep) -> NodeDiff:
    return NodeDiff(one.step, one.nodes, diff(one.before, one.after))

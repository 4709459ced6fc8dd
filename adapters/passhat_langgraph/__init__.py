"""passhat for LangGraph: checkpoints, nodes and single steps.

`to_trace`, `to_traces` and `read_checkpoints` bring stored threads here; files and databases need no
LangGraph. `record` runs a graph and gives the trace. `next_calls`, `sample_next` and `resume` look
at one decision and run no tool. `run_node` and `route_from` look at one node. `as_agent`, `as_tools` and
`as_user` are what `passhat.run` takes: a graph, a sandbox's tools, a chat model that plays the user.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passhat_langgraph.agents import arecord, as_agent, record
    from passhat_langgraph.checkpoints import read_checkpoints
    from passhat_langgraph.convert import to_trace, to_traces
    from passhat_langgraph.native import to_graph_trajectory
    from passhat_langgraph.nextstep import NextStep, NextSteps
    from passhat_langgraph.nodes import node_diffs, route_from, run_node
    from passhat_langgraph.reader import adapter
    from passhat_langgraph.steps import anext_calls, next_calls, resume, sample_next
    from passhat_langgraph.tools import as_tools
    from passhat_langgraph.users import as_user

_ROOMS = {
    "agents": ("arecord", "as_agent", "record"),
    "checkpoints": ("read_checkpoints",),
    "convert": ("to_trace", "to_traces"),
    "nextstep": ("NextStep", "NextSteps"),
    "native": ("to_graph_trajectory",),
    "nodes": ("node_diffs", "route_from", "run_node"),
    "reader": ("adapter",),
    "steps": ("anext_calls", "next_calls", "resume", "sample_next"),
    "tools": ("as_tools",),
    "users": ("as_user",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "NextStep",
    "NextSteps",
    "adapter",
    "anext_calls",
    "arecord",
    "as_agent",
    "as_tools",
    "as_user",
    "next_calls",
    "node_diffs",
    "read_checkpoints",
    "record",
    "resume",
    "route_from",
    "run_node",
    "sample_next",
    "to_graph_trajectory",
    "to_trace",
    "to_traces",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'passhat_langgraph' has no attribute {name!r}")
    value = getattr(import_module(f"passhat_langgraph.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

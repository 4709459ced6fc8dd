"""`to_graph_trajectory`: a trace in the shape that agentevals' graph evaluators take."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from passhat.trace import Interrupt, Message, NodeVisit, Trace


def to_graph_trajectory(trace: Trace) -> dict[str, Any]:
    """The trace as a graph trajectory of agentevals: `{"inputs": [...], "outputs": {...}}`.

    A list entry for each run that was set off, by the user or by an answer to an interrupt: what
    went in, the nodes (`__start__` first, `__interrupt__` where it paused, those of subgraphs as
    `outer:inner`), and the last message or the final state.

    >>> from passhat.trace import TraceBuilder
    >>> build = TraceBuilder("t")
    >>> build.user("hi")
    >>> build.node_visit("agent")
    >>> build.assistant("Hello.")
    >>> to_graph_trajectory(build.trace())["outputs"]["steps"]
    [['__start__', 'agent']]
    """
    inputs: list[Any] = []
    results: list[dict[str, Any]] = []
    steps: list[list[str]] = []
    for turn in trace.turns or (trace,):
        said = [m for m in turn.messages if m.role == "user"]
        inputs.append({"__start__": {"messages": [_openai(message) for message in said]}})
        names, last = ["__start__"], {}
        for step in turn.steps:
            if isinstance(step, NodeVisit):
                names.append(":".join((*step.path, step.node)))
            elif isinstance(step, Interrupt):
                names.append("__interrupt__")
                if step.resolved:
                    steps.append(names)
                    results.append({})
                    inputs.append("__resuming__")
                    names = [_paused_in(names)]
            elif isinstance(step, Message) and step.role == "assistant":
                last = {"messages": [_openai(step)]}
        if not last and turn.final_state is not UNSET and isinstance(turn.final_state, dict):
            last = turn.final_state
        steps.append(names)
        results.append({} if names[-1] == "__interrupt__" else last)
    return {"inputs": inputs, "outputs": {"inputs": [], "results": results, "steps": steps}}


def _paused_in(names: list[str]) -> str:
    """The node that paused: it is visited again when the run goes on."""
    return next((name for name in reversed(names) if name != "__interrupt__"), "__start__")


def _openai(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": message.text}

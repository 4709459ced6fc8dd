"""The tool barrier: callbacks that stop a run at its first tool decision, before anything runs.

It stands in the context of the run, since code may give a tool callbacks of its own in place of those
of the run. Three gates, since no one of them sees everything. A tool that LangChain runs is stopped as it
starts. A node that comes after a model asked for calls is stopped too, since a node may call plain
functions by itself; only LangGraph's own ToolNode and the hooks of middleware are let in, whose tools
the first gate stops. And once anything was stopped, nothing more begins. What stops a run is a
`GraphInterrupt`, which a ToolNode passes on whatever its `handle_tool_errors` says.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook
from langgraph.errors import GraphInterrupt, ParentCommand
from langgraph.types import Interrupt

from passhat_langgraph.asking import id_of, open_calls, take_calls
from passhat_langgraph.branches import nodes_of_space
from passhat_langgraph.recording import HOOKS
from passhat_langgraph.tasks import is_error_handler

ALL = "*"


@dataclass(frozen=True, slots=True)
class Stopped:
    """What was tried to run, and was not.

    Args:
        what: `tool`, `node` or `model`.
        name: Its name.
        args: The arguments of a tool.
        call_id: The id of the call, where it is known.
        node: The node it was in.
        path: The nodes that this lies inside, outermost first.
    """

    what: str
    name: str
    args: Any = None
    call_id: str | None = None
    node: str | None = None
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """A node that runs; `free` is one that a person's answer is for, or a hook of middleware."""

    graph: str
    node: str
    free: bool


class Barrier(BaseCallbackHandler):
    """Stops a run at its first tool decision.

    Args:
        allow: The tools that may run; `"*"` among them for all.
        tool_nodes: The nodes that run tools as LangChain does, so that the tools can be stopped
            one by one, each with the nodes that it lies inside.
    """

    raise_error = True
    run_inline = True

    def __init__(
        self, allow: Collection[str] = (), tool_nodes: Collection[tuple[str, ...]] = ()
    ) -> None:
        self.allow = frozenset(allow)
        self.tool_nodes = frozenset(tool_nodes)
        self.stopped: list[Stopped] = []
        self._lock = Lock()
        self._pending: dict[str, dict[str, str]] = {}
        self._runs: dict[UUID, _Run] = {}
        self._resumed: Counter[tuple[str, str]] = Counter()
        self._root: UUID | None = None
        self._elsewhere = False

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Within it, the barrier stands before whatever LangChain runs from its context."""
        token = _standing.set(self)
        try:
            yield
        finally:
            _standing.reset(token)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What of the run is not on a copy of its own."""
        return (ELSEWHERE,) if self._elsewhere else ()

    @property
    def waiting(self) -> set[str]:
        """The ids of the calls that were asked for last, and not answered."""
        return {id for pending in self._pending.values() for id in pending}

    def begin(self, state: Any, graph: str = "", waiting: Collection[str] = ()) -> None:
        """A run begins in a state that may ask for calls already.

        Args:
            state: The state, or what the graph is given.
            graph: The namespace of the graph whose state it is.
            waiting: The nodes that a person's answer is for: they go on, once.
        """
        self._pending[graph] = open_calls(state)
        self._resumed.update((graph, node) for node in waiting)

    def take(self, written: Any, graph: str = "") -> None:
        """Takes what had been written in a graph beside what waits: the answers to calls of it."""
        take_calls(self._pending.setdefault(graph, {}), written)

    def on_tool_start(
        self,
        serialized: dict[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        inputs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A tool is about to run."""
        name = str((serialized or {}).get("name") or kwargs.get("name") or "")
        if self.allows(name):
            return
        graph, node = _place(metadata)
        call_id = kwargs.get("tool_call_id")
        path = nodes_of_space(graph)
        self._stop(Stopped("tool", name, inputs, call_id, node, path), run_id)

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A node, or something in a node, is about to run."""
        if self._root is None:
            self._root = run_id
        graph, node = _place(metadata)
        if node is None or kwargs.get("name") != node:
            return
        with self._lock:
            # The nodes of the graph itself are its own; another's at this place has its own thread.
            if not graph and parent_run_id != self._root and parent_run_id not in self._runs:
                self._elsewhere = True
            asked = dict(self._pending.get(graph, {}))
            free = self._resumed[graph, node] > 0 or node.endswith(HOOKS)
            self._resumed[graph, node] -= 1
            self._runs[run_id] = _Run(graph, node, free)
        if free:
            return
        refused = [name for name in asked.values() if not self.allows(name)]
        path = nodes_of_space(graph)
        if (refused and (*path, node) not in self.tool_nodes) or (self.stopped and not refused):
            self._stop(Stopped("node", node, node=node, path=path), run_id)

    def on_chain_end(
        self,
        outputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """A node has run; remembers the calls that it asks for, and those that were answered."""
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run is None:
                return
            pending = self._pending.setdefault(run.graph, {})
            waited = dict(pending)
            take_calls(pending, outputs)
            if not run.free:
                self._pass_over({id: name for id, name in waited.items() if id not in pending}, run)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A node has failed; or it ends its graph, with what it gives to the graph around it."""
        self.on_chain_end(
            error.args[0] if isinstance(error, ParentCommand) else None, run_id=run_id
        )

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A model is about to be asked; not after something was stopped."""
        if self.stopped:
            graph, node = _place(metadata)
            self._stop(Stopped("model", "model", node=node, path=nodes_of_space(graph)), run_id)

    def allows(self, name: str) -> bool:
        """Whether a tool may run."""
        return name in self.allow or ALL in self.allow

    def _pass_over(self, answered: dict[str, str], run: _Run) -> None:
        """Counts calls as stopped that were answered with no tool of theirs begun: there is none."""
        known = {one.call_id for one in self.stopped}
        for id, name in answered.items():
            if id not in known and not self.allows(name):
                path = nodes_of_space(run.graph)
                self.stopped.append(Stopped("tool", name, None, id_of(id), run.node, path))

    def _stop(self, what: Stopped, run_id: UUID) -> None:
        with self._lock:
            self.stopped.append(what)
        raise GraphInterrupt((Interrupt(value={"stopped": what.name}, id=STOP + run_id.hex),))


ELSEWHERE = (
    "a graph inside runs on a thread that it names itself: what it keeps there, if it has a "
    "checkpointer of its own, is no copy, and the next run finds it"
)
"""The gap of a graph inside whose checkpoints cannot be kept apart."""

STOP = "passhat-stop-"
"""What the ids of the barrier's own interrupts begin with."""

_standing: ContextVar[Barrier | None] = ContextVar("standing", default=None)
register_configure_hook(_standing, inheritable=True)


def _place(metadata: dict[str, Any] | None) -> tuple[str, str | None]:
    """The namespace of the graph in which something runs, and the node."""
    held = metadata or {}
    graph = str(held.get("langgraph_checkpoint_ns") or "").rpartition("|")[0]
    node = held.get("langgraph_node")
    if is_error_handler(node):
        # It is one of the graph's own nodes, though it stands inside the node that failed.
        graph = graph.rpartition("|")[0]
    return graph, node


class _Unheard(logging.Filter):
    """Drops LangChain's warning that a callback raised, where the callback is the barrier."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "Barrier.on_" not in record.getMessage()


logging.getLogger("langchain_core.callbacks.manager").addFilter(_Unheard())

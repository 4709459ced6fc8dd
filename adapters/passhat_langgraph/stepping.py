"""A run up to its next step, on copies: what is to run, and the run about to begin."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from passhat.errors import UsageError
from passhat_langgraph.answers import answers_to, pauses_of
from passhat_langgraph.branches import nodes_of_space
from passhat_langgraph.copies import config_of, copied, space_of
from passhat_langgraph.following import followed
from passhat_langgraph.graphs import (
    check_options,
    checked_config,
    graph_of,
    on_its_own,
    tool_nodes,
    with_callbacks,
)
from passhat_langgraph.messages import messages_in
from passhat_langgraph.nextstep import NextStep
from passhat_langgraph.recording import MODES, Recording
from passhat_langgraph.savers import plain
from passhat_langgraph.stopping import next_step
from passhat_langgraph.tasks import INTERRUPT, led_to
from passhat_langgraph.telling import Telling
from passhat_langgraph.where import Where

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple

    from passhat_langgraph.barrier import Barrier


@dataclass(frozen=True, slots=True)
class Started:
    """A run that is about to begin on its own copy."""

    graph: Any
    given: Any
    config: Any
    options: dict[str, Any]
    recording: Recording
    barrier: Barrier

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Within it, the run may go on: the barrier stands, and decisions are made anew."""
        from passhat_langgraph.anew import anew

        with followed(), anew(), self.barrier.standing():
            yield

    def streamed(self) -> NextStep:
        """Runs, and gives what the run came to; see `step`."""
        with self.standing():
            for event in self.graph.stream(self.given, self.config, **self.options):
                self.recording.take(event)
        return self.step()

    def step(self) -> NextStep:
        """What the run came to.

        Raises:
            UsageError: Nothing ran, since the run had ended.
        """
        trace = self.recording.trace()
        if self.given is None and not trace.nodes:
            raise UsageError("the run has ended at this checkpoint: nothing is to run from it")
        return next_step(trace, self.barrier)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is to run: a graph with an input, a stored checkpoint, or both."""

    graph: Any
    given: Any
    config: dict[str, Any]
    stored: bool
    allow: Collection[str]
    tool_nodes: Collection[tuple[str, ...]]
    options: dict[str, Any]

    @property
    def begins(self) -> bool:
        """Whether the thread may begin here: there is an input, and no checkpoint is named."""
        return self.given is not None and not self.config.get("configurable", {}).get(
            "checkpoint_id"
        )

    def tools_at(self, held: CheckpointTuple | None) -> set[tuple[str, ...]]:
        """The nodes of tools, as the graph names them whose checkpoint it is."""
        path = () if held is None else nodes_of_space(space_of(held))
        return {node[len(path) :] for node in self.tool_nodes if node[: len(path)] == path}

    def start(
        self, held: CheckpointTuple | None, *, answer: Any = None, waiting: bool = False
    ) -> Started:
        """The run on a copy of its own, its barrier standing.

        Args:
            held: The checkpoint to go on from.
            answer: What is answered to the interrupts that wait there.
            waiting: Whether it is to go on from interrupts.

        Raises:
            UsageError: Nothing waits there for an answer.
        """
        from langgraph.types import Command

        from passhat_langgraph.anew import UNCACHED
        from passhat_langgraph.barrier import Barrier

        recording = Recording()
        barrier = Barrier(self.allow, self.tools_at(held))
        # A node may change what it is given in place; the next trial must not see it.
        given: Any = _fresh(self.given)
        if held is not None:
            copy = copied(self.graph, self.config, held, waiting=waiting)
            graph, config = copy.graph, copy.config
            _prime(recording.telling, held)
            now = graph.get_state(config)
            if waiting:
                barrier.begin(now.values, waiting=[one.name for one in now.tasks if one.interrupts])
                _finish(held, barrier, recording.telling)
                _begin_inside(graph.checkpointer.list(config), barrier, recording)
                order = [pause.id for task in now.tasks for pause in task.interrupts]
                pauses = pauses_of(held)
                pauses = {id: pauses[id] for id in sorted(pauses, key=_rank(order))}
                answers = answers_to(pauses, answer)
                for id, one in answers.items():
                    recording.telling.calls.decided(pauses[id], one)
                given = Command(resume=answers)
            else:
                resumed = isinstance(given, Command) and given.resume is not None
                waits = _asking(held) if resumed else set()
                free = [one.name for one in now.tasks if one.id in waits]
                barrier.begin([now.values, given], waiting=free)
        else:
            graph, config = _on_a_copy(self.graph), dict(self.config)
            barrier.begin(given)
            if graph.checkpointer is not None:
                asked = config.get("configurable") or {}
                config["configurable"] = {**asked, "thread_id": recording.id}
        config["configurable"] = {**(config.get("configurable") or {}), **UNCACHED}
        recording.begin(given)
        options = {**self.options, "stream_mode": list(MODES), "subgraphs": True}
        settings = with_callbacks(config, [barrier])
        return Started(graph, given, settings, options, recording, barrier)


def prepared(
    graph: Any, source: Any, config: Any, allow: Collection[str], options: dict[str, Any]
) -> Prepared:
    """What is to run, of what the functions of `steps` are given.

    Raises:
        UsageError: It is no compiled graph, an option says nothing to it, or two configs are given.
    """
    compiled = graph_of(graph)
    check_options(compiled, options)
    named = config_of(source)
    if named is not None:
        if config is not None:
            raise UsageError("a checkpoint is given and a config beside it: give one of them")
        held = named
    else:
        held = checked_config(config)
    stored = named is not None or bool((held.get("configurable") or {}).get("thread_id"))
    if compiled.checkpointer is None and stored and named is None:
        stored = False
    given = None if named is not None else source
    return Prepared(compiled, given, held, stored, _listed(allow), tool_nodes(compiled), options)


def _fresh(given: Any) -> Any:
    """A copy of what a graph is given; what holds something that cannot be copied is itself."""
    try:
        return deepcopy(given)
    except (TypeError, ValueError, RecursionError, NotImplementedError):
        return given


def _begin_inside(
    stored: Iterable[CheckpointTuple], barrier: Barrier, recording: Recording
) -> None:
    """Lets the graphs inside one that waits begin where each of them is, by its newest checkpoint."""
    from passhat_langgraph.asking import open_calls

    seen = {""}
    for held in stored:
        space = held.config.get("configurable", {})["checkpoint_ns"]
        if space not in seen:
            seen.add(space)
            values = held.checkpoint["channel_values"]
            barrier.begin(values, space, led_to(values))
            _prime(recording.telling, held)
            _finish(held, barrier, recording.telling, space)
            depth = len(nodes_of_space(space))
            recording.inside |= dict.fromkeys(open_calls(values), depth)


def _finish(held: CheckpointTuple, barrier: Barrier, telling: Telling, space: str = "") -> None:
    """Tells the results of tasks that had ended while others waited: the copy keeps them."""
    waits = _asking(held)
    for task, channel, value in held.pending_writes or ():
        if task not in waits:
            barrier.take(value, space)
            telling.say(messages_in(channel, plain(value)) or [], Where())


def _asking(held: CheckpointTuple) -> set[str]:
    """The ids of the tasks of a checkpoint that wait for a person's answer."""
    return {task for task, channel, _ in held.pending_writes or () if channel == INTERRUPT}


def _rank(order: list[str]) -> Callable[[str], int]:
    at = {id: number for number, id in enumerate(order)}
    return lambda id: at.get(id, len(at))


def _listed(allow: Collection[str]) -> Collection[str]:
    return (allow,) if isinstance(allow, str) else tuple(allow)


def _on_a_copy(graph: Any) -> Any:
    """A copy that writes no checkpoint of the graph's own."""
    if graph.checkpointer is None or isinstance(graph.checkpointer, bool):
        return on_its_own(graph, None)
    from langgraph.checkpoint.memory import InMemorySaver

    return on_its_own(graph, InMemorySaver(serde=graph.checkpointer.serde))


def _prime(telling: Telling, held: CheckpointTuple) -> None:
    """Takes the messages of a state for told, but the request whose calls still wait: it is told."""
    for channel, value in held.checkpoint["channel_values"].items():
        entries = messages_in(channel, plain(value)) or []
        answered = {entry.get("tool_call_id") for entry in entries}
        open_at = next(
            (
                at
                for at, entry in reversed(list(enumerate(entries)))
                if any(call.get("id") not in answered for call in entry.get("tool_calls") or ())
            ),
            None,
        )
        telling.know([entry for at, entry in enumerate(entries) if at != open_at])
        if open_at is not None:
            telling.say([entries[open_at]], Where())

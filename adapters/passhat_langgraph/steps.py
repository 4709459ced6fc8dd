"""Single steps, no side effects: `next_calls`, `sample_next` and `resume`.

What they give is what the agent wants to do next. No tool runs, unless it is allowed by name, and no
checkpoint of the graph's own is written: everything happens on copies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from passhat.errors import UsageError
from passhat_langgraph.answers import answers_to, pauses_of
from passhat_langgraph.copies import afetched, asought, config_of, copied, fetched, sought
from passhat_langgraph.following import followed
from passhat_langgraph.graphs import (
    check_options,
    graph_of,
    on_its_own,
    tool_nodes,
    with_callbacks,
)
from passhat_langgraph.messages import messages_in
from passhat_langgraph.nextstep import NextStep, NextSteps
from passhat_langgraph.recording import MODES, Recording
from passhat_langgraph.savers import plain
from passhat_langgraph.stopping import next_step
from passhat_langgraph.tasks import led_to
from passhat_langgraph.telling import Telling, Where

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple

    from passhat_langgraph.barrier import Barrier


def next_calls(
    graph: Any,
    input_or_config: Any,
    *,
    config: Any = None,
    allow: Collection[str] = (),
    **kwargs: Any,
) -> NextStep:
    """What the graph wants to do next: it runs to the first tool decision, and no tool runs.

    Args:
        graph: The compiled graph; it and its checkpoints are left as they are.
        input_or_config: What the graph is given, or the config (or snapshot) of a checkpoint that
            it goes on from.
        config: The config of the run. Where it names a thread, the input follows what is there; a
            thread of which nothing is stored begins with the input.
        allow: Tools that may run all the same, by name: those that only hand on to another agent.
        **kwargs: Passed to the graph's `stream`: `context`, `interrupt_before`, ...

    Returns:
        The next step: `calls` (none of them executed), `text`, `tried`. Without a call, it is the
        answer.

    Raises:
        UsageError: It is no compiled graph, a breakpoint names no node, or there is nothing to run.
        MissingExtraError: LangGraph is not installed.
    """
    run = _prepared(graph, input_or_config, config, allow, kwargs)
    fetch = sought if run.begins else fetched
    start = run.start(fetch(run.graph, run.config) if run.stored else None)
    return start.streamed()


async def anext_calls(
    graph: Any,
    input_or_config: Any,
    *,
    config: Any = None,
    allow: Collection[str] = (),
    **kwargs: Any,
) -> NextStep:
    """What the graph wants to do next, awaited; see `next_calls`."""
    run = _prepared(graph, input_or_config, config, allow, kwargs)
    fetch = asought if run.begins else afetched
    start = run.start(await fetch(run.graph, run.config) if run.stored else None)
    with followed():
        async for event in start.graph.astream(start.given, start.config, **start.options):
            start.recording.take(event)
    return start.step()


def sample_next(
    graph: Any,
    checkpoint_or_state: Any,
    *,
    trials: int,
    allow: Collection[str] = (),
    workers: int = 1,
    **kwargs: Any,
) -> NextSteps:
    """Several independent next steps from exactly one state.

    Each runs on a copy of its own, where the decision is made anew: nothing that was decided or
    cached before is given again, and neither the original thread nor the graph's store is touched.

    Args:
        graph: The compiled graph.
        checkpoint_or_state: The config (or snapshot) of a checkpoint, or what the graph is given.
            A thread without a checkpoint that waits at its tools is taken back to where it decided.
        trials: How many.
        allow: Tools that may run all the same, by name.
        workers: How many run at once, in threads.
        **kwargs: Passed to the graph's `stream`.

    Raises:
        UsageError: As `next_calls`, or `trials` or `workers` is below 1, or the checkpoint has its
            decision behind it.
    """
    if trials < 1 or workers < 1:
        raise UsageError("trials and workers are whole numbers from 1 on")
    run = _prepared(graph, checkpoint_or_state, None, allow, kwargs)
    held = _deciding(run) if run.stored else None

    def trial(_: int) -> NextStep:
        start = run.start(held)
        return start.streamed()

    if workers == 1:
        return NextSteps([trial(number) for number in range(trials)])
    with ThreadPoolExecutor(min(workers, trials)) as pool:
        return NextSteps(list(pool.map(trial, range(trials))))


def resume(
    graph: Any, config: Any, answer: Any, *, allow: Collection[str] = (), **kwargs: Any
) -> NextStep:
    """What happens after a person answers an interrupt: the next step, on a copy.

    The thread stays at its interrupt, so that every answer can be tried, each from the same place.

    Args:
        graph: The compiled graph.
        config: The config (or snapshot) of the thread that waits.
        answer: What is answered. Where calls wait for a decision (human-in-the-loop middleware):
            `"approve"`, `"reject"`, or a decision as the middleware takes it
            (`{"type": "edit", ...}`), for all of them, or a list with one for each. Several
            interrupts get the same answer, or a mapping of their ids to answers.
        allow: Tools that may run all the same, by name; `"*"` for all. An interrupt inside a tool
            needs its tool allowed to go on.
        **kwargs: Passed to the graph's `stream`.

    Raises:
        UsageError: Nothing waits there for an answer.
    """
    run = _prepared(graph, config, None, allow, kwargs)
    if not run.stored:
        raise UsageError("resume needs the config of a thread that waits at an interrupt")
    held = fetched(run.graph, run.config)
    start = run.start(held, answer=answer, waiting=True)
    return start.streamed()


@dataclass(frozen=True, slots=True)
class _Started:
    """A run that is about to begin on its own copy."""

    graph: Any
    given: Any
    config: Any
    options: dict[str, Any]
    recording: Recording
    barrier: Barrier

    def streamed(self) -> NextStep:
        """Runs, and gives what the run came to; see `step`."""
        with followed():
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
class _Run:
    """What is to run: a graph with an input, a stored checkpoint, or both."""

    graph: Any
    given: Any
    config: dict[str, Any]
    stored: bool
    allow: Collection[str]
    tool_nodes: Collection[str]
    options: dict[str, Any]

    @property
    def begins(self) -> bool:
        """Whether the thread may begin here: there is an input, and no checkpoint is named."""
        return self.given is not None and not self.config.get("configurable", {}).get(
            "checkpoint_id"
        )

    def start(
        self, held: CheckpointTuple | None, *, answer: Any = None, waiting: bool = False
    ) -> _Started:
        from langgraph.types import Command

        from passhat_langgraph.barrier import Barrier

        recording = Recording()
        barrier = Barrier(self.allow, self.tool_nodes)
        # A node may change what it is given in place; the next trial must not see it.
        given: Any = _fresh(self.given)
        if held is not None:
            copy = copied(self.graph, self.config, held, waiting=waiting)
            graph, config = copy.graph, copy.config
            _prime(recording.telling, held)
            now = graph.get_state(config)
            if waiting:
                barrier.begin(now.values, waiting=[one.name for one in now.tasks if one.interrupts])
                _begin_inside(graph.checkpointer.list(config), barrier, recording.telling)
                order = [pause.id for task in now.tasks for pause in task.interrupts]
                pauses = pauses_of(held)
                pauses = {id: pauses[id] for id in sorted(pauses, key=_rank(order))}
                answers = answers_to(pauses, answer)
                for id, one in answers.items():
                    recording.telling.decided(pauses[id], one)
                given = Command(resume=answers)
            else:
                barrier.begin(now.values if given is None else given)
        else:
            graph, config = _on_a_copy(self.graph), dict(self.config)
            barrier.begin(given)
            if graph.checkpointer is not None:
                asked = config.get("configurable") or {}
                config["configurable"] = {**asked, "thread_id": recording.id}
        recording.begin(given)
        options = {**self.options, "stream_mode": list(MODES), "subgraphs": True}
        settings = with_callbacks(config, [barrier])
        return _Started(graph, given, settings, options, recording, barrier)


def _prepared(
    graph: Any, source: Any, config: Any, allow: Collection[str], options: dict[str, Any]
) -> _Run:
    compiled = graph_of(graph)
    check_options(compiled, options)
    named = config_of(source)
    if named is not None:
        if config is not None:
            raise UsageError("a checkpoint is given and a config beside it: give one of them")
        held = named
    else:
        held = dict(config or {})
    stored = named is not None or bool((held.get("configurable") or {}).get("thread_id"))
    if compiled.checkpointer is None and stored and named is None:
        stored = False
    given = None if named is not None else source
    return _Run(compiled, given, held, stored, _names(allow), tool_nodes(compiled), options)


def _fresh(given: Any) -> Any:
    """A copy of what a graph is given; what holds something that cannot be copied is itself."""
    try:
        return deepcopy(given)
    except (TypeError, ValueError, RecursionError, NotImplementedError):
        return given


def _begin_inside(stored: Iterable[CheckpointTuple], barrier: Barrier, telling: Telling) -> None:
    """Lets the graphs inside one that waits begin where each of them is, by its newest checkpoint."""
    seen = {""}
    for held in stored:
        space = held.config.get("configurable", {})["checkpoint_ns"]
        if space not in seen:
            seen.add(space)
            values = held.checkpoint["channel_values"]
            barrier.begin(values, space, led_to(values))
            _prime(telling, held)


def _rank(order: list[str]) -> Callable[[str], int]:
    at = {id: number for number, id in enumerate(order)}
    return lambda id: at.get(id, len(at))


def _names(allow: Collection[str]) -> Collection[str]:
    return (allow,) if isinstance(allow, str) else tuple(allow)


def _on_a_copy(graph: Any) -> Any:
    """A copy that writes no checkpoint of the graph's own."""
    if graph.checkpointer is None or isinstance(graph.checkpointer, bool):
        return on_its_own(graph, None)
    from langgraph.checkpoint.memory import InMemorySaver

    return on_its_own(graph, InMemorySaver(serde=graph.checkpointer.serde))


def _deciding(run: _Run) -> CheckpointTuple:
    """The checkpoint from which the decision is made: where a thread waits at tools, the one before."""
    held = fetched(run.graph, run.config)
    asked = _next_of(run, held)
    waits = bool(asked) and set(asked) <= set(run.tool_nodes)
    if not waits:
        return held
    if (run.config.get("configurable") or {}).get("checkpoint_id"):
        raise UsageError(
            "the decision is made at this checkpoint, and its tools come next; give the one before"
        )
    while waits and held.parent_config is not None:
        held = fetched(run.graph, dict(held.parent_config))
        asked = _next_of(run, held)
        waits = bool(asked) and set(asked) <= set(run.tool_nodes)
    return held


def _next_of(run: _Run, held: CheckpointTuple) -> tuple[str, ...]:
    place = copied(run.graph, run.config, held)
    return tuple(place.graph.get_state(place.config).next)


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

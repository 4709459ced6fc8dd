"""Single steps, no side effects: `next_calls`, `sample_next` and `resume`.

What they give is what the agent wants to do next. No tool runs, unless it is allowed by name, and no
checkpoint of the graph's own is written: everything happens on copies.
"""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from passhat.errors import UsageError
from passhat_langgraph.copies import afetched, asought, copied, fetched, sought
from passhat_langgraph.nextstep import NextStep, NextSteps
from passhat_langgraph.stepping import Prepared, prepared

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple


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
    run = prepared(graph, input_or_config, config, allow, kwargs)
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
    run = prepared(graph, input_or_config, config, allow, kwargs)
    fetch = asought if run.begins else afetched
    start = run.start(await fetch(run.graph, run.config) if run.stored else None)
    with start.standing():
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
            A thread without a checkpoint whose calls wait is taken back to where it decided.
        trials: How many.
        allow: Tools that may run all the same, by name.
        workers: How many run at once, in threads.
        **kwargs: Passed to the graph's `stream`.

    Raises:
        UsageError: As `next_calls`, or `trials` or `workers` is below 1, or the checkpoint has its
            decision behind it.
    """
    if not all(isinstance(number, int) and number >= 1 for number in (trials, workers)):
        raise UsageError("trials and workers are whole numbers from 1 on")
    run = prepared(graph, checkpoint_or_state, None, allow, kwargs)
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
    run = prepared(graph, config, None, allow, kwargs)
    if not run.stored:
        raise UsageError("resume needs the config of a thread that waits at an interrupt")
    held = fetched(run.graph, run.config)
    start = run.start(held, answer=answer, waiting=True)
    return start.streamed()


def _deciding(run: Prepared) -> CheckpointTuple:
    """The checkpoint from which the decision is made: where a thread has decided, the one before."""
    held = fetched(run.graph, run.config)
    named = bool((run.config.get("configurable") or {}).get("checkpoint_id"))
    if not _decided(run, held, passing=named):
        return held
    if named:
        raise UsageError(
            "the decision is made at this checkpoint, and its calls wait; give the one before"
        )
    while _decided(run, held):
        if held.parent_config is None:
            raise UsageError(
                "the decision is made, and the checkpoint from which it was made is not stored; give "
                "the state itself"
            )
        held = fetched(run.graph, dict(held.parent_config))
    return held


def _decided(run: Prepared, held: CheckpointTuple, *, passing: bool = False) -> bool:
    """Whether calls wait at a checkpoint, for their tools or for somebody's review.

    Args:
        run: What is to run.
        held: The checkpoint.
        passing: Whether calls that are allowed do not count: from a checkpoint that is named, the
            run goes on past those that only hand on.
    """
    from passhat_langgraph.asking import open_calls
    from passhat_langgraph.barrier import Barrier

    place = copied(run.graph, run.config, held)
    state = place.graph.get_state(place.config)
    tools = {(name,) for name in state.next} <= run.tools_at(held)
    allows = Barrier(run.allow if passing else ()).allows
    return bool(state.next) and (tools or not all(map(allows, open_calls(state.values).values())))

"""`record` runs a graph once and gives the trace; `as_agent` is a graph as what passhat runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from uuid import uuid4

from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import UsageError
from passhat.trace import Trace
from passhat_langgraph.convert import to_trace
from passhat_langgraph.graphs import check_options, graph_of, with_saver, with_thread
from passhat_langgraph.recording import MODES, Recording

Agent: TypeAlias = Callable[[Case], Trace]


def record(graph: Any, input: Any, config: Any = None, **kwargs: Any) -> Trace:
    """The trace of one run: messages, calls with results, node visits with times, states, errors.

    It needs no checkpointer. An exception that ends the run becomes the trace's `error`, after all
    that was done until then. Where an interrupted run is continued (`input` is a `Command` or
    None), the trace is that of the whole thread.

    Args:
        graph: The compiled graph.
        input: What it is given.
        config: Its config. With a checkpointer and no thread named, a new thread is taken.
        **kwargs: Passed to the graph's `stream`: `context`, `interrupt_before`, `durability`, ...

    Raises:
        UsageError: It is no compiled graph, or a breakpoint names no node.
        MissingExtraError: LangGraph is not installed.
    """
    compiled, recording, settings = _ready(graph, config, kwargs)
    recording.begin(input)
    failure: Exception | None = None
    try:
        for event in compiled.stream(
            input, settings, stream_mode=list(MODES), subgraphs=True, **kwargs
        ):
            recording.take(event)
    except Exception as error:  # Whatever ends the run is its result, not ours to raise.
        failure = error
    return _finished(compiled, recording, settings, input, failure)


async def arecord(graph: Any, input: Any, config: Any = None, **kwargs: Any) -> Trace:
    """The trace of one run, awaited; see `record`."""
    compiled, recording, settings = _ready(graph, config, kwargs)
    recording.begin(input)
    failure: Exception | None = None
    try:
        async for event in compiled.astream(
            input, settings, stream_mode=list(MODES), subgraphs=True, **kwargs
        ):
            recording.take(event)
    except Exception as error:  # Whatever ends the run is its result, not ours to raise.
        failure = error
    return _finished(compiled, recording, settings, input, failure)


def _ready(graph: Any, config: Any, options: dict[str, Any]) -> tuple[Any, Recording, Any]:
    compiled = graph_of(graph)
    check_options(compiled, options)
    recording = Recording()
    return compiled, recording, with_thread(compiled, config, recording.id)


def _finished(
    graph: Any, recording: Recording, config: Any, given: Any, failure: Exception | None
) -> Trace:
    if failure is not None:
        recording.fail(failure)
    told = recording.trace()
    thread = (config.get("configurable") or {}).get("thread_id")
    if thread is not None:
        told = replace(told, metadata={**told.metadata, "thread_id": str(thread)})
    continued = given is None or type(given).__name__ == "Command"
    if not continued or thread is None or failure is not None:
        return told
    return to_trace(graph, str(thread), states=True)


def as_agent(
    graph: Any,
    *,
    prepare: Callable[[Case, Any], Any] | None = None,
    config: Any = None,
    **kwargs: Any,
) -> Agent:
    """The graph as a callable that plays a case once and gives the trace.

    Every call has a thread of its own in memory: the graph's checkpointer is not touched. A case
    with several turns says them one after the other on that thread.

    Args:
        graph: The compiled graph.
        prepare: Makes the graph's input of a case and what one turn says. By default a text or
            messages are given as `messages`, a mapping as it is, and an `initial_state` that is
            a mapping beside them, in the first turn.
        config: The graph's config.
        **kwargs: Passed to the graph's `stream`.

    Raises:
        UsageError: It is no compiled graph, or a breakpoint names no node. When called: the case
            asks nothing, or is a scenario, which a user has to play.
    """
    compiled = graph_of(graph)
    check_options(compiled, kwargs)
    make = prepare if prepare is not None else graph_input

    def run(case: Case) -> Trace:
        from langgraph.checkpoint.memory import InMemorySaver

        if case.scenario is not None:
            raise UsageError(f"case {case.id!r} is a scenario, which a user has to play")
        said = [turn.input for turn in case.turns] if case.turns else [case.input]
        copy: Any = with_saver(compiled, InMemorySaver())
        recording = Recording(f"{case.id}-{uuid4()}")
        held = dict(config or {})
        held["configurable"] = {**(held.get("configurable") or {}), "thread_id": recording.id}
        for number, words in enumerate(said):
            first = case if number == 0 else replace(case, initial_state=None)
            given = make(first, words)
            if given is None:
                raise UsageError(f"case {case.id!r} has no input that could be given to the graph")
            recording.begin(given)
            try:
                for event in copy.stream(
                    given, held, stream_mode=list(MODES), subgraphs=True, **kwargs
                ):
                    recording.take(event)
            except Exception as error:  # Whatever ends the run is its result, not ours to raise.
                recording.fail(error)
                break
        return recording.trace(case_id=case.id)

    return run


def graph_input(case: Case, words: Any) -> Any:
    """What a graph with messages is given for one turn of a case; None where it says nothing.

    >>> graph_input(Case("c"), "Where is A1?")
    {'messages': [{'role': 'user', 'content': 'Where is A1?'}]}
    """
    state = dict(case.initial_state) if isinstance(case.initial_state, Mapping) else {}
    if isinstance(words, str):
        return {**state, "messages": [{"role": "user", "content": words}]} if words else None
    if isinstance(words, list | tuple):
        return {**state, "messages": list(words)}
    if isinstance(words, Mapping):
        return {**state, **words}
    return state or None

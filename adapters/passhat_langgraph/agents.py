"""`record` runs a graph once and gives the trace; `as_agent` is a graph as what passhat runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import UsageError
from passhat.trace import Trace
from passhat_langgraph.approving import Approvals, TooManyPauses
from passhat_langgraph.convert import found_thread, to_trace, trace_of
from passhat_langgraph.graphs import (
    check_options,
    checked_config,
    graph_of,
    with_callbacks,
    with_saver,
    with_thread,
)
from passhat_langgraph.recording import MODES, Recording
from passhat_langgraph.savers import awaited_thread, saver_of
from passhat_langgraph.tools import as_tools

if TYPE_CHECKING:
    from passhat_langgraph.counting import Begun

Agent: TypeAlias = Callable[..., Trace]


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
    compiled, recording, settings, begun = _ready(graph, config, kwargs)
    recording.begin(input)
    failure: Exception | None = None
    try:
        for event in compiled.stream(
            input, settings, stream_mode=list(MODES), subgraphs=True, **kwargs
        ):
            recording.take(event)
    except Exception as error:  # Whatever ends the run is its result, not ours to raise.
        failure = error
    recording.telling.calls.begun(begun.counts)
    told, thread = _finished(compiled, recording, settings, input, failure)
    return told if thread is None else to_trace(compiled, thread, states=True)


async def arecord(graph: Any, input: Any, config: Any = None, **kwargs: Any) -> Trace:
    """The trace of one run, awaited; see `record`."""
    compiled, recording, settings, begun = _ready(graph, config, kwargs)
    recording.begin(input)
    failure: Exception | None = None
    try:
        async for event in compiled.astream(
            input, settings, stream_mode=list(MODES), subgraphs=True, **kwargs
        ):
            recording.take(event)
    except Exception as error:  # Whatever ends the run is its result, not ours to raise.
        failure = error
    recording.telling.calls.begun(begun.counts)
    told, thread = _finished(compiled, recording, settings, input, failure)
    if thread is None:
        return told
    row = await awaited_thread(saver_of(compiled), thread)
    return trace_of(found_thread(row, thread), states=True)


def _ready(graph: Any, config: Any, options: dict[str, Any]) -> tuple[Any, Recording, Any, Begun]:
    compiled = graph_of(graph)
    check_options(compiled, options)
    from passhat_langgraph.counting import Begun

    recording, begun = Recording(), Begun()
    settings = with_thread(compiled, config, recording.id)
    return compiled, recording, with_callbacks(settings, [begun]), begun


def _finished(
    graph: Any, recording: Recording, config: Any, given: Any, failure: Exception | None
) -> tuple[Trace, str | None]:
    """What was recorded; and the thread to be read in its place, where an earlier run went on."""
    if failure is not None:
        recording.fail(failure)
    told = recording.trace()
    thread = (config.get("configurable") or {}).get("thread_id")
    if thread is not None:
        told = replace(told, metadata={**told.metadata, "thread_id": str(thread)})
    continued = given is None or type(given).__name__ == "Command"
    if not continued or thread is None or failure is not None or not graph.checkpointer:
        return told, None
    return told, str(thread)


def as_agent(
    graph: Any,
    *,
    prepare: Callable[[Case, Any], Any] | None = None,
    config: Any = None,
    **kwargs: Any,
) -> Agent:
    """The graph as a callable that plays a case once and gives the trace.

    Every call has a thread of its own in memory: the graph's checkpointer is not touched. A case
    with several turns says them one after the other on that thread; a scenario is played by the
    user that the call is given. Interrupts are answered by the case's `approvals`.

    Args:
        graph: The compiled graph; or a function that makes one of a trial's tools, which are given
            as `as_tools` makes them.
        prepare: Makes the graph's input of a case and what one turn says. By default a text or
            messages are given as `messages`, a mapping as it is, and an `initial_state` that is
            a mapping beside them, in the first turn; in a sandbox the state is the sandbox's.
        config: The graph's config.
        **kwargs: Passed to the graph's `stream`.

    Raises:
        UsageError: It is no compiled graph, or a breakpoint names no node. When called: the case
            asks nothing, or is a scenario and there is no user.
    """
    made = is_factory(graph)
    compiled: Any = None if made else graph_of(graph)
    if compiled is not None:
        check_options(compiled, kwargs)
    settled = checked_config(config)
    make = prepare if prepare is not None else graph_input

    def run(case: Case, tools: Any = None, user: Any = None) -> Trace:
        from langgraph.checkpoint.memory import InMemorySaver

        from passhat_langgraph.counting import Begun

        if case.scenario is not None and user is None:
            raise UsageError(f"case {case.id!r} is a scenario, which a user has to play")
        own: Any = graph_of(graph(as_tools(_needed(tools)))) if made else compiled
        check_options(own, kwargs)
        copy: Any = with_saver(own, InMemorySaver())
        recording = Recording(f"{case.id}-{uuid4()}")
        held = dict(settled)
        held["configurable"] = {**(held.get("configurable") or {}), "thread_id": recording.id}
        begun = Begun()
        settings: Any = with_callbacks(held, [begun])
        playing = _Playing(copy, recording, settings, kwargs, Approvals(case))
        first = replace(case, initial_state=None) if tools is not None else case
        for words in _said(case, user, recording):
            given = make(first, words)
            if given is None:
                raise UsageError(f"case {case.id!r} has no input that could be given to the graph")
            first = replace(case, initial_state=None)
            if not playing.turn(given):
                break
        recording.telling.calls.begun(begun.counts)
        return recording.trace(case_id=case.id)

    return run


def is_factory(source: Any) -> bool:
    """Whether something is a function that makes a graph, and no graph itself."""
    return inspect.isroutine(source) or isinstance(source, partial)


def _needed(tools: Any) -> Any:
    if tools is None:
        raise UsageError("the graph is made of a trial's tools, which a sandbox gives")
    return tools


def _said(case: Case, user: Any, recording: Recording) -> Iterator[Any]:
    """What the user says, turn by turn; a user who plays hears each answer first."""
    if case.scenario is None:
        yield from [turn.input for turn in case.turns] if case.turns else [case.input]
        return
    said: str | None = user.opening
    while said is not None:
        yield said
        answer = recording.trace().final_response
        said = None if answer is None else user.reply(answer)


@dataclass(frozen=True)
class _Playing:
    """A thread of a graph that is played."""

    graph: Any
    recording: Recording
    config: dict[str, Any]
    options: dict[str, Any]
    approvals: Approvals

    def turn(self, given: Any) -> bool:
        """Plays a turn, its interrupts answered; says whether the run may go on."""
        while given is not None:
            self.recording.begin(given)
            try:
                for event in self.graph.stream(
                    given, self.config, stream_mode=list(MODES), subgraphs=True, **self.options
                ):
                    self.recording.take(event)
            except Exception as error:  # Whatever ends the run is its result, not ours to raise.
                self.recording.fail(error)
                return False
            try:
                given = self.approvals.resuming(self.graph, self.config)
            except TooManyPauses as error:
                self.recording.stop(str(error))
                return False
        return True


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

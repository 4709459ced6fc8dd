"""`as_agent`: an ADK agent as what passhat runs, a callable that takes a case and gives a trace."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import UsageError
from passhat.failing import outcome_of, retry_after
from passhat.trace import Trace
from passhat_adk.approving import Approvals
from passhat_adk.apps import app_for
from passhat_adk.events import Run
from passhat_adk.expected import asked_text
from passhat_adk.failing import error_text
from passhat_adk.recorder import RECORDER, trace_of
from passhat_adk.tools import as_tools

if TYPE_CHECKING:
    from google.genai import types

Agent = Callable[..., Awaitable[Trace]]


def as_agent(source: Any, *, app_name: str = "passhat", user_id: str = "user") -> Agent:
    """The agent as a callable that plays a case once and gives the trace.

    Every call has a session of its own, which begins in the case's `initial_state` (in a sandbox the
    state is the sandbox's); what the user says comes from its `input` or its `turns`, or from the
    user who plays its scenario. Confirmations are answered by the case's `approvals`. A run that
    ends in an exception gives the trace of what was done until then, with the error and whose it
    was.

    Args:
        source: An agent, an app, a module or a module's dotted name; or a function that makes an
            agent or an app of a trial's tools, which are given as `as_tools` makes them.
        app_name: The app's name, where an agent comes without one.
        user_id: The user of the sessions.

    Raises:
        UsageError: The case is a scenario and there is no user, or it asks nothing.
    """

    async def run(case: Case, tools: Any = None, user: Any = None) -> Trace:
        from google.adk.runners import Runner
        from google.adk.sessions.in_memory_session_service import InMemorySessionService

        if case.scenario is not None and user is None:
            raise UsageError(f"case {case.id!r} is a scenario, which a user has to play")
        messages = [] if case.scenario is not None else list(_messages(case))
        app = await app_for(_made(source, tools), app_name)
        sessions = InMemorySessionService()
        own = tools is None and isinstance(case.initial_state, dict)
        session = await sessions.create_session(
            app_name=app.name,
            user_id=user_id,
            session_id=f"passhat-{uuid4()}",
            state=dict(case.initial_state) if own else {},
        )
        approvals = Approvals(case)
        failure: Exception | None = None
        async with Runner(app=app, session_service=sessions) as runner:

            async def says(message: types.Content) -> str:
                """What the agent answers to a message, once what it asks for was answered."""
                answer = ""
                given: types.Content | None = message
                while given is not None:
                    events = [
                        event
                        async for event in runner.run_async(
                            user_id=user_id, session_id=session.id, new_message=given
                        )
                    ]
                    answer = _answer(events) or answer
                    given = approvals.answering(events)
                return answer

            try:
                if case.scenario is None:
                    for message in messages:
                        await says(message)
                else:
                    await _converse(says, user)
            except Exception as error:  # Whatever ends the run is its result, not ours to raise.
                failure = error
        return _recorded(case, session.id, failure)

    return run


def _made(source: Any, tools: Any) -> Any:
    """The source, or what a function makes of a trial's tools."""
    if not inspect.isroutine(source) and not isinstance(source, partial):
        return source
    if tools is None:
        raise UsageError("the agent is made of a trial's tools, which a sandbox gives")
    return source(as_tools(tools))


async def _converse(says: Callable[[types.Content], Awaitable[str]], user: Any) -> None:
    from google.genai import types

    said: str | None = await user.open()
    while said is not None:
        answer = await says(types.Content(role="user", parts=[types.Part(text=said)]))
        said = await user.areply(answer) if answer else None


def _answer(events: list[Any]) -> str:
    """What the agent said in its last words."""
    for event in reversed(events):
        if event.is_final_response() and event.content is not None:
            text = "".join(p.text or "" for p in event.content.parts or [] if not p.thought)
            if text:
                return text
    return ""


def _recorded(case: Case, session_id: str, failure: Exception | None) -> Trace:
    rows = RECORDER.of_session(session_id)
    trace = trace_of(rows) if rows else Run(session_id).finished()
    RECORDER.forget(row.invocation_id for row in rows)
    if failure is not None and trace.error is None:
        words = error_text(type(failure).__name__, str(failure))
        trace = replace(trace, error=words, outcome=outcome_of(failure))
    wait = retry_after(failure, now=time.time()) if failure is not None else None
    if wait is not None:
        trace = replace(trace, extensions={**trace.extensions, "retry_after": wait})
    return replace(trace, case_id=case.id)


def _messages(case: Case) -> Iterator[types.Content]:
    from google.genai import types

    turns = [turn.input for turn in case.turns] if case.turns else [case.input]
    for given in turns:
        said = asked_text(given)
        if not said:
            raise UsageError(f"case {case.id!r} has no input that could be said to the agent")
        if isinstance(said, str):
            yield types.Content(role="user", parts=[types.Part(text=said)])
        else:
            yield types.Content.model_validate(said)

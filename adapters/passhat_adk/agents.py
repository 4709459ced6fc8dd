"""`as_agent`: an ADK agent as what passhat runs, a callable that takes a case and gives a trace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import UsageError
from passhat.failing import outcome_of
from passhat.trace import Trace
from passhat_adk.apps import app_for
from passhat_adk.events import Run
from passhat_adk.failing import error_text
from passhat_adk.recorder import RECORDER, trace_of
from passhat_adk.writingcases import asked_text

if TYPE_CHECKING:
    from google.genai import types

Agent = Callable[[Case], Awaitable[Trace]]


def as_agent(source: Any, *, app_name: str = "passhat", user_id: str = "user") -> Agent:
    """The agent as a callable that plays a case once and gives the trace.

    Every call has a session of its own, which begins in the case's `initial_state`; what the user
    says comes from its `input` or its `turns`. A run that ends in an exception gives the trace of
    what was done until then, with the error and whose it was.

    Args:
        source: An agent, an app, a module or a module's dotted name.
        app_name: The app's name, where an agent comes without one.
        user_id: The user of the sessions.

    Raises:
        UsageError: The case is a scenario, which a user has to play, or asks nothing.
    """

    async def run(case: Case) -> Trace:
        from google.adk.runners import Runner
        from google.adk.sessions.in_memory_session_service import InMemorySessionService

        messages = list(_messages(case))
        app = await app_for(source, app_name)
        sessions = InMemorySessionService()
        state = case.initial_state if isinstance(case.initial_state, dict) else {}
        session = await sessions.create_session(
            app_name=app.name, user_id=user_id, session_id=f"passhat-{uuid4()}", state=dict(state)
        )
        failure: Exception | None = None
        async with Runner(app=app, session_service=sessions) as runner:
            try:
                for message in messages:
                    async for _ in runner.run_async(
                        user_id=user_id, session_id=session.id, new_message=message
                    ):
                        pass
            except Exception as error:  # Whatever ends the run is its result, not ours to raise.
                failure = error
        return _recorded(case, session.id, failure)

    return run


def _recorded(case: Case, session_id: str, failure: Exception | None) -> Trace:
    rows = RECORDER.of_session(session_id)
    trace = trace_of(rows) if rows else Run(session_id).finished()
    RECORDER.forget(row.invocation_id for row in rows)
    if failure is not None and trace.error is None:
        words = error_text(type(failure).__name__, str(failure))
        trace = replace(trace, error=words, outcome=outcome_of(failure))
    return replace(trace, case_id=case.id)


def _messages(case: Case) -> Iterator[types.Content]:
    from google.genai import types

    if case.scenario is not None:
        raise UsageError(
            f"case {case.id!r} is a scenario, played by a user; `passhat_adk.evaluate` has one"
        )
    turns = [turn.input for turn in case.turns] if case.turns else [case.input]
    for given in turns:
        said = asked_text(given)
        if not said:
            raise UsageError(f"case {case.id!r} has no input that could be said to the agent")
        if isinstance(said, str):
            yield types.Content(role="user", parts=[types.Part(text=said)])
        else:
            yield types.Content.model_validate(said)

"""One attempt at a case: the agent is called, and what came of it is a trace."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import PasshatError, TraceError, UsageError
from passhat.failing import message_of
from passhat.trace import Trace
from passhat.trials.awaiting import awaited
from passhat.trials.conversing import Conversation, UserTooLate
from passhat.trials.handing import handed
from passhat.trials.logbook import Logbook
from passhat.trials.returned import asked_text, empty_trace, trace_of
from passhat.trials.sandbox import CURRENT, Sandbox
from passhat.trials.speaking import of_turns
from passhat.trials.staging import Wants, conversation_for, given, wants_of
from passhat.trials.threads import in_thread
from passhat.trials.toolset import TrialTools
from passhat.trials.witness import witnessed

Agent = Callable[..., Any]
"""Takes a case and gives a trace, messages, a framework's own result or text; or something to await
that gives one. By the names of its parameters it also takes `tools` (those of the trial, from the
sandbox), `user` (the conversation with the user, which it leads) or `messages` (those so far: then it
is called once for each message of the user)."""

_POLL = 0.005
_HELD = (
    "the sandbox is not free: an agent that was out of time has not let go of it, and did not end"
)


class AttemptFailed(Exception):
    """An attempt that an exception ended.

    Attributes:
        error: What the agent raised: any exception, `SystemExit` and `CancelledError` included.
        trace: What was seen until then, without an error or an outcome.
    """

    def __init__(self, error: BaseException, trace: Trace) -> None:
        super().__init__(error, trace)
        self.error = error
        self.trace = trace


class SandboxFailed(Exception):
    """That the world of an attempt could not be made ready, so that the agent was never called."""


async def attempt(
    agent: Agent,
    case: Case,
    *,
    trial: int,
    seed: int,
    sandbox: Any = None,
    user: Any = None,
    wants: Wants | None = None,
    ready: Callable[[], None] | None = None,
) -> Trace:
    """The trace of one attempt at a case.

    An agent that is no coroutine function runs in a thread of its own, so that it holds nobody up.

    Args:
        agent: The agent.
        case: The case.
        trial: Which attempt at it, counted from 0.
        seed: The seed of this attempt.
        sandbox: The world of the tools: a `Sandbox`.
        user: Who plays the user of a scenario; by default a `ScriptedUser`.
        wants: What the agent takes, where that is known: to look takes a while.
        ready: Called once the world is ready and the agent's time begins.

    Raises:
        SandboxFailed: A hook of the sandbox raised when the world was made ready, or an attempt that
            was given up holds it.
        AttemptFailed: The agent raised, or gave back what is no trace of the case (a `TraceError`).
        UsageError: The agent cannot be called: it needs tools, or takes no user.
        InputError: The initial state cannot be read.
    """
    wants = wants_of(agent) if wants is None else wants
    log = Logbook()
    conversation = conversation_for(case, wants, user, seed, log)
    async with _world(sandbox, case, seed, log) as tools:
        if ready is not None:
            ready()
        beside = given(wants, case, tools, None) if not wants.messages else {}
        started = time.time()
        try:
            if conversation is not None and wants.messages and not wants.user:
                trace = await _in_turns(agent, case, wants, tools, conversation, trial)
            else:
                if wants.user:
                    beside = {**beside, "user": conversation}
                returned = await called(agent, handed(case), **beside)
                trace = _read(returned, case, conversation, log, trial)
        except BaseException as error:  # Whatever an agent raises is the attempt's end, not ours.
            seen = replace(_seen(case, log, tools, trial), started=started, ended=time.time())
            if conversation is not None:
                failure = conversation.failure
                if failure is not None and error is failure:
                    return _user_failed(seen, failure)
                if conversation.waiting and isinstance(error, asyncio.CancelledError):
                    late = UserTooLate()
                    raise AttemptFailed(late, _user_failed(seen, late)) from error
            raise AttemptFailed(error, seen) from error
        if trace.started is None and trace.ended is None:
            trace = replace(trace, started=started, ended=time.time())
        if tools is not None:
            trace = witnessed(trace, tools, asked=asked_text(case.first_input))
            trace = _own_failure(trace, tools)
        return trace if conversation is None else _ended(trace, conversation)


@asynccontextmanager
async def _world(
    sandbox: Any, case: Case, seed: int, log: Logbook
) -> AsyncIterator[TrialTools | None]:
    """The tools of the attempt, current while it lasts."""
    if sandbox is None:
        yield None
        return
    if not isinstance(sandbox, Sandbox):
        raise UsageError(f"a sandbox is a passhat.Sandbox, not {sandbox!r:.100}")
    if sandbox.alone:
        while not sandbox.turn.take():
            if sandbox.turn.lost:
                raise SandboxFailed(_HELD)
            await asyncio.sleep(_POLL)
    try:
        try:
            tools = sandbox.begin(case, seed=seed, log=log)
        except PasshatError:
            raise
        except (Exception, SystemExit) as error:  # The hooks of a sandbox are anybody's code.
            said = f"the sandbox failed, not the agent: {type(error).__name__}: {message_of(error)}"
            raise SandboxFailed(said) from error
        token = CURRENT.set(tools)
        try:
            yield tools
        finally:
            CURRENT.reset(token)
            tools.close()
    finally:
        if sandbox.alone:
            sandbox.turn.release()


async def _in_turns(
    agent: Agent,
    case: Case,
    wants: Wants,
    tools: TrialTools | None,
    conversation: Conversation,
    trial: int,
) -> Trace:
    """The trace of an agent that is called once for each message of the user."""
    said: str | None = await conversation.open()
    parts: list[Trace] = []
    while said is not None:
        returned = await called(agent, handed(case), **given(wants, case, tools, conversation))
        part = trace_of(returned, replace(case, input=said, turns=None), trial=trial)
        parts.append(part)
        if part.error is not None or part.outcome != "completed":
            break
        if part.final_response is None:
            raise TraceError(f"the agent answered nothing to {said!r:.100}")
        said = await conversation.areply(part.final_response)
    return of_turns(parts, conversation, case, trial)


def _read(
    returned: Any, case: Case, conversation: Conversation | None, log: Logbook, trial: int
) -> Trace:
    """What an agent gave back; one that led a conversation may give nothing, or its last words."""
    if conversation is None or not conversation.messages:
        return trace_of(returned, case, trial=trial)
    if returned is None or isinstance(returned, str):
        own = log.trace(f"{case.id}/{trial}", answer=returned)
        return replace(own, case_id=case.id, trial=trial)
    trace = trace_of(returned, case, trial=trial)
    users = [message.text for message in trace.messages if message.role == "user"]
    heard = [said["content"] for said in conversation.messages if said["role"] == "user"]
    if len(users) >= len(heard):
        return trace
    own = log.trace(trace.id)
    gap = (
        "the agent's own trace leaves out some of what was said; the conversation is told as heard"
    )
    kept = {**trace.extensions, "of_the_agent": [to_builtins(step) for step in trace.steps]}
    return replace(trace, steps=own.steps, extensions=kept, gaps=(*trace.gaps, gap))


def _seen(case: Case, log: Logbook, tools: TrialTools | None, trial: int) -> Trace:
    """What was seen of an attempt that gave nothing back."""
    asked = asked_text(case.first_input)
    if not log.events:
        seen = empty_trace(case, trial=trial)
    else:
        own = log.trace(f"{case.id}/{trial}", asked=asked)
        seen = replace(own, case_id=case.id, trial=trial)
    return seen if tools is None else witnessed(seen, tools, asked=asked)


def _own_failure(trace: Trace, tools: TrialTools) -> Trace:
    """A run that ended in a fault of ours was not ended by its surroundings: the agent did not cope."""
    if trace.outcome != "infrastructure_error" or trace.error is None:
        return trace
    told = [record.error for record in tools.log.calls if record.strike and record.error]
    if any((words.partition(": ")[2] or words) in trace.error for words in told):
        return replace(trace, outcome="agent_error")
    return trace


def _ended(trace: Trace, conversation: Conversation) -> Trace:
    if conversation.failure is not None:
        return _user_failed(trace, conversation.failure)
    if conversation.capped and trace.error is None:
        count = sum(said["role"] == "user" for said in conversation.messages)
        said = f"the conversation came to no end within {count} messages of the user"
        return replace(trace, error=said, outcome="limit")
    return trace


def _user_failed(trace: Trace, error: Exception) -> Trace:
    said = f"the user failed, not the agent: {type(error).__name__}: {error}"
    return replace(trace, error=said, outcome="infrastructure_error")


async def called(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a function gives, be it sync (then in a thread of its own) or async."""
    if _is_async(function):
        return await function(*given, **named)
    return await awaited(await in_thread(function, *given, **named))


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )

"""One attempt at a case: the agent is called once, and what came of it is a trace."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from passhat.case import Case
from passhat.trace import Trace
from passhat.trials.returned import empty_trace, trace_of

Agent = Callable[..., Any]
"""Takes a case (and, with a sandbox, its tools) and gives a trace, messages, a framework's own
result or text; or something to await that gives one."""


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


async def attempt(
    agent: Agent, case: Case, *, trial: int, seed: int, sandbox: Any = None, user: Any = None
) -> Trace:
    """The trace of one attempt at a case.

    An agent that is no coroutine function runs in a thread of its own, so that it holds nobody up.

    Args:
        agent: The agent.
        case: The case.
        trial: Which attempt at it, counted from 0.
        seed: The seed of this attempt.
        sandbox: The world of the tools.
        user: Who plays the user.

    Raises:
        AttemptFailed: The agent raised, or gave back what is no trace of the case (a `TraceError`).
    """
    started = time.time()
    try:
        returned = await called(agent, case)
        trace = trace_of(returned, case, trial=trial)
    except BaseException as error:  # Whatever an agent raises is the attempt's end, not ours.
        seen = replace(empty_trace(case, trial=trial), started=started, ended=time.time())
        raise AttemptFailed(error, seen) from error
    if trace.started is None and trace.ended is None:
        trace = replace(trace, started=started, ended=time.time())
    return trace


async def called(function: Callable[..., Any], *given: Any) -> Any:
    """What a function gives, be it sync (then in a thread of its own) or async."""
    if _is_async(function):
        return await function(*given)
    found = await _in_thread(function, given)
    return await found if inspect.isawaitable(found) else found


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004
    )


async def _in_thread(function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """What a function gives that runs in a daemon thread; one that hangs holds up no exit."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(value: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((value, error))

    def work() -> None:
        value, error = None, None
        try:
            value = context.run(function, *given)
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=work, name="passhat-agent", daemon=True).start()
    value, error = await done
    if error is not None:
        raise error
    return value

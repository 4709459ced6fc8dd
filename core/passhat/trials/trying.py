"""One attempt within its time, with whose fault it was where it failed."""

from __future__ import annotations

import asyncio
import contextvars
import time
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import MissingExtraError, PasshatError, TraceError
from passhat.failing import FailureRules, message_of, retry_after, retry_after_text
from passhat.trace import Trace, encode_trace
from passhat.trials.attempt import Agent, AttemptFailed, SandboxFailed, attempt
from passhat.trials.conversing import UserTooLate
from passhat.trials.journal import NO_TRACE
from passhat.trials.owning import OWNER, Owner
from passhat.trials.returned import empty_trace
from passhat.trials.staging import Wants, wants_of

MODELS = "models"
"""The pin that names the models that answered in a trace."""
GRACE = 1.0
"""For how many seconds an attempt whose time is over may tidy up."""
_LONGEST = 4000


class Tried(Struct, frozen=True):
    """What became of one attempt.

    Attributes:
        trace: Its trace, with the error and the outcome where it failed.
        data: The trace as JSON.
        retry_after: How many seconds a server asked to wait.
        refused: Why there could be no attempt, where what was asked for cannot be done.
    """

    trace: Trace
    data: bytes
    retry_after: float | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Trying:
    """Plays attempts in this process.

    Args:
        agent: The agent.
        sandbox: The world of its tools.
        user: Who plays the user.
        rules: Whose fault an exception is.
        timeout: How many seconds an attempt may take.
        pins: What each trace is pinned to.
    """

    agent: Agent
    sandbox: Any = None
    user: Any = None
    rules: FailureRules = field(default_factory=FailureRules)
    timeout: float | None = None
    pins: dict[str, Any] = field(default_factory=dict)
    _wants: Wants = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_wants", wants_of(self.agent))

    async def __call__(self, case: Case, trial: int, seed: int) -> Tried:
        """One attempt at a case.

        Raises:
            MissingExtraError: The agent's framework is not installed.
        """
        owner, context = Owner(), contextvars.copy_context()
        context.run(OWNER.set, owner)
        ready = asyncio.Event()
        playing = asyncio.get_running_loop().create_task(
            attempt(
                self.agent,
                case,
                trial=trial,
                seed=seed,
                sandbox=self.sandbox,
                user=self.user,
                wants=self._wants,
                ready=ready.set,
            ),
            context=context,
        )
        started = time.time()
        try:
            if self.sandbox is not None and self.timeout is not None:
                await _first(playing, ready)  # To make the world ready takes none of its time.
            await asyncio.wait({playing}, timeout=self.timeout)
            late = not playing.done()
            if late:
                playing.cancel()
                await asyncio.wait({playing}, timeout=GRACE)
        except asyncio.CancelledError:
            playing.cancel()
            playing.add_done_callback(_looked_at)
            raise
        finally:
            owner.over = True
        if not playing.done():
            playing.add_done_callback(_looked_at)
            seen = replace(empty_trace(case, trial=trial), started=started, ended=time.time())
            return self._finished(self._late(seen))
        return self._settled(playing, case, trial, late=late)

    def _settled(
        self, playing: asyncio.Future[Trace], case: Case, trial: int, *, late: bool
    ) -> Tried:
        try:
            trace = playing.result()
        except AttemptFailed as failed:
            error, seen = failed.error, failed.trace
        except BaseException as raised:  # What the sandbox or the user raised, or a cancellation.
            error, seen = raised, empty_trace(case, trial=trial)
        else:
            return self._finished(self._late(trace) if late else self._returned(trace))
        if late:
            return self._finished(seen if isinstance(error, UserTooLate) else self._late(seen))
        if isinstance(error, MissingExtraError):
            raise error
        told = failure_text(error)
        if isinstance(error, PasshatError) and not isinstance(error, TraceError):
            return Tried(seen, NO_TRACE, refused=str(error))
        outcome = self.rules.outcome_of(error)
        if isinstance(error, SandboxFailed):
            told, outcome = str(error), "infrastructure_error"
        failed_trace = replace(seen, error=told, outcome=outcome)
        return self._finished(failed_trace, retry_after(error, now=time.time()))

    def _late(self, seen: Trace) -> Trace:
        return replace(seen, error=late_text(self.timeout), outcome="limit")

    def _returned(self, trace: Trace) -> Trace:
        """The trace that an agent gave, which may itself tell of a failure."""
        if trace.error is None or trace.outcome in ("completed", "interrupted"):
            return trace
        return replace(trace, outcome=self.rules.outcome_of_text(trace.error, trace.outcome))

    def _finished(self, trace: Trace, asked: float | None = None) -> Tried:
        pins = {**self.pins, **trace.pins}
        models = sorted({message.model for message in trace.messages if message.model})
        if models:
            pins.setdefault(MODELS, models)
        return finished(replace(trace, pins=pins), asked)


def finished(trace: Trace, asked: float | None = None) -> Tried:
    """A trace of an attempt that is over; one that holds what is no JSON is the agent's failure."""
    try:
        data = encode_trace(trace)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        bare = Trace(
            trace.id,
            trace.case_id,
            trace.trial,
            error=f"the trace holds a value that is no JSON: {error}",
            outcome="agent_error",
            started=trace.started,
            ended=trace.ended,
            pins={name: value for name, value in trace.pins.items() if isinstance(value, str)},
        )
        trace, data = bare, encode_trace(bare)
    if asked is None and trace.outcome == "infrastructure_error" and trace.error is not None:
        told = trace.extensions.get("retry_after")  # As the adapters' `as_agent` keep it.
        asked = told if isinstance(told, int | float) else retry_after_text(trace.error)
    return Tried(trace, data, asked)


def late_text(timeout: float | None) -> str:
    """What is said of an attempt whose time was over."""
    return f"took longer than its {timeout:g} seconds" if timeout is not None else "was ended"


def failure_text(error: BaseException) -> str:
    """An exception in one line that can be written anywhere.

    >>> failure_text(SystemExit(3)), failure_text(KeyError("a"))
    ('SystemExit: 3', "KeyError: 'a'")
    """
    said, name = message_of(error), type(error).__name__
    text = f"{name}: {said}" if said else name
    return text.encode("utf-8", "backslashreplace").decode()[:_LONGEST]


async def _first(playing: asyncio.Future[Trace], ready: asyncio.Event) -> None:
    """Waits until the world of an attempt is ready, or the attempt is over."""
    waiting = asyncio.get_running_loop().create_task(ready.wait())
    either: set[asyncio.Future[Any]] = {playing, waiting}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()


def _looked_at(playing: asyncio.Future[Trace]) -> None:
    """Takes note of how an abandoned attempt ended, so that nobody complains that none did."""
    if not playing.cancelled():
        playing.exception()

"""The world of one trial, which one call at a time changes, and what each call changed in it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

from passhat.errors import PasshatError
from passhat.state import Snapshot, StateDiff, diff
from passhat.state.equality import surely_equal
from passhat.trace.builder import copied
from passhat.trials.answers import told
from passhat.trials.awaiting import awaited, waited_for
from passhat.trials.logbook import CallRecord, Logbook
from passhat.trials.raised import HeldUpError
from passhat.trials.threads import in_thread
from passhat.trials.worlds import ValueWorld, World

PATIENCE = 60.0
"""For how many seconds a call waits for the calls before it, where nobody says."""
_ASYNCHRONOUS = "the tool is asynchronous: await `acall`, or the tool itself"

_WITHIN: ContextVar[tuple[int, str] | None] = ContextVar("passhat_within_call", default=None)
"""The world and the call inside which code runs: a tool may call others of the trial."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Seconds to wait; none where calls that are made side by side are to begin first."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Act:
    """A function to run while nothing else changes the world, and the call that it is of."""

    function: Callable[..., Any]
    record: CallRecord | None


Need: TypeAlias = Wait | Act
"""What a call needs before it goes on."""


class HeldWorld:
    """A world that calls have to themselves, one after the other; a tool may call others within.

    Attributes:
        initial: The state at the beginning; None where the world has none to tell of.
    """

    def __init__(
        self,
        world: World,
        log: Logbook,
        *,
        track: bool,
        sleep: Callable[[float], None],
        patience: float,
    ) -> None:
        self._world = world
        self._log = log
        self._track = track
        self._sleep = sleep
        self._patience = patience
        self._lock = threading.RLock()
        self._turnstile: asyncio.Lock | None = None
        self.initial = self._before = self._begun()

    @property
    def state(self) -> Any:
        """The state, as tools are given it."""
        return self._world.state

    def initial_value(self) -> ValueWorld | None:
        """A copy of the world as it was at the beginning, where it is a value in memory."""
        if isinstance(self._world, ValueWorld) and self.initial is not None:
            return ValueWorld(self.initial.value)
        return None

    def final(self) -> Snapshot | None:
        """The state as it is now; None where the world has none to tell of, or a call still runs."""
        if not self._lock.acquire(blocking=False):
            self._log.gap("final_state: a call was still under way when the trial ended")
            return None
        try:
            return self._taken()
        finally:
            self._lock.release()

    def close(self) -> None:
        """Lets go of the world."""
        self._world.close()

    def met(self, need: Need) -> Any:
        """What a need gives: nothing, or what its function answers.

        Raises:
            HeldUpError: Another call does not end.
            UsageError: The function is asynchronous, and a loop runs here already.
            Exception: What the function raises.
        """
        if isinstance(need, Wait):
            if need.seconds:
                self._sleep(need.seconds)
            return None
        # Inside another call, that one holds the world already.
        alone = self._alone() if self.outer() is None else nullcontext()
        with alone, self._inside(need.record):
            return waited_for(need.function(), _ASYNCHRONOUS)

    async def amet(self, need: Need) -> Any:
        """What a need gives, awaited; see `met`."""
        if isinstance(need, Wait):
            if self._sleep is time.sleep or not need.seconds:
                await asyncio.sleep(need.seconds)
            else:
                self._sleep(need.seconds)
            return None
        if self.outer() is not None:
            with self._inside(need.record):
                return await awaited(await in_thread(need.function))
        if self._turnstile is None:
            self._turnstile = asyncio.Lock()
        async with self._turnstile:
            with self._inside(need.record):
                return await awaited(await in_thread(self._run_alone, need.function))

    def _run_alone(self, function: Callable[[], Any]) -> Any:
        with self._alone():
            return function()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While no other call changes the world.

        A tool that waits for a thread of its own which calls another tool would wait for ever: such a
        thread does not know inside which call it runs.
        """
        if not self._lock.acquire(timeout=self._patience):
            raise HeldUpError(
                f"the call waited {self._patience:g} s for another call of the trial to end; where a "
                "tool calls others from a thread of its own, start that with "
                "contextvars.copy_context().run"
            )
        try:
            yield
        finally:
            self._lock.release()

    def outer(self) -> str | None:
        """The call inside which this code runs, where it is one of these tools."""
        within = _WITHIN.get()
        return within[1] if within is not None and within[0] == id(self) else None

    @contextmanager
    def _inside(self, record: CallRecord | None) -> Iterator[None]:
        """While a call runs; what it changed is noted at its end."""
        token = _WITHIN.set((id(self), record.id if record is not None else ""))
        try:
            yield
        finally:
            _WITHIN.reset(token)
            # Where another call holds the world, or this one was left behind in it, that one tells.
            if self._lock.acquire(blocking=False):
                try:
                    self._look(record)
                finally:
                    self._lock.release()

    def _look(self, record: CallRecord | None) -> None:
        """Notes what a call changed."""
        if record is None or not self._track or self._before is None:
            return
        world = self._world
        if isinstance(world, ValueWorld) and surely_equal(self._before.value, world.state):
            return  # Most calls only look: comparing costs far less than a copy.
        now = self._taken()
        if now is None:
            return
        found = diff(self._before, now)
        if not found.equal or found.schema:
            record.changes = found
            record.delta = _changed(self._before.value, now.value, found)
        self._before = now

    def _begun(self) -> Snapshot | None:
        try:
            return self._world.taken()
        except PasshatError as error:
            self._log.gap(f"final_state: {error}")
            return None

    def _taken(self) -> Snapshot | None:
        try:
            return self._begun()
        except Exception as error:  # The hook that looks is anybody's code, and no part of a call.
            self._log.gap(f"final_state: looking at the world failed: {told(error)}")
            return None


def _changed(before: Any, after: Any, found: StateDiff) -> dict[str, Any]:
    """The top-level parts of a state that changed, with their new values."""
    if not isinstance(after, Mapping) or not isinstance(before, Mapping):
        return {}
    tables = {change.table for change in found.changes}
    named = {str(name): value for name, value in after.items()}
    return {table: copied(named.get(table)) for table in sorted(tables)}

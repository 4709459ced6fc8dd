"""A trial is tried again where the surroundings break it, and not before a server asked to be."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec.structs import replace

from passhat.case import Case
from passhat.trials.retrying import Retries
from passhat.trials.standing import Standing
from passhat.trials.trying import Tried, finished

Play: TypeAlias = Callable[[Case, int, int], Awaitable[Tried]]
"""Plays one attempt: the case, the number of the attempt, its seed."""

_A_MOMENT = 0.05


class Persistent:
    """Plays attempts, and again those that the surroundings broke.

    Args:
        play: Plays one attempt.
        retries: What becomes of trials that the surroundings broke.
        standing: Where the retries are counted.
        stopped: Set once nothing more is to be started.
    """

    def __init__(
        self, play: Play, retries: Retries, standing: Standing, stopped: asyncio.Event
    ) -> None:
        self._play = play
        self._retries = retries
        self._standing = standing
        self._stopped = stopped
        self._budget = retries.budget(standing.total)
        self._not_before = 0.0

    async def __call__(self, case: Case, trial: int, seed: int) -> Tried:
        """What becomes of a trial."""
        broken: list[str] = []
        times = 0
        while True:
            await self._gate()
            tried = await self._play(case, trial, seed)
            times += 1
            wait = self._wait(tried, times, seed)
            if wait is None:
                break
            broken.append(f"{tried.trace.error} (then {wait:.3g} s)")
            await self.sleep(wait)
            if self._stopped.is_set():
                break
        if broken and tried.refused is None:
            tried = _told_of_retries(tried, broken, times)
        return tried

    async def sleep(self, seconds: float) -> None:
        """Waits for so long, or until the run is stopped."""
        if self._stopped.is_set():
            await asyncio.sleep(min(seconds, _A_MOMENT))
            return
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            pass

    def _wait(self, tried: Tried, times: int, seed: int) -> float | None:
        """How long to wait before the trial is tried again, None where it is not."""
        if tried.refused is not None or tried.trace.outcome != "infrastructure_error":
            return None
        wait = self._retries.wait(times, tried.retry_after, seed=seed)
        if wait is None or self._budget <= 0 or self._stopped.is_set():
            return None
        self._budget -= 1
        self._standing.retries += 1
        if tried.retry_after is not None:
            self._not_before = max(self._not_before, time.monotonic() + tried.retry_after)
        return wait

    async def _gate(self) -> None:
        """Waits while a server has asked to be left alone."""
        while (wait := self._not_before - time.monotonic()) > 0 and not self._stopped.is_set():
            await self.sleep(wait)


def _told_of_retries(tried: Tried, broken: list[str], times: int) -> Tried:
    """What became of an attempt, with what broke the attempts before it."""
    trace = tried.trace
    error = trace.error
    if trace.outcome == "infrastructure_error" and times > 1:
        error = f"{error}; tried {times} times"
    told = {**trace.extensions, "retries": broken}
    return finished(replace(trace, error=error, extensions=told), tried.retry_after)

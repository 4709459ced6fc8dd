"""Whose tasks are whose: an agent that cancels every task of the loop ends its own trial alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextvars import Context, ContextVar
from typing import Any


class Owner:
    """An attempt, as the owner of the tasks that were begun in it.

    Attributes:
        over: Whether it is over: what it left behind may then be cancelled by all.
    """

    def __init__(self) -> None:
        self.over = False


OWNER: ContextVar[Owner | None] = ContextVar("owner", default=None)
"""The attempt that this is part of; None in the runner itself, which may cancel everything."""


class OwnedTask(asyncio.Task[Any]):
    """A task that the attempts beside its own cannot cancel."""

    def __init__(
        self, work: Coroutine[Any, Any, Any], *, context: Context | None = None, **options: Any
    ) -> None:
        super().__init__(work, context=context, **options)
        self._owner = OWNER.get() if context is None else context.get(OWNER)

    def cancel(self, msg: Any | None = None) -> bool:
        """Whether the task is asked to end, which an attempt can ask of its own tasks alone."""
        asking, owner = OWNER.get(), self._owner
        if asking is None or asking is owner or (owner is not None and owner.over):
            return super().cancel(msg)
        return False


def owned_task(loop: asyncio.AbstractEventLoop, work: Any, /, **options: Any) -> OwnedTask:
    """The task of some work, for `loop.set_task_factory`."""
    return OwnedTask(work, loop=loop, **options)


class Turn:
    """What attempts that share a world have one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder: Owner | None = None

    def take(self) -> bool:
        """Whether it was free, and is this attempt's now."""
        if not self._lock.acquire(blocking=False):
            return False
        self._holder = OWNER.get()
        return True

    def release(self) -> None:
        """Gives it to whoever takes it next."""
        self._holder = None
        self._lock.release()

    @property
    def lost(self) -> bool:
        """Whether it is held by an attempt that is over, which was given up and has not ended."""
        holder = self._holder
        return holder is not None and holder.over

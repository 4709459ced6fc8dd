"""Threads that a node starts by itself: while single steps run, the barrier goes with them.

LangChain finds its callbacks in the context of the thread. One that a node starts has none, so an
agent in it would run its tools. While a step runs, threads that are started, and work that is given
to a pool of threads, from within it keep its context; all others are as they were.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from contextvars import copy_context
from functools import wraps
from typing import Any

from passhat_langgraph.within import Within

_start: Callable[..., None] = threading.Thread.start
_submit: Callable[..., Future[Any]] = ThreadPoolExecutor.submit


def followed() -> AbstractContextManager[None]:
    """Within it, the threads that are started from its context keep that."""
    return _STEPS.entered()


def _follow(first: bool) -> None:
    global _start, _submit
    if first:
        _start, _submit = threading.Thread.start, ThreadPoolExecutor.submit
        threading.Thread.start = _starting(_start)  # type: ignore[method-assign]
        ThreadPoolExecutor.submit = _submitting(_submit)  # type: ignore[method-assign]


def _put_back() -> None:
    threading.Thread.start = _start  # type: ignore[method-assign]
    ThreadPoolExecutor.submit = _submit  # type: ignore[method-assign]


_STEPS = Within(_follow, _put_back)


def _starting(start: Callable[..., None]) -> Callable[..., None]:
    @wraps(start)
    def started(self: threading.Thread) -> None:
        if _STEPS.here:
            context, run = copy_context(), self.run
            self.run = lambda: context.run(_stopped_quietly, run)  # type: ignore[method-assign]
        start(self)

    return started


def _submitting(submit: Callable[..., Future[Any]]) -> Callable[..., Future[Any]]:
    @wraps(submit)
    def submitted(
        self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        if _STEPS.here:
            return submit(self, copy_context().run, fn, *args, **kwargs)
        return submit(self, fn, *args, **kwargs)

    return submitted


def _stopped_quietly(run: Callable[[], None]) -> None:
    """Runs a thread's body; that it was stopped is known, and nobody waits there to be told."""
    from langgraph.errors import GraphInterrupt

    try:
        run()
    except GraphInterrupt as stop:
        from passhat_langgraph.barrier import STOP

        if not any(str(pause.id).startswith(STOP) for pause in stop.args[0]):
            raise

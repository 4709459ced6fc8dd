"""Threads that a node starts by itself: while single steps run, the barrier goes with them.

LangChain finds its callbacks in the context of the thread. One that a node starts has none, so an
agent in it would run its tools. While a step runs, threads that are started, and work that is given
to a pool of threads, from within it keep its context; all others are as they were.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import wraps
from typing import Any

_within: ContextVar[bool] = ContextVar("within", default=False)
_lock = threading.Lock()
_running = 0
_start: Callable[..., None] = threading.Thread.start
_submit: Callable[..., Future[Any]] = ThreadPoolExecutor.submit


@contextmanager
def followed() -> Iterator[None]:
    """Within it, the threads that are started from its context keep that."""
    global _running, _start, _submit
    with _lock:
        if not _running:
            _start, _submit = threading.Thread.start, ThreadPoolExecutor.submit
            threading.Thread.start = _starting(_start)  # type: ignore[method-assign]
            ThreadPoolExecutor.submit = _submitting(_submit)  # type: ignore[method-assign]
        _running += 1
    token = _within.set(True)
    try:
        yield
    finally:
        _within.reset(token)
        with _lock:
            _running -= 1
            if not _running:
                threading.Thread.start = _start  # type: ignore[method-assign]
                ThreadPoolExecutor.submit = _submit  # type: ignore[method-assign]


def _starting(start: Callable[..., None]) -> Callable[..., None]:
    @wraps(start)
    def started(self: threading.Thread) -> None:
        if _within.get():
            context, run = copy_context(), self.run
            self.run = lambda: context.run(_stopped_quietly, run)  # type: ignore[method-assign]
        start(self)

    return started


def _submitting(submit: Callable[..., Future[Any]]) -> Callable[..., Future[Any]]:
    @wraps(submit)
    def submitted(
        self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        if _within.get():
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

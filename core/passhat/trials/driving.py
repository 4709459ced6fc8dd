"""Drives a runner: its event loop, Ctrl-C, and the tidying up after agents that do not end."""

from __future__ import annotations

import asyncio
import contextvars
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from passhat.trials.owning import owned_task
from passhat.trials.trying import GRACE

_SIGNALS = (signal.SIGINT, signal.SIGTERM)

_ABANDONED: list[asyncio.Task[Any]] = []
"""Tasks of agents that did not end when asked: let go of, they would be closed in the midst."""


class Interrupted(Exception):
    """The work was interrupted from outside: Ctrl-C, or a signal to end."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@contextmanager
def same_folder() -> Iterator[None]:
    """Comes back to the current folder, wherever an agent has gone: results are written by name."""
    folder = os.getcwd()
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(folder)


def drive(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs work to its end, in a loop of its own; a second Ctrl-C ends it at once.

    It may be called where a loop is running already, as in a notebook: that loop waits.

    Raises:
        Interrupted: A signal came, and the work was cancelled in good order.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        _drive(work)
        return
    raised: list[BaseException] = []

    def apart() -> None:
        try:
            _drive(work)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=apart, name="passhat-runner")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


def _drive(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    loop = asyncio.new_event_loop()
    loop.set_task_factory(owned_task)
    caught: list[str] = []
    try:
        task = loop.create_task(work())
        with _signals(loop, task, caught):
            while not task.done():
                try:
                    loop.run_until_complete(asyncio.wait({task}))
                except (SystemExit, KeyboardInterrupt):
                    # Raised in a task of an agent's own, which ends that task alone; or insisted on.
                    if len(caught) > 1:
                        raise
                except RuntimeError:
                    if loop.is_closed():
                        raise
                    # An agent stopped the loop in which all of them run.
        if caught:
            with suppress(asyncio.CancelledError):
                task.result()
            raise Interrupted(caught[0])
        task.result()
    finally:
        _tidy(loop)


@contextmanager
def _signals(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[None], caught: list[str]
) -> Iterator[None]:
    """Within it, the first signal cancels the task, and a second one is insisted on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    context = contextvars.copy_context()

    def handle(number: int, frame: FrameType | None) -> None:
        caught.append("Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name)
        if len(caught) > 1:
            raise KeyboardInterrupt
        # A signal may come while an agent is at work, which could not cancel the run.
        loop.call_soon_threadsafe(task.cancel, context=context)

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tidy(loop: asyncio.AbstractEventLoop) -> None:
    """Closes a loop, giving what still runs in it a moment to end and no more."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_until_complete(asyncio.wait(left, timeout=GRACE))
    for task in left:
        if task.done():
            if not task.cancelled():
                task.exception()
        else:
            _ABANDONED.append(task)
    with suppress(SystemExit, KeyboardInterrupt, TimeoutError):
        loop.run_until_complete(asyncio.wait_for(loop.shutdown_asyncgens(), GRACE))
    loop.close()

"""Runs what is no coroutine function in a daemon thread, so that it holds up neither loop nor exit."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any


async def in_thread(function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
    """What a function gives that runs in a thread of its own; one that hangs holds up no exit.

    Unlike those of `asyncio.to_thread`, these threads are as many as are asked for.

    >>> asyncio.run(in_thread(max, 1, 2))
    2
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = contextvars.copy_context()

    def settle(value: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((value, error))

    def work() -> None:
        value, error = None, None
        try:
            value = context.run(function, *given, **named)
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=work, name="passhat-agent", daemon=True).start()
    value, error = await done
    if error is not None:
        raise error
    return value

"""What a function gave that may be asynchronous: awaited, or waited for where nothing awaits."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from passhat.errors import UsageError


async def awaited(given: Any) -> Any:
    """What an awaitable gives; anything else as it is.

    >>> asyncio.run(awaited(1))
    1
    """
    return await given if inspect.isawaitable(given) else given


def waited_for(given: Any, instead: str) -> Any:
    """What an awaitable gives, in a loop of its own; anything else as it is.

    Args:
        given: What a function gave.
        instead: What to do where a loop runs here already.

    Raises:
        UsageError: A loop runs here already, which waiting would hold up.
        Exception: What the awaitable raises.

    >>> waited_for(awaited("said"), "await it"), waited_for(2, "await it")
    ('said', 2)
    """
    if not inspect.isawaitable(given):
        return given
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(awaited(given))
    raise UsageError(instead)

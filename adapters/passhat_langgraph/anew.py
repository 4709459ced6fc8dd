"""Decisions made anew: while single steps run, LangChain's cache of models' answers stands aside.

It is one for the whole process, so it stands aside only for what runs within a step; for all others it
is as it was. A graph's own cache of nodes is switched off by the config of the run, which the graphs
inside it are given too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.caches import BaseCache
from langchain_core.globals import get_llm_cache, set_llm_cache

UNCACHED: dict[str, Any] = {"__pregel_cache": None}
"""What a config's `configurable` holds so that no graph takes from its cache, or adds to it."""

_within: ContextVar[bool] = ContextVar("within", default=False)
_lock = threading.Lock()
_running = 0


@contextmanager
def anew() -> Iterator[None]:
    """Within it, the models that are asked from its context answer anew."""
    global _running
    with _lock:
        held = get_llm_cache()
        if held is not None and not isinstance(held, _Aside):
            set_llm_cache(_Aside(held))
        _running += 1
    token = _within.set(True)
    try:
        yield
    finally:
        _within.reset(token)
        with _lock:
            _running -= 1
            held = get_llm_cache()
            if not _running and isinstance(held, _Aside):
                set_llm_cache(held.under)


class _Aside(BaseCache):
    """Another cache, for all that does not run within a step."""

    def __init__(self, under: BaseCache) -> None:
        self.under = under

    def lookup(self, prompt: str, llm_string: str) -> Any:
        return None if _within.get() else self.under.lookup(prompt, llm_string)

    async def alookup(self, prompt: str, llm_string: str) -> Any:
        return None if _within.get() else await self.under.alookup(prompt, llm_string)

    def update(self, prompt: str, llm_string: str, return_val: Any) -> None:
        if not _within.get():
            self.under.update(prompt, llm_string, return_val)

    async def aupdate(self, prompt: str, llm_string: str, return_val: Any) -> None:
        if not _within.get():
            await self.under.aupdate(prompt, llm_string, return_val)

    def clear(self, **kwargs: Any) -> None:
        self.under.clear(**kwargs)

    async def aclear(self, **kwargs: Any) -> None:
        await self.under.aclear(**kwargs)

"""Decisions made anew: while single steps run, LangChain's cache of models' answers stands aside.

It is one for the whole process, so it stands aside only for what runs within a step; for all others it
is as it was. A graph's own cache of nodes is switched off by the config of the run, which the graphs
inside it are given too.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from langchain_core.caches import BaseCache
from langchain_core.globals import get_llm_cache, set_llm_cache

from passhat_langgraph.within import Within

UNCACHED: dict[str, Any] = {"__pregel_cache": None}
"""What a config's `configurable` holds so that no graph takes from its cache, or adds to it."""


def anew() -> AbstractContextManager[None]:
    """Within it, the models that are asked from its context answer anew."""
    return _STEPS.entered()


def _stand_aside(first: bool) -> None:  # not only at the first: another cache may be set meanwhile
    held = get_llm_cache()
    if held is not None and not isinstance(held, _Aside):
        set_llm_cache(_Aside(held))


def _put_back() -> None:
    held = get_llm_cache()
    if isinstance(held, _Aside):
        set_llm_cache(held.under)


_STEPS = Within(_stand_aside, _put_back)


class _Aside(BaseCache):
    """Another cache, for all that does not run within a step."""

    def __init__(self, under: BaseCache) -> None:
        self.under = under

    def lookup(self, prompt: str, llm_string: str) -> Any:
        return None if _STEPS.here else self.under.lookup(prompt, llm_string)

    async def alookup(self, prompt: str, llm_string: str) -> Any:
        return None if _STEPS.here else await self.under.alookup(prompt, llm_string)

    def update(self, prompt: str, llm_string: str, return_val: Any) -> None:
        if not _STEPS.here:
            self.under.update(prompt, llm_string, return_val)

    async def aupdate(self, prompt: str, llm_string: str, return_val: Any) -> None:
        if not _STEPS.here:
            await self.under.aupdate(prompt, llm_string, return_val)

    def clear(self, **kwargs: Any) -> None:
        self.under.clear(**kwargs)

    async def aclear(self, **kwargs: Any) -> None:
        await self.under.aclear(**kwargs)

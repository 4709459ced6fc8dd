"""passhat for Google ADK: eval sets, sessions and criteria.

`to_trace` and `to_suite` bring ADK's recordings and eval sets here, `from_trace` and `from_suite`
take ours there; on JSON none of them needs ADK. `register` and `passhat_adk.metrics` are the checks
as ADK's own metrics, `TracePlugin` records what ADK's evaluation does not hand on, and `evaluate`
runs an agent n times. `as_agent`, `as_tools` and `as_user` are for `passhat.run`: an agent, a
sandbox's tools, a simulator that plays the user.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passhat_adk.agents import as_agent
    from passhat_adk.convert import to_trace, to_traces
    from passhat_adk.evalsets import from_suite
    from passhat_adk.evaluating import evaluate, evaluate_sync
    from passhat_adk.plugin import TracePlugin
    from passhat_adk.reader import adapter
    from passhat_adk.registering import register
    from passhat_adk.suites import to_suite
    from passhat_adk.tools import as_tools
    from passhat_adk.users import as_user
    from passhat_adk.writing import from_trace

_ROOMS = {
    "agents": ("as_agent",),
    "convert": ("to_trace", "to_traces"),
    "evalsets": ("from_suite",),
    "evaluating": ("evaluate", "evaluate_sync"),
    "plugin": ("TracePlugin",),
    "reader": ("adapter",),
    "registering": ("register",),
    "suites": ("to_suite",),
    "tools": ("as_tools",),
    "users": ("as_user",),
    "writing": ("from_trace",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "TracePlugin",
    "adapter",
    "as_agent",
    "as_tools",
    "as_user",
    "evaluate",
    "evaluate_sync",
    "from_suite",
    "from_trace",
    "register",
    "to_suite",
    "to_trace",
    "to_traces",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'passhat_adk' has no attribute {name!r}")
    value = getattr(import_module(f"passhat_adk.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""passhat for agentevals and openevals: messages, evaluators and their settings.

`to_trace` brings their messages here, `from_trace` takes ours there. `as_check` is any of their
evaluators, LLM judges included, as a check; `as_evaluator` is a check, called like theirs. `to_suite`
and `from_suite` read and write rows of reference outputs with evaluator settings, and
`evaluator_for` is the evaluator that a row asks for.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passhat_openevals.convert import from_trace, to_trace
    from passhat_openevals.evaluators import as_evaluator
    from passhat_openevals.judges import as_check
    from passhat_openevals.reader import adapter
    from passhat_openevals.rows import evaluator_for
    from passhat_openevals.settings import Settings
    from passhat_openevals.suites import from_suite, to_suite

_ROOMS = {
    "convert": ("from_trace", "to_trace"),
    "evaluators": ("as_evaluator",),
    "judges": ("as_check",),
    "reader": ("adapter",),
    "rows": ("evaluator_for",),
    "settings": ("Settings",),
    "suites": ("from_suite", "to_suite"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Settings",
    "adapter",
    "as_check",
    "as_evaluator",
    "evaluator_for",
    "from_suite",
    "from_trace",
    "to_suite",
    "to_trace",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'passhat_openevals' has no attribute {name!r}")
    value = getattr(import_module(f"passhat_openevals.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""passhat for LangSmith: runs, datasets and evaluators.

`to_trace` and `to_suite` bring LangSmith's runs and examples here, `from_trace` and `from_suite`
take ours there; on JSON none of them needs LangSmith. `as_evaluator` is a check, or all that an
example expects, as one of LangSmith's own row evaluators; `pass_hat_k` and the others are summary
evaluators that it lacks; `evaluate` runs an experiment and gives our results.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passhat_langsmith.arrival import ExperimentError
    from passhat_langsmith.cases import case_of
    from passhat_langsmith.comparing import as_comparator
    from passhat_langsmith.convert import to_trace, to_traces
    from passhat_langsmith.datasets import Pushed, pull_suite, push_suite
    from passhat_langsmith.evaluating import aevaluate, evaluate, offline_client
    from passhat_langsmith.evaluators import as_evaluator
    from passhat_langsmith.examples import as_examples
    from passhat_langsmith.production import ProjectScores, score_project
    from passhat_langsmith.reader import adapter
    from passhat_langsmith.suites import from_suite, to_suite
    from passhat_langsmith.summaries import pass_at_k, pass_hat_k, routing, success_rate, tool_f1
    from passhat_langsmith.testing import log_results
    from passhat_langsmith.writing import from_trace

_ROOMS = {
    "arrival": ("ExperimentError",),
    "cases": ("case_of",),
    "comparing": ("as_comparator",),
    "convert": ("to_trace", "to_traces"),
    "datasets": ("Pushed", "pull_suite", "push_suite"),
    "evaluating": ("aevaluate", "evaluate", "offline_client"),
    "evaluators": ("as_evaluator",),
    "examples": ("as_examples",),
    "production": ("ProjectScores", "score_project"),
    "reader": ("adapter",),
    "suites": ("from_suite", "to_suite"),
    "summaries": ("pass_at_k", "pass_hat_k", "routing", "success_rate", "tool_f1"),
    "testing": ("log_results",),
    "writing": ("from_trace",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "ExperimentError",
    "ProjectScores",
    "Pushed",
    "adapter",
    "aevaluate",
    "as_comparator",
    "as_evaluator",
    "as_examples",
    "case_of",
    "evaluate",
    "from_suite",
    "from_trace",
    "log_results",
    "offline_client",
    "pass_at_k",
    "pass_hat_k",
    "pull_suite",
    "push_suite",
    "routing",
    "score_project",
    "success_rate",
    "to_suite",
    "to_trace",
    "to_traces",
    "tool_f1",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'passhat_langsmith' has no attribute {name!r}")
    value = getattr(import_module(f"passhat_langsmith.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

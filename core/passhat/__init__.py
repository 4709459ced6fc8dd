"""passhat: how reliable an agent is, from its recorded runs.

Names are loaded when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passhat.adapter import Fidelity, FidelityNote, read_traces
    from passhat.case import Case, ExpectedCall, Suite, Turn
    from passhat.compare import Comparison, compare_results
    from passhat.errors import (
        EstimationError,
        InputError,
        MissingExtraError,
        PasshatError,
        Place,
        PolicyError,
        SuiteError,
        SuiteFault,
        TraceError,
        UsageError,
    )
    from passhat.gate import Decision, Policy, decide
    from passhat.grading import check
    from passhat.match import Match, match_trajectory
    from passhat.pytest_plugin.asserting import TrialNotCounted, assert_passes
    from passhat.pytest_plugin.parametrizing import cases
    from passhat.reliability import Results, Summary, pass_at_k, pass_hat_k, read_results
    from passhat.result import CheckResult, Trial
    from passhat.scoring import grade, score
    from passhat.suitefile.reading import read_suite
    from passhat.suitefile.recorded import case_from_trace
    from passhat.surroundings import Fault
    from passhat.trace import Message, ToolCall, Trace, Usage
    from passhat.trials.cassettes import Cassette
    from passhat.trials.runs import run
    from passhat.trials.sandbox import Sandbox
    from passhat.trials.users import ScriptedUser

    __version__: str

_ROOMS = {
    "adapter": ("Fidelity", "FidelityNote", "read_traces"),
    "case": ("Case", "ExpectedCall", "Suite", "Turn"),
    "compare": ("Comparison", "compare_results"),
    "errors": (
        "EstimationError",
        "SuiteFault",
        "InputError",
        "MissingExtraError",
        "PasshatError",
        "Place",
        "PolicyError",
        "SuiteError",
        "TraceError",
        "UsageError",
    ),
    "gate": ("Decision", "Policy", "decide"),
    "grading": ("check",),
    "match": ("Match", "match_trajectory"),
    "pytest_plugin.asserting": ("TrialNotCounted", "assert_passes"),
    "pytest_plugin.parametrizing": ("cases",),
    "reliability": ("Results", "Summary", "pass_at_k", "pass_hat_k", "read_results"),
    "result": ("CheckResult", "Trial"),
    "scoring": ("grade", "score"),
    "suitefile.reading": ("read_suite",),
    "suitefile.recorded": ("case_from_trace",),
    "trace": ("Message", "ToolCall", "Trace", "Usage"),
    "surroundings": ("Fault",),
    "trials.cassettes": ("Cassette",),
    "trials.runs": ("run",),
    "trials.sandbox": ("Sandbox",),
    "trials.users": ("ScriptedUser",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Case",
    "Cassette",
    "CheckResult",
    "Comparison",
    "Decision",
    "EstimationError",
    "ExpectedCall",
    "Fault",
    "Fidelity",
    "FidelityNote",
    "InputError",
    "Match",
    "Message",
    "MissingExtraError",
    "PasshatError",
    "Place",
    "Policy",
    "PolicyError",
    "Results",
    "Sandbox",
    "ScriptedUser",
    "Suite",
    "SuiteError",
    "SuiteFault",
    "Summary",
    "ToolCall",
    "Trace",
    "TraceError",
    "Trial",
    "TrialNotCounted",
    "Turn",
    "Usage",
    "UsageError",
    "__version__",
    "assert_passes",
    "case_from_trace",
    "cases",
    "check",
    "compare_results",
    "decide",
    "grade",
    "match_trajectory",
    "pass_at_k",
    "pass_hat_k",
    "read_results",
    "read_suite",
    "read_traces",
    "run",
    "score",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("passhat")
    elif name in _ROOM_OF:
        value = getattr(import_module(f"passhat.{_ROOM_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'passhat' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

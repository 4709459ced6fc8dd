"""Why a framework's own evaluator and our check part on a run, by the table of dialects."""

from __future__ import annotations

from typing import Any

from passhat.case import flat
from passhat.errors import PasshatError
from passhat.match.dialects import (
    LIMITS,
    WAYS,
    Raises,
    Translation,
    find_dialect,
    translation,
    verdict,
    ways_of,
)
from passhat.parity.doors import Attempt


def parting(dialect: str, mode: str, args: str, attempt: Attempt) -> str:
    """What a framework does that may part it from ours on an attempt; empty where none is known.

    Args:
        dialect: The framework, `adk` or `agentevals@0.0.9`.
        mode: Its match mode.
        args: How it compares arguments.
        attempt: The run, and its case.

    >>> from passhat import Case, ToolCall, Trace
    >>> case = Case("c", expected_calls=[{"name": "pay", "args": {"x": 1}, "extra_args": "forbid"}])
    >>> trace = Trace("t", steps=[ToolCall("pay", {"x": True})])
    >>> parting("adk", "in_order", "exact", Attempt(trace, case))
    'compares as Python does, where True equals 1 and False equals 0; to us they differ'
    """
    try:
        found = translation(find_dialect(dialect), mode, args)
        actual = [{"name": call.name, "args": call.args} for call in attempt.trace.calls]
        expected = [{"name": call.name, "args": call.args or {}} for call in _wanted(attempt)]
        said = verdict(dialect, mode, actual, expected, args)
    except PasshatError:
        return ""
    if isinstance(said, Raises):
        return str(said)
    whys = [LIMITS[name].why for name in found.but if LIMITS[name].covers(actual, expected)]
    if not found.same:
        whys.insert(0, found.why)
    if not whys:
        whys = _ways(found, attempt)
    return "; it ".join(whys)


def _wanted(attempt: Attempt) -> list[Any]:
    turns = [attempt.case.expected_calls, *(t.expected_calls for t in attempt.case.turns or ())]
    return [call for entries in turns for call in flat(entries)]


def _ways(found: Translation, attempt: Attempt) -> list[str]:
    """What goes by requests or errors, and may be at work in a run."""
    calls = attempt.trace.calls
    requests = [call.request for call in calls if call.request is not None]
    together = len(set(requests)) < len(requests)
    asked = ways_of(found.nearest, _wanted(attempt))
    whys = []
    if asked.get("parallel", attempt.case.parallel) != attempt.case.parallel and together:
        whys.append(WAYS["parallel"])
    if "parallel calls" in found.but and together:
        whys.append(LIMITS["parallel calls"].why)
    if asked.get("retries", attempt.case.retries) != attempt.case.retries and any(
        call.failed for call in calls
    ):
        whys.append(WAYS["retries"])
    return whys

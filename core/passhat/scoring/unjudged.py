"""What becomes of runs that are not judged: they are left out, with the reason."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from passhat.result import Trial
from passhat.trace import Trace

NO_CASE = "the trace joins no case"
TWICE = "the same run stands in the recordings twice, and counts once"
NO_VERDICT = (
    "nothing says what success is: give --success SCORE, --suite FILE, --checks A,B or --expected"
)


def twin(trace: Trace) -> Trial:
    """What becomes of a run that stands in the recordings twice: it is no attempt of its own."""
    return Trial(
        trace.case_id, trace.trial or 0, trace.id, "not_evaluated", reason=TWICE, tags=trace.tags
    )


def caseless(trial: Trial, why: str) -> Trial:
    """A trial without a case, which is left out whatever its checks say."""
    if trial.status == "infrastructure_error":
        return replace(trial, case_id=None)
    reason = f"{NO_CASE}: {why}" if why else NO_CASE
    return replace(trial, case_id=None, status="not_evaluated", reason=reason, **_NO_FAILURE)


_NO_FAILURE: dict[str, Any] = {"failure_class": None, "failure": None, "timeline": ()}
"""What a trial says of its failure that is left out, and so did not fail."""


def names_none(trace: Trace) -> str:
    """How to name the case of a trace that names none, with what there is to name it by."""
    known = [f"{name!r:.60}" for name, held in trace.metadata.items() if type(held) in (str, int)]
    has = f" (the metadata has {', '.join(known[:8])})" if known else ""
    return f"it names none; name it with --case-key{has} or --case"


def informing(trial: Trial, trace: Trace) -> Trial:
    """The trial where nothing says what success is: its checks inform, and it is not judged."""
    results = tuple(replace(result, required=False) for result in trial.results)
    if trial.status == "infrastructure_error":
        return replace(trial, results=results)
    scores = f" (recorded scores: {', '.join(trace.scores)})" if trace.scores else ""
    return replace(
        trial,
        results=results,
        status="not_evaluated",
        reason=NO_VERDICT + scores,
        **_NO_FAILURE,
    )

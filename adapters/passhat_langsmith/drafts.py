"""Cases drafted from traces that failed, with the expectation left to correct."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from passhat.case import Case, Suite, Turn
from passhat.errors import UsageError
from passhat.recordings.shapes import kind_of
from passhat.result import Trial
from passhat.suitefile import case_from_trace, suite_from, suite_value
from passhat.trace import Trace


def draft_suite(project: str, failed: Iterable[tuple[Trace, Trial]], redact: Any) -> Suite:
    """A suite of what was asked in traces that failed; what they did stands in the references.

    Args:
        project: The project's name.
        failed: Traces with the trials that failed.
        redact: A function of the JSON of a case; False keeps it.

    Raises:
        UsageError: The function gives something else than an object.
    """
    name = f"failures of {project}"
    cases = tuple(_draft(project, trace, trial) for trace, trial in failed)
    if redact is False:
        return Suite(name, cases)
    value = suite_value(Suite(name, cases))
    rows = []
    for row in value["cases"]:
        made = redact(row)
        if not isinstance(made, dict):
            raise UsageError(
                f"redact gave {kind_of(made)} for the case {row['id']!r}, not an object"
            )
        rows.append({**made, "id": row["id"]})
    return suite_from({**value, "cases": rows})


def _draft(project: str, trace: Trace, trial: Trial) -> Case:
    case = case_from_trace(trace, trace.id, expected_calls=None, tools=None, tags=())
    turns = None if case.turns is None else tuple(Turn(turn.input) for turn in case.turns)
    calls = [{"name": call.name, "args": dict(call.args)} for call in trace.calls]
    failed = {one.key: one.reason for one in trial.results if one.status == "failed"}
    return Case(
        trace.id,
        case.input,
        turns=turns,
        reference={
            "recorded": {"calls": calls, "response": trace.final_response},
            "failed": failed or {"run": trial.reason},
        },
        metadata={"project": project, "trace_id": trace.id, "expectation": "to correct"},
    )

"""Results that ADK stored: each evaluated case is an attempt, with what ADK made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from passhat.errors import InputError, Place, TraceError
from passhat.jsontext import decode
from passhat.trace import Trace
from passhat_adk.events import Run
from passhat_adk.failing import error_text, outcome_of
from passhat_adk.fields import number, own_state
from passhat_adk.invocations import add_invocations
from passhat_adk.native import (
    CASE_RESULT,
    INFERENCE,
    METRIC_RESULT,
    SESSION,
    SET_RESULT,
    a_list,
    an_object,
    snaked,
)

VERDICT = "final_eval_status"
"""The recorded score that is ADK's own verdict: 1 for PASSED, 0 for FAILED."""

_STATUS = {1: "PASSED", 2: "FAILED", 3: "NOT_EVALUATED", 4: "INFORMATIONAL"}
_SCORE = {"PASSED": 1.0, "FAILED": 0.0}


def set_result(value: Any) -> Mapping[str, Any]:
    """The result of an eval set: as stored, as the text that older versions stored, as `adk web` answers.

    Raises:
        TraceError: It is none.
    """
    if isinstance(value, str):
        try:
            value = decode(value)
        except InputError as error:
            raise TraceError(f"a stored result: {error.message}", error.place) from error
    value = an_object(value, "$", "a stored result")
    for key in ("run_eval_results", "runEvalResults"):
        if key in value:
            value = {**value, "eval_case_results": value[key]}
    return snaked(value, SET_RESULT)


def case_results(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The results of the cases, in the order in which they are stored.

    Raises:
        TraceError: They are no objects.
    """
    path = "$.eval_case_results"
    rows = a_list(result.get("eval_case_results"), path, "eval_case_results")
    return [
        snaked(an_object(row, f"{path}[{at}]", "a case's result"), CASE_RESULT)
        for at, row in enumerate(rows)
    ]


def set_traces(result: Mapping[str, Any]) -> Iterator[Trace | TraceError]:
    """The attempts of a stored result; ids that repeat are the trials of one case."""
    rows = case_results(result)
    times = Counter(str(row.get("eval_id")) for row in rows)
    seen: Counter[str] = Counter()
    for at, row in enumerate(rows):
        name = str(row.get("eval_id"))
        trial = seen[name] if times[name] > 1 else None
        seen[name] += 1
        path = f"$.eval_case_results[{at}]"
        try:
            yield case_trace(row, path, trial=trial, set_id=result.get("eval_set_id"), number=at)
        except TraceError as error:
            yield error


def case_trace(
    row: Mapping[str, Any],
    path: str = "$",
    *,
    trial: int | None = None,
    set_id: Any = None,
    number: int = 0,
) -> Trace:
    """The attempt that one case's result stores: its session where that is there, else its turns.

    Raises:
        TraceError: It cannot be read.
    """
    name = row.get("eval_id")
    if not isinstance(name, str):
        raise TraceError("the result names no eval_id", Place(path=path))
    session_id = row.get("session_id")
    run = Run(session_id if isinstance(session_id, str) and session_id else f"{name}#{number}")
    turns = a_list(row.get("eval_metric_result_per_invocation"),
                   f"{path}.eval_metric_result_per_invocation", "results")  # fmt: skip
    actual = [
        snaked(an_object(turn, path, "a result"), METRIC_RESULT).get("actual_invocation")
        for turn in turns
    ]
    session = row.get("session_details")
    fields: dict[str, Any] = {}
    if isinstance(session, dict):
        session = snaked(session, SESSION)
        fields = session_fields(session)
        where = f"{path}.session_details.events"
        run.add_all(a_list(session.get("events"), where, "events"), where)
        if actual:
            told = Run("told")
            fields |= add_invocations(told, actual, f"{path}.eval_metric_result_per_invocation")
            run.extensions |= told.extensions
    elif actual:
        fields = add_invocations(run, actual, f"{path}.eval_metric_result_per_invocation")
    else:
        run.gap("calls: ADK stored neither the session nor the turns of this attempt")
    fields |= _verdicts(row, run)
    metadata = {"eval_set_id": row.get("eval_set_id") or set_id, "user_id": row.get("user_id")}
    fields["metadata"] = {
        **fields.get("metadata", {}),
        **{key: value for key, value in metadata.items() if value},
    }
    if not actual and not run.steps and _status(row.get(VERDICT)) == "FAILED":
        fields.setdefault("error", "the run failed before its first event; ADK stored no reason")
        fields.setdefault("outcome", "agent_error")
    return run.finished(case_id=name, trial=trial, **fields)


def session_fields(session: Mapping[str, Any]) -> dict[str, Any]:
    """What a session tells besides its events: the state it was left in, whose it was."""
    fields: dict[str, Any] = {}
    state = session.get("state")
    if isinstance(state, dict):
        fields["final_state"] = own_state(state)
    metadata = {key: session[key] for key in ("app_name", "user_id") if session.get(key)}
    if metadata:
        fields["metadata"] = metadata
    return fields


def _verdicts(row: Mapping[str, Any], run: Run) -> dict[str, Any]:
    """What ADK made of the attempt: a score for each metric, and its verdict."""
    scores: dict[str, float] = {}
    metrics: dict[str, dict[str, Any]] = {}
    unsaid = []
    for item in a_list(row.get("overall_eval_metric_results"), "$", "metric results"):
        held = snaked(an_object(item, "$", "a metric's result"), METRIC_RESULT)
        name, status = held.get("metric_name"), _status(held.get("eval_status"))
        if not isinstance(name, str):
            continue
        metrics[name] = {
            "status": status,
            "threshold": held.get("threshold"),
            "reasons": _reasons(held.get("details")),
        }
        if (score := number(held.get("score"))) is not None:
            scores[name] = score
        criterion = held.get("criterion")
        informs = isinstance(criterion, dict) and criterion.get("required") is False
        if status == "NOT_EVALUATED" and not informs:
            unsaid.append(name)
    final = _status(row.get(VERDICT))
    if final == "PASSED" and unsaid:
        run.gap(f"ADK passed the case although {', '.join(unsaid)} was not evaluated: no verdict")
    elif final in _SCORE:
        scores[VERDICT] = _SCORE[final]
    if metrics:
        run.extensions["metrics"] = metrics
    return {"scores": scores} if scores else {}


def _reasons(details: Any) -> list[str]:
    if not isinstance(details, dict):
        return []
    rows = details.get("rubric_scores") or details.get("rubricScores")
    if not isinstance(rows, list):
        return []
    return [str(row["rationale"]) for row in rows if isinstance(row, dict) and row.get("rationale")]


def _status(value: Any) -> str:
    return _STATUS.get(value, str(value)) if isinstance(value, int) else str(value)


def inference_trace(value: Mapping[str, Any]) -> Trace:
    """The attempt that an `InferenceResult` holds.

    Raises:
        TraceError: It cannot be read.
    """
    held = snaked(value, INFERENCE)
    name = held.get("eval_case_id")
    run = Run(str(held.get("session_id") or name or "inference"))
    fields = add_invocations(run, a_list(held.get("inferences"), "$.inferences", "inferences"),
                             "$.inferences")  # fmt: skip
    message = held.get("error_message")
    if held.get("status") in (2, "FAILURE") or message:
        text = str(message) if message else None
        fields["error"] = error_text(None, text)
        fields["outcome"] = outcome_of(None, text)
    metadata = {key: held[key] for key in ("app_name", "eval_set_id") if held.get(key)}
    return run.finished(
        case_id=name if isinstance(name, str) else None, metadata=metadata, **fields
    )

"""What a metric of ours says, before it is put into ADK's words. No part of this imports ADK."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_field
from types import FrameType
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import InputError, PasshatError
from passhat.grading import grade
from passhat.grading.catalogue import known_checks
from passhat.result import CheckResult, Trial, results_of
from passhat.trace import Trace
from passhat_adk.convert import to_trace
from passhat_adk.criteria import (
    PREFIX,
    RESPONSE,
    TRAJECTORY,
    Meaning,
    Options,
    bounds,
    meaning_of,
    options_of,
    threshold_of,
)
from passhat_adk.evalcases import read_case
from passhat_adk.fields import own_state
from passhat_adk.findings import Findings
from passhat_adk.recorder import RECORDER

_STATUS = {"passed": "PASSED", "failed": "FAILED", "error": "FAILED"}
_PASSED_OVER = (
    'ADK passes over what is not evaluated, so this is FAILED, unless the criterion says "required": '
    "false"
)
_NO_STATE = (
    "final_state: ADK gives metrics no state; passhat_adk.TracePlugin() among the app's plugins "
    "records it"
)


def metric_name(key: str) -> str:
    """The name of a check as a metric.

    >>> metric_name("trajectory")
    'passhat_trajectory'
    """
    return PREFIX + key


@dataclass(frozen=True, slots=True)
class Reason:
    """Why: what one check said.

    Attributes:
        key: The check.
        score: Its score.
        text: Its status, its reason, and the alignment where there is one.
    """

    key: str
    score: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a metric says of a case.

    Attributes:
        status: `PASSED`, `FAILED` or `NOT_EVALUATED`, as ADK names them.
        score: The score of the check; of a case 1 or 0.
        reasons: What was said, the verdict first.
        trial: All of it in our words; None where nothing could be judged.
    """

    status: str
    score: float | None
    reasons: tuple[Reason, ...]
    trial: Trial | None = None

    @property
    def line(self) -> str:
        """The verdict and why, in one line."""
        return self.reasons[0].text.partition("\n")[0]


def broken(key: str, error: BaseException) -> Verdict:
    """The verdict of a metric that broke: FAILED, so that it is not passed over."""
    words = str(error) if isinstance(error, PasshatError) else f"{type(error).__name__}: {error}"
    return Verdict("FAILED", 0.0, (Reason(key, None, f"error: {words}"),))


def judged(
    key: str,
    criterion: Mapping[str, Any],
    threshold: float,
    actual: Sequence[Mapping[str, Any]],
    expected: Sequence[Mapping[str, Any]] | None,
    scenario: Mapping[str, Any] | None,
    eval_case: Mapping[str, Any] | None,
    others: Mapping[str, Any] | None = None,
) -> Verdict:
    """What the metric `passhat_<key>` says.

    Args:
        key: The check, or `case` for all that the case expects.
        criterion: The criterion, with our options in it.
        threshold: Its threshold.
        actual: The invocations of the run, as JSON.
        expected: Those of the eval case, as JSON.
        scenario: Its scenario, as JSON.
        eval_case: The eval case itself, as JSON, where it is at hand.
        others: The other criteria of the same evaluation, where they are.

    Raises:
        PasshatError: The case, the criterion or the invocations cannot be read.
    """
    options = options_of(key, criterion)
    case = case_of(key, criterion, others or {}, actual, expected, scenario, eval_case)
    trace = trace_of(actual, case.id)
    if trace.initial_state is UNSET and isinstance(case.initial_state, dict):
        trace = replace(trace, initial_state=own_state(case.initial_state))
    if key == "case":
        if options.checks:
            checks = {**(case.checks or {}), **options.checks}
            case = replace(case, checks=checks)
        unjudged = [
            reason
            for name, other in (others or {}).items()
            if (known := _beside(name, other)) is not None
            for reason in _unjudged(known, other, actual, expected, scenario, eval_case, others)
        ]
        return _of_case(grade(trace, case), unjudged)
    required = options.check.pop("required", True)
    trial = grade(trace, case, {key: bounds(key, threshold, options.check)})
    (result,) = results_of(trial)
    # ADK passes a case by its other metrics where one was not evaluated.
    status = _STATUS.get(result.status, "FAILED" if required else "NOT_EVALUATED")
    failed = result.status == "error" or (result.score is None and status == "FAILED")
    reason = _reason(result)
    if status == "FAILED" and result.status == "not_evaluated":
        reason = replace_field(reason, text=f"{reason.text}; {_PASSED_OVER}")
    return Verdict(status, 0.0 if failed else result.score, (reason,), trial)


def _beside(name: str, criterion: Mapping[str, Any]) -> str | None:
    """The check of a criterion of ours that stands beside that of the case, and is required."""
    key = name.removeprefix(PREFIX)
    if not name.startswith(PREFIX) or key not in known_checks():
        return None
    return key if options_of(key, criterion).check.get("required", True) else None


def _unjudged(key: str, criterion: Mapping[str, Any], *told: Any) -> tuple[Reason, ...]:
    """Why a criterion of ours could not be judged; nothing where it could."""
    verdict = judged(key, criterion, threshold_of(criterion), *told)
    assert verdict.trial is not None
    (result,) = results_of(verdict.trial)
    return verdict.reasons if result.status == "not_evaluated" else ()


def _of_case(trial: Trial, unjudged: Sequence[Reason] = ()) -> Verdict:
    """The verdict on a case. What could not be judged fails it: ADK passes over what is not.

    Args:
        trial: What the case's own checks say.
        unjudged: What could not be judged of the criteria of ours that stand beside it.
    """
    passed = trial.status == "passed" and not unjudged
    word = trial.status.replace("_", " ")
    text = f"{word}: {trial.reason}" if trial.reason else word
    if trial.status == "passed" and unjudged:
        name = metric_name(unjudged[0].key)
        why = unjudged[0].text.removeprefix("not evaluated: ")
        text = f"not evaluated: {name}, a criterion beside this one: {why}"
    told = [
        result
        for result in results_of(trial)
        if result.required or result.status in ("failed", "error")
    ]
    known = {result.key for result in told}
    reasons = (
        Reason("case", float(passed), text),
        *map(_reason, told),
        *(reason for reason in unjudged if reason.key not in known),
    )
    return Verdict("PASSED" if passed else "FAILED", float(passed), reasons, trial)


def _reason(result: CheckResult) -> Reason:
    word = result.status.replace("_", " ") + ("" if result.required else " (informs)")
    text = f"{word}: {result.reason}" if result.reason else word
    table = result.evidence.get("alignment") if result.status == "failed" else None
    return Reason(result.key, result.score, f"{text}\n{table}" if table else text)


def trace_of(actual: Sequence[Mapping[str, Any]], case_id: str | None = None) -> Trace:
    """The trace of a run: as the plugin recorded it, else as its invocations tell it.

    Raises:
        TraceError: The invocations cannot be read.
    """
    ids = [str(row.get("invocation_id") or row.get("invocationId") or "") for row in actual]
    recorded = RECORDER.trace(ids)
    if recorded is None:
        if states := RECORDER.states(ids):
            return replace(to_trace(list(actual), case_id=case_id), **states)
        return told_alone(actual, case_id)
    if recorded.tools is None:
        told = to_trace(list(actual))
        recorded = replace(recorded, tools=told.tools)
    return recorded if recorded.case_id is not None else replace(recorded, case_id=case_id)


def told_alone(actual: Sequence[Mapping[str, Any]], case_id: str | None = None) -> Trace:
    """The trace of a run as its invocations alone tell it, which is without its state.

    Raises:
        TraceError: The invocations cannot be read.
    """
    trace = to_trace(list(actual), case_id=case_id)
    return replace(trace, gaps=(*trace.gaps, _NO_STATE))


def case_of(
    key: str,
    criterion: Mapping[str, Any],
    others: Mapping[str, Any],
    actual: Sequence[Mapping[str, Any]],
    expected: Sequence[Mapping[str, Any]] | None,
    scenario: Mapping[str, Any] | None,
    eval_case: Mapping[str, Any] | None,
) -> Case:
    """The case that a metric judges: ADK's own keys, our rubrics, and what the criterion adds.

    Raises:
        InputError: It has faults; a rubric of ours that is not understood is one.
    """
    options = options_of(key, criterion)
    meaning = _meaning(key, criterion, options, others)
    value = dict(eval_case) if eval_case is not None else _told(actual, expected, scenario)
    found = Findings(parted=False)
    case = read_case(value, meaning, found, "$")
    found.raise_faults()
    for note in found.notes:
        if note.kind == "carried":
            raise InputError(f"{note.what}: {note.note}")
    assert case is not None
    return case


_JUDGE_CALLS = (TRAJECTORY, RESPONSE, metric_name("case"), metric_name("trajectory"))


def _meaning(
    key: str, criterion: Mapping[str, Any], options: Options, others: Mapping[str, Any]
) -> Meaning:
    """How ADK's own keys are judged: as all criteria say that speak of calls and responses."""
    criteria = {name: item for name, item in others.items() if name in _JUDGE_CALLS}
    if key in ("case", "trajectory"):
        criteria[metric_name(key)] = dict(criterion)
    if not criteria:
        return Meaning(case=options.case)
    meaning = meaning_of({"criteria": criteria})
    return replace_field(meaning, case={**meaning.case, **options.case})


def _told(
    actual: Sequence[Mapping[str, Any]],
    expected: Sequence[Mapping[str, Any]] | None,
    scenario: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The eval case as far as a metric is told of it."""
    value: dict[str, Any] = {"eval_id": "case"}
    if expected is not None:
        value["conversation"] = list(expected)
    elif scenario is not None:
        value["conversation_scenario"] = dict(scenario)
    else:
        value["conversation"] = [{"user_content": row.get("user_content")} for row in actual]
    own = (expected[0].get("rubrics") or ()) if expected else ()
    known = [rubric.get("rubric_id") for rubric in own]
    given = (actual[0].get("rubrics") or ()) if actual else ()
    value["rubrics"] = [rubric for rubric in given if rubric.get("rubric_id") not in known]
    return value


def at_hand() -> tuple[Any | None, Sequence[Any]]:
    """The eval case that ADK is judging while it calls a metric, and all metrics it judges it by.

    ADK gives a metric the conversation of an eval case, but neither its id nor the state that it
    expects. The functions that call the metric have it, so it is looked up there, and only read.
    """
    eval_case = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_name
        if name == "_evaluate_metric_for_eval_case":
            eval_case = frame.f_locals.get("eval_case")
        elif name == "_evaluate_single_inference_result":
            config = frame.f_locals.get("evaluate_config")
            return eval_case, getattr(config, "eval_metrics", ())
        frame = frame.f_back
    return eval_case, ()

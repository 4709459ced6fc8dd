"""Grading: one trace, judged by the checks of one case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import PasshatError
from passhat.grading.measuring import measures
from passhat.grading.needs import lacking
from passhat.grading.planning import ChecksSpec, Part, Planned, plan_for
from passhat.grading.timeline import timeline_of
from passhat.result import CheckResult, CheckStatus, Failure, Trial, TrialStatus
from passhat.trace import Trace
from passhat.values import NotEvaluated


def grade(trace: Trace, case: Case | None, checks: ChecksSpec | None = None) -> Trial:
    """The verdict on one trace: what each check said, and what the attempt came to.

    Args:
        trace: What happened.
        case: What was expected; None where the trace joins no case, which is never a pass.
        checks: The checks to run, by key, as objects, or by key with options; they are required.
            By default those that the case's expectations bring and its `checks` name, and others
            that inform.

    Raises:
        UsageError: A check is named that does not exist, or with an option it has not.

    >>> from passhat.trace import ToolCall
    >>> trace = Trace("t", steps=(ToolCall("lookup", {"id": "A1"}),))
    >>> grade(trace, Case("c", expected_calls=["lookup"])).status
    'passed'
    >>> grade(trace, Case("c")).status
    'not_evaluated'
    """
    return Grader(checks).grade(trace, case)


_NO_CASE = Case("")


@dataclass
class Grader:
    """Grades traces, remembering how each case is judged.

    Args:
        checks: The checks to run and require; None for those of each case.
        success: The recorded score whose value (1 or more) is the verdict; then every other check
            informs.
        inform: Whether checks that nothing requires run as well.
        timelines: Whether failed trials keep the steps of their runs, in short.
    """

    checks: ChecksSpec | None = None
    success: str | None = None
    inform: bool = True
    timelines: bool = False
    _plans: dict[int, tuple[Case, tuple[Planned, ...]]] = field(default_factory=dict, repr=False)

    def grade(self, trace: Trace, case: Case | None, *, trial: int | None = None) -> Trial:
        """The verdict on one trace.

        Args:
            trace: What happened.
            case: What was expected; None where the trace joins no case.
            trial: Which attempt it is, where the trace does not say.

        Raises:
            UsageError: The case asks for a check that does not exist, or with an option it has not.
        """
        known = _NO_CASE if case is None else case
        results = tuple([_run(planned, trace) for planned in self._plan(known)])
        if self.checks is None and known.turns and len(trace.turns) < len(known.turns):
            came = len(trace.turns)
            said = f"turn {came} never came: the trace has {came} turn{'' if came == 1 else 's'}"
            required = self.success is None
            results = (*results, replace(CheckResult.of("turns", False, said), required=required))
        status, reason = self._status(trace, case, results)
        number = trace.trial if trace.trial is not None else trial
        lost = status in ("failed", "agent_error")
        failure_class, failure = (
            _classify()(trace, known, status, results) if lost else (None, None)
        )
        return Trial(
            case_id=case.id if case is not None else trace.case_id if self.success else None,
            trial=number if number is not None else 0,
            trace_id=trace.id,
            status=status,
            results=results,
            reason=reason,
            usage=trace.total_usage,
            seconds=trace.seconds,
            measures=measures(trace),
            tags=tuple(dict.fromkeys((*known.tags, *trace.tags))),
            pins=trace.pins,
            failure_class=failure_class,
            failure=failure,
            timeline=timeline_of(trace) if lost and self.timelines else (),
        )

    def _plan(self, case: Case) -> tuple[Planned, ...]:
        held = self._plans.get(id(case))
        if held is None or held[0] is not case:
            plan = plan_for(case, self.checks, success=self.success, inform=self.inform)
            held = self._plans[id(case)] = (case, plan)
        return held[1]

    def _status(
        self, trace: Trace, case: Case | None, results: tuple[CheckResult, ...]
    ) -> tuple[TrialStatus, str]:
        if trace.outcome == "infrastructure_error":
            return "infrastructure_error", trace.error or "the surroundings failed"
        if trace.outcome in ("agent_error", "limit") or trace.error is not None:
            return "agent_error", trace.error or trace.outcome.replace("_", " ")
        if case is None and self.success is None:
            return "not_evaluated", "the trace joins no case"
        first: dict[CheckStatus, CheckResult] = {}
        for result in results:
            if result.required:
                first.setdefault(result.status, result)
        if not first:
            return "not_evaluated", "the case requires no check"
        for status, verdict in _VERDICTS:
            if status in first:
                told = first[status]
                return verdict, ": ".join(filter(None, (told.key, told.reason)))
        return "passed", ""


_VERDICTS: tuple[tuple[CheckStatus, TrialStatus], ...] = (
    ("failed", "failed"),
    ("error", "check_error"),
    ("not_evaluated", "not_evaluated"),
)
"""What one required check that did not pass makes of the trial, the worst first."""


def _run(planned: Planned, trace: Trace) -> CheckResult:
    """What a check says of all that it is to judge."""
    parts = planned.parts
    if len(parts) == 1 and parts[0].turn is None:
        result = _judged(planned.key, parts[0], trace)
    else:
        result = _folded(planned.key, [(_where(p), _on_turn(planned.key, p, trace)) for p in parts])
    if result.required == planned.required:
        return result
    return replace(result, required=planned.required)


def _where(part: Part) -> str:
    return "whole trace" if part.turn is None else f"turn {part.turn}"


def _on_turn(key: str, part: Part, trace: Trace) -> CheckResult:
    if part.turn is None:
        return _judged(key, part, trace)
    turns = trace.turns
    if part.turn >= len(turns):
        count = f"{len(turns)} turn{'' if len(turns) == 1 else 's'}"
        return CheckResult.of(key, False, f"it never came: the trace has {count}")
    return _judged(key, part, turns[part.turn])


def _judged(key: str, part: Part, trace: Trace) -> CheckResult:
    check, case = part.check, part.case
    why = None
    if trace.gaps or part.looks is None:
        why = lacking(check.needs, trace, case)
    else:
        for look in part.looks:
            why = why or look(trace, case)
    if why:
        return _unjudged(key, why)
    try:
        result = _sound(key, check.judge(trace, case))
    except NotEvaluated as error:
        return _unjudged(key, str(error))
    except PasshatError as error:
        return CheckResult(key, "error", None, str(error))
    except Exception as error:  # A check is anybody's code: whatever it raises is its result.
        return CheckResult(key, "error", None, f"the check broke: {type(error).__name__}: {error}")
    return result if part.threshold is None else part.threshold.applied(result)


def _unjudged(key: str, why: str) -> CheckResult:
    # A gap begins with what is missing, which may be what the check is called: it is said once.
    return CheckResult.not_evaluated(key, why.removeprefix(f"{key}: "))


def _sound(key: str, result: CheckResult) -> CheckResult:
    """The result under the check's own key, if it is one.

    Raises:
        TypeError: It is no result.
        ValueError: Its status is none, or its score is not in 0..1.
    """
    if not isinstance(result, CheckResult):
        raise TypeError(f"a check gives a CheckResult, not {result!r}")
    if result.status not in _WORST:
        raise ValueError(f"a status is one of {', '.join(_WORST)}, not {result.status!r}")
    if result.score is not None and not 0 <= result.score <= 1:
        raise ValueError(f"a score is in 0..1, not {result.score!r}")
    return result if result.key == key else replace(result, key=key)


_WORST: tuple[CheckStatus, ...] = ("failed", "error", "not_evaluated", "passed")


def _folded(key: str, parts: list[tuple[str, CheckResult]]) -> CheckResult:
    """One result for a check that was judged on several turns: the worst of them.

    Its score is the mean of theirs, its numerator and denominator are their sums, and `turns` in
    its evidence holds what was said of each.
    """
    status: CheckStatus = next(one for one in _WORST if any(r.status == one for _, r in parts))
    judged = status in ("passed", "failed")
    scores = [r.score for _, r in parts if judged and r.score is not None]
    reasons = [f"{where}: {r.reason or r.status}" for where, r in parts if r.status != "passed"]
    evidence: dict[str, Any] = {
        "turns": [
            {"where": where, "status": r.status, "score": r.score, "reason": r.reason, **r.evidence}
            for where, r in parts
        ]
    }
    if counts := [r.counts for _, r in parts if r.counts is not None]:
        evidence["hits"] = sum(hits for hits, _ in counts)
        evidence["of"] = sum(of for _, of in counts)
    tables = [
        f"{where}:\n{r.evidence['alignment']}" for where, r in parts if "alignment" in r.evidence
    ]
    if tables:
        evidence["alignment"] = "\n".join(tables)
    score = sum(scores) / len(scores) if scores else None
    return CheckResult(key, status, score, "; ".join(reasons), evidence)


@cache
def _classify() -> Callable[..., tuple[str, Failure]]:
    """What tells how a run failed: it reads the evidence of checks, and so stands among them."""
    found: Callable[..., tuple[str, Failure]] = import_module(
        "passhat.checks.failure_classes"
    ).classify
    return found

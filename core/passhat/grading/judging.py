"""Grading: one trace, judged by the checks of one case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from msgspec import UNSET
from msgspec.structs import replace

from passhat.case import Case, Turn
from passhat.errors import PasshatError, UsageError
from passhat.grading.catalogue import CATALOGUE, INFORMING, brought, build_check, known_checks
from passhat.grading.check import Check
from passhat.grading.measures import measures
from passhat.result import CheckResult, Trial, TrialStatus
from passhat.trace import Trace
from passhat.values import NotEvaluated

ChecksSpec: TypeAlias = Iterable[str | Check] | Mapping[str, Mapping[str, Any]]


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


@dataclass(frozen=True, slots=True)
class _Planned:
    """A check as a case asks for it."""

    key: str
    check: Check | None
    required: bool
    at_least: float | None = None
    at_most: float | None = None


@dataclass
class Grader:
    """Grades traces, remembering how each case is judged.

    Args:
        checks: The checks to run and require; None for those of each case.
        success: The recorded score whose value (1 or more) is the verdict; then every other check
            informs.
        inform: Whether checks that nothing requires run as well.
    """

    checks: ChecksSpec | None = None
    success: str | None = None
    inform: bool = True
    _plans: dict[int, tuple[Case, list[_Planned]]] = field(default_factory=dict)

    def grade(self, trace: Trace, case: Case | None, *, trial: int | None = None) -> Trial:
        """The verdict on one trace.

        Args:
            trace: What happened.
            case: What was expected; None where the trace joins no case.
            trial: Which attempt it is, where the trace does not say.
        """
        known = case if case is not None else Case(trace.case_id or "")
        results = [self._run(planned, trace, known) for planned in self._plan(known)]
        results.sort(key=lambda result: not result.required)
        status, reason = self._status(trace, case, results)
        number = trace.trial if trace.trial is not None else trial
        return Trial(
            case_id=case.id if case is not None else trace.case_id if self.success else None,
            trial=number if number is not None else 0,
            trace_id=trace.id,
            status=status,
            results=tuple(results),
            reason=reason,
            usage=trace.total_usage,
            seconds=trace.seconds,
            measures=measures(trace),
            tags=tuple(dict.fromkeys((*known.tags, *trace.tags))),
            pins=trace.pins,
            failure_class=_failure_class(status, results),
        )

    def _plan(self, case: Case) -> list[_Planned]:
        held = self._plans.get(id(case))
        if held is not None and held[0] is case:
            return held[1]
        plan = self._planned(case)
        if case.id:
            self._plans[id(case)] = (case, plan)
        return plan

    def _planned(self, case: Case) -> list[_Planned]:
        wanted: dict[str, tuple[Check | None, dict[str, Any]]] = {}
        stated = case.checks or {}
        if self.checks is not None:
            for item in self.checks:
                key = item if isinstance(item, str) else item.key
                own = self.checks[key] if isinstance(self.checks, Mapping) else {}
                options = {**stated.get(key, {}), **own, "required": True}
                wanted[key] = (None if isinstance(item, str) else item, options)
        else:
            turns = [
                key for turn in case.turns or () for key in (*brought(turn), *(turn.checks or ()))
            ]
            for key in (*brought(case), *turns, *stated):
                options = dict(stated.get(key, {}))
                options.setdefault("required", True)
                wanted.setdefault(key, (None, options))
            if self.inform:
                for key in INFORMING:
                    wanted.setdefault(key, (None, {"required": False}))
        if self.success is not None:
            for _, options in wanted.values():
                options["required"] = False
            wanted = {"recorded_score": (None, {"score": self.success, "required": True}), **wanted}
        return [_planned(key, made, options) for key, (made, options) in wanted.items()]

    def _run(self, planned: _Planned, trace: Trace, case: Case) -> CheckResult:
        """One check on the trace, and on each turn whose expectations bring it."""
        turns = case.turns or ()
        asking = [
            i
            for i, turn in enumerate(turns)
            if planned.key in (*brought(turn), *(turn.checks or ()))
        ]
        if not asking:
            return _judged(planned, trace, case)
        parts: list[tuple[str, CheckResult]] = []
        if planned.key in (*brought(case), *(case.checks or ())):
            parts.append(("whole trace", _judged(planned, trace, case)))
        came = trace.turns
        for index in asking:
            options = (turns[index].checks or {}).get(planned.key, {})
            here = (
                _planned(planned.key, None, {"required": planned.required, **options})
                if options
                else planned
            )
            if index < len(came):
                result = _judged(here, came[index], _turn_case(case, turns[index]))
            else:
                result = CheckResult.of(planned.key, False, "the turn never came")
            parts.append((f"turn {index}", result))
        return _folded(planned, parts)

    def _status(
        self, trace: Trace, case: Case | None, results: list[CheckResult]
    ) -> tuple[TrialStatus, str]:
        if trace.outcome == "infrastructure_error":
            return "infrastructure_error", trace.error or "the surroundings failed"
        if trace.outcome in ("agent_error", "limit"):
            return "agent_error", trace.error or trace.outcome.replace("_", " ")
        if case is None and self.success is None:
            return "not_evaluated", "the trace joins no case"
        required = [result for result in results if result.required]
        if not required:
            return "not_evaluated", "the case requires no check"
        for status, verdict in (
            ("failed", "failed"),
            ("error", "check_error"),
            ("not_evaluated", "not_evaluated"),
        ):
            for result in required:
                if result.status == status:
                    said = f"{result.key}: {result.reason}" if result.reason else result.key
                    return verdict, said  # type: ignore[return-value]
        return "passed", ""


def _planned(key: str, made: Check | None, options: Mapping[str, Any]) -> _Planned:
    known = made is not None or key in known_checks()
    if not known and key not in _LATER:
        build_check(key)
    return _Planned(
        key,
        made if made is not None else build_check(key, options) if known else None,
        bool(options.get("required", True)),
        _threshold(key, options, "at_least"),
        _threshold(key, options, "at_most"),
    )


_LATER = frozenset({"final_state", "success_check", "policies"}) - CATALOGUE.keys()
"""Checks that an expectation may ask for and that this version has not: never judged, never passed."""


def _threshold(key: str, options: Mapping[str, Any], name: str) -> float | None:
    value = options.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise UsageError(f"check {key!r}: {name} is a score in 0..1, not {value!r}")
    return float(value)


def _judged(planned: _Planned, trace: Trace, case: Case) -> CheckResult:
    check = planned.check
    if check is None:
        result = CheckResult.not_evaluated(
            planned.key, f"this version of passhat has no check for {planned.key}"
        )
    elif missing := _missing(check, trace, case):
        result = CheckResult.not_evaluated(planned.key, missing)
    else:
        try:
            result = check.judge(trace, case)
        except NotEvaluated as error:
            result = CheckResult.not_evaluated(planned.key, str(error))
        except PasshatError as error:
            result = CheckResult(planned.key, "error", None, str(error))
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            result = CheckResult(planned.key, "error", None, f"the check broke: {said}")
    return _with_threshold(planned, result)


def _with_threshold(planned: _Planned, result: CheckResult) -> CheckResult:
    status, reason = result.status, result.reason
    if (
        (planned.at_least is not None or planned.at_most is not None)
        and result.score is not None
        and status in ("passed", "failed")
    ):
        low = planned.at_least is not None and result.score < planned.at_least
        high = planned.at_most is not None and result.score > planned.at_most
        status = "failed" if low or high else "passed"
        if low:
            reason = f"score {result.score:.3g} is under {planned.at_least:g}; {reason}".rstrip(
                "; "
            )
        if high:
            reason = f"score {result.score:.3g} is over {planned.at_most:g}; {reason}".rstrip("; ")
    if (status, reason, planned.required) == (result.status, result.reason, result.required):
        return result
    return replace(result, status=status, reason=reason, required=planned.required)


def _missing(check: Check, trace: Trace, case: Case) -> str | None:
    """Why the check cannot be evaluated for want of something, or None."""
    for need in check.needs:
        for gap in trace.gaps:
            if gap.startswith(f"{need}:"):
                return gap
        if need == "response":
            if trace.final_response is None and not trace.messages:
                return "the trace has no messages"
        elif need in ("initial_state", "final_state"):
            if getattr(trace, need) is UNSET:
                return f"the trace has no {need.replace('_', ' ')}"
        elif need == "tools":
            if case.tools is None and trace.tools is None:
                return (
                    "no tool catalogue: neither the suite nor the trace says which tools there are"
                )
        elif need == "usage":
            if trace.total_usage is None:
                return "the trace has no usage"
        elif need == "nodes":
            if not trace.nodes:
                return "the trace has no node visits"
        elif need in Case.__struct_fields__ and getattr(case, need) is None:
            return f"the case states no {need}"
    return None


def _turn_case(case: Case, turn: Turn) -> Case:
    """The case of one turn: its own expectations, with what holds for the whole."""
    blank = dict.fromkeys(Turn.__struct_fields__)
    own = {name: getattr(turn, name) for name in Turn.__struct_fields__}
    own.pop("checks")
    blank.pop("checks")
    return replace(case, **{**blank, **own, "turns": None})


_WORST = ("failed", "error", "not_evaluated", "passed")


def _folded(planned: _Planned, parts: list[tuple[str, CheckResult]]) -> CheckResult:
    """One result for a check that was judged on several turns: the worst of them."""
    if len(parts) == 1:
        where, result = parts[0]
        return replace(result, reason=f"{where}: {result.reason}" if result.reason else "")
    status = next(s for s in _WORST if any(result.status == s for _, result in parts))
    scores = [result.score for _, result in parts if result.score is not None]
    reasons = [f"{where}: {r.reason or r.status}" for where, r in parts if r.status != "passed"]
    evidence: dict[str, Any] = {
        "turns": [
            {"where": where, "status": r.status, "score": r.score, "reason": r.reason, **r.evidence}
            for where, r in parts
        ]
    }
    if all("of" in r.evidence for _, r in parts):
        for name in ("hits", "of"):
            evidence[name] = sum(r.evidence[name] for _, r in parts)
    score = sum(scores) / len(scores) if scores else None
    return CheckResult(planned.key, status, score, "; ".join(reasons), evidence, planned.required)  # type: ignore[arg-type]


def _failure_class(status: TrialStatus, results: list[CheckResult]) -> str | None:
    if status == "passed":
        return None
    if status == "failed":
        return next(r.key for r in results if r.required and r.status == "failed")
    return status

"""A check as a row evaluator of LangSmith; loaded only when LangSmith is used."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Any
from uuid import UUID

from langsmith.evaluation import EvaluationResult, EvaluationResults, RunEvaluator

from passhat.jsontext import jsonable
from passhat.result import CheckResult, Trial, results_of
from passhat_langsmith.judging import CASE, PREFIX, Judge, comment_of

FEEDBACK_CONFIG = {"type": "continuous", "min": 0, "max": 1}


class PasshatEvaluator(RunEvaluator):
    """Judges each run by a check, or by all that its example expects.

    LangSmith swallows what an evaluator raises, and gives the failure a feedback key only where it
    can tell the keys from the source; so the keys are stated, and nothing is raised.

    Args:
        judge: What judges.
    """

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    @property
    def feedback_keys(self) -> list[str]:
        """The keys that every row has."""
        return [CASE if self.judge.key is None else PREFIX + self.judge.key]

    def evaluate_run(
        self,
        run: Any,
        example: Any = None,
        evaluator_run_id: UUID | None = None,
    ) -> EvaluationResults:
        """The feedback on a run."""
        trial = self.judge.trial(run, example)
        if self.judge.key is not None:
            return {"results": [feedback_of(one) for one in results_of(trial)]}
        return {"results": feedback_on(trial)}


def feedback_on(trial: Trial) -> list[EvaluationResult]:
    """A trial as LangSmith's feedback: the verdict, and each check that was required."""
    single = [one for one in results_of(trial) if one.required and one.key != "case"]
    return [_verdict(trial), *map(feedback_of, single)]


def _verdict(trial: Trial) -> EvaluationResult:
    """The feedback on the whole: 1 where the case passed, 0 where it failed, else no score."""
    extra: dict[str, Any] = {"status": trial.status, "case_id": trial.case_id}
    if trial.status == "check_error":
        extra["error"] = True
    tables = [str(one.evidence["alignment"]) for one in results_of(trial) if _shown(one)]
    return _result(CASE, trial.score, trial.status, trial.reason, tables, extra)


def feedback_of(result: CheckResult) -> EvaluationResult:
    """A check's result as LangSmith's feedback."""
    tables = [str(result.evidence["alignment"])] if _shown(result) else []
    extra: dict[str, Any] = {"status": result.status, "required": result.required}
    if result.status == "error":
        extra["error"] = True
    evidence = {key: held for key, held in result.evidence.items() if key != "alignment"}
    if evidence:
        extra["evidence"] = jsonable(evidence)
    judged = result.status in ("passed", "failed")
    score = float(result.score) if judged and result.score is not None else None
    return _result(PREFIX + result.key, score, result.status, result.reason, tables, extra)


def _shown(result: CheckResult) -> bool:
    return result.required and result.status == "failed" and "alignment" in result.evidence


def _result(
    key: str, score: float | None, status: str, reason: str, tables: list[str], extra: Any
) -> EvaluationResult:
    return EvaluationResult(
        key=key,
        score=score,
        value=status,
        comment=comment_of(reason, status, tables),
        evaluator_info={"lib": "passhat", "version": _version()},
        feedback_config=FEEDBACK_CONFIG,
        extra=extra,
    )


@cache
def _version() -> str:
    return version("passhat")

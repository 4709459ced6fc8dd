"""Our checks as metrics of ADK: one function for each, named by dotted path in `test_config.json`.

    {"criteria": {"passhat_case": {"threshold": 1.0}},
     "custom_metrics": {"passhat_case": {"code_config": {"name": "passhat_adk.metrics.passhat_case"}}}}

`passhat_case` judges all that a case expects. `passhat_trajectory` and the others run one check
each; its options ride in the criterion, beside the threshold.

Every turn gets the verdict of the case, so that none can be averaged away: the score of a turn is
the threshold where the case passed and 0 where it did not, also where it could not be judged; the
overall score is that of the check. A metric that breaks is FAILED and says why. Runners that show no
reasons (`AgentEvaluator`, `adk optimize`) have them in their log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from passhat.grading.catalogue import CATALOGUE, known_checks
from passhat_adk.cautious import in_words, model_as_json
from passhat_adk.criteria import PREFIX
from passhat_adk.judging import Verdict, at_hand, broken, judged, metric_name

if TYPE_CHECKING:
    from google.adk.evaluation.eval_case import ConversationScenario, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric
    from google.adk.evaluation.evaluator import EvaluationResult

_log = logging.getLogger(__name__)

Metric = Callable[
    [
        "EvalMetric",
        "list[Invocation]",
        "list[Invocation] | None",
        "ConversationScenario | None",
    ],
    "EvaluationResult",
]


def evaluated(
    key: str,
    eval_metric: EvalMetric,
    actual: Sequence[Invocation],
    expected: Sequence[Invocation] | None = None,
    scenario: ConversationScenario | None = None,
) -> EvaluationResult:
    """What a check says of a run, as ADK's evaluation takes it.

    Args:
        key: The check, or `case` for all that the case expects.
        eval_metric: The metric with its criterion.
        actual: The invocations of the run.
        expected: Those of the eval case.
        scenario: Its scenario, where it is played by a user.
    """
    from google.adk.evaluation.evaluator import EvaluationResult

    if not actual:
        return EvaluationResult()
    criterion = eval_metric.criterion
    threshold = eval_metric.threshold
    if threshold is None and criterion is not None:
        threshold = criterion.threshold
    threshold = 1.0 if threshold is None else threshold
    held, asked = at_hand()
    try:
        verdict = judged(
            key,
            _plain(criterion) if criterion is not None else {},
            threshold,
            [_plain(one) for one in actual],
            None if expected is None else [_plain(one) for one in expected],
            None if scenario is None else _plain(scenario),
            None if held is None else _plain(held),
            {one.metric_name: _criterion(one) for one in asked},
        )
    except Exception as error:  # Whatever breaks is told as FAILED: ADK passes over exceptions.
        verdict = broken(key, error)
    if verdict.status != "PASSED":
        given = f" of {held.eval_id}" if held is not None else ""
        _log.warning("%s%s: %s", metric_name(key), given, verdict.line)
    return _result(key, verdict, threshold, actual, expected)


def _criterion(asked: EvalMetric) -> dict[str, Any]:
    """What a metric was asked for with; the pages of `adk web` send a threshold alone."""
    if asked.criterion is None:
        return {"threshold": asked.threshold}
    return _plain(asked.criterion)


def _plain(model: Any) -> dict[str, Any]:
    # What a tool returned need not be JSON; that alone must not fail a run.
    return model_as_json(model, in_words([]))


def _result(
    key: str,
    verdict: Verdict,
    threshold: float,
    actual: Sequence[Invocation],
    expected: Sequence[Invocation] | None,
) -> EvaluationResult:
    from google.adk.evaluation.eval_rubrics import RubricScore
    from google.adk.evaluation.evaluator import (
        EvalStatus,
        EvaluationResult,
        PerInvocationResult,
    )

    status = EvalStatus[verdict.status]
    scores = [
        RubricScore(rubric_id=metric_name(reason.key), rationale=reason.text, score=reason.score)
        for reason in verdict.reasons
    ]
    paired = list(expected or ())
    return EvaluationResult(
        overall_score=verdict.score,
        overall_eval_status=status,
        overall_rubric_scores=scores,
        per_invocation_results=[
            PerInvocationResult(
                actual_invocation=one,
                expected_invocation=paired[at] if at < len(paired) else None,
                score=turn_score(verdict.status, threshold),
                eval_status=status,
                rubric_scores=scores,
            )
            for at, one in enumerate(actual)
        ],
    )


def turn_score(status: str, threshold: float) -> float:
    """The score of a turn: one that fails, or was not judged, cannot be made up for by others.

    `AgentEvaluator` compares the mean over all turns and runs with the threshold, and leaves out
    those without a score. Where each has one and none is above it, the mean reaches it only if all
    of them do.

    >>> turn_score("PASSED", 0.5), turn_score("FAILED", 0.5), turn_score("FAILED", 0.0)
    (0.5, 0.0, -1.0)
    >>> turn_score("NOT_EVALUATED", 0.5)
    0.0
    """
    if status == "PASSED":
        return threshold
    return 0.0 if threshold > 0 else threshold - 1.0


def metric_for(key: str) -> Metric:
    """The metric of a check, as ADK calls it: with four arguments in this order."""

    def metric(
        eval_metric: EvalMetric,
        actual_invocations: list[Invocation],
        expected_invocations: list[Invocation] | None = None,
        conversation_scenario: ConversationScenario | None = None,
    ) -> EvaluationResult:
        return evaluated(
            key, eval_metric, actual_invocations, expected_invocations, conversation_scenario
        )

    what = "All that a case expects" if key == "case" else f"The check `{key}`"
    metric.__name__ = metric.__qualname__ = metric_name(key)
    metric.__doc__ = f"{what}, as a metric of ADK's `custom_metrics`."
    return metric


passhat_case = metric_for("case")
passhat_trajectory = metric_for("trajectory")

globals().update({metric_name(key): metric_for(key) for key in CATALOGUE})


def __getattr__(name: str) -> Metric:
    key = name.removeprefix(PREFIX)
    if name.startswith(PREFIX) and key in known_checks():
        return metric_for(key)
    raise AttributeError(f"module 'passhat_adk.metrics' has no attribute {name!r}")

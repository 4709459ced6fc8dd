"""Our checks in ADK's registry of metrics, where `AgentEvaluator`, `adk eval` and `adk web` look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passhat.grading.catalogue import known_checks
from passhat_adk.judging import metric_name
from passhat_adk.needs import need_adk

if TYPE_CHECKING:
    from google.adk.evaluation.evaluator import Evaluator
    from google.adk.evaluation.metric_evaluator_registry import MetricEvaluatorRegistry


def register(registry: MetricEvaluatorRegistry | None = None) -> tuple[str, ...]:
    """Makes every check a metric: `passhat_case`, and `passhat_<key>` for each.

    Call it where ADK comes by before it evaluates: in the agent's package, in a `conftest.py`, or,
    for `adk web`, in `services.py` of the agents' folder.

    Args:
        registry: The registry; by default the one that ADK itself uses. Importing that one takes
            ADK many seconds.

    Returns:
        The names of the metrics.

    Raises:
        MissingExtraError: ADK is not installed.
    """
    need_adk()
    from google.adk.evaluation.eval_metrics import Interval, MetricInfo, MetricValueInfo

    if registry is None:
        from google.adk.evaluation.metric_evaluator_registry import (
            DEFAULT_METRIC_EVALUATOR_REGISTRY,
        )

        registry = DEFAULT_METRIC_EVALUATOR_REGISTRY
    names = []
    for key in ("case", *known_checks()):
        name = metric_name(key)
        about = "All that a case expects." if key == "case" else f"passhat's check {key}."
        info = MetricInfo(
            metric_name=name,
            description=about,
            metric_value_info=MetricValueInfo(interval=Interval(min_value=0.0, max_value=1.0)),
        )
        registry.register_evaluator(info, evaluator_for(key))
        names.append(name)
    return tuple(names)


def evaluator_for(key: str) -> type[Evaluator]:
    """The `Evaluator` of a check.

    Raises:
        MissingExtraError: ADK is not installed.
    """
    need_adk()
    from google.adk.evaluation.eval_case import ConversationScenario, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric
    from google.adk.evaluation.evaluator import EvaluationResult, Evaluator

    from passhat_adk.metrics import evaluated

    class PasshatEvaluator(Evaluator):
        """One of our checks, as ADK's registry makes and calls it."""

        def __init__(self, eval_metric: EvalMetric) -> None:
            self._eval_metric = eval_metric

        def evaluate_invocations(
            self,
            actual_invocations: list[Invocation],
            expected_invocations: list[Invocation] | None = None,
            conversation_scenario: ConversationScenario | None = None,
        ) -> EvaluationResult:
            return evaluated(
                key,
                self._eval_metric,
                actual_invocations,
                expected_invocations,
                conversation_scenario,
            )

    return PasshatEvaluator

"""What a stored result carries of the eval set and the criteria that it was judged by."""

from __future__ import annotations

from typing import Any

from passhat.errors import UsageError
from passhat_adk.history import case_results, set_result
from passhat_adk.native import INVOCATION, METRIC_RESULT, snaked


def expected_in_results(
    value: Any, name: str, config: dict[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The eval set that a stored result was judged by, as far as it is stored with it.

    Args:
        value: The stored result.
        name: What the eval set is called where the result does not say.
        config: The configuration as JSON; None takes the criteria that are stored.

    Raises:
        UsageError: The result carries no expected invocations.
    """
    result = set_result(value)
    cases: dict[str, dict[str, Any]] = {}
    criteria: dict[str, Any] = {}
    for row in case_results(result):
        for metric in _objects(row.get("overall_eval_metric_results")):
            held = snaked(metric, METRIC_RESULT)
            criterion = held.get("criterion") or held.get("threshold")
            if criterion is not None:
                criteria.setdefault(str(held.get("metric_name")), criterion)
        turns = _objects(row.get("eval_metric_result_per_invocation"))
        expected = [snaked(turn, METRIC_RESULT).get("expected_invocation") for turn in turns]
        known = _objects(expected)
        given = str(row.get("eval_id"))
        if known and given not in cases:
            rubrics = _case_rubrics(turns, known)
            cases[given] = {"eval_id": given, "conversation": known, "rubrics": rubrics}
    if not cases:
        raise UsageError("the stored result carries no expected invocations, so it is no suite")
    found = {"eval_set_id": result.get("eval_set_id") or name, "eval_cases": list(cases.values())}
    return found, config if config is not None else {"criteria": criteria}


def _case_rubrics(turns: list[Any], expected: list[Any]) -> list[Any]:
    """The rubrics of the case itself: ADK puts them on every turn of the run."""
    own = _objects(snaked(expected[0], INVOCATION).get("rubrics"))
    for actual in _objects([snaked(turns[0], METRIC_RESULT).get("actual_invocation")]):
        rubrics = _objects(snaked(actual, INVOCATION).get("rubrics"))
        return [rubric for rubric in rubrics if rubric not in own]
    return []


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    rows = value if isinstance(value, list) else []
    return [row for row in rows if isinstance(row, dict)]

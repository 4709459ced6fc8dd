"""How fast trajectories are matched, beside agentevals and Google ADK on the same calls.

    python benchmarks/matching.py

Prints the time of each and its ratio to ours. Where a library is not installed, its line says so.
"""

from __future__ import annotations

import json
import random
import time
import timeit
import warnings
from collections.abc import Callable
from typing import Any

from passhat.case import expected_calls
from passhat.match import match_trajectory
from passhat.trace import ToolCall

warnings.simplefilter("ignore")


def calls(count: int) -> list[dict[str, Any]]:
    return [
        {
            "name": f"tool_{index % 6}",
            "args": {"id": f"A{index}", "n": index % 7, "deep": {"k": [1]}},
        }
        for index in range(count)
    ]


def seconds(action: Callable[[], Any]) -> float:
    """Processor time, the best of ten, each long enough to measure."""
    action()
    once = timeit.timeit(action, time.process_time, number=1)
    number = max(1, min(2_000, int(0.03 / max(once, 1e-9))))
    return min(timeit.repeat(action, timer=time.process_time, number=number, repeat=10)) / number


def messages(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"function": {"name": call["name"], "arguments": json.dumps(call["args"])}}
            ],
        }
        for call in made
    ]


def agentevals(mode: str, count: int) -> Callable[[], Any] | None:
    try:
        from agentevals.trajectory.match import create_trajectory_match_evaluator
    except ImportError:
        return None
    evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode)
    actual, expected = messages(calls(count)), messages(calls(count))
    return lambda: evaluator(outputs=actual, reference_outputs=expected)


def adk(mode: str, count: int) -> Callable[[], Any] | None:
    try:
        from google.adk.evaluation.eval_case import IntermediateData, Invocation
        from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
        from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
        from google.genai.types import Content, FunctionCall
    except ImportError:
        return None
    criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=mode)
    evaluator = TrajectoryEvaluator(
        eval_metric=EvalMetric(metric_name="tool_trajectory_avg_score", criterion=criterion)
    )
    turn = Invocation(
        user_content=Content(role="user", parts=[]),
        intermediate_data=IntermediateData(
            tool_uses=[FunctionCall(name=c["name"], args=c["args"]) for c in calls(count)]
        ),
    )
    return lambda: evaluator.evaluate_invocations([turn], [turn])


def line(label: str, taken: float | None, ours: float | None = None) -> None:
    if taken is None:
        print(f"  {label:<34}    not installed")
        return
    ratio = f"{taken / ours:8.1f} x ours" if ours else ""
    print(f"  {label:<34} {taken * 1e6:12.1f} µs {ratio}")


def side_by_side(count: int) -> None:
    print(f"{count} calls, expected equal to actual")
    actual = tuple(ToolCall(c["name"], c["args"], request=i) for i, c in enumerate(calls(count)))
    expected = expected_calls(calls(count))
    for mode, theirs, adk_mode in (
        ("exact", "strict", "EXACT"),
        ("unordered", "unordered", "ANY_ORDER"),
        ("superset", "superset", "ANY_ORDER"),
        ("in_order", None, "IN_ORDER"),
    ):
        ours = seconds(lambda mode=mode: match_trajectory(actual, expected, mode))
        line(f"passhat {mode}", ours)
        if theirs:
            other = agentevals(theirs, count)
            line(f"agentevals {theirs}", seconds(other) if other else None, ours)
        other = adk(adk_mode, count)
        line(f"adk {adk_mode}", seconds(other) if other else None, ours)
    mixed = list(actual)
    random.Random(7).shuffle(mixed)
    line(
        "passhat unordered, shuffled",
        seconds(lambda: match_trajectory(mixed, expected, "unordered")),
    )


def hostile(size: int) -> None:
    print(f"{size} x {size} loose matches, one tool")
    actual = [ToolCall("f", {"x": i % 50, "y": i % 3, "z": i}, request=i) for i in range(size)]
    loose = expected_calls(
        [
            {"name": "f", "args": {"x": i * 7 % 50}}
            if i % 2
            else {"name": "f", "args": {"y": i % 3}}
            for i in range(size)
        ]
    )
    any_args = expected_calls(
        [{"name": "f", "args": {"z": i}} if i % 2 else "f" for i in reversed(range(size))]
    )
    for label, wanted, mode in (
        ("superset, overlapping arguments", loose, "superset"),
        ("unordered, half say no arguments", any_args, "unordered"),
        ("exact, the order reversed", any_args, "exact"),
    ):
        taken = min(
            timeit.repeat(
                lambda w=wanted, m=mode: match_trajectory(actual, w, m), number=1, repeat=2
            )
        )
        print(f"  {label:<34} {taken:12.3f} s")


if __name__ == "__main__":
    side_by_side(10)
    side_by_side(100)
    hostile(2_000)

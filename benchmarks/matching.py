"""How fast trajectories are matched, beside other libraries on the same calls.

    python benchmarks/matching.py

Prints the time of each and its ratio to ours. What was expected is made ready once, and remembered
with the tuple of expected calls; a line says what the first match against it takes. Where a library is
not installed, its line says so.
agentevals and Google ADK are extras of passhat. DeepEval and RAGAS are not, since their pins do not
go with those; to have them beside ours, in an environment of their own:

    pip install deepeval==4.3.1 ragas==0.4.3 'langchain-community<0.4' msgspec scipy jsonschema
    PYTHONPATH=core:adapters python benchmarks/matching.py
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
import timeit
import warnings
from collections.abc import Callable
from datetime import date, timedelta
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


def deepeval(exact: bool, ordering: bool, count: int) -> Callable[[], Any] | None:
    os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    try:
        from deepeval.metrics import ToolCorrectnessMetric
        from deepeval.models import DeepEvalBaseLLM
        from deepeval.test_case import LLMTestCase, ToolCallParams
        from deepeval.test_case import ToolCall as Call
    except ImportError:
        return None

    class Nobody(DeepEvalBaseLLM):
        """The judge that the metric wants to have and never asks."""

        def load_model(self) -> None: ...
        def generate(self, *_: Any, **__: Any) -> str: ...
        async def a_generate(self, *_: Any, **__: Any) -> str: ...
        def get_model_name(self) -> str:
            return "nobody"

    made = [Call(name=c["name"], input_parameters=c["args"]) for c in calls(count)]
    case = LLMTestCase(input="", actual_output="", tools_called=made, expected_tools=list(made))
    metric = ToolCorrectnessMetric(
        model=Nobody(),
        evaluation_params=[ToolCallParams.INPUT_PARAMETERS],
        async_mode=False,
        should_exact_match=exact,
        should_consider_ordering=ordering,
    )
    return lambda: metric.measure(case, _show_indicator=False)


def ragas(metric: str, count: int) -> Callable[[], Any] | None:
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    try:
        from ragas.messages import AIMessage, HumanMessage
        from ragas.messages import ToolCall as Call
        from ragas.metrics.collections import ToolCallAccuracy, ToolCallF1
    except ImportError:
        return None
    scorer = {
        "strict": lambda: ToolCallAccuracy(strict_order=True),
        "flexible": lambda: ToolCallAccuracy(strict_order=False),
        "F1": ToolCallF1,
    }[metric]()
    made = [Call(name=c["name"], args=c["args"]) for c in calls(count)]
    said = [HumanMessage(content="?"), AIMessage(content="", tool_calls=made)]

    async def many(times: int) -> None:
        for _ in range(times):
            await scorer.ascore(user_input=said, reference_tool_calls=list(made))

    # A hundred in one loop, so that the loop itself costs nothing.
    return lambda: asyncio.run(many(_IN_ONE_LOOP))


_IN_ONE_LOOP = 100


def line(label: str, taken: float | None, ours: float | None = None) -> None:
    if taken is None:
        print(f"  {label:<40}    not installed")
        return
    ratio = f"{taken / ours:8.1f} x ours" if ours else ""
    print(f"  {label:<40} {taken * 1e6:12.1f} µs {ratio}")


TARGETS = {
    10: "under 50 µs, agentevals and DeepEval at least 50 x, RAGAS more than 1 x",
    100: "under 1,000 µs",
}


def side_by_side(count: int) -> None:
    print(f"{count} calls, expected equal to actual (target: {TARGETS[count]})")
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
    line(
        "passhat exact, asked for the first time",
        seconds(lambda: match_trajectory(actual, (*expected,), "exact")),
    )
    superset = seconds(lambda: match_trajectory(actual, expected, "superset"))
    for label, exact, ordering in (
        ("default", False, False),
        ("ordering", False, True),
        ("exact", True, False),
    ):
        other = deepeval(exact, ordering, count)
        line(f"deepeval {label}, with arguments", seconds(other) if other else None, superset)
    for metric in ("strict", "flexible", "F1"):
        other = ragas(metric, count)
        line(f"ragas {metric}", seconds(other) / _IN_ONE_LOOP if other else None, superset)
    mixed = list(actual)
    random.Random(7).shuffle(mixed)
    line(
        "passhat unordered, shuffled",
        seconds(lambda: match_trajectory(mixed, expected, "unordered")),
    )


def hostile(size: int) -> None:
    print(f"{size:,} x {size:,} loose matches, one tool (target: under 1 s each)")
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
    told("superset, overlapping arguments", actual, loose, "superset")
    told("unordered, half say no arguments", actual, any_args, "unordered")
    told("exact, the order reversed", actual, any_args, "exact")
    for label, (has, wants) in MATCHERS.items():
        actual = [ToolCall("f", {"x": has(i)}, request=i) for i in range(size)]
        asked: list[dict[str, Any]] = []
        for i in reversed(range(size)):
            value, spec = wants(i)
            asked.append({"name": "f", "args": {"x": value}, "match": {"x": spec}})
        told(f"unordered, {label}", actual, expected_calls(asked), "unordered")


def told(label: str, actual: list[ToolCall], wanted: Any, mode: Any) -> None:
    taken = min(
        timeit.repeat(
            lambda: match_trajectory(actual, wanted, mode, tools=TOOLS),
            timer=time.process_time,
            number=1,
            repeat=2,
        )
    )
    print(f"  {label:<42} {taken:8.3f} s")


def day(number: int) -> date:
    return date(2020, 1, 1) + timedelta(days=number)


def schema(number: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": number % 40}


TOOLS = {"f": {"properties": {"x": {"type": "object", "properties": {"n": {"type": "number"}}}}}}
MATCHERS: dict[str, tuple[Callable[[int], Any], Callable[[int], tuple[Any, Any]]]] = {
    "text, all different": (lambda i: f"Value {i}", lambda i: (f" value {i} ", "text")),
    "set, all different": (lambda i: [i, 0], lambda i: ([0, i], "set")),
    "number, each near a hundred": (
        lambda i: i / 10,
        lambda i: (i / 10 + 0.01, {"number": {"abs": 5}}),
    ),
    "one_of a hundred of all": (
        lambda i: i,
        lambda i: (0, {"one_of": list(range(i, i + 100))}),
    ),
    "date, all different": (
        lambda i: day(i).isoformat(),
        lambda i: (f"{day(i):%d %B %Y}", "date"),
    ),
    "date, instants against days": (
        lambda i: f"{day(i % 40)}T10:00:{i % 60:02}.{i:06}Z",
        lambda i: (day(i % 40).isoformat(), "date"),
    ),
    "contains, all different": (
        lambda i: f"a longer text that has number {i} in it, and {i * 7}",
        lambda i: (f"Number {i}", "contains"),
    ),
    "regex, all different": (
        lambda i: f"order A{i}",
        lambda i: (None, {"regex": f"(order|bill) A{i % 1000}[0-9]?"}),
    ),
    "subset, all different": (
        lambda i: {"a": {"b": i, "c": i % 7}, "flags": [i % 2, i % 3], "more": i},
        lambda i: ({"a": {"b": i}, "flags": [i % 2, i % 3]}, "subset"),
    ),
    "schema, forty of them": (lambda i: i, lambda i: (None, {"schema": schema(i)})),
    "auto, objects with numbers": (
        lambda i: {"n": i, "s": str(i % 9)},
        lambda i: ({"n": float(i), "s": str(i % 9)}, "auto"),
    ),
}
"""What the calls have for an argument, and what is expected of it, with the matcher.

The expected calls come in the other order, so that no walk from left to right finds them.
"""


if __name__ == "__main__":
    side_by_side(10)
    side_by_side(100)
    hostile(2_000)

"""google-adk 2.13: `tool_trajectory_avg_score`, EXACT, IN_ORDER and ANY_ORDER."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from passhat.match.dialects.dialect import (
    Calls,
    Dialect,
    FrameworkError,
    Mode,
    PlainCall,
    Question,
    Raises,
    Relation,
    by_name,
    json_object,
)

Received: TypeAlias = list[tuple[str, dict[str, Any] | None]]


def _received(calls: Calls, ignore_args: bool) -> Received:
    """The calls as `FunctionCall`s: no arguments is None, which is not {}."""
    read = [(call.name, _args(call)) for call in calls]
    return [(name, None) for name, _ in read] if ignore_args else read


def _args(call: PlainCall) -> dict[str, Any] | None:
    return json_object(call.args, "FunctionCall") if call.given else None


def _exact(actual: Received, expected: Received) -> bool:
    return actual == expected


def _in_order(actual: Received, expected: Received) -> bool:
    rest = iter(actual)
    return all(call in rest for call in expected)


def _any_order(actual: Received, expected: Received) -> bool:
    left = list(actual)
    for call in expected:
        if call not in left:
            return False
        left.remove(call)
    return True


def _mean(question: Question, holds: Callable[[Received, Received], bool]) -> float | None:
    """The share of turns in which the mode holds; no score where there are no turns."""
    actual, expected = question.actual.turns, question.expected.turns
    ignore = question.args == "ignore"
    read = [[_received(turn, ignore) for turn in side] for side in (actual, expected)]
    if len(actual) != len(expected):
        raise FrameworkError(
            "ValueError",
            "actual_invocations and expected_invocations must have the same length; "
            f"got {len(actual)} and {len(expected)}.",
        )
    scores = [float(holds(a, e)) for a, e in zip(*read, strict=True)]
    return sum(scores) / len(scores) if scores else None


_ARGUMENTS: Mapping[str, Relation] = {"exact": "equal", "ignore": "ignored"}

ADK = Dialect(
    "adk",
    "2.13",
    verified=True,
    modes=by_name(
        Mode(
            "exact",
            "The same calls in the same order, turn by turn.",
            partial(_mean, holds=_exact),
            scope="turn",
            assignment="positional",
            denominator="all",
            arguments=_ARGUMENTS,
            empties="both empty: 1; one empty: 0",
            turns="mean",
            scored=True,
        ),
        Mode(
            "in_order",
            "Every expected call of a turn in that order; further calls may stand between.",
            partial(_mean, holds=_in_order),
            scope="turn",
            assignment="greedy",
            denominator="all",
            arguments=_ARGUMENTS,
            empties="no expected call: 1, whatever was called",
            turns="mean",
            scored=True,
        ),
        Mode(
            "any_order",
            "Every expected call of a turn, in any order; further calls are free.",
            partial(_mean, holds=_any_order),
            scope="turn",
            assignment="greedy",
            denominator="all",
            arguments=_ARGUMENTS,
            empties="no expected call: 1, whatever was called",
            turns="mean",
            scored=True,
        ),
    ),
    identity="name",
    no_arguments="a call without arguments has None, which is not {}; anything but an object "
    "raises ValidationError",
    failed_calls="compared as any other; results are not looked at",
    without_expected=Raises("ValueError", "expected_invocations is needed by this metric."),
    notes=(
        "A call made in the wrong turn is missing in one turn and extra in the other.",
        "Parallel calls have an order: that in which the event lists them.",
        "Without turns there is no score (NOT_EVALUATED).",
        "The case passes where the mean reaches its threshold, which a suite sets.",
    ),
)

"""DeepEval 4.3.1: ToolCorrectnessMetric, by default, with ordering, and exact.

`args="exact"` is `evaluation_params=[ToolCallParams.INPUT_PARAMETERS]`; `args="ignore"` is the
metric's default, which looks at names alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from passhat.match.dialects.dialect import (
    Calls,
    Dialect,
    FrameworkError,
    Mode,
    Question,
    Raises,
    Relation,
    by_name,
    json_object,
)


@dataclass(frozen=True, slots=True)
class _Tool:
    """A call as DeepEval holds it; two are the same call wherever their values are equal."""

    name: str
    args: dict[str, Any] | None


def _received(calls: Calls) -> list[_Tool]:
    return [
        _Tool(
            call.name,
            json_object(call.args, "ToolCall") if call.given else None,
        )
        for call in calls
    ]


def _both(question: Question) -> tuple[list[_Tool], list[_Tool]]:
    return _received(question.actual.calls), _received(question.expected.calls)


def _share(a: Any, b: Any) -> float:
    """The share of equal arguments among all that either side has; nested objects count in part."""
    if a == b:
        return 1.0
    if a is None or b is None:
        raise FrameworkError("AttributeError", "'NoneType' object has no attribute 'keys'")
    every = len(a.keys() | b.keys())
    share = 0.0
    for key in a.keys() & b.keys():
        if a[key] == b[key]:
            share += 1 / every
        elif isinstance(a[key], dict) and isinstance(b[key], dict):
            share += _share(a[key], b[key]) / every
    return share


def _similarity(expected: _Tool, called: _Tool, args: str) -> float:
    if expected.name != called.name:
        return 0.0
    return 1.0 if args == "ignore" else _share(expected.args, called.args)


def _default(question: Question) -> float:
    called, expected = _both(question)
    if not expected:
        return float(not called)
    total = 0.0
    # Taken by value, not by place: a call that equals a taken one is taken too.
    taken: list[_Tool] = []
    for tool in expected:
        best, chosen = 0.0, None
        for candidate in called:
            if candidate in taken:
                continue
            similarity = _similarity(tool, candidate, question.args)
            if similarity > best:
                best, chosen = similarity, candidate
        if chosen is not None:
            total += best
            taken.append(chosen)
    return total / len(expected)


def _ordering(question: Question) -> float:
    called, expected = _both(question)
    if not expected:
        return float(not called)
    above = [0.0] * (len(called) + 1)
    for tool in expected:
        row = [0.0]
        for j, candidate in enumerate(called):
            similarity = _similarity(tool, candidate, question.args)
            paired = above[j] + similarity if similarity > 0 else 0.0
            row.append(max(above[j + 1], row[j], paired))
        above = row
    return above[-1] / len(expected)


def _exact(question: Question) -> float:
    called, expected = _both(question)
    if question.args == "ignore":
        return float([tool.name for tool in called] == [tool.name for tool in expected])
    return float(called == expected)


_ARGUMENTS: Mapping[str, Relation] = {"exact": "share of union", "ignore": "ignored"}
_EMPTIES = "both empty: 1; one empty: 0"

DEEPEVAL = Dialect(
    "deepeval",
    "4.3.1",
    verified=True,
    modes=by_name(
        Mode(
            "default",
            "The share of expected calls that were made, each in part where its arguments match in "
            "part; further calls are free.",
            _default,
            scope="session",
            assignment="greedy",
            denominator="expected",
            arguments=_ARGUMENTS,
            empties=_EMPTIES,
            scored=True,
        ),
        Mode(
            "ordering",
            "As default, but only calls along one common order count; further calls are free.",
            _ordering,
            scope="session",
            assignment="lcs",
            denominator="expected",
            arguments=_ARGUMENTS,
            empties=_EMPTIES,
            scored=True,
        ),
        Mode(
            "exact",
            "The same calls in the same order, all or nothing.",
            _exact,
            scope="session",
            assignment="positional",
            denominator="all",
            arguments={"exact": "equal", "ignore": "ignored"},
            empties=_EMPTIES,
            scored=True,
        ),
    ),
    identity="name (and kind of tool, where one is given)",
    no_arguments="a call without arguments has None, which is not {}; default and ordering raise "
    "AttributeError where None meets an object",
    failed_calls="compared as any other; results are compared only where asked for",
    without_expected=Raises(
        "MissingTestCaseParamsError",
        "'expected_tools' cannot be None for the 'Tool Correctness' metric",
    ),
    notes=(
        "In default mode a call that equals one already paired is taken too: two equal calls for "
        "two equal expectations score 0.5, whether arguments are looked at or not.",
        "In default mode pairing is first come, first served, by best share of arguments.",
        "The metric passes at 0.5 unless told otherwise.",
    ),
)

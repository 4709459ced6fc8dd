"""Vertex AI's trajectory metrics, as their documentation describes them.

Scored on Google's servers, so nothing here was compared with the service. Calls travel as two
texts, `tool_name` and `tool_input`; how the service canonicalises an input, and how it counts
repeats, is not documented. Taken here: inputs compare as JSON text with sorted keys, a repeat is
found wherever one is found, and a score without a denominator is no score (None).
"""

from __future__ import annotations

import json
from typing import TypeAlias

from passhat.errors import UsageError
from passhat.match.dialects.dialect import (
    ABSENT,
    Calls,
    Dialect,
    FrameworkError,
    Mode,
    Question,
    by_name,
)

Received: TypeAlias = list[tuple[str, str]]


def _received(calls: Calls) -> Received:
    return [(call.name, _text(call.args)) for call in calls]


def _text(args: object) -> str:
    if args is ABSENT or args is None:
        return "{}"
    if isinstance(args, str):
        return args
    try:
        return json.dumps(args, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise FrameworkError(type(error).__name__, str(error)) from error


def _both(question: Question) -> tuple[Received, Received]:
    return _received(question.actual.calls), _received(question.expected.calls)


def _exact(question: Question) -> float:
    actual, expected = _both(question)
    return float(actual == expected)


def _in_order(question: Question) -> float:
    actual, expected = _both(question)
    rest = iter(actual)
    return float(all(call in rest for call in expected))


def _any_order(question: Question) -> float:
    actual, expected = map(set, _both(question))
    return float(expected <= actual)


def _share(of: Received, found_in: Received) -> float | None:
    there = set(found_in)
    return sum(call in there for call in of) / len(of) if of else None


def _precision(question: Question) -> float | None:
    actual, expected = _both(question)
    return _share(actual, expected)


def _recall(question: Question) -> float | None:
    actual, expected = _both(question)
    return _share(expected, actual)


def _single_tool_use(question: Question) -> float:
    names = [call.name for call in question.expected.calls]
    if len(names) != 1:
        raise UsageError(f"single_tool_use asks for one tool, not for {len(names)}: name just one")
    return float(any(call.name == names[0] for call in question.actual.calls))


VERTEX = Dialect(
    "vertex",
    "",
    verified=False,
    modes=by_name(
        Mode(
            "exact_match",
            "The same calls in the same order.",
            _exact,
            scope="session",
            assignment="positional",
            denominator="all",
            arguments={"exact": "equal"},
            empties="both empty: 1; one empty: 0 (not documented)",
            scored=True,
            values="json-text",
        ),
        Mode(
            "in_order_match",
            "Every expected call in that order; further calls may stand between.",
            _in_order,
            scope="session",
            assignment="greedy",
            denominator="all",
            arguments={"exact": "equal"},
            empties="no expected call: 1 (not documented)",
            scored=True,
            values="json-text",
        ),
        Mode(
            "any_order_match",
            "Every expected call, in any order; further calls are free.",
            _any_order,
            scope="session",
            assignment="existential",
            denominator="all",
            arguments={"exact": "equal"},
            empties="no expected call: 1 (not documented)",
            scored=True,
            values="json-text",
        ),
        Mode(
            "precision",
            "The share of actual calls that were expected.",
            _precision,
            scope="session",
            assignment="existential",
            denominator="actual",
            arguments={"exact": "equal"},
            empties="no actual call: no score (not documented)",
            scored=True,
            values="json-text",
        ),
        Mode(
            "recall",
            "The share of expected calls that were made.",
            _recall,
            scope="session",
            assignment="existential",
            denominator="expected",
            arguments={"exact": "equal"},
            empties="no expected call: no score (not documented)",
            scored=True,
            values="json-text",
        ),
        Mode(
            "single_tool_use",
            "One given tool was called, however often and wherever.",
            _single_tool_use,
            scope="session",
            assignment="existential",
            denominator="all",
            arguments={"exact": "ignored"},
            empties="no actual call: 0",
            scored=True,
            values="json-text",
        ),
    ),
    identity="name",
    no_arguments="taken for {} (not documented); text stays as it is",
    failed_calls="not documented; compared as any other",
    single_expected=frozenset({"single_tool_use"}),
    notes=("Documented, not verified: nothing here was compared with the service.",),
)

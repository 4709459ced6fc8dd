"""RAGAS 0.4.3: ToolCallAccuracy, strict and flexible, and ToolCallF1.

The older classes in `ragas.metrics` and the newer ones in `ragas.metrics.collections` answer alike
with their defaults, so one set of modes stands for both.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from passhat.match.dialects.dialect import (
    ABSENT,
    Calls,
    Dialect,
    Mode,
    Question,
    Raises,
    by_name,
    json_object,
)

Received: TypeAlias = list[tuple[str, dict[str, Any]]]


def _received(calls: Calls) -> Received:
    return [
        (call.name, {} if call.args is ABSENT else json_object(call.args, "ToolCall"))
        for call in calls
    ]


def _both(question: Question) -> tuple[Received, Received]:
    return _received(question.actual.calls), _received(question.expected.calls)


def _text_key(call: tuple[str, dict[str, Any]]) -> tuple[str, ...]:
    name, args = call
    return (name, *(part for key in sorted(args) for part in (key, str(args[key]))))


def _argument_share(actual: dict[str, Any], expected: dict[str, Any]) -> float:
    """The share of the expected arguments whose text is the same; further ones are free."""
    if not expected:
        return 0.0 if actual else 1.0
    same = sum(key in actual and str(actual[key]) == str(expected[key]) for key in expected)
    return same / len(expected)


def _accuracy(actual: Received, expected: Received) -> float:
    if not actual or not expected:
        return float(not actual and not expected)
    if [name for name, _ in actual] != [name for name, _ in expected]:
        return 0.0
    pairs = zip(actual, expected, strict=True)
    return sum(_argument_share(a[1], e[1]) for a, e in pairs) / len(expected)


def _accuracy_strict(question: Question) -> float:
    return _accuracy(*_both(question))


def _accuracy_flex(question: Question) -> float:
    actual, expected = _both(question)
    return _accuracy(sorted(actual, key=_text_key), sorted(expected, key=_text_key))


def _hashable(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((key, _hashable(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(_hashable(item) for item in value)
    return value


def _f1(question: Question) -> float:
    actual, expected = ({(n, _hashable(a)) for n, a in side} for side in _both(question))
    both = len(actual & expected)
    if not both:
        return 0.0
    precision, recall = both / len(actual), both / len(expected)
    return round(2 * precision * recall / (precision + recall), 4)


RAGAS = Dialect(
    "ragas",
    "0.4.3",
    verified=True,
    modes=by_name(
        Mode(
            "accuracy_strict",
            "The same tools in the same order, else 0; then the mean share of expected arguments "
            "that are there with the same text.",
            _accuracy_strict,
            scope="session",
            assignment="positional",
            denominator="expected",
            arguments={"exact": "share of expected"},
            empties="both empty: 1; one empty: 0",
            scored=True,
            values="text",
        ),
        Mode(
            "accuracy_flex",
            "As accuracy_strict, after both sides were sorted by name and by the text of the "
            "arguments.",
            _accuracy_flex,
            scope="session",
            assignment="positional",
            denominator="expected",
            arguments={"exact": "share of expected"},
            empties="both empty: 1; one empty: 0",
            scored=True,
            values="text",
        ),
        Mode(
            "f1",
            "F1 of the set of actual calls against the set of expected calls: a repeat counts for "
            "nothing.",
            _f1,
            scope="session",
            assignment="set",
            denominator="f1",
            arguments={"exact": "equal"},
            empties="both empty: 0; one empty: 0",
            scored=True,
        ),
    ),
    identity="name",
    no_arguments="anything but an object raises ValidationError",
    failed_calls="compared as any other; results are not looked at",
    without_expected=Raises("ValueError", "reference_tool_calls must be a list"),
    notes=(
        "The accuracies compare arguments as str() text: 1 is '1', 1 is not 1.0, and the order of "
        "a nested object's keys matters. F1 compares as Python does: True is 1.",
        "Where nothing is expected of the arguments ({}), any argument scores 0.",
        "One call too many, a retry included, scores 0 in both accuracies.",
        "F1 is rounded to four places.",
    ),
)

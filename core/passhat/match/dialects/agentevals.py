"""agentevals 0.0.9 and openevals 0.2.2: the trajectory matchers of LangChain's two libraries.

openevals carries the same matchers with one difference: where a mode asks whether the expected
calls cover the actual ones, agentevals hands the two calls to the argument comparison the wrong way
round, so that `args="superset"` means the reverse of itself in `subset` and in half of `unordered`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

from passhat.match.dialects.dialect import (
    ABSENT,
    Calls,
    Dialect,
    FrameworkError,
    Mode,
    Question,
    Relation,
    by_name,
    json_object,
)

Args: TypeAlias = dict[str, Any]
Comparison: TypeAlias = Callable[[Args, Args], bool]


def _received(message: Calls) -> list[tuple[str, Args]]:
    """A message after its way through OpenAI's format, where arguments are JSON text.

    The texts of all its calls are read before any of them is looked at.
    """
    try:
        read = [_read(call.args) for call in message]
        objects = [json_object(args, "AIMessage") for args in read]
        back = [json.loads(json.dumps(args)) for args in objects]
    except (ValueError, TypeError) as error:
        raise FrameworkError(type(error).__name__, str(error)) from error
    return [(call.name, args) for call, args in zip(message, back, strict=True)]


def _read(args: Any) -> Any:
    if isinstance(args, str):
        return json.loads(args, strict=False)
    return {} if args is ABSENT else args


def _within(small: Args, large: Args) -> bool:
    return all(key in large and large[key] == value for key, value in small.items())


_COMPARISONS: Mapping[str, Comparison] = {
    "exact": lambda actual, expected: actual == expected,
    "ignore": lambda actual, expected: True,
    "subset": _within,
    "superset": lambda actual, expected: _within(expected, actual),
}


def _swapped(compare: Comparison) -> Comparison:
    return lambda a, b: compare(b, a)


def _messages(question: Question) -> tuple[list[list[tuple[str, Args]]], ...]:
    """Both sides, message by message; the first that cannot be read ends it, as in the library."""
    sides = (question.actual.messages, question.expected.messages)
    return tuple([_received(message) for message in side] for side in sides)


def _calls(question: Question) -> tuple[list[tuple[str, Args]], ...]:
    return tuple([call for message in side for call in message] for side in _messages(question))


def _covers(
    wanted: Iterable[tuple[str, Args]], at_hand: Iterable[tuple[str, Args]], compare: Comparison
) -> bool:
    """Whether each wanted call finds one at hand, the first that fits and is not yet taken."""
    left = list(at_hand)
    for name, args in wanted:
        for index, (other, others) in enumerate(left):
            if other == name and compare(args, others):
                del left[index]
                break
        else:
            return False
    return True


def _strict(question: Question) -> bool:
    actual, expected = _messages(question)
    compare = _COMPARISONS[question.args]
    return len(actual) == len(expected) and all(
        len(a) == len(e) and _covers(a, e, compare) for a, e in zip(actual, expected, strict=True)
    )


def _superset(question: Question) -> bool:
    actual, expected = _calls(question)
    return _covers(expected, actual, _swapped(_COMPARISONS[question.args]))


def _subset(question: Question, *, turned_round: bool) -> bool:
    actual, expected = _calls(question)
    compare = _COMPARISONS[question.args]
    return _covers(actual, expected, _swapped(compare) if turned_round else compare)


def _unordered(question: Question, *, turned_round: bool) -> bool:
    return _superset(question) and _subset(question, turned_round=turned_round)


_AS_NAMED: Mapping[str, Relation] = {
    "exact": "equal",
    "ignore": "ignored",
    "subset": "actual within expected",
    "superset": "expected within actual",
}
_TURNED_ROUND: Mapping[str, Relation] = {
    **_AS_NAMED,
    "subset": "expected within actual",
    "superset": "actual within expected",
}
_BOTH: Mapping[str, Relation] = {
    **_AS_NAMED,
    "subset": "each within the other",
    "superset": "each within the other",
}


def _modes(*, turned_round: bool) -> dict[str, Mode]:
    return by_name(
        Mode(
            "strict",
            "The same assistant messages in the same order, each with the same calls in any order.",
            _strict,
            scope="message",
            assignment="greedy",
            denominator="all",
            arguments=_AS_NAMED,
            empties="both empty: true; one empty: false",
        ),
        Mode(
            "unordered",
            "The same calls in any order: superset and subset at once.",
            partial(_unordered, turned_round=turned_round),
            scope="session",
            assignment="greedy",
            denominator="all",
            arguments=_BOTH if turned_round else _AS_NAMED,
            empties="both empty: true; one empty: false",
        ),
        Mode(
            "subset",
            "No call that was not expected; expected calls may be missing.",
            partial(_subset, turned_round=turned_round),
            scope="session",
            assignment="greedy",
            denominator="all",
            arguments=_TURNED_ROUND if turned_round else _AS_NAMED,
            empties="no actual call: true",
        ),
        Mode(
            "superset",
            "Every expected call was made; further calls are free.",
            _superset,
            scope="session",
            assignment="greedy",
            denominator="all",
            arguments=_AS_NAMED,
            empties="no expected call: true",
        ),
    )


def _dialect(name: str, version: str, *, turned_round: bool, note: str) -> Dialect:
    return Dialect(
        name,
        version,
        verified=True,
        modes=_modes(turned_round=turned_round),
        identity="name",
        no_arguments="a call without arguments has {}; text that is no JSON raises JSONDecodeError "
        "(an empty text too), JSON that is no object raises ValidationError",
        failed_calls="compared as any other; results are not looked at",
        notes=(
            "Pairing is first come, first served: with args subset or superset the answer can "
            "depend on the order of the calls.",
            note,
        ),
    )


AGENTEVALS = _dialect(
    "agentevals",
    "0.0.9",
    turned_round=True,
    note="In subset, and in half of unordered, args subset and superset mean each other.",
)
OPENEVALS = _dialect(
    "openevals",
    "0.2.2",
    turned_round=False,
    note="args subset and superset mean the same in all four modes: actual against expected.",
)

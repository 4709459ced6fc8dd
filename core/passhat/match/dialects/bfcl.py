"""BFCL's AST check: is a call one of the allowed ones, by types and by lists of allowed values?

An expected call's arguments are, for each name, the list of allowed values; `""` among them allows
the argument to be left out. `tools` gives each function's JSON Schema, in which BFCL's own type
words (`float`, `dict`, `tuple`, `any`) stand too. Without `tools` a schema is read off the expected
call: the type of the first allowed value, required unless it may be left out.

The rules are those for Python; there are converters for Java and JavaScript, which are not here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from passhat.errors import UsageError
from passhat.match.dialects.bfcl_values import Allowed, Schema, answer_type, value_fault
from passhat.match.dialects.dialect import (
    Calls,
    Dialect,
    FrameworkError,
    Mode,
    PlainCall,
    Question,
    Relation,
    Trajectory,
    by_name,
)

_WORDS: Mapping[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "float",
    list: "array",
    dict: "dict",
}


def error_type(question: Question, mode: str) -> str | None:
    """BFCL's name for what is wrong with the calls (`value_error:string`), None where nothing is.

    Raises:
        FrameworkError: BFCL itself would raise.
        UsageError: An expected argument is not a list of allowed values.
    """
    actual, expected = question.actual.calls, question.expected.calls
    if mode == "parallel":
        return _parallel_fault(actual, expected, question.tools)
    if mode == "multiple" and len(actual) != len(expected):
        return "multiple_function_checker:wrong_count"
    if mode == "simple" and len(actual) != 1:
        return "simple_function_checker:wrong_count"
    if not expected:
        raise FrameworkError("IndexError", "list index out of range")
    name, schema = _function(expected[0], question.tools, first=mode == "simple")
    return _call_fault(name, schema, actual[0], _allowed(expected[0]))


def as_allowed(expected: Trajectory) -> Trajectory:
    """Plain expected calls in BFCL's form: each value is the only one allowed."""
    return Trajectory(
        tuple(tuple(map(_as_allowed, group)) for group in expected.groups), expected.grouped
    )


def _as_allowed(call: PlainCall) -> PlainCall:
    if not isinstance(call.args, Mapping):
        return call
    return PlainCall(call.name, {name: [_only(value)] for name, value in call.args.items()})


def _only(value: Any) -> Any:
    """A value as the only one allowed: an object's values are lists of allowed values in turn."""
    if isinstance(value, Mapping):
        return {key: [item] for key, item in value.items()}
    if isinstance(value, list):
        return [_only(item) if isinstance(item, Mapping) else item for item in value]
    return value


def _parallel_fault(
    actual: Calls, expected: Calls, tools: Mapping[str, Schema] | None
) -> str | None:
    if len(actual) != len(expected):
        return "parallel_function_checker_no_order:wrong_count"
    left = list(actual)
    for wanted in expected:
        name, schema = _function(wanted, tools)
        allowed = _allowed(wanted)
        for index, call in enumerate(left):
            if _call_fault(name, schema, call, allowed) is None:
                del left[index]
                break
        else:
            return "parallel_function_checker_no_order:cannot_find_match"
    return None


def _allowed(call: PlainCall) -> Mapping[str, Allowed]:
    args = call.args if call.given else {}
    if not isinstance(args, Mapping) or not all(isinstance(v, list | tuple) for v in args.values()):
        raise UsageError(
            f"bfcl expects for each argument of {call.name} the list of its allowed values: "
            '{"city": ["Paris", "Paris, France"]}'
        )
    return args


def _function(
    call: PlainCall, tools: Mapping[str, Schema] | None, *, first: bool = False
) -> tuple[str, Schema]:
    """The function a call is held against; in simple mode that is the first there is."""
    if tools is None:
        return call.name, _read_off(_allowed(call))
    if first and tools:
        return next(iter(tools.items()))
    if call.name not in tools:
        raise FrameworkError("TypeError", "'NoneType' object is not subscriptable")
    return call.name, tools[call.name]


def _read_off(allowed: Mapping[str, Allowed]) -> Schema:
    types = {name: answer_type(values) or str for name, values in allowed.items()}
    return {
        "properties": {name: {"type": _WORDS.get(kind, "any")} for name, kind in types.items()},
        "required": [name for name, values in allowed.items() if "" not in values],
    }


def _call_fault(
    name: str, schema: Schema, call: PlainCall, allowed: Mapping[str, Allowed]
) -> str | None:
    """What is wrong with one call, the first thing that BFCL would name."""
    args = call.args if call.given else {}
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except ValueError:
            args = None
    if not isinstance(args, Mapping):
        return "ast_decoder:decoder_failed"
    if call.name not in (name, name.replace(".", "_")):
        return "simple_function_checker:wrong_func_name"
    properties = schema.get("properties", {})
    if any(param not in args for param in schema.get("required", ())):
        return "simple_function_checker:missing_required"
    for param, value in args.items():
        if param not in properties or param not in allowed:
            return "simple_function_checker:unexpected_param"
        fault = value_fault(value, allowed[param], properties[param])
        if fault is not None:
            return fault
    if any(param not in args and "" not in values for param, values in allowed.items()):
        return "simple_function_checker:missing_optional"
    return None


def _valid(question: Question, *, mode: str) -> bool:
    return error_type(question, mode) is None


_ARGUMENTS: Mapping[str, Relation] = {"exact": "one of the allowed"}

BFCL = Dialect(
    "bfcl",
    "2026.3.23",
    verified=True,
    modes=by_name(
        Mode(
            "simple",
            "Exactly one call, of the one function there is, with allowed values.",
            partial(_valid, mode="simple"),
            scope="session",
            assignment="positional",
            denominator="all",
            arguments=_ARGUMENTS,
            empties="no actual call: false",
            values="typed",
        ),
        Mode(
            "multiple",
            "Exactly one call, of the expected function among several, with allowed values.",
            partial(_valid, mode="multiple"),
            scope="session",
            assignment="positional",
            denominator="all",
            arguments=_ARGUMENTS,
            empties="one empty: false; both empty: raises IndexError",
            values="typed",
        ),
        Mode(
            "parallel",
            "As many calls as expected, each of them allowed by another expected call, in any "
            "order.",
            partial(_valid, mode="parallel"),
            scope="session",
            assignment="greedy",
            denominator="all",
            arguments=_ARGUMENTS,
            empties="both empty: true; one empty: false",
            values="typed",
        ),
    ),
    identity="name; a dot may be written as an underscore, as for models whose API forbids dots",
    no_arguments="taken for {}; text that is no JSON object is false",
    failed_calls="not looked at: nothing is run",
    notes=(
        'Arguments are lists of allowed values; "" among them allows leaving the argument out.',
        "Types are exact: True is no integer, 1.0 is no integer, 1 passes for a float.",
        'Text compares without case, spaces and , . / - _ * ^, so "1.5" is "15".',
    ),
)

"""BFCL's AST check: is a call one of the allowed ones, by types and by lists of allowed values?

An expected call's arguments are, for each name, the list of allowed values; `""` among them allows
the argument to be left out. `tools` gives each function's JSON Schema, in which BFCL's own type
words (`float`, `dict`, `tuple`, `any`) stand too. Without `tools` a schema is read off the expected
call: the type of the first allowed value, required unless it may be left out.

The rules are those for Python; there are converters for Java and JavaScript, which are not here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from passhat.errors import UsageError
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

Schema: TypeAlias = Mapping[str, Any]
Allowed: TypeAlias = Sequence[Any]

_TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "number": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "object": dict,
    "any": str,
}
_WORDS: Mapping[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "float",
    list: "array",
    dict: "dict",
}
_PUNCTUATION = re.compile(r"[ ,./\-_*^]")


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
    types = {name: _answer_type(values) or str for name, values in allowed.items()}
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
        fault = _value_fault(value, allowed[param], properties[param])
        if fault is not None:
            return fault
    if any(param not in args and "" not in values for param, values in allowed.items()):
        return "simple_function_checker:missing_optional"
    return None


def _type(schema: Schema) -> type:
    word = schema.get("type")
    if not isinstance(word, str) or word not in _TYPES:
        raise FrameworkError("KeyError", repr(word))
    return _TYPES[word]


def _answer_type(allowed: Allowed) -> type | None:
    """The type of the first allowed value, where one says it."""
    return next((type(answer) for answer in allowed if answer != ""), None)


def _value_fault(value: Any, allowed: Allowed, schema: Schema) -> str | None:
    wanted = _type(schema)
    items = _type(schema["items"]) if wanted is list and "items" in schema else None
    if wanted is float and type(value) is int:
        value = float(value)
    if wanted is list and isinstance(value, tuple):
        value = list(value)
    fault = _type_fault(value, allowed, wanted, items)
    if fault is not None:
        return fault
    try:
        return _content_fault(value, allowed, wanted, items)
    except (AttributeError, LookupError, TypeError) as error:
        # Allowed values of another shape than the type's: BFCL trips over them too.
        raise FrameworkError(type(error).__name__, str(error)) from error


def _content_fault(value: Any, allowed: Allowed, wanted: type, items: type | None) -> str | None:
    # Where the allowed values are of another type than the schema's, BFCL takes them for the name
    # of a variable, and compares as they stand.
    answers = _answer_type(allowed)
    if type(value) is not wanted or (answers is not None and answers is not wanted):
        return None if value in allowed else "value_error:others"
    if wanted is dict:
        return _dict_fault(value, allowed)
    if wanted is list and (items is dict or (items is None and _of_dicts(allowed))):
        return _list_of_dicts_fault(value, allowed)
    if wanted is str:
        texts = [_standard(answer) for answer in allowed if type(answer) is str]
        return None if _standard(value) in texts else "value_error:string"
    if wanted is list:
        lists = [_standard_items(answer) for answer in allowed]
        return None if _standard_items(value) in lists else "value_error:list/tuple"
    return None if value in allowed else "value_error:others"


def _type_fault(value: Any, allowed: Allowed, wanted: type, items: type | None) -> str | None:
    answers = _answer_type(allowed)
    if type(value) is wanted:
        if items is None or any(_items_fit(value, answer, items) for answer in allowed):
            return None
        return "type_error:nested"
    return None if answers is not None and type(value) is answers else "type_error:simple"


def _items_fit(value: Any, answer: Any, items: type) -> bool:
    if type(answer) is not list:
        return True
    return all(_type_fault(item, answer, items, None) is None for item in value)


def _of_dicts(allowed: Allowed) -> bool:
    return any(type(answer) is list and answer and type(answer[0]) is dict for answer in allowed)


def _standard(value: Any) -> Any:
    """A text without spaces, case and most punctuation; anything else as it is."""
    if type(value) is not str:
        return value
    return _PUNCTUATION.sub("", value).lower().replace("'", '"')


def _standard_items(values: Any) -> list[Any]:
    return [_standard(values[index]) for index in range(len(values))]


def _dict_fault(value: Any, allowed: Allowed) -> str | None:
    fault: str | None = "dict_checker:unclear"
    for answer in allowed:
        if answer == "":
            continue
        fault = _one_dict_fault(value, answer)
        if fault is None:
            return None
    return fault


def _one_dict_fault(value: Mapping[str, Any], answer: Mapping[str, Allowed]) -> str | None:
    if any(key not in value and "" not in values for key, values in answer.items()):
        return "value_error:dict_key"
    for key, item in value.items():
        if key not in answer:
            return "value_error:dict_key"
        if _standard(item) not in _standard_items(answer[key]):
            return "value_error:dict_value"
    return None


def _list_of_dicts_fault(value: Any, allowed: Allowed) -> str | None:
    fault: str | None = "list_dict_checker:unclear"
    for answer in allowed:
        if len(value) != len(answer):
            fault = "value_error:list_dict_count"
            continue
        faults = (_dict_fault(v, [a]) for v, a in zip(value, answer, strict=True))
        fault = next((found for found in faults if found is not None), None)
        if fault is None:
            return None
    return fault


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

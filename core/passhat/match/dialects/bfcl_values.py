"""BFCL's check of one argument: its type, and whether it is one of the allowed values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from passhat.match.dialects.dialect import FrameworkError

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
_PUNCTUATION = re.compile(r"[ ,./\-_*^]")


def _type(schema: Schema) -> type:
    word = schema.get("type")
    if not isinstance(word, str) or word not in _TYPES:
        raise FrameworkError("KeyError", repr(word))
    return _TYPES[word]


def answer_type(allowed: Allowed) -> type | None:
    """The type of the first allowed value, where one says it."""
    return next((type(answer) for answer in allowed if answer != ""), None)


def value_fault(value: Any, allowed: Allowed, schema: Schema) -> str | None:
    """BFCL's name for what is wrong with one argument, None where nothing is.

    Args:
        value: The argument.
        allowed: The values it may have.
        schema: Its JSON Schema; `items` gives the type that a list's items are held to.

    Raises:
        FrameworkError: BFCL itself would raise: a type it does not know, or allowed values of
            another shape than the type's.

    >>> value_fault("new-york.", ["New York", "NYC"], {"type": "string"})
    >>> value_fault(1.0, [1], {"type": "integer"})
    'type_error:simple'
    """
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
    answers = answer_type(allowed)
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
    answers = answer_type(allowed)
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

"""JSON Schema: what it finds wrong with a value, and the matcher that suits a schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from passhat.errors import UsageError
from passhat.values.equality import json_equal
from passhat.values.matchers import ABSENT, Date, Exact, Matcher, Number, Set, Text
from passhat.values.ordinary import quick_test
from passhat.values.schemarules import Test, Unsure

_DATE_FORMATS = frozenset({"date", "date-time"})


def schema_faults(value: Any, schema: Any) -> list[str]:
    """What a JSON Schema finds wrong with a value, a line each: the path and the fault.

    References are resolved inside the schema only; nothing is fetched.

    Raises:
        UsageError: The schema is none.

    >>> schema_faults({"n": "3"}, {"properties": {"n": {"type": "integer"}}})
    ["$.n: '3' is not of type 'integer'"]
    """
    try:
        encoded = msgspec.json.encode(schema)
        quick = _quick_test(encoded)
        if quick is not None and _surely_allows(quick, value):
            return []
        validator = _validator(encoded, sound=quick is not None)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"not a JSON Schema: {_said(error)}") from error
    from referencing.exceptions import Unresolvable

    try:
        return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(value)]
    except Unresolvable as error:
        raise UsageError(f"not a JSON Schema: {error}") from error
    except RecursionError as error:
        if not _sound(validator):
            raise UsageError(f"not a JSON Schema: {_said(error)}") from error
        return ["$: nested too deeply to be judged"]
    except (ValueError, ArithmeticError) as error:
        return [f"$: no value that a schema can judge: {error}"]


def _said(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested, or refers to itself, without end"
    return str(error)


def _sound(validator: Any) -> bool:
    """Whether the schema can judge at all: one that refers to itself in a circle cannot."""
    try:
        plains: tuple[Any, ...] = ({}, [], "", 0, None)
        for plain in plains:
            list(validator.iter_errors(plain))
    except RecursionError:
        return False
    return True


def allowing(schema: Any) -> Callable[[Any], bool]:
    """What tells of many values whether a JSON Schema finds nothing wrong with each.

    It raises what `schema_faults` raises.

    >>> list(map(allowing({"type": "integer"}), [3, "3"]))
    [True, False]
    """
    quick = _quick_test_of(schema)
    if quick is None:
        return lambda value: not schema_faults(value, schema)

    def allows(value: Any) -> bool:
        try:
            return quick(value)
        except Unsure:
            return not schema_faults(value, schema)

    return allows


def can_judge(schema: Any) -> bool:
    """Whether a value is surely a JSON Schema; where it is not, `schema_faults` says why."""
    return _quick_test_of(schema) is not None


def _surely_allows(quick: Test, value: Any) -> bool:
    try:
        return quick(value)
    except Unsure:
        return False


def _quick_test_of(schema: Any) -> Test | None:
    try:
        return _quick_test(msgspec.json.encode(schema))
    except (TypeError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=2048)
def _quick_test(encoded: bytes) -> Test | None:
    return quick_test(msgspec.json.decode(encoded))


@lru_cache(maxsize=512)
def _validator(encoded: bytes, *, sound: bool) -> Any:
    from jsonschema import exceptions, validators
    from referencing import Registry

    schema = msgspec.json.decode(encoded)
    if isinstance(schema, dict) and not isinstance(schema.get("$schema", ""), str):
        raise UsageError("not a JSON Schema: $.$schema is no text")
    cls = validators.validator_for(schema, default=validators.Draft202012Validator)
    try:
        if not sound:
            cls.check_schema(schema)
    except exceptions.SchemaError as error:
        raise UsageError(f"not a JSON Schema: {error.json_path}: {error.message}") from error
    # Arguments are judged as JSON has it: 1.0 is an integer, True is no number.
    return cls(schema, registry=Registry())


@dataclass(frozen=True, slots=True)
class Fields:
    """An object, property by property, each with the matcher of its own schema.

    Args:
        matchers: The matcher of each property that the schema describes; others compare exactly.
    """

    matchers: dict[str, Matcher]

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two objects have the same keys with matching values."""
        if not isinstance(actual, Mapping) or not isinstance(expected, Mapping):
            return json_equal(actual, expected)
        if actual.keys() != expected.keys():
            return False
        return all(
            self.matchers.get(name, json_equal)(actual[name], expected[name]) for name in expected
        )


@dataclass(frozen=True, slots=True)
class Items:
    """A list, item by item, all by one matcher."""

    matcher: Matcher

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two lists match item by item."""
        if not isinstance(actual, list | tuple) or not isinstance(expected, list | tuple):
            return False
        return len(actual) == len(expected) and all(map(self.matcher, actual, expected))


def matcher_for_schema(schema: Mapping[str, Any] | None) -> Matcher:
    """The matcher that suits values of a JSON Schema: what `match: auto` means.

    Enum, boolean, integer and pattern compare exactly; a number within a relative 1e-9; date
    formats as dates; `uniqueItems` as a set; an object property by property; other text as text;
    with no schema, exactly.

    >>> matcher_for_schema({"type": "string"})(" Paris", "paris")
    True
    >>> matcher_for_schema({"type": "string", "enum": ["a", "A"]})("a", "A")
    False
    """
    if not schema or "enum" in schema or "const" in schema or "pattern" in schema:
        return Exact()
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), None)
    if kind == "number":
        return Typed(Number(rel=1e-9))
    if kind == "array":
        if schema.get("uniqueItems"):
            return Set()
        items = schema.get("items")
        return Items(matcher_for_schema(items)) if isinstance(items, Mapping) else Exact()
    if kind == "object" or (kind is None and "properties" in schema):
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            return Fields(
                {
                    name: matcher_for_schema(part if isinstance(part, Mapping) else None)
                    for name, part in properties.items()
                }
            )
        return Exact()
    if kind == "string":
        return Date() if schema.get("format") in _DATE_FORMATS else Text()
    return Exact()


@dataclass(frozen=True, slots=True)
class Typed:
    """A number matcher that does not take text for a number."""

    number: Number

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two are the same value, or numbers within the tolerance."""
        if isinstance(actual, str) or isinstance(expected, str):
            return json_equal(actual, expected)
        return json_equal(actual, expected) or self.number(actual, expected)

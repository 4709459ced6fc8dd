"""What the rules of an ordinary JSON Schema ask of a value, rule by rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from passhat.values.equality import canonical

Test: TypeAlias = Callable[[Any], bool]
"""Tells whether a value is allowed, or raises `Unsure`."""

LIMITS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_KINDS: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
    "array": frozenset({list}),
    "object": frozenset({dict}),
}
_JSON: frozenset[type] = frozenset().union(*_KINDS.values())
_SCALARS = _JSON - {list, dict}


class Unsure(Exception):
    """The value is out of the ordinary: whether the schema allows it is for a validator to say."""


class Unknown(Exception):
    """The schema is out of the ordinary, or is none."""


def expect(ordinary: bool) -> None:
    """Makes sure that a schema is an ordinary one.

    Raises:
        Unknown: It is not.
    """
    if not ordinary:
        raise Unknown


def anything(value: Any) -> bool:
    """The test of `true`."""
    return True


def nothing(value: Any) -> bool:
    """The test of `false`."""
    return False


def all_of(tests: Sequence[Test]) -> Test:
    """The test of several schemas that all have to allow a value."""
    asking = [test for test in tests if test is not anything]
    if len(asking) < 2:
        return asking[0] if asking else anything
    return lambda value: all(test(value) for test in asking)


def any_of(tests: Sequence[Test]) -> Test:
    """The test of several schemas of which one has to allow a value."""
    return lambda value: any(test(value) for test in tests)


def only_one_of(tests: Sequence[Test]) -> Test:
    """The test of several schemas of which one may allow a value, and no other."""
    return lambda value: sum(test(value) for test in tests) == 1


def _of_another_kind(value: Any) -> bool:
    """That a rule does not speak of a value, which is of no kind that it speaks of."""
    if type(value) in _JSON:
        return True
    raise Unsure


def typed(said: Any) -> Test:
    """The test of `type`."""
    names = said if isinstance(said, list) else [said]
    expect(bool(names) and all(isinstance(name, str) and name in _KINDS for name in names))
    expect(len(set(names)) == len(names))
    kinds = {kind for name in names for kind in _KINDS[name]}
    whole = "integer" in names

    def test(value: Any) -> bool:
        kind = type(value)
        if kind in kinds:
            return True
        if kind is float:
            return whole and value.is_integer()
        return not _of_another_kind(value)

    return test


def one_of(values: Any) -> Test:
    """The test of `enum`; where a list or an object is among the values, of scalars alone."""
    expect(isinstance(values, list))
    known = {canonical(value) for value in values if type(value) in _SCALARS}
    plain = all(type(value) in _SCALARS for value in values)

    def test(value: Any) -> bool:
        if type(value) in _SCALARS:
            return canonical(value) in known
        if plain:
            return not _of_another_kind(value)
        raise Unsure

    return test


def text(rules: Mapping[str, Any]) -> Test:
    """The test of `minLength`, `maxLength` and `pattern`."""
    least, most = rules.get("minLength", 0), rules.get("maxLength")
    found = _finder(rules["pattern"]) if "pattern" in rules else None

    def test(value: Any) -> bool:
        if type(value) is not str:
            return _of_another_kind(value)
        if len(value) < least or (most is not None and len(value) > most):
            return False
        return found is None or found(value) is not None

    return test


def _finder(pattern: Any) -> Callable[[str], Any]:
    expect(isinstance(pattern, str))
    try:
        return re.compile(pattern).search
    except (re.error, RecursionError, OverflowError):
        raise Unknown from None


def number(rules: Mapping[str, Any]) -> Test:
    """The test of `minimum`, `maximum` and their exclusive kin."""
    least, most, above, below = map(rules.get, LIMITS)
    expect(all(type(rules.get(word, 0)) in (int, float) for word in LIMITS))

    def test(value: Any) -> bool:
        if type(value) is not int and type(value) is not float:
            return _of_another_kind(value)
        return not (
            (least is not None and value < least)
            or (most is not None and value > most)
            or (above is not None and value <= above)
            or (below is not None and value >= below)
        )

    return test


def items(rules: Mapping[str, Any], item: Test) -> Test:
    """The test of `items`, `minItems`, `maxItems` and `uniqueItems`.

    Args:
        rules: What the schema says.
        item: The test of each item.
    """
    least, most, unique = rules.get("minItems", 0), rules.get("maxItems"), rules.get("uniqueItems")
    expect("uniqueItems" not in rules or isinstance(unique, bool))

    def test(value: Any) -> bool:
        if type(value) is not list:
            return _of_another_kind(value)
        if len(value) < least or (most is not None and len(value) > most):
            return False
        if unique and len(value) > 1:
            if set(map(type, value)) != {str}:
                raise Unsure
            if len(set(value)) < len(value):
                return False
        return item is anything or all(item(one) for one in value)

    return test


def mapping(rules: Mapping[str, Any], parts: Mapping[str, Test], others: Test) -> Test:
    """The test of `properties`, `required`, `additionalProperties` and how many there may be.

    Args:
        rules: What the schema says.
        parts: The tests of the properties that it names.
        others: The test of each other one.
    """
    required = rules.get("required", [])
    expect(isinstance(required, list) and all(isinstance(name, str) for name in required))
    expect(len(set(required)) == len(required))
    least, most = rules.get("minProperties", 0), rules.get("maxProperties")

    def test(value: Any) -> bool:
        if type(value) is not dict:
            return _of_another_kind(value)
        if len(value) < least or (most is not None and len(value) > most):
            return False
        for name in required:
            if name not in value:
                return False
        return all(parts.get(name, others)(item) for name, item in value.items())

    return test

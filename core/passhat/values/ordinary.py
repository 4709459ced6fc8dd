"""Ordinary JSON Schemas, as most tools have them: what they allow is told without a validator.

To make a validator takes a hundred times as long as to judge by what is made here. Where a schema or
a value is out of the ordinary nothing is told, and that is for a validator to say; as is what is wrong
with a value that is not allowed.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from passhat.values import schemarules as rule
from passhat.values.schemarules import Test, Unknown, expect

Schema: TypeAlias = dict[str, Any]

_DEEP = 16
_DIALECTS = (
    None,
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema#",
)
_REFERENCE = re.compile(r"#/(\$defs|definitions)/([A-Za-z0-9_.-]+)")
_ANNOTATIONS: dict[str, type] = {
    "title": str,
    "description": str,
    "$comment": str,
    "format": str,
    "examples": list,
    "default": object,
    "deprecated": bool,
    "readOnly": bool,
    "writeOnly": bool,
}
_SHELVES = ("$defs", "definitions")
_JOINED = {"anyOf": rule.any_of, "allOf": rule.all_of, "oneOf": rule.only_one_of}
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_OF_TEXTS = frozenset({"minLength", "maxLength", "pattern"})
_OF_NUMBERS = frozenset(rule.LIMITS)
_OF_LISTS = frozenset({"items", "minItems", "maxItems", "uniqueItems"})
_OF_OBJECTS = frozenset(
    {"properties", "required", "additionalProperties", "minProperties", "maxProperties"}
)
_RULES = _OF_TEXTS | _OF_NUMBERS | _OF_LISTS | _OF_OBJECTS | {"type", "enum", "const", *_JOINED}


def quick_test(schema: Any) -> Test | None:
    """What tells whether a schema allows a value, or raises `Unsure`.

    Args:
        schema: A JSON value that nobody changes.

    Returns:
        The test; None where the schema is out of the ordinary, or is none.

    >>> counted = quick_test({"type": "object", "properties": {"n": {"type": "integer"}}})
    >>> counted({"n": 3}), counted({"n": "3"})
    (True, False)
    >>> quick_test({"type": "whole"}) is None
    True
    """
    if not isinstance(schema, dict) or schema.get("$schema") not in _DIALECTS:
        return None
    rules = {word: said for word, said in schema.items() if word != "$schema"}
    try:
        return _Tests(rules).of(rules, 0)
    except Unknown:
        return None


class _Tests:
    """Makes the tests of a schema and of what lies in it.

    Args:
        root: The whole, in which references lead.
    """

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.known: dict[tuple[str, int], Test] = {}

    def of(self, schema: Any, depth: int) -> Test:
        """The test of a schema that lies so deep in the whole."""
        if isinstance(schema, bool):
            return rule.anything if schema else rule.nothing
        expect(isinstance(schema, dict) and depth <= _DEEP)
        rules: Schema = {}
        for word, said in schema.items():
            if word in _ANNOTATIONS:
                expect(isinstance(said, _ANNOTATIONS[word]))
            elif word in _SHELVES:
                self.named(said, depth)
            else:
                rules[word] = said
        if rules.keys() == {"$ref"}:
            return self.referred(rules["$ref"], depth)
        expect(rules.keys() <= _RULES)
        return rule.all_of([*self._general(rules, depth), *self._by_kind(rules, depth)])

    def named(self, schemas: Any, depth: int) -> dict[str, Test]:
        """The tests of schemas by name."""
        expect(isinstance(schemas, dict))
        return {name: self.of(schema, depth + 1) for name, schema in schemas.items()}

    def referred(self, reference: Any, depth: int) -> Test:
        """The test of a schema that stands elsewhere; one that leads to itself gets too deep."""
        found = _REFERENCE.fullmatch(reference) if isinstance(reference, str) else None
        shelf = self.root.get(found[1]) if found else None
        if found is None or not isinstance(shelf, dict) or found[2] not in shelf:
            raise Unknown
        key = (reference, depth)
        if key not in self.known:
            self.known[key] = self.of(shelf[found[2]], depth + 1)
        return self.known[key]

    def _general(self, rules: Schema, depth: int) -> list[Test]:
        """What is asked of values of every kind."""
        made: list[Test] = []
        if "type" in rules:
            made.append(rule.typed(rules["type"]))
        if "enum" in rules:
            made.append(rule.one_of(rules["enum"]))
        if "const" in rules:
            made.append(rule.one_of([rules["const"]]))
        for word in rules.keys() & _JOINED.keys():
            expect(isinstance(rules[word], list) and bool(rules[word]))
            made.append(_JOINED[word]([self.of(part, depth + 1) for part in rules[word]]))
        return made

    def _by_kind(self, rules: Schema, depth: int) -> list[Test]:
        """What is asked of values of one kind, and of no others."""
        for word in _COUNTS:
            said = rules.get(word, 0)
            expect(type(said) is int and said >= 0)
        words = rules.keys()
        made: list[Test] = []
        if words & _OF_TEXTS:
            made.append(rule.text(rules))
        if words & _OF_NUMBERS:
            made.append(rule.number(rules))
        if words & _OF_LISTS:
            made.append(rule.items(rules, self.of(rules.get("items", True), depth + 1)))
        if words & _OF_OBJECTS:
            parts = self.named(rules.get("properties", {}), depth)
            others = self.of(rules.get("additionalProperties", True), depth + 1)
            made.append(rule.mapping(rules, parts, others))
        return made

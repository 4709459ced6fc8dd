"""JSON Schemas: what they find wrong, told at once where a schema is an ordinary one."""

import sys
from collections import OrderedDict
from contextlib import suppress
from decimal import Decimal
from enum import IntEnum
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, exceptions, validators
from referencing import Registry

from passhat.errors import UsageError
from passhat.values.ordinary import quick_test
from passhat.values.schemarules import Unsure
from passhat.values.schemas import allowing, can_judge, schema_faults

KINDS = ["string", "integer", "number", "boolean", "null", "array", "object"]
NAMES = st.sampled_from(["a", "b", "$ref", "type"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 1.0, 1.5, -1, 2**60, 1e30, "", "a", "ab"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
COUNTS = st.sampled_from([0, 1, 2, 2, 3, -1, 1.0, True, "1"])
LIMITS = st.sampled_from([0, 1, 1.5, 2**60 + 1, -3, True, "1"])


def words(inner):
    """Schemas in the words that tests are made of, and in some others, a few of them misused."""
    optional = {
        "type": st.sampled_from(KINDS)
        | st.lists(st.sampled_from(KINDS), min_size=1, max_size=3)
        | st.sampled_from(["whole", [], 3]),
        "enum": st.lists(VALUES, max_size=3) | st.just("a"),
        "const": VALUES,
        "properties": st.dictionaries(NAMES, inner, max_size=3),
        "required": st.lists(NAMES, max_size=3) | st.just("a"),
        "additionalProperties": inner,
        "items": inner,
        "uniqueItems": st.sampled_from([True, False, 1, "yes"]),
        "pattern": st.sampled_from(["a", "^a$", "b$", "(", 1]),
        "format": st.sampled_from(["date", "email", 1]),
        "title": st.sampled_from(["A", 1]),
        "default": VALUES,
        "$defs": st.dictionaries(st.sampled_from(["x", "y"]), inner, max_size=2),
        "$schema": st.sampled_from(
            [
                "https://json-schema.org/draft/2020-12/schema",
                "http://json-schema.org/draft-07/schema#",
                "http://json-schema.org/draft-07/schema",
                "http://json-schema.org/draft-04/schema#",
            ]
        ),
        "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y", "#", "#/$defs/z"]),
        **dict.fromkeys(("anyOf", "allOf", "oneOf"), st.lists(inner, max_size=3)),
        **dict.fromkeys(("not", "if", "contains", "propertyNames"), inner),
        "prefixItems": st.lists(inner, max_size=2),
        **{f"{most}{what}": COUNTS for most in ("min", "max") for what in ("Length", "Items")},
        **dict.fromkeys(("minProperties", "maxProperties"), COUNTS),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), LIMITS),
    }
    picked = st.lists(st.sampled_from(sorted(optional)), max_size=4, unique=True)
    return picked.flatmap(lambda keys: st.fixed_dictionaries({k: optional[k] for k in keys}))


SCHEMAS = st.recursive(st.booleans() | words(st.booleans()), words, max_leaves=5)


def by_a_validator(value, schema):
    """What jsonschema itself says: that it is no schema, or what is wrong."""
    cls = validators.validator_for(schema, default=Draft202012Validator)
    try:
        cls.check_schema(schema)
    except exceptions.SchemaError:
        return "no schema"
    try:
        found = cls(schema, registry=Registry()).iter_errors(value)
        return [f"{fault.json_path}: {fault.message}" for fault in found]
    except Exception as error:
        return type(error).__name__


@given(SCHEMAS, VALUES)
def test_what_a_quick_test_says_a_validator_says(schema, value):
    allows = quick_test(schema)
    if allows is None:
        return
    said = by_a_validator(value, schema)
    assert isinstance(said, list)
    with suppress(Unsure):
        assert allows(value) is (said == [])


@given(SCHEMAS, VALUES)
def test_faults_are_those_of_a_validator(schema, value):
    said = by_a_validator(value, schema)
    if isinstance(said, list):
        assert schema_faults(value, schema) == said
        assert allowing(schema)(value) is (said == [])
    elif said == "no schema":
        with pytest.raises(UsageError, match="not a JSON Schema"):
            schema_faults(value, schema)


TOOL = {
    "type": "object",
    "description": "Refunds an order.",
    "properties": {
        "order_id": {"type": "string", "pattern": "^A[0-9]+$", "title": "Order Id"},
        "amount": {"type": "number", "minimum": 0},
        "reason": {"enum": ["late", "broken"]},
        "note": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}], "default": None},
        "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "minItems": 1},
    },
    "required": ["order_id"],
    "additionalProperties": False,
    "$defs": {"Item": {"type": "object", "properties": {"n": {"type": "integer"}}}},
}
RIGHT = {"order_id": "A1", "amount": 3, "reason": "late", "note": None, "items": [{"n": 2}]}


def test_an_ordinary_tool_needs_no_validator(monkeypatch):
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert schema_faults(RIGHT, TOOL) == []
    assert schema_faults({"order_id": "A1", "amount": 2.5}, TOOL) == []


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"order_id": "B1"}, "$.order_id: 'B1' does not match '^A[0-9]+$'"),
        ({"amount": True}, "$.amount: True is not of type 'number'"),
        ({"amount": -1}, "$.amount: -1 is less than the minimum of 0"),
        ({"reason": "Late"}, "$.reason: 'Late' is not one of ['late', 'broken']"),
        ({"items": [{"n": 1.5}]}, "$.items[0].n: 1.5 is not of type 'integer'"),
        ({"items": []}, "$.items: [] should be non-empty"),
        ({"note": "too long"}, "$.note: 'too long' is not valid under any of the given schemas"),
        ({"more": 1}, "$: Additional properties are not allowed ('more' was unexpected)"),
    ],
)
def test_what_is_wrong_is_told_by_a_validator(changed, fault):
    assert schema_faults({**RIGHT, **changed}, TOOL) == [fault]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"properties": {"a": {"not": {}}}},
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        {"properties": {"a": {"type": "whole"}}},
        True,
    ],
)
def test_what_is_out_of_the_ordinary_is_for_a_validator(schema):
    assert quick_test(schema) is None
    assert not can_judge(schema)


class Grade(IntEnum):
    GOOD = 1


@pytest.mark.parametrize("value", [(1, 2), Decimal(1), Grade.GOOD, OrderedDict(a=1), b"a", {1}])
@pytest.mark.parametrize(
    "schema",
    [
        *({"type": kind} for kind in KINDS),
        {"enum": [1, {"a": 1}]},
        {"enum": [1, "a"]},
        {"minimum": 2},
        {"minLength": 5},
        {"items": {"type": "string"}},
        {"required": ["b"]},
        {"anyOf": [{"type": "string"}, {"minimum": 1}]},
        {"oneOf": [{"type": "integer"}, {"minimum": 1}]},
    ],
)
def test_values_that_are_no_json_are_for_a_validator(schema, value):
    assert schema_faults(value, schema) == by_a_validator(value, schema)
    assert allowing(schema)(value) is (by_a_validator(value, schema) == [])


def test_references_that_fan_out_take_no_time():
    names = [f"n{at}" for at in range(12)]
    shelf = {name: {"anyOf": [{"$ref": f"#/$defs/{below}"}] * 9} for name, below in pairwise(names)}
    schema = {"$defs": {**shelf, names[-1]: {"type": "string"}}, "$ref": "#/$defs/n0"}
    allows = quick_test(schema)
    assert allows is None or allows("text")

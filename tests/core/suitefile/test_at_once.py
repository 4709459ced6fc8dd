"""What is right is read at once, and read so or slowly a suite is the same, and so is what is told of it."""

import copy
import json
from contextlib import contextmanager
from unittest.mock import patch

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from passhat.errors import SuiteError
from passhat.suitefile import jsonreader, read_suite, reading, suite_from, yamlreader
from passhat.suitefile.document import Document
from passhat.suitefile.files import fill
from passhat.suitefile.reading import _suite
from passhat.suitefile.shape import SUITE_SHAPE
from passhat.suitefile.shapetypes import has_type, type_of_shape

ODD_LEAVES = (
    *(None, True, False, 0, 1, -1, 429, 2.0, 0.5, -0.0, 10**20, -(10**20), 10**4001, 1e308),
    *("", "a", "refund", "lookup_order", "exact", "any_order", "subset", "timeout", "429", "auto"),
    *("number", "approve", "allow", "fold", "null", "no", "12:30", "1e5", "(", "é", "😀", "\ud800"),
    *([], {}, [[]], [{}], [1], [None], ["a"], {"a": 1}, {"name": "refund"}, {"name": ""}),
    *(["lookup_order", "refund"], ["lookup_order", "refund", {"same": "id"}], {"role": "user"}),
    *({"type": "object"}, {"function": {"name": "x"}}, [{"function": {"name": "x"}}], {"first": 1}),
    *({"calls": [1]}, {"value": 1}, {"rate": 2}, {"when": "x"}, ["x", {"when": "y", "say": "z"}]),
)
ODD_KEYS = (
    *("id", "name", "mode", "where", "same", "deny", "require", "function", "equals", "calls"),
    *("required_tools", "forbidden_tools", "setup", "trajectory_mode", "mock_tools", "extensions"),
    *("forbiden_calls", "", "<<", "a b", "é", "\ud800"),
)
ODD_TEXTS = (
    *'{}[]:,"\\\n\t #-0.9eE&*!<|>%',
    *(
        "NaN",
        "-Infinity",
        "\\ud800",
        "\\uD83D\\uDE00",
        "1" * 4100,
        "1e999",
        "-0",
        "01",
        "&a ",
        "*a",
    ),
    *("---\n", "!!str ", "<<: ", "\x00", "\x85", "\u2028", "\ufeff", "[" * 60, "]" * 60),
)


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


def as_yaml(value):
    return yaml.dump(value, Dumper=_NoAliases, sort_keys=False)


def as_jsonl(value):
    head = {key: part for key, part in value.items() if key != "cases"}
    return "\n".join(map(json.dumps, [head, *value["cases"]]))


FORMS = {"json": json.dumps, "jsonl": as_jsonl, "yaml": as_yaml}


@contextmanager
def slowly():
    """Has everything read with its lines, and all shapes judged by their schema."""
    with (
        patch.object(jsonreader, "_read_at_once", side_effect=ValueError),
        patch.object(yamlreader, "_read_at_once", side_effect=ValueError),
        patch.object(reading, "has_type", return_value=False),
    ):
        yield


def outcome(read):
    try:
        suite, notes = read()
    except SuiteError as error:
        return error.faults
    return repr(suite), notes


def document_of(text, form):
    document = Document(f"s.{form}")
    fill(document, text.encode(errors="surrogatepass"), form)
    return document


def agrees(read):
    at_once = outcome(read)
    with slowly():
        assert outcome(read) == at_once


def parts_of(value):
    """The ways to all parts of a value."""
    todo = [((), value)]
    while todo:
        way, part = todo.pop()
        if isinstance(part, dict | list):
            for key in part if isinstance(part, dict) else range(len(part)):
                yield (*way, key)
                todo.append(((*way, key), part[key]))


def changed(value, chance):
    """A suite with one to three parts of it replaced, left out, moved, wrapped or named otherwise."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        way = chance.choice(list(parts_of(value)))
        owner = value
        for step in way[:-1]:
            owner = owner[step]
        part = owner[way[-1]]
        change = chance.choice(("replace", "remove", "add", "rename", "wrap", "unwrap"))
        if change == "remove":
            del owner[way[-1]]
        elif change == "rename" and isinstance(owner, dict):
            owner[chance.choice(ODD_KEYS)] = owner.pop(way[-1])
        elif change == "add" and isinstance(part, dict):
            part[chance.choice(ODD_KEYS)] = chance.choice(ODD_LEAVES)
        elif change == "add" and isinstance(part, list):
            part.insert(chance.randint(0, len(part)), chance.choice(ODD_LEAVES))
        elif change == "wrap":
            owner[way[-1]] = chance.choice(([part], {chance.choice(ODD_KEYS): part}))
        elif change == "unwrap" and isinstance(part, list) and part:
            owner[way[-1]] = part[0]
        else:
            owner[way[-1]] = chance.choice(ODD_LEAVES)
        if not isinstance(value.get("cases"), list) or not list(parts_of(value)):
            break
    return copy.deepcopy(value)


CHANCE = st.randoms(use_true_random=False)


@pytest.mark.parametrize("form", FORMS)
def test_a_suite_without_faults_is_not_asked_for_them(whole_value, suite_file, form):
    path = suite_file(FORMS[form](whole_value), f"support.{form}")
    with (
        patch.object(reading, "shape_faults") as shapes,
        patch.object(jsonreader, "_Reader") as by_lines,
        patch.object(yamlreader, "_read") as by_events,
    ):
        suite = read_suite(path)
    assert [asked.called for asked in (shapes, by_lines, by_events)] == [False] * 3
    with slowly():
        assert read_suite(path) == suite


@settings(max_examples=100)
@given(CHANCE)
def test_a_suite_in_memory_is_the_same_slowly(whole_value, chance):
    value = changed(whole_value, chance)
    agrees(lambda: (suite_from(value), None))


@settings(max_examples=100)
@given(CHANCE, st.sampled_from(sorted(FORMS)))
def test_a_file_is_the_same_slowly(whole_value, chance, form):
    value = changed(whole_value, chance)
    try:
        text = FORMS[form](value)
    except (AttributeError, KeyError, TypeError, ValueError):  # No suite that has this form.
        text = json.dumps(value.get("cases", ""))
    agrees(lambda: _suite(document_of(text, form), "suite", False))


@settings(max_examples=100)
@given(CHANCE, st.sampled_from(sorted(FORMS)), st.sampled_from(ODD_TEXTS))
def test_a_file_of_a_broken_text_is_the_same_slowly(whole_value, chance, form, odd):
    text = FORMS[form](whole_value)
    at, length = chance.randrange(len(text)), chance.choice((0, 0, 1, 40))
    odd = chance.choice((odd, "", text[at : at + 2 * length]))
    text = text[:at] + odd + text[at + length :]
    agrees(lambda: _suite(document_of(text, form), "suite", False))


SMALL_TEXTS = st.text(alphabet='[]{},:"\\ \n01-.eEtrufalsndu8&*!<', max_size=30)


@settings(max_examples=200)
@given(SMALL_TEXTS, st.sampled_from(sorted(FORMS)))
def test_values_and_lines_are_the_same_slowly(text, form):
    def read():
        document = document_of(text, form)
        document.raise_faults()
        return repr(document.value), document.lines

    agrees(read)


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize("depth", [99, 100, 101, 5000])
def test_the_depth_that_is_read_is_the_same_slowly(form, depth):
    text = "[" * depth + "]" * depth
    agrees(lambda: (document_of(text, form).value, None))
    if depth <= 100:
        assert document_of(text, form).value


def test_the_lines_are_those_of_the_file_also_in_jsonl():
    text = '{"name": "s"}\n\n{"id": "a",\t"tags": []}\n{"id": "b", "id": "c"}\n{"id": "d"}\n'
    agrees(lambda: (None, document_of(text, "jsonl").lines))
    assert document_of(text, "jsonl").lines["cases", 2, "id"] == 5


@settings(max_examples=200)
@given(CHANCE)
def test_what_the_type_of_a_shape_accepts_has_the_shape(whole_value, chance):
    value = changed(whole_value, chance)
    if has_type(value, TYPE):
        assert VALIDATOR.is_valid(value)


TYPE, VALIDATOR = type_of_shape(SUITE_SHAPE), Draft202012Validator(SUITE_SHAPE)


@pytest.mark.parametrize(
    ("shape", "refused"),
    [
        ({"type": "integer"}, [1.5, "1", True, None, [], {}]),
        ({"type": "number", "minimum": 0, "maximum": 1}, [-0.1, 1.1, "1", True, None, 10**400]),
        ({"type": ["string", "null"], "minLength": 1}, ["", 1, [], False]),
        ({"type": "boolean"}, [0, 1, "true", None]),
        ({"enum": ["a", 1]}, ["1", True, 1.5, None, "b", []]),
        ({"const": "a"}, ["b", None, ["a"]]),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1}, [[], [1], "a", {"a": 1}]),
        ({"type": "object", "minProperties": 1}, [{}, [], "a", None]),
        ({"type": "object", "additionalProperties": {"type": "null"}}, [{"a": 1}, {"": 0}, [None]]),
        ({"type": "object", "required": ["a"]}, [{}, {"b": 1}, ["a"], "a"]),
    ],
)  # fmt: skip
def test_a_type_is_no_laxer_than_its_shape(shape, refused):
    kind = type_of_shape(shape)
    assert not any(has_type(value, kind) for value in refused)
    assert not any(map(Draft202012Validator(shape).is_valid, refused))


@pytest.mark.parametrize(
    "shape",
    [
        {"pattern": "a"},
        {"type": "string", "pattern": "a"},
        {"type": "string", "minimum": 1},
        {"type": "array", "prefixItems": [{}]},
        {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}},
        {"type": "object", "anyOf": [{"required": ["a", "b"]}]},
        {"type": "object", "oneOf": [{"properties": {}}]},
        {"type": "object", "properties": {"a": {}}, "minProperties": 1},
    ],
)
def test_what_no_type_says_makes_none(shape):
    with pytest.raises(NotImplementedError, match="no type for a shape that says"):
        type_of_shape(shape)

"""One JSON text: what is read, what is kept under a tag, what is refused and how it is named."""

import json
from datetime import date
from decimal import Decimal
from enum import Enum, StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import InputError, Place
from passhat.jsontext import MAX_DEPTH, decode, decode_text_result, jsonable, too_deep
from passhat.jsontext.structure import deeper_than

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_reads_what_json_reads(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    assert decode(text) == decode(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NaN", {"$float": "NaN"}),
        ("[Infinity, -Infinity]", [{"$float": "Infinity"}, {"$float": "-Infinity"}]),
        ("[1e999, -1e999]", [{"$float": "1e999"}, {"$float": "-1e999"}]),
        ("1" * 5_000, {"$int": "1" * 5_000}),
        ("1" * 30, int("1" * 30)),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('"\\ud83d\\ude42"', "🙂"),
    ],
)
def test_what_is_kept(text, value):
    assert decode(text.encode()) == value


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": "\\ud800"}', "f:7: $.a: half a character"),
        (b'[{"\\udc00": 1}]', "f:7: $[0]: half a character"),
        (b'["\xed\xa0\x80"]', "f:7: not UTF-8: byte 0xed at column 3"),
        (b'{"a": 1,\n "b": "\xe9"}', "f:8: not UTF-8: byte 0xe9 at column 8"),
        (b'{"a": 1,\n "b": 2 "c"}', "f:8: not JSON: expecting ',' delimiter at column 9"),
        (b'{"a": [1, 2', "f:7: not JSON: it ends too early (cut off?) at column 12"),
        (b'{"a": "cut', "f:7: not JSON: it ends too early (cut off?) at column 7"),
        (b"", "f:7: not JSON: it ends too early (cut off?) at column 1"),
        (b"[1] x", "f:7: not JSON: extra data at column 5"),
        (b"[" * 10_000 + b"]" * 10_000, "f:7: nested deeper than"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "f:7: nested deeper than"),
        (b"[" * 100_000, "f:7: nested deeper than"),
    ],
)
def test_what_is_refused_and_where(data, message):
    with pytest.raises(InputError) as caught:
        decode(data, Place("f", 7))
    assert str(caught.value).startswith(message)


def test_the_path_of_an_element_goes_on_inside():
    with pytest.raises(InputError, match=r"^f: \$\[3\]\.a\[1\]: half"):
        decode(b'{"a": [0, "\\ud800"]}', Place("f", None, "$[3]"))


@given(st.integers(1, 2 * MAX_DEPTH), st.text(alphabet='[]{}"\\\nn', max_size=6), st.booleans())
def test_depth_is_counted_exactly(depth, noise, objects):
    value = noise
    for _ in range(depth):
        value = {noise: value} if objects else [noise, value]
    text = json.dumps(value)
    assert too_deep(text) == too_deep(text.encode()) == (depth > MAX_DEPTH)


@given(JSON)
def test_depth_of_any_value(value):
    def depth(item):
        inner = (
            item.values() if isinstance(item, dict) else item if isinstance(item, list) else None
        )
        return 0 if inner is None else 1 + max(map(depth, inner), default=0)

    text = json.dumps(value).encode()
    assert [deeper_than(text, limit) for limit in range(6)] == [
        depth(value) > limit for limit in range(6)
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"a": 1} ', {"a": 1}),
        ("[]", []),
        ("[1, NaN]", [1, {"$float": "NaN"}]),
        ("5", "5"),
        ("true", "true"),
        ("null", "null"),
        ('"x"', '"x"'),
        ("{'a': 1}", "{'a': 1}"),
        ("[see below]", "[see below]"),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}'),
        ("", ""),
    ],
)
def test_text_that_holds_an_object_or_a_list(text, value):
    assert decode_text_result(text) == value


class Status(Enum):
    PASSED = 1


class Mode(StrEnum):
    EXACT = "exact"


class Model:
    def model_dump(self, *, mode):
        return {"mode": mode, "n": (1,)}


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"a": (1, [2])}, {"a": [1, [2]]}),
        ([float("nan"), float("-inf")], [{"$float": "NaN"}, {"$float": "-Infinity"}]),
        ([Model()], [{"mode": "json", "n": [1]}]),
        ([Status.PASSED, Mode.EXACT, (Mode.EXACT,)], [1, "exact", ["exact"]]),
        ([True, 1, 1.0, -0.0, 10**40, ""], [True, 1, 1.0, -0.0, 10**40, ""]),
    ],
)
def test_values_in_memory_as_json_has_them(value, plain):
    assert repr(jsonable(value)) == repr(plain)


@given(JSON)
def test_a_copy_shares_nothing(value):
    copy = jsonable(value)
    assert copy == value
    assert not isinstance(value, dict | list) or copy is not value


def _loop():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [1, {2}]}, r"\$\.a\[1\]: a set is no JSON value"),
        ({"a": {1: 2}}, r"\$\.a: a key that is no text"),
        ({"a": b"x"}, r"\$\.a: a bytes is no JSON value; a model's model_dump\(mode='json'\) has"),
        ([1, Decimal("1")], r"\$\[1\]: a Decimal is no JSON value"),
        ([date(2026, 1, 1)], r"\$\[0\]: a date is no JSON value"),
        (["\ud800"], r"\$\[0\]: half a character"),
        (_loop(), "nested deeper than"),
        (Model, "a type is no JSON value"),
    ],
)
def test_values_in_memory_that_are_no_json(value, message):
    with pytest.raises(InputError, match=message):
        jsonable(value)

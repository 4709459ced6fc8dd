"""JSON equality, and the keys that have the same equality."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.values import canonical, json_equal

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, 1.0, 1.5, math.nan, "", "1", "a", 2**53 + 1, float(2**53)])
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=6,
)


def by_definition(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(by_definition(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(by_definition, a, b))
    if isinstance(a, dict | list) or isinstance(b, dict | list):
        return False
    return a == b or (a != a and b != b)


@given(json_values, json_values)
def test_equality_is_its_definition_and_keys_agree(a, b):
    assert json_equal(a, b) is by_definition(a, b)
    assert (canonical(a) == canonical(b)) is json_equal(a, b)


@given(json_values)
def test_a_value_is_itself(a):
    assert json_equal(a, a)
    if "NaN" not in json.dumps(a):
        assert json_equal(a, json.loads(json.dumps(a)))


@pytest.mark.parametrize("depth", [60, 100, 5_000])
def test_depth_is_no_matter(depth):
    def nested(leaf):
        value = leaf
        for level in range(depth):
            value = {"k": value} if level % 2 else [value]
        return value

    assert json_equal(nested(1), nested(1.0))
    assert not json_equal(nested(1), nested(True))
    assert canonical(nested(1)) == canonical(nested(1.0))
    assert canonical(nested(1)) != canonical(nested("1"))
    assert canonical(nested(1)) != canonical(nested(True))


def test_tuples_are_lists_and_order_of_keys_is_no_matter():
    assert json_equal((1, 2), [1, 2])
    assert json_equal({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})

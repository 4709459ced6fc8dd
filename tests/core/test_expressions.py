"""Expressions: what they give, what they refuse, and the bounds they are held to."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import PasshatError, Place, UsageError
from passhat.expressions import (
    MAX_LENGTH,
    MAX_LITERAL_ITEMS,
    ExpressionError,
    MissingValueError,
    compile_expression,
)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("1.0 == 1", {}, True),
        ("a == b", {"a": 1, "b": 1.0}, True),
        ("a == 1", {"a": True}, False),
        ("a == '1'", {"a": 1}, False),
        ("a == null", {"a": None}, True),
        ("a == b", {"a": 9007199254740993, "b": 9007199254740992}, False),
        ("a - 1", {"a": 2**63 - 1}, 2**63 - 2),
        ("a > 5", {"a": 2**64 - 1}, True),
        ("a['x y'][0].z", {"a": {"x y": [{"z": "q"}]}}, "q"),
        ("has(a.b) && a.b > 1", {"a": {}}, False),
        ("a.exists(x, x.n == 'y')", {"a": [{"n": "x"}, {"n": "y"}]}, True),
        ("a.filter(x, x > 1).map(x, x * 2)", {"a": [1, 2, 3]}, [4, 6]),
        ("size(a) == 2 && 'k' in b", {"a": (1, 2), "b": {"k": 0}}, True),
        ("s.matches('^A[0-9]+$')", {"s": "A17"}, True),
        ("{'a': [1, null, 2.5]}", {}, {"a": [1, None, 2.5]}),
    ],
)
def test_gives_json_values(text, values, expected):
    given = compile_expression(text).evaluate(**values)
    assert given == expected
    assert type(given) is type(expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a ==", "not a CEL expression: at character 5, unexpected end"),
        ("a = 1", "not a CEL expression: at character 3, unexpected '=' (is it '=='?)"),
        ("a &&\n b c", "not a CEL expression: at line 2, character 4, unexpected 'c'"),
        ("a.all(x, x > 0", "not a CEL expression: at character 15, missing ')'"),
        ("a @ b", "not a CEL expression: at character 3, unexpected '@'"),
        ("  ", "an expression is text, not '  '"),
        (3, "an expression is text, not 3"),
        ("cal.name == 'x'", "the expression cannot use 'cal', did you mean call?"),
        ("zzz", "the expression cannot use 'zzz', there are call, case"),
        ("call.startswith('x')", "there is no function 'startswith' in an expression, did you mean startsWith?"),
        ("call.all(i, v, v > 0)", "all is written list.all(item, expression)"),
        ("Thing{a: 1}", "the expression cannot make a message Thing{...}"),
        (".call", "a name cannot begin with a dot in the expression"),
    ],
)  # fmt: skip
def test_refuses_with_the_place_and_the_nearest_word(text, message):
    with pytest.raises(UsageError) as caught:
        compile_expression(text, ("call", "case"), Place("s.yaml", 3))
    assert str(caught.value) == f"s.yaml:3: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a" * (MAX_LENGTH + 1), f"the expression has {MAX_LENGTH + 1} characters; {MAX_LENGTH} are allowed"),
        (
            "a.all(x, x.all(y, y.all(z, z > 0)))",
            "the expression nests its macros (all, exists, exists_one, filter, map) deeper than 2 levels",
        ),
        (
            f"a in [{','.join('1' * (MAX_LITERAL_ITEMS + 1))}]",
            f"a list in the expression has more than {MAX_LITERAL_ITEMS} items",
        ),
    ],
)  # fmt: skip
def test_is_bounded_when_it_is_compiled(text, message):
    with pytest.raises(UsageError) as caught:
        compile_expression(text)
    assert caught.value.message == message


@pytest.mark.parametrize(
    "text",
    [
        "a.all(x, x.all(y, y > 0)) && a.map(x, x).exists(y, y > 1)",
        f"a in [{','.join('1' * MAX_LITERAL_ITEMS)}]",
        "'.all(x, .all(y, .all(z,' == a",
    ],
)
def test_bounds_let_pass_what_is_within_them(text):
    compile_expression(text, ("a",))


@pytest.mark.parametrize("opened", ["(", "[", "{'a':", "!", "-", "size(", "a.all(x, "])
def test_nesting_without_end_is_an_error_or_harmless(opened):
    text = opened * (MAX_LENGTH // len(opened))
    with pytest.raises(UsageError):
        compile_expression(text)


@pytest.mark.parametrize(
    ("text", "values", "kind", "message"),
    [
        ("a.b", {"a": {}}, MissingValueError, "`a.b`: no key 'b'"),
        ("a[3]", {"a": [1]}, MissingValueError, "`a[3]`: index out of bounds: 3"),
        ("a", {}, MissingValueError, "`a`: there is no a"),
        ("1 / 0", {}, ExpressionError, "`1 / 0`: division by zero in CEL expression"),
        (
            "a - 1",
            {"a": 1.5},
            ExpressionError,
            "`a - 1`: float - int: both must be of one kind, convert with int(x), double(x) or string(x)",
        ),
        (
            "a && true",
            {"a": 1},
            ExpressionError,
            "`a && true`: the values do not go together: convert with int(x), double(x) or string(x)",
        ),
        ("a.contains('x')", {"a": 1}, ExpressionError, "`a.contains('x')`: contains() does not take such a value"),
        ("a == b", {"a": 2**70, "b": 1}, ExpressionError, f"`a == b`: a has the integer {2**70}, beyond 64 bits"),
        ("a == 1", {"a": {1: 2}}, ExpressionError, "`a == 1`: a has the key 1, which is no text"),
        ("a == 1", {"a": {1}}, ExpressionError, "`a == 1`: a has set {1}, which is no JSON value"),
        ("bytes('x')", {}, ExpressionError, "`bytes('x')`: what it gives has bytes b'x', which is no JSON value"),
    ],
)  # fmt: skip
def test_says_why_it_gives_no_value(text, values, kind, message):
    with pytest.raises(kind) as caught:
        compile_expression(text).evaluate(**values)
    assert type(caught.value) is kind
    assert caught.value.message == message


def test_values_nested_without_end_are_refused():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ExpressionError, match="deeper than 200 levels"):
        compile_expression("size(a)").evaluate(a=deep)


def test_takes_only_the_names_it_uses():
    expression = compile_expression("a.map(x, x + b[0]).size() > c.d")
    assert expression.names_used == ("a", "b", "c")
    assert compile_expression("x.map(x, x) == [1]").names_used == ("x",)
    assert compile_expression("true").evaluate(unused=object()) is True


def test_a_name_may_be_self():
    assert compile_expression("self + text").evaluate(self="a", text="b") == "ab"


def test_pickles_as_its_text():
    expression = pickle.loads(pickle.dumps(compile_expression("a == 1", place=Place("s.yaml"))))
    assert expression.evaluate(a=1.0) is True
    assert expression.place == Place("s.yaml")


_NAMES = st.sampled_from(["a", "b", "x", "y"])
_LEAVES = st.one_of(
    _NAMES,
    st.sampled_from(["1", "2.5", "'.a b'", '"x"', "true", "null", "3u", "r'\\d'", "[]", "{}"]),
)


def _grown(inner):
    two = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(inner, st.sampled_from(["+", "==", "&&", "in", "%"]), inner).map(" ".join),
        inner.map(lambda e: f"({e}).f"),
        inner.map(lambda e: f"size({e})"),
        two.map(lambda e: f"({e[0]})[{e[1]}]"),
        st.tuples(inner, st.sampled_from(["all", "map", "filter"]), _NAMES, inner).map(
            lambda e: f"({e[0]}).{e[1]}({e[2]}, {e[3]})"
        ),
        two.map(lambda e: f"{{{e[0]}: {e[1]}}}"),
        two.map(lambda e: f"[{e[0]}, {e[1]}]"),
    )


@given(st.recursive(_LEAVES, _grown, max_leaves=8))
def test_names_used_are_enough_and_no_more(text):
    import cel

    try:
        expression = compile_expression(text)
    except UsageError:
        return
    assert set(expression.names_used) <= set(cel.compile(text).variables())
    said = ""
    try:
        expression.evaluate(**dict.fromkeys(expression.names_used, 1))
    except PasshatError as error:
        said = str(error)
    assert "Undefined" not in said


@given(st.text(max_size=60), st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v), max_leaves=5))  # fmt: skip
def test_anything_gives_a_value_or_an_error_of_ours(text, value):
    try:
        expression = compile_expression(text)
        expression.evaluate(**dict.fromkeys(expression.names_used, value))
    except PasshatError:
        pass

"""What an evaluation may cost: only what is read is handed over, lists are crossed to a bound, and time is kept."""

import pytest

from passhat.errors import UsageError
from passhat.expressions import (
    ExpressionError,
    MissingValueError,
    compile_expression,
    killable,
)


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("refunds['A100'].amount == 1200", [("refunds", "A100", "amount")]),
        ('state.refunds["A 1"].x', [("state", "refunds", "A 1", "x")]),
        ("a.b.size() > 1 && a.c", [("a", "b"), ("a", "c")]),
        ("a.b.all(x, x.c == d.e)", [("a", "b"), ("d", "e")]),
        ("has(a.b) && 'k' in a", [("a",), ("a", "b")]),
        ("a[i].b", [("a",), ("i",)]),
        ("a['it\\'s'].b", [("a",)]),
        ("a[0].b", [("a",)]),
        ("a" + ".b" * 20, [("a", *"b" * 8)]),
        ("x.filter(x, x.y).map(z, z)", [("x",)]),
        ("'a.b' == c", [("c",)]),
        ("size(a) == 1", [("a",)]),
    ],
)
def test_what_an_expression_reads(text, reads):
    assert list(compile_expression(text).reads) == reads


def test_what_is_not_read_is_not_looked_at():
    state = {"orders": {"A1": {"n": 1}, "A2": object()}, "other": {1, 2}, "big": 2**99}
    assert compile_expression("state.orders['A1'].n == 1").evaluate(state=state) is True
    with pytest.raises(MissingValueError, match="no key 'A9'"):
        compile_expression("state.orders['A9'].n == 1").evaluate(state=state)
    with pytest.raises(ExpressionError, match="no JSON value"):
        compile_expression("size(state.orders) == 1").evaluate(state=state)


@pytest.mark.parametrize(
    ("text", "crosses"),
    [
        ("a.all(x, b.all(y, x == y))", True),
        ("a.all(x, a.exists(y, y == x))", True),
        ("a.all(x, (b).all(y, x == y))", True),
        ("a.all(x, [b][0].all(y, x == y))", True),
        ("a.all(x, f.b[0].filter(y, y > 0) == [])", True),
        ("a.filter(x, x > b.filter(y, y > 0).size()) == []", True),
        ("a.all(x, x.items.all(y, y > 0))", False),
        ("a.all(x, x['items'][0].all(y, y > 0))", False),
        ("a.all(x, ['u', 'v'].exists(y, y == x))", False),
        ("a.all(x, x > 0) && b.all(y, y > 0)", False),
        ("a.map(x, x).filter(y, y > 0) == []", False),
    ],
)
def test_lists_are_crossed_to_a_bound(text, crosses):
    expression = compile_expression(text)
    assert expression.crosses is crosses
    long = {"a": [1] * 4001, "b": [], "f": {"b": [[]]}}
    try:
        expression.evaluate(**long)
        refused = False
    except ExpressionError as error:
        refused = "may have 4000" in error.message
    assert refused is crosses


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("rows.filter(r, r.n > 0).size() == 0", True),
        ("size(rows.map(r, r)) > 0", True),
        ("[[1]].map(x, x.map(y, y)) == [[1]] && rows.size() > 0", True),
        ("few.filter(f, f > 0).size() == 1 && size(rows) == 10000", False),
        ("rows.exists(r, r.n == 1) && rows.all(r, r.n >= 0)", False),
    ],
)
def test_long_tables_are_asked_and_not_gathered(text, refused):
    expression = compile_expression(text)
    rows = [{"n": n, "m": 0, "s": "open"} for n in range(10_000)]
    if refused:
        with pytest.raises(ExpressionError, match="ask with exists"):
            expression.evaluate(rows=rows, few=[1])
        expression.evaluate(rows=rows[:100], few=[1])
    else:
        assert expression.evaluate(rows=rows, few=[1]) is True


def test_an_expression_that_takes_too_long_is_ended_and_the_next_is_not():
    crossing = compile_expression("a.all(x, a.all(y, x + y >= 0))")
    with killable(seconds=2):
        with pytest.raises(ExpressionError, match="takes longer than 2 seconds"):
            crossing.evaluate(a=list(range(4000)))
        assert crossing.evaluate(a=[1, 2]) is True
        with pytest.raises(MissingValueError, match="no key 'b'"):
            compile_expression("a.b").evaluate(a={})
        with pytest.raises(ExpressionError, match="division by zero"):
            compile_expression("1 / 0").evaluate()
        assert compile_expression("{'a': [1, 2.5, null, a]}").evaluate(a="é") == {
            "a": [1, 2.5, None, "é"]
        }


@pytest.mark.slow
def test_memory_is_bounded_too():
    hoard = compile_expression("a.map(x, a.map(y, x + y)).size()")
    with killable(seconds=60), pytest.raises(ExpressionError, match="more memory than it may"):
        hoard.evaluate(a=["x" * 100_000] * 120)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_time_that_is_none(seconds):
    with pytest.raises(UsageError), killable(seconds):
        pass

"""What an evaluation may cost: only what is read is handed over, lists are crossed to a bound, and time is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import UsageError
from passhat.expressions import (
    ExpressionError,
    MissingValueError,
    compile_expression,
    killable,
)
from passhat.expressions.costs import reckoned, size_of
from passhat.expressions.forms import form_of


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


LONG = {
    "l": list(range(1000)),
    "few": [1, 2, 3],
    "none": [],
    "rows": [{"n": n, "m": [0], "s": "open"} for n in range(10_000)],
    "text": "x" * 10_000,
    "long": "x" * 100_000,
    "t": {f"k{n}": {"n": n} for n in range(10_000)},
}
LONG["state"] = {"rows": LONG["rows"], "t": LONG["t"]}


@pytest.mark.parametrize(
    "text",
    [
        "l.map(x, l) != []",
        "l.map(x, [l]) != []",
        "l.map(x, l + l).size() > 0",
        "l.map(x, {'a': l}).size() > 0",
        "l.map(x, true ? l : l).size() > 0",
        "l.map(x, (l)).size() > 0",
        "l.map(x, l.filter(y, true)).size() > 0",
        "size(l.map(x, l)[0]) > 0",
        "(l + l + l + l).all(x, l.all(y, (l + l).size() > x + y))",
        "(l + l + l + l + l + l + l + l).all(x, (l + l + l + l + l + l + l + l).all(y, x + y >= 0))",
        "l.all(x, l.all(y, y in l))",
        "l.all(x, l.all(y, l == l))",
        "l.all(x, l.map(y, l).size() > 0)",
        "rows.filter(r, r.n > 0).size() == 0",
        "size(rows.map(r, r)) > 0",
        "rows.all(r, rows.all(s, r.n + s.n >= 0))",
        "rows.exists(r, r in rows)",
        "few.map(x, l.map(y, l)).size() > 0",
        "l.map(x, long + long).size() > 0",
        "state.t.exists(k, state.t[k].n == -1)",
        "state.rows.all(r, state.rows[0].n == 0)",
        "l.map(x, string(x) + long).size() > 0",
        "l.map(x, l.map(y, text + text)).size() > 0",
        "[l, l, l][few[0]].map(x, l).size() > 0",
        "+".join(["rows"] * 150) + " == []",
        "none == [] && l.map(x, l) == []",
        "!(-(l.map(x, l)[0].size()) > 0) || l.map(x,\n l) == []",
    ],
)
def test_what_would_cost_too_much_is_refused_before_it_runs(text):
    with pytest.raises(ExpressionError, match=r"steps on what it is given.*ask with exists"):
        compile_expression(text).evaluate(**LONG)
    compile_expression(text)


@pytest.mark.parametrize(
    "text",
    [
        "rows.exists(r, r.n == 1) && rows.all(r, r.n >= 0 && r.s == 'open')",
        "rows.all(r, r.m.all(i, i == 0))",
        "rows.all(r, r.s in ['open', 'paid'] && size(r.m) == 1)",
        "few.map(x, few) == [few, few, few]",
        "l.filter(x, x > 990).size() == 9",
        "l.map(x, x * 2).size() == 1000",
        "l.all(x, l.exists(y, y == x))",
        "l.all(x, x in l)",
        "few.map(x, long + long).size() == 3",
        "state.t.exists(k, k == 'k1') && state.t['k1'].n == 1 && size(state.rows) == 10000",
        "state.rows.all(r, r.n >= 0 && r.m[0] == 0)",
        "!t.exists(k, t[k].n == -1)",
        "l.all(x, long + 'b' != long)",
        "none.map(x, rows) == []",
        "size(rows) == 10000 && few.filter(f, f > 1).map(f, f + 1) == [3, 4]",
        "(few + few).size() == 6 && text + 'y' != text",
        "rows[0].n == 0 && rows[9999]['s'] == 'open' && rows[few[0] - 1].m == [0]",
        "few[0] > 5 ? false : few[1] > 5 ? false : true",
        "rows.exists_one(r, r.n == 17) && !(1 in none)",
    ],
)
def test_what_people_ask_of_long_tables_is_answered(text):
    assert compile_expression(text).evaluate(**LONG) is True


ITEMS = st.lists(st.integers(0, 3), max_size=6)
BODIES = st.sampled_from(
    ["x", "l", "[x, l]", "l + l", "l.filter(x, x > 0)", "l.map(x, l)", "m", "m + l", "{'k': m}"]
)


@given(
    items=ITEMS,
    others=st.lists(ITEMS, max_size=4),
    body=BODIES,
    macro=st.sampled_from(["map", "filter"]),
)
def test_the_size_of_what_is_made_is_never_reckoned_too_small(items, others, body, macro):
    text = f"l.map(x, {body})" if macro == "map" else "(m + m).filter(x, true)"
    given_ = {"l": items, "m": others}
    made = compile_expression(text).evaluate(**given_)
    _, bound = reckoned(form_of(text), given_)
    exact = size_of(made)
    assert exact.parts <= bound.parts
    assert all(a <= b for a, b in zip(exact.longest, bound.longest, strict=False))
    assert len(exact.longest) <= len(bound.longest)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(" * 41 + "1" + ")" * 41, "brackets deeper than 40"),
        ("a ? b : " * 41 + "c", "more than 40 choices"),
    ],
)
def test_forms_have_a_bound(text, message):
    with pytest.raises(UsageError, match=message):
        compile_expression(text)


ROWS = [{"s": "2024-05-20", "p": "a"}] * 2_000


@pytest.mark.parametrize(
    "pattern",
    [
        r"'((a{1,60}){1,60}){1,9}'",
        r"r'\w{1000}'",
        r"'\\w{1,300}'",
        r"'[\\w.]{1,300}'",
        r"'a\x7b1,1000}'",
        "x.p",
        "bomb",
        "'(?x) a {1000} {1000}'",
    ],
)
def test_a_pattern_that_is_made_ready_for_each_row_is_reckoned(pattern):
    expression = compile_expression(f"rows.all(x, !x.s.matches({pattern}))")
    with pytest.raises(ExpressionError, match="steps on what it is given"):
        expression.evaluate(rows=ROWS, bomb="((a{1,60}){1,60}){1,9}")


@pytest.mark.parametrize(
    "pattern",
    [r"r'^\d{4}-\d{2}-\d{2}$'", r"'^\\d{4}-[0-9]{2}'", "'(?i)tax|[0-9]+'", "plain", "'^(2|x)+'"],
)
def test_patterns_as_people_write_them_go_through_many_rows(pattern):
    expression = compile_expression(f"rows.all(x, x.s.matches({pattern}))")
    assert expression.evaluate(rows=ROWS, plain="20.+") is True


def test_an_expression_that_takes_too_long_is_ended_and_the_next_is_not(monkeypatch):
    monkeypatch.setattr("passhat.expressions.compiling.MAX_COST", 10**12)
    crossing = compile_expression("a.all(x, a.all(y, x + y >= 0))")
    with killable(seconds=2):
        with pytest.raises(ExpressionError, match="takes longer than 2 seconds"):
            crossing.evaluate(a=list(range(30_000)))
        assert crossing.evaluate(a=[1, 2]) is True
        with pytest.raises(MissingValueError, match="no key 'b'"):
            compile_expression("a.b").evaluate(a={})
        with pytest.raises(ExpressionError, match="division by zero"):
            compile_expression("1 / 0").evaluate()
        assert compile_expression("{'a': [1, 2.5, null, a]}").evaluate(a="é") == {
            "a": [1, 2.5, None, "é"]
        }


@pytest.mark.slow
def test_memory_is_bounded_too(monkeypatch):
    hoard = compile_expression("a.map(x, a.map(y, x + y)).size()")
    texts = ["x" * 50_000] * 120
    with pytest.raises(ExpressionError, match="steps on what it is given"):
        hoard.evaluate(a=texts)
    monkeypatch.setattr("passhat.expressions.compiling.MAX_COST", 10**12)
    with killable(seconds=60), pytest.raises(ExpressionError, match="more memory than it may"):
        hoard.evaluate(a=texts)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_time_that_is_none(seconds):
    with pytest.raises(UsageError), killable(seconds):
        pass

"""Named matchers, from a suite file's words to a verdict."""

import pickle

import pytest

from passhat.errors import UsageError
from passhat.values import NotEvaluated, matcher, matcher_for_schema, matcher_names
from passhat.values.matchers import Number

YES_NO = [
    ("exact", 1, 1.0, True),
    ("exact", True, 1, False),
    ("text", " High ", "high", True),
    ("text", "Straße", "STRASSE", True),
    ("text", "ﬁne", "FINE", True),
    ("text", 1, "1", False),
    ("number", "49.90", 49.9, True),
    ("number", 0.1 + 0.2, 0.3, True),
    ("number", "1,234.5", 1234.5, True),
    ("number", True, 1, False),
    ("number", "abc", 1, False),
    ({"number": {"abs": 0.01}}, 10.01, 10, True),
    ({"number": {"abs": 0.01}}, 10.02, 10, False),
    ({"number": {"rel": 0.1}}, 109, 100, True),
    ({"one_of": ["a", 1]}, 1.0, None, True),
    ({"one_of": ["a", 1]}, "b", None, False),
    ("one_of", "a", ["a", "b"], True),
    ({"regex": "A[0-9]+"}, "A12", None, True),
    ({"regex": "A[0-9]+"}, "xA12", None, False),
    ("regex", "A12", "A.*", True),
    ("contains", "The VPN is down", "vpn", True),
    ("contains", [1, 2], 2.0, True),
    ("contains", [1, 2], [1, 2], True),
    ("contains", [1, 2], [1, 3], False),
    ("contains", 5, 5.0, True),
    ("contains", 5, 6, False),
    ("contains", True, 1, False),
    ("contains", "5", 5, False),
    ("contains", {"a": 1}, "a", True),
    ("contains", {"a": 1}, {"a": 1.0}, True),
    ("contains", None, None, True),
    ({"contains": "mac"}, "windows", None, False),
    ("set", [1, 2, 2], [2, 1, 2], True),
    ("set", [{"a": 1, "b": 2}], [{"b": 2, "a": 1}], True),
    ("set", [1, 2], [1, 1, 2], False),
    ("set", "ab", "ba", False),
    ("date", "2024-05-20", "20 May 2024", True),
    ("date", "2024-05-20", "Monday, May 20th, 2024", True),
    ("date", "2024-05-20T23:00:00-05:00", "2024-05-21T04:00:00Z", True),
    ("date", "2024-05-20T23:00:00", "2024-05-20", True),
    ("date", "5/6/2024", "2024-05-06", True),
    ({"date": {"day_first": True}}, "5/6/2024", "2024-06-05", True),
    ("date", "31/12/2024", "2024-12-31", True),
    ("date", "soon", "2024-05-20", False),
    ("date", "2024-02-30", "2024-02-30", False),
    ({"schema": {"type": "string", "minLength": 2}}, "ab", None, True),
    ({"schema": {"type": "string", "minLength": 2}}, "a", None, False),
    ("any", object(), "whatever", True),
    ("subset", {"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, True),
    ("subset", {"a": {"c": 2}}, {"a": {"b": 1}}, False),
    ("subset", [{"a": 1, "b": 2}], [{"a": 1}], True),
]


@pytest.mark.parametrize(("spec", "actual", "expected", "same"), YES_NO)
def test_verdicts(spec, actual, expected, same):
    found = matcher(spec)
    assert found(actual, expected) is same
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("txt", "'txt' is no matcher, did you mean text?"),
        ({"number": {"abz": 1}}, "number has no option 'abz', did you mean abs?"),
        ({"number": {"abs": "1"}}, "number: abs cannot be '1'"),
        ({"number": {"rel": -0.1}}, "number: rel is -0.1; the least is 0"),
        ({"number": {"abs": float("nan")}}, "number: abs is nan; the least is 0"),
        ({"number": 3}, "number takes options"),
        ({"regex": "("}, "is no pattern"),
        ({"regex": 3}, "a pattern is text"),
        ({"text": {}, "number": {}}, "a matcher is one name"),
        (3, "3 is no matcher"),
    ],
)
def test_what_is_no_matcher_is_told(spec, message):
    with pytest.raises(UsageError, match=message):
        matcher(spec)


@pytest.mark.parametrize("tolerance", ["1", [], -1, float("nan")])
def test_a_tolerance_that_is_none_is_told_where_the_matcher_is_made(tolerance):
    with pytest.raises(UsageError, match="number: rel"):
        Number(rel=tolerance)


def test_every_name_is_tested():
    tested = {spec if isinstance(spec, str) else next(iter(spec)) for spec, *_ in YES_NO}
    assert set(matcher_names()) == tested | {"semantic", "execution"}


def test_meaning_needs_a_judge():
    with pytest.raises(NotEvaluated, match="needs a judge"):
        matcher("semantic")("a", "b")


class TestExecution:
    fixture = "create table t (n int, s text); insert into t values (1, 'a'), (2, 'b'), (2, 'c');"

    @pytest.mark.parametrize(
        ("actual", "same"),
        [
            ("select n from t order by n", True),
            ("SELECT t.n FROM t", True),
            ("select n from t where n > 1", False),
            ("select x from t", False),
            ("drop table t", False),
            ("attach database 'x' as y", False),
            ("select '\ud800'", False),
            ("select n from t\0", False),
            ("select load_extension('x')", False),
            ("select n from t; drop table t", False),
            (
                "with recursive r(i) as (select 1 union all select i+1 from r) select i from r",
                False,
            ),
            (7, False),
        ],
    )
    def test_queries_compare_by_their_rows(self, actual, same):
        compare = matcher({"execution": {"sqlite": self.fixture}})
        assert compare(actual, "select n from t") is same

    def test_order_counts_where_it_is_asked_for(self):
        compare = matcher({"execution": {"sqlite": self.fixture, "ordered": True}})
        assert not compare("select n from t order by n desc", "select n from t order by n")

    def test_a_broken_fixture_or_expectation_is_an_error(self):
        with pytest.raises(UsageError, match="expected query does not run"):
            matcher({"execution": {"sqlite": self.fixture}})("select 1", "selec 1")
        for fixture in ("creat", "\ud800"):
            with pytest.raises(UsageError, match="fixture does not run"):
                matcher({"execution": {"sqlite": fixture}})("select 1", "select 1")

    def test_no_query_fills_the_memory(self):
        compare = matcher({"execution": {"sqlite": self.fixture}})
        assert not compare("select zeroblob(900000000)", "select 1")
        many = "with recursive r(i) as (select 1 union all select i + 1 from r limit 90000) "
        assert not compare(many + "select zeroblob(10000000) from r", "select 1")


@pytest.mark.parametrize(
    ("schema", "actual", "expected", "same"),
    [
        ({"type": "string"}, " Paris", "paris", True),
        ({"type": "string", "enum": ["a"]}, "A", "a", False),
        ({"type": "string", "pattern": "a"}, "A", "a", False),
        ({"type": "integer"}, 1.0, 1, True),
        ({"type": "number"}, 0.1 + 0.2, 0.3, True),
        ({"type": "number"}, "0.3", 0.3, False),
        ({"type": "boolean"}, 1, True, False),
        ({"type": "string", "format": "date"}, "20 May 2024", "2024-05-20", True),
        ({"type": "array", "uniqueItems": True}, [2, 1], [1, 2], True),
        ({"type": "array", "items": {"type": "string"}}, ["A"], ["a"], True),
        ({"type": "array", "items": {"type": "string"}}, ["a", "b"], ["b", "a"], False),
        ({"type": ["string", "null"]}, None, None, True),
        (
            {"type": "object", "properties": {"s": {"type": "string"}}},
            {"s": "A", "x": 1},
            {"s": "a", "x": 1},
            True,
        ),
        ({"type": "object", "properties": {"s": {"type": "string"}}}, {"s": "A"}, {}, False),
        ({}, " a", "a", False),
        (None, 1, 1.0, True),
    ],
)
def test_auto_goes_by_the_schema(schema, actual, expected, same):
    assert matcher_for_schema(schema)(actual, expected) is same

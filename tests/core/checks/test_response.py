"""The checks of the answer."""

import pytest

from passhat.case import Case
from passhat.checks.answer import json_in, numbers_in
from passhat.errors import UsageError


@pytest.mark.parametrize(
    ("values", "says", "status", "score"),
    [
        (["49.90", "refund"], "Your Refund of 49.90 is done", "passed", 1.0),
        (["49.90", "invoice"], "Your refund of 49.90", "failed", 0.5),
        ("it's done", "It’s\n done.", "passed", 1.0),
        ([49.9], "That is $49.90.", "passed", 1.0),
        ([49], "That is $49.90.", "failed", 0.0),
        ([], "x", "not_evaluated", None),
        (["", " \n", "\u00a0"], "x", "not_evaluated", None),
        ([" ", "y"], "x", "failed", 0.0),
        (["x"], None, "failed", 0.0),
    ],
)
def test_response_includes(run, judge, values, says, status, score):
    result = judge("response_includes", run(says=says), Case("c", response={"includes": values}))
    assert (result.status, result.score) == (status, score)


def test_response_includes_says_what_is_absent_and_can_be_strict(run, judge):
    case = Case("c", response={"includes": ["DONE", "paid"]})
    result = judge("response_includes", run(says="done"), case)
    assert result.reason == 'the answer does not include "paid"'
    assert result.evidence == {"hits": 1, "of": 2, "absent": ["paid"]}
    assert judge("response_includes", run(says="done"), case, case_sensitive=True).score == 0
    assert judge("response_includes", run(says="a  b"), values="a b").status == "passed"
    strict = judge("response_includes", run(says="a  b"), values="a b", space_sensitive=True)
    assert strict.status == "failed"
    assert judge("response_includes", run(says="ab"), values=" ", space_sensitive=True).score == 0
    with pytest.raises(UsageError, match="a text or a number"):
        judge("response_includes", run(), values=[True])


def test_response_excludes(run, judge):
    case = Case("c", response={"excludes": ["sorry", "later"]})
    result = judge("response_excludes", run(says="Sorry!"), case)
    assert (result.status, result.score) == ("failed", 0.5)
    assert result.reason == 'the answer includes "sorry"'
    assert judge("response_excludes", run(says="Done"), case).status == "passed"
    assert judge("response_excludes", run(says=None), case).status == "not_evaluated"


@pytest.mark.parametrize(
    ("expected", "says", "ok"),
    [
        ("Done.", " done. ", True),
        ("Done.", "Done", False),
        ({"a": 1}, '```json\n{"a": 1.0}\n```', True),
        ({"a": 1}, '{"a": 1, "b": 2}', False),
        (7, "7", True),
        (7, "seven", False),
        (False, "false", True),
        ("x", None, False),
    ],
)
def test_response_equals(run, judge, expected, says, ok):
    result = judge("response_equals", run(says=says), Case("c", response={"equals": expected}))
    assert result.status == ("passed" if ok else "failed")
    assert bool(result.reason) != ok


def test_response_matches(run, judge):
    case = Case("c", response={"matches": ["A[0-9]+", "^Ref"]})
    assert judge("response_matches", run(says="Refund of A17"), case).status == "passed"
    result = judge("response_matches", run(says="The refund of A17"), case)
    assert (result.score, result.reason) == (0.5, 'nothing in the answer matches "^Ref"')
    assert judge("response_matches", run(says=None), case).reason == "the run gave no final answer"
    assert judge("response_matches", run(says="x"), patterns="").status == "not_evaluated"
    with pytest.raises(UsageError, match="is no pattern"):
        judge("response_matches", run(), patterns="(")


@pytest.mark.parametrize(
    ("expected", "says", "ok"),
    [
        (True, "[1]", True),
        (True, "one", False),
        ({"ok": True}, '{"ok": true, "more": [1]}', True),
        ({"ok": True}, '{"ok": false}', False),
        ({"equals": {"ok": True}}, '{"ok": true, "more": 1}', False),
        ({"contains": {"ok": True}}, 'Here:\n```\n{"ok": true}\n```\nBye', True),
        ({"schema": {"type": "object", "required": ["id"]}}, "{}", False),
        ({"schema": {"type": "object"}, "contains": {"id": 1}}, '{"id": 1}', True),
        ([1, 2], "[1, 2]", True),
        ([1, 2], "[1, 2, 3]", False),
        ({}, '{"x": 1}', True),
        (True, '{"x": NaN}', False),
        (True, "[" * 100_000, False),
    ],
)
def test_response_json(run, judge, expected, says, ok):
    result = judge("response_json", run(says=says), Case("c", response={"json": expected}))
    assert result.status == ("passed" if ok else "failed"), result.reason
    assert bool(result.reason) != ok


@pytest.mark.parametrize(
    ("expected", "says", "ok"),
    [
        (49.9, "You get $49.90 back.", True),
        (1234.5, "1,234.50 in all", True),
        (-3, "It is −3 degrees", True),
        (17, "Order A17 of 2024-05-17", False),
        ({"value": 50, "abs": 0.2}, "49.9", True),
        ({"value": 50, "abs": 0.01}, "49.9", False),
        ({"value": 100, "rel": 0.05}, "about 96", True),
        (1, "none", False),
    ],
)
def test_response_number(run, judge, expected, says, ok):
    result = judge("response_number", run(says=says), Case("c", response={"number": expected}))
    assert result.status == ("passed" if ok else "failed"), result.reason


@pytest.mark.parametrize("spec", ["49", True, {"value": 1, "tolerance": 2}, {"abs": 1}])
def test_a_number_that_is_none_is_the_suites_fault(run, judge, spec):
    with pytest.raises(UsageError, match="number"):
        judge("response_number", run(says="1"), Case("c", response={"number": spec}))


def test_options_go_before_the_case(run, judge):
    case = Case("c", response={"number": 1, "json": {"a": 1}, "equals": "x", "matches": "x"})
    trace = run(says="2")
    assert judge("response_number", trace, case, value=2).status == "passed"
    assert judge("response_json", trace, case, value=2).status == "passed"
    assert judge("response_equals", trace, case, value="2").status == "passed"
    assert judge("response_matches", trace, case, patterns="2").status == "passed"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1 and 2.5, then 3.", [1, 2.5, 3]),
        ("12% of €1,000", [12, 1000]),
        ("v1.2.3 at 10:30 on 5/6", []),
        ("-4, +5", [-4, 5]),
        ("1e3", [1000]),
        ("x2 2x", []),
        ("(7)", [7]),
    ],
)
def test_numbers_are_found_as_people_write_them(text, numbers):
    assert numbers_in(text) == numbers


def test_the_first_fence_that_is_json_is_taken():
    assert json_in("```py\nprint()\n```\n```json\n2\n```") == (2,)
    assert json_in("null") == (None,)

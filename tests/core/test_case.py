"""Cases and suites take what people write, and put it into one form."""

import pickle

import pytest

from passhat.case import Case, ExpectedCall, Suite, Turn
from passhat.errors import UsageError


@pytest.mark.parametrize(
    ("stated", "held"),
    [
        ({"expected_calls": "lookup"}, {"expected_calls": (ExpectedCall("lookup"),)}),
        (
            {"expected_calls": ["a", ["b", {"name": "c", "args": {}}]]},
            {"expected_calls": (ExpectedCall("a"), (ExpectedCall("b"), ExpectedCall("c", {})))},
        ),
        ({"forbidden_calls": "refund"}, {"forbidden_calls": (ExpectedCall("refund"),)}),
        ({"tags": "shop", "writes": ["x"]}, {"tags": ("shop",), "writes": ("x",)}),
        ({"route": ["a", "b"]}, {"route": ("a", "b")}),
        ({"requires_approval": ["refund"]}, {"requires_approval": ("refund",)}),
        (
            {"before": [["a", ExpectedCall("b", {"n": 1}, extra_args="forbid")]]},
            {"before": (("a", {"name": "b", "args": {"n": 1}, "extra_args": "forbid"}),)},
        ),
        (
            {"turns": ["Hi", {"input": "Bye", "refuse": True}, Turn("x")]},
            {"turns": (Turn("Hi"), Turn("Bye", refuse=True), Turn("x"))},
        ),
        (
            {"response": {"includes": "a"}, "response_must_include": ["b", "a"]},
            {"response": {"includes": ["a", "b"]}, "response_must_include": None},
        ),
        ({"response": {"includes": 5}, "response_must_include": 6}, {"response": {"includes": [5, 6]}}),
    ],
)  # fmt: skip
def test_what_people_write_has_one_form(stated, held):
    case = Case("c", **stated)
    assert {name: getattr(case, name) for name in held} == held
    assert pickle.loads(pickle.dumps(case)) == case


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Case("c", mode="any_order"), "'any_order' is no mode"),
        (lambda: Case("c", turns=[{"inptu": "x"}]), "a turn has no 'inptu'"),
        (lambda: Suite("s", defaults={"mod": "exact"}), "'mod' is none"),
        (lambda: Suite("s", defaults={"id": "x"}), "'id' is none"),
    ],
)
def test_what_means_nothing_is_refused(make, said):
    with pytest.raises(UsageError, match=said):
        make()


def test_a_suite_completes_its_cases_and_leaves_complete_ones_as_they_are():
    suite = Suite(
        "s",
        [Case("a"), Case("b", mode="exact", checks={"loops": {"at_least": 0.5}})],
        tools={"t": {}},
        writes=["t"],
        defaults={"mode": "in_order", "response_must_include": ["ok"]},
        checks={"loops": {"required": True}},
    )
    first, second = suite.cases
    assert (first.mode, first.tools, first.writes) == ("in_order", {"t": {}}, ("t",))
    assert first.response == {"includes": ["ok"]}
    assert (second.mode, second.checks) == ("exact", {"loops": {"required": True, "at_least": 0.5}})
    again = Suite("s", suite.cases, suite.tools, suite.writes, suite.defaults, suite.checks)
    assert again == suite


def test_a_case_made_of_a_run_passes_on_that_run():
    from passhat import case_from_trace
    from passhat.grading import grade
    from passhat.testing import CANONICAL, call, says, trace_of, user

    failed = trace_of(user("Pay"), call("pay", x=1).fails("no money"), says("It failed."))
    assert case_from_trace(failed).expected_calls is None
    bye = trace_of(user("Pay"), call("pay", x=1).returns(1), says("Done."), user("bye"))
    assert grade(bye, case_from_trace(bye)).passed
    for name, canonical in CANONICAL.items():
        trace = canonical.trace
        assert grade(trace, case_from_trace(trace)).status != "failed", name


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Case("c", nested="included"), "nested is exclude or include, not 'included'"),
        (lambda: ExpectedCall("a", extra_args="no"), "extra_args is allow or forbid, not 'no'"),
        (
            lambda: Case("c", expected_calls=[{"name": "a", "optional": "no"}]),
            "optional is true or false, not 'no'",
        ),
    ],
)
def test_a_word_that_is_none_is_not_taken_for_another(make, why):
    with pytest.raises(UsageError, match=why):
        make()

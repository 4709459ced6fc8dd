"""Where calls part from the expected ones, and which labels are taken for which."""

import pytest

from passhat.reliability import Summariser
from passhat.reliability.parting import PartingTally, Point, points
from passhat.result import CheckResult, Trial


def compared(status="failed", case_id="c", number=0, verdict=None, **evidence):
    result = CheckResult("trajectory", status, float(status == "passed"), "", evidence)
    return Trial(case_id, number, f"t{number}", verdict or status, (result,))


NEAR = {"tool": "refund", "arg": "amount", "expected": 5, "actual": 50}


def test_tools_are_told_apart():
    tally = PartingTally()
    tally.add(compared("passed", matched=["lookup", "refund"], missing=[], extra=[]))
    tally.add(
        compared(
            matched=["lookup"],
            missing=["refund", "refund", "mail"],
            extra=["refund", "lookup"],
            near=[NEAR, {**NEAR, "arg": "reason"}],
        )
    )
    tools = {tool.name: tool for tool in tally.tools()}
    refund = tools["refund"]
    assert (refund.expected, refund.matched, refund.wrong_arguments) == (3, 1, 1)
    assert (refund.missing, refund.extra) == (1, 0)
    assert refund.arguments == {"amount": 1, "reason": 1}
    assert (tools["lookup"].expected, tools["lookup"].extra) == (2, 1)
    assert (tools["mail"].expected, tools["mail"].missing) == (1, 1)
    assert tally.tools()[0].name == "refund"


@pytest.mark.parametrize(
    ("trial", "expected"),
    [
        (compared(matched=[], missing=["mail"], extra=["chat"]), {Point("missing", "mail")}),
        (
            compared(matched=[], missing=["refund"], extra=["refund"], near=[NEAR]),
            {Point("wrong_argument", "refund", "amount")},
        ),
        (compared(matched=["a"], missing=[], extra=["b"]), {Point("extra", "b")}),
        (compared("passed", matched=["a"], missing=[], extra=["b"]), set()),
        (compared(matched=["a", "b"], missing=[], extra=[]), {Point("order", "")}),
        (compared(turns=[{"status": "failed", "missing": ["mail"]}]), {Point("missing", "mail")}),
        (Trial("c", 0, "t", "failed"), set()),
    ],
)
def test_points(trial, expected):
    assert points(trial) == expected


def test_a_forbidden_call_is_a_point():
    result = CheckResult("forbidden_calls", "failed", 0.0, "", {"calls": [{"name": "refund"}]})
    assert points(Trial("c", 0, "t", "failed", (result,))) == {Point("forbidden", "refund")}


def test_the_points_told_of_a_case_are_those_its_passed_trials_lack():
    adding = Summariser()
    adding.add(compared(missing=["think", "mail"], number=0, verdict="failed"))
    adding.add(compared(missing=["think"], number=1, verdict="passed"))
    (case,) = adding.summary().cases
    assert [(point.tool, point.failed, point.passed) for point in case.parting] == [("mail", 1, 0)]


def test_points_that_tell_as_much_have_one_order():
    tools = list("abcdefgh")
    adding = Summariser()
    trial = compared(matched=[], missing=[], extra=tools)
    calls = [{"name": tool} for tool in reversed(tools)]
    forbidden = CheckResult("forbidden_calls", "failed", 0.0, "", {"calls": calls})
    adding.add(Trial("c", 0, "t", "failed", (forbidden, *trial.results)))
    (case,) = adding.summary().cases
    told = [(point.tool, point.kind) for point in case.parting]
    assert told == [(tool, kind) for tool in tools for kind in ("extra", "forbidden")][: len(told)]


def test_a_swap_is_a_mixup_only_one_for_one():
    adding = Summariser()
    adding.add(compared(matched=["lookup"], missing=["refund"], extra=["cancel"]))
    adding.add(compared(matched=[], missing=["refund"], extra=["cancel", "lookup"]))
    table = adding.summary().tool_confusion
    assert table.counts["refund"] == {"(none)": 1, "cancel": 1}
    assert table.counts["lookup"] == {"lookup": 1}
    assert table.confusion().accuracy == table.exact == 1 / 5


def routed(expected, actual):
    ok = expected == actual
    result = CheckResult.of("route", ok, expected=expected, actual=actual)
    return Trial("c", 0, "t", "passed" if ok else "failed", (result,))


def test_routes_of_one_label():
    adding = Summariser()
    for expected, actual in [("a", "a"), ("a", "b"), ("b", "b"), ("b", ["b"])]:
        adding.add(routed(expected, actual))
    table = adding.summary().routing
    assert (table.total, table.exact) == (4, 0.75)
    assert table.labels["a"].recall == 0.5
    assert [check.status for check in table.check_floors({"a": 0.9, "b": 0.9})] == [
        "failed",
        "passed",
    ]


def test_routes_of_several_labels():
    adding = Summariser()
    adding.add(routed(["a", "b"], ["a"]))
    adding.add(routed(["b"], ["b"]))
    table = adding.summary().routing
    assert (table.total, table.exact, table.mixups) == (2, 0.5, ())
    assert (table.labels["b"].tp, table.labels["b"].fn) == (1, 1)


def test_refusals_both_ways():
    adding = Summariser()
    for expected, ok in [(True, True), (True, False), (False, True), (False, True)]:
        result = CheckResult.of("refusal", ok, expected=expected)
        adding.add(Trial("c", 0, "t", "passed" if ok else "failed", (result,)))
    refusals = adding.summary().refusals
    assert (refusals.under.hits, refusals.under.of) == (1, 2)
    assert (refusals.over.hits, refusals.over.of) == (0, 2)


def test_calls_in_excess_are_undue_where_the_mode_lets_none_pass():
    tally = PartingTally()
    for mode, status in (("exact", "failed"), ("superset", "failed"), ("subset", "passed")):
        tally.add(compared(status, mode=mode, matched=["a"], missing=[], extra=["b", "b"]))
    tools = {tool.name: tool for tool in tally.tools()}
    assert (tools["b"].extra, tools["b"].undue, tools["a"].undue) == (6, 2, 0)

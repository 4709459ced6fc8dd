"""The checks of which tools were called."""

import pytest

from passhat.case import Case
from passhat.grading import grade
from passhat.result import results_of
from passhat.trace import ToolCall, Trace, TraceBuilder


def test_trajectory_passes_without_a_reason_and_tells_names(run, judge):
    result = judge("trajectory", run("lookup", "email"), Case("c", expected_calls=["lookup"]))
    assert (result.status, result.score, result.reason) == ("passed", 1.0, "")
    assert result.evidence == {
        "mode": "superset",
        "matched": ["lookup"],
        "missing": [],
        "extra": ["email"],
    }


def test_trajectory_fails_with_what_differs_and_the_alignment(run, call, judge):
    case = Case("c", expected_calls=[{"name": "refund", "args": {"amount": 49.9, "id": "A1"}}])
    result = judge("trajectory", run(call("refund", {"amount": 50})), case)
    assert (result.status, result.score) == ("failed", 0.0)
    assert "refund" in result.reason
    assert result.evidence["near"] == [
        {"tool": "refund", "arg": "amount", "expected": 49.9, "actual": 50},
        {"tool": "refund", "arg": "id", "expected": "A1"},
    ]
    assert "refund" in result.evidence["alignment"]


@pytest.mark.parametrize(
    ("options", "case", "status"),
    [
        ({}, {"mode": "exact"}, "failed"),
        ({"mode": "in_order"}, {"mode": "exact"}, "passed"),
        ({"mode": "exact"}, {}, "failed"),
        ({"mode": "unordered"}, {"counts": False}, "failed"),
    ],
)
def test_trajectory_options_have_precedence(run, judge, options, case, status):
    trace = run("a", "b")
    assert judge(
        "trajectory", trace, Case("c", expected_calls=["a"], **case), **options
    ).status == (status)


def test_trajectory_counts_and_retries_and_nested(run, call, judge):
    trace = run(call("a", error="no"), "a", "a")
    case = Case("c", expected_calls=["a"], mode="unordered")
    assert judge("trajectory", trace, case).status == "failed"
    assert judge("trajectory", trace, case, counts=False).status == "passed"
    assert judge("trajectory", trace, case, counts=False, retries="count").status == "passed"
    nested = Trace("t", steps=(ToolCall("a", id="1"), ToolCall("b", parent="1")))
    case = Case("c", expected_calls=["a", "b"])
    assert judge("trajectory", nested, case).status == "failed"
    assert judge("trajectory", nested, case, nested="include").status == "passed"


@pytest.mark.parametrize(
    ("calls", "expected", "status", "hits", "of"),
    [
        (["a", "b"], ["b", "a"], "passed", 2, 2),
        (["a", "a"], ["a"], "passed", 2, 2),
        (["a"], ["a", "b"], "failed", 1, 1),
        (["a", "c"], ["a"], "failed", 1, 2),
        ([], [], "passed", 0, 0),
        (["a"], [], "failed", 0, 1),
        ([], ["a"], "failed", 0, 0),
        (["a", "typo"], ["a"], "failed", 1, 1),
    ],
)
def test_tool_selection_compares_sets_of_names(run, judge, calls, expected, status, hits, of):
    case = Case("c", expected_calls=expected, tools={key: {} for key in "abc"})
    result = judge("tool_selection", run(*calls), case)
    assert (result.status, result.evidence["hits"], result.evidence["of"]) == (status, hits, of)


def test_tool_selection_leaves_optional_tools_out_and_says_what_is_wrong(run, judge):
    case = Case("c", expected_calls=["a", {"name": "b", "optional": True}], optional_calls=["log"])
    assert judge("tool_selection", run("a", "b", "log"), case).status == "passed"
    result = judge("tool_selection", run("c"), case)
    assert result.reason == "a should have been called; c should not"
    none = judge("tool_selection", run("c"), Case("c", expected_calls=[]))
    assert none.reason == "c should not: no tool was expected"


def test_tool_call_f1_gives_the_counts_it_is_made_of(run, judge):
    case = Case("c", expected_calls=["a", "b", "c"])
    result = judge("tool_call_f1", run("a", "b", "x"), case)
    assert result.status == "failed"
    assert result.score == pytest.approx(2 / 3)
    assert result.reason == "missing c; extra x"
    assert result.evidence == {
        "precision": 2 / 3,
        "recall": 2 / 3,
        "tp": 2,
        "fp": 1,
        "fn": 1,
    }
    assert judge("tool_call_f1", run(), Case("c", expected_calls=[])).score == 1.0


@pytest.mark.parametrize(
    ("calls", "options", "status"),
    [
        ([("refund", {"amount": 10})], {}, "failed"),
        ([("refund", {"amount": 11})], {}, "passed"),
        ([("refund", {"amount": 10}, {"error": "no"})], {}, "failed"),
        ([("refund", {"amount": 10}, {"executed": False})], {}, "failed"),
        ([("refund", {"amount": 10}, {"executed": False})], {"ran": True}, "passed"),
        ([("refund", {"amount": 10}, {"parent": "x"})], {}, "failed"),
        ([("refund", {"amount": 10}, {"parent": "x"})], {"nested": "exclude"}, "passed"),
        ([("refund", {"amount": 10}, {"error": "no"}), ("refund", {"amount": 9})], {}, "failed"),
    ],
)
def test_forbidden_calls_count_attempts_wherever_made(run, call, judge, calls, options, status):
    made = [call(name, args, **(rest[0] if rest else {})) for name, args, *rest in calls]
    case = Case(
        "c",
        forbidden_calls=[{"name": "refund", "args": {"amount": 10}}],
        expected_calls=["refund"],
        optional_calls=["refund"],
    )
    result = judge("forbidden_calls", run(*made), case, **options)
    assert result.status == status
    if status == "failed":
        assert result.reason == "forbidden: refund(amount=10)"
        assert result.evidence["calls"][0]["name"] == "refund"


def test_unnecessary_calls_are_neither_matched_nor_optional_nor_retries(run, call, judge):
    trace = run(call("a", error="no"), "a", "log", "x", "a")
    case = Case("c", expected_calls=["a"], optional_calls=["log"])
    result = judge("unnecessary_calls", trace, case)
    assert (result.status, result.score) == ("failed", 0.5)
    assert (result.evidence["hits"], result.evidence["of"]) == (2, 4)
    assert [entry["index"] for entry in result.evidence["calls"]] == [3, 4]
    assert judge("unnecessary_calls", run("a"), case).status == "passed"


def test_duplicate_calls_repeat_a_success(run, call, judge):
    trace = run(
        call("a", {"n": 1}), call("a", {"n": 1.0}), call("a", {"n": 2}),
        call("b", error="no"), call("b", error="no"), "b", "b",
    )  # fmt: skip
    result = judge("duplicate_calls", trace)
    assert (result.evidence["hits"], result.evidence["of"]) == (2, 7)
    assert result.evidence["calls"] == [
        {"index": 1, "name": "a", "repeats": 0},
        {"index": 6, "name": "b", "repeats": 5},
    ]
    assert judge("duplicate_calls", trace, after="any").evidence["hits"] == 4


def test_reading_again_after_a_write_is_no_duplicate(run, judge):
    trace = run("read", "write", "read", "write")
    assert judge("duplicate_calls", trace).evidence["hits"] == 2
    result = judge("duplicate_calls", trace, Case("c", writes=["write"]))
    assert [entry["name"] for entry in result.evidence["calls"]] == ["write"]


def test_no_calls_allows_optional_ones_only(run, judge):
    assert judge("no_calls", run()).status == "passed"
    result = judge("no_calls", run("a"))
    assert (result.status, result.reason) == ("failed", "called: a()")
    assert judge("no_calls", run("a"), Case("c", optional_calls=["a"])).status == "passed"


def test_unknown_tools_names_the_nearest_one(run, judge):
    case = Case("c", tools={"issue_refund": {}})
    trace = run("issue_refnd", "issue_refund", "zzz", tools={"lookup": {}})
    result = judge("unknown_tools", trace, case)
    assert (result.status, result.evidence["hits"], result.evidence["of"]) == ("failed", 2, 3)
    assert result.reason == "issue_refnd is no tool, did it mean issue_refund?; zzz is no tool"
    assert judge("unknown_tools", run("lookup", tools={"lookup": {}}), case).score == 0


@pytest.mark.parametrize(
    "key",
    ["forbidden_calls", "unnecessary_calls", "duplicate_calls", "no_calls", "unknown_tools",
     "loops", "error_rate", "retry_budget", "approval"],
)  # fmt: skip
def test_what_must_not_happen_needs_a_run_that_did_something(run, judge, key):
    case = Case(
        "c",
        expected_calls=[],
        forbidden_calls=["x"],
        tools={},
        writes=["x"],
        requires_approval=True,
    )
    build = TraceBuilder("t")
    build.user("Please help.")
    assert judge(key, build.trace(), case).status == "not_evaluated"
    assert judge(key, run(), case).status == "passed"


@pytest.mark.parametrize(
    ("key", "case", "options", "reason"),
    [
        ("forbidden_calls", {"forbidden_calls": []}, {}, "the case forbids no call"),
        ("policies", {"policies": []}, {}, "the case states no policy"),
        ("precedence", {"before": []}, {}, "the case states no order"),
        ("approval", {"requires_approval": []}, {}, "the case names no tool that needs a confirmation"),
        ("approval", {"requires_approval": True, "writes": []}, {}, "the case names no tool that needs a confirmation"),
        ("route", {"route": []}, {}, "the case names no route"),
        ("node_trajectory", {}, {"expected": [], "mode": "superset"}, "no node is expected, and mode superset lets others pass"),
        ("partial_credit", {"expected_final_state": {}}, {}, "the case expects no record that could be reached"),
    ],
)  # fmt: skip
def test_what_asks_for_nothing_is_not_evaluated(run, judge, key, case, options, reason):
    trace = run("lookup", final_state={"a": 1})
    result = judge(key, trace, Case("c", initial_state={}, **case), **options)
    assert (result.status, result.reason) == ("not_evaluated", reason)


@pytest.mark.parametrize(
    ("key", "keys"),
    [
        ("forbidden_calls", {"forbidden_calls": ["refund"]}),
        ("policies", {"policies": [{"name": "none", "deny": "call.name == 'refund'"}]}),
        ("trajectory", {"expected_calls": ["clerk"]}),
        ("tool_selection", {"expected_calls": ["clerk"]}),
        ("call_exact", {"expected_calls": ["clerk"]}),
        ("duplicate_calls", {}),
        ("provenance", {}),
    ],
)
def test_nothing_is_said_of_calls_inside_others_that_nobody_saw(run, judge, key, keys):
    trace = run("clerk", gaps=("calls inside: nobody saw them",))
    case = Case("c", **keys)
    (result,) = results_of(grade(trace, case, {key: {"nested": "include"}}))
    assert (result.status, result.reason) == ("not_evaluated", "calls inside: nobody saw them")
    outer = judge(key, trace, case, nested="exclude")
    assert outer.status == judge(key, run("clerk"), case).status


@pytest.mark.parametrize("key", ["forbidden_calls", "policies"])
def test_a_forbidden_call_that_was_seen_fails_whatever_was_not(run, judge, key):
    policies = [{"name": "none", "deny": "call.name == 'refund'"}]
    case = Case("c", forbidden_calls=["refund"], policies=policies)
    trace = run("clerk", "refund", gaps=("calls inside: nobody saw them",))
    assert judge(key, trace, case).status == "failed"

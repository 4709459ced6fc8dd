"""The checks of the way through the graph and of routes, and recorded scores."""

import pytest

from passhat.case import Case
from passhat.trace import Message, NodeVisit, ToolCall, Trace


def visited(*names, **fields):
    steps = [
        step
        for at, name in enumerate(names)
        for step in (
            [NodeVisit(name, step=at)]
            if isinstance(name, str)
            else [NodeVisit(other, step=at) for other in name]
        )
    ]
    return Trace("t", steps=tuple(steps), **fields)


@pytest.mark.parametrize(
    ("nodes", "mode", "ok"),
    [
        (("plan", "act"), None, True),
        (("plan", "act", "act"), None, True),
        (("plan", "act", "act"), "exact", False),
        (("act", "plan"), "in_order", False),
        (("act", "plan"), "unordered", True),
        (("plan",), "subset", True),
        (("plan",), "superset", False),
        ((["plan", "act"],), "exact", True),
    ],
)
def test_node_trajectory_has_the_five_modes(judge, nodes, mode, ok):
    trace = visited("__start__", *nodes, "__end__")
    result = judge("node_trajectory", trace, expected=["plan", "act"], mode=mode)
    assert result.status == ("passed" if ok else "failed")
    assert ("alignment" in result.evidence) != ok


def test_nodes_of_subgraphs_and_groups_and_failed_visits(judge):
    steps = (
        NodeVisit("a", step=1, error="no"),
        NodeVisit("a", step=2),
        NodeVisit("inner", path=("a",), step=1),
        NodeVisit("c", step=3),
        NodeVisit("b", step=4),
    )
    trace = Trace("t", steps=steps)
    groups = ["a", ["b", "c"]]
    assert judge("node_trajectory", trace, expected=groups, mode="exact").status == "passed"
    inside = {"expected": groups, "mode": "exact", "nested": "include"}
    assert judge("node_trajectory", trace, **inside).evidence["extra"] == ["inner"]
    assert judge("node_trajectory", trace, **inside, optional=["inner"]).status == "passed"
    assert judge("node_trajectory", trace).status == "not_evaluated"
    assert judge("node_trajectory", trace, expected=[]).status == "failed"


def routed(*steps, says=None):
    made = [
        NodeVisit(name)
        if kind == "node"
        else ToolCall(name)
        if kind == "tool"
        else Message("assistant", "hm", agent=name)
        for kind, name in steps
    ]
    if says is not None:
        made.append(Message("assistant", says, request=9))
    return Trace("t", steps=tuple(made) or (Message("user", "hi"),))


@pytest.mark.parametrize(
    ("trace", "route", "options", "status", "actual"),
    [
        (routed(("agent", "sql")), "sql", {}, "passed", ["sql"]),
        (routed(("node", "docs")), "sql", {}, "failed", []),
        (routed(("node", "docs"), ("node", "sql")), "sql", {}, "passed", ["sql"]),
        (
            routed(("node", "docs"), ("node", "sql")),
            "sql",
            {"labels": ["docs"]},
            "failed",
            ["docs"],
        ),
        (
            routed(("tool", "to_sql")),
            "sql",
            {"labels": {"sql": ["to_sql"], "docs": ["to_docs"]}},
            "passed",
            ["sql"],
        ),
        (routed(says=" SQL\n"), "sql", {"labels": ["sql", "docs"]}, "passed", ["sql"]),
        (routed(says="ask sql"), "sql", {}, "failed", []),
        (routed(("tool", "b"), ("tool", "a")), ["a", "b"], {}, "passed", ["b", "a"]),
        (routed(("tool", "b")), ["a", "b"], {}, "failed", ["b"]),
        (routed(("tool", "b")), ["a", "b"], {"any_of": True}, "passed", ["b"]),
        (routed(("tool", "a"), ("tool", "c")), ["a", "b"], {"labels": ["c"]}, "failed", ["a", "c"]),
    ],
)
def test_route(judge, trace, route, options, status, actual):
    result = judge("route", trace, Case("c", route=route), **options)
    assert result.status == status
    expected = [route] if isinstance(route, str) else route
    assert result.evidence == {"expected": expected, "actual": actual}


def test_route_says_where_the_run_went(judge):
    case = Case("c", route="sql")
    wrong = judge("route", routed(("node", "docs")), case, labels=["docs", "sql"])
    assert wrong.reason == "the route was docs, expected sql"
    assert judge("route", Trace("t"), case).status == "not_evaluated"


@pytest.mark.parametrize(
    ("scores", "at", "status", "reason"),
    [
        ({"reward": 1}, 1.0, "passed", ""),
        ({"reward": 0.5}, 1.0, "failed", "the recorded reward is 0.5, under 1"),
        ({"reward": 4}, 3.5, "passed", ""),
        ({"other": 1}, 1.0, "not_evaluated", "the trace has no score 'reward': it has other"),
        ({}, 1.0, "not_evaluated", "the trace has no score 'reward': it has none"),
        ({"reward": float("nan")}, 1.0, "not_evaluated", "the recorded reward is no number"),
    ],
)
def test_recorded_score(judge, scores, at, status, reason):
    trace = Trace("t", scores=scores)
    result = judge("recorded_score", trace, score="reward", at=at)
    assert (result.status, result.reason) == (status, reason)


@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        (True, "passed", ""),
        (1, "passed", ""),
        (0.5, "failed", "the recorded resolved is 0.5, under 1"),
        (False, "failed", "the recorded resolved is False, under 1"),
        pytest.param(10**400, "passed", "", id="beyond floats"),
        ("1", "not_evaluated", "the recorded resolved is no number: '1'"),
        (float("nan"), "not_evaluated", "the recorded resolved is no number"),
        (None, "not_evaluated", "the trace has no score 'resolved': it has none"),
    ],
)
@pytest.mark.parametrize("where", ["metadata", "extensions"])
def test_a_score_may_be_any_key_that_says_a_number_or_yes_or_no(judge, said, status, reason, where):
    result = judge("recorded_score", Trace("t", **{where: {"resolved": said}}), score="resolved")
    assert (result.status, result.reason) == (status, reason)

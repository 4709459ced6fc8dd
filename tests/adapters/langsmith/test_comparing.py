"""Two experiments compared, through LangSmith's own `evaluate`, with repetitions."""

from typing import Any

import pytest

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat_langsmith import as_comparator, evaluate, push_suite

langsmith = pytest.importorskip("langsmith")

SUITE = Suite(
    "orders",
    [
        Case("lookup", {"order": "A1"}, expected_calls=["lookup"]),
        Case("none", {"order": "none"}, expected_calls=[]),
    ],
)


@langsmith.traceable(run_type="tool")
def lookup(id: str) -> str:
    return "shipped"


def good(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"output": lookup(id="A1") if inputs["order"] != "none" else "Which?"}


def always(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"output": lookup(id="A1")}


@pytest.fixture
def experiments(server: Any) -> Any:
    """Three good runs of each case and two of an agent that always looks up, by their projects."""
    client = langsmith.Client(api_url=server.url, api_key="x")
    push_suite(client, SUITE)
    names = []
    for target, trials in ((good, 3), (always, 2)):
        results = evaluate(target, "orders", trials=trials, client=client)
        names.append(results.about["source"])
    client.flush()
    yield client, names
    client.close()


def test_sides_are_told_apart_and_repetitions_taken_together(server: Any, experiments: Any) -> None:
    client, names = experiments
    server.feedback.clear()
    compared = langsmith.evaluate(
        tuple(names), evaluators=[as_comparator()], client=client, load_nested=True
    )
    found = {}
    for row in compared:
        result = row["evaluation_results"]["feedback.passhat_case_preferred"]
        projects = {id: one.get("session_id") for id, one in server.runs.items()}
        by_side: dict[str, set[Any]] = {}
        for id, score in result.scores.items():
            by_side.setdefault(projects[str(id)], set()).add(score)
        assert len(result.scores) == 5
        found[row["example"].inputs["order"]] = {frozenset(one) for one in by_side.values()}
    assert found == {"A1": {frozenset({0.5})}, "none": {frozenset({1.0}), frozenset({0.0})}}
    assert len(server.feedback) == 10
    assert {one["key"] for one in server.feedback} == {"passhat_case_preferred"}
    assert any("1 over 3 runs; against 0 over 2 runs" in one["comment"] for one in server.feedback)


def test_without_the_runs_inside_nothing_is_said_to_be_worse(server: Any, experiments: Any) -> None:
    client, names = experiments
    compared = langsmith.evaluate(
        tuple(names), evaluators=[as_comparator("trajectory")], client=client
    )
    for row in compared:
        result = row["evaluation_results"]["feedback.passhat_trajectory_preferred"]
        assert set(result.scores.values()) == {None}
        assert "load_nested=True" in next(iter(result.comment.values()))


def run(id: str, side: str, *calls: str, error: str | None = None) -> dict[str, Any]:
    asked = [{"id": f"c{at}", "name": name, "args": {}} for at, name in enumerate(calls)]
    messages = [
        {"type": "human", "content": "hi"},
        {"type": "ai", "content": "", "tool_calls": asked},
    ]
    return {
        "id": id,
        "run_type": "chain",
        "session_id": side,
        "inputs": {},
        "outputs": {"messages": messages},
        "error": error,
        "end_time": "2026-01-01T00:00:01",
    }


EXAMPLE = {"id": "e", "inputs": {"q": "hi"}, "outputs": {"expected_tool_calls": ["a", "b"]}}


def test_a_graded_score_and_runs_that_failed() -> None:
    compare = as_comparator("tool_call_f1")
    runs = [
        run("1", "A", "a", "b"),
        run("2", "A", "a", "b", error="ValueError('x')"),
        run("3", "A", "a", "b", error="RateLimitError('Error code: 429')"),
        run("4", "B", "a"),
    ]
    result = compare(runs, EXAMPLE)
    assert result["scores"] == {"1": 0.0, "2": 0.0, "3": 0.0, "4": 1.0}  # A half against 0.667.
    assert result["comment"]["1"].startswith("0.5 over 2 runs (left out: 1 infrastructure_error")
    three = compare([*runs, run("5", "C", "a", "b")], EXAMPLE)
    assert [three["scores"][id] for id in "145"] == [0.0, 0.5, 1.0]


def test_what_cannot_be_judged_beats_nobody() -> None:
    example = {"id": "e", "inputs": {"q": "hi"}, "outputs": {"answer": 1}}
    result = as_comparator()([run("1", "A", "a"), run("2", "B")], example)
    assert set(result["scores"].values()) == {None}
    assert "nothing judged: 1 not_evaluated" in result["comment"]["1"]


def test_runs_that_rightly_made_no_calls() -> None:
    example = {"id": "e", "inputs": {"q": "hi"}, "outputs": {"expected_tool_calls": []}}
    runs = [run("1", "A"), run("2", "B")]
    assert set(as_comparator(load_nested=True)(runs, example)["scores"].values()) == {0.5}
    assert set(as_comparator()(runs, example)["scores"].values()) == {None}


def test_no_such_check() -> None:
    with pytest.raises(UsageError):
        as_comparator("nope")

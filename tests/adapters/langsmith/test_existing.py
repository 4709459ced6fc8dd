"""Evaluators on experiments that ran before, whose runs the server gives with or without their insides."""

from collections.abc import Iterator
from typing import Any

import pytest

from passhat.case import Case, Suite
from passhat_langsmith import as_evaluator, from_suite, pass_hat_k, to_trace

langsmith = pytest.importorskip("langsmith")

SUITE = Suite(
    "orders",
    [
        Case("a", {"order": "A1"}, expected_calls=["lookup"]),
        Case("none", {"order": "none"}, expected_calls=[]),
    ],
)


@langsmith.traceable(run_type="tool")
def lookup(id: str) -> str:
    return "shipped"


def agent(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"output": lookup(id=inputs["order"])}  # Also where it should call nothing.


def idle(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"output": "Which?"}


@pytest.fixture
def client(server: Any) -> Iterator[Any]:
    """A client that sends in the background, as it does by itself."""
    made = langsmith.Client(api_url=server.url, api_key="x")
    yield made
    made.cleanup()


@pytest.fixture
def experiment(server: Any, client: Any) -> str:
    server.add("orders", from_suite(SUITE))
    done = langsmith.evaluate(agent, data="orders", client=client)
    done.wait()
    client.flush()
    return str(done.experiment_name)


@pytest.mark.parametrize("nested", [True, False])
def test_what_ran_inside_is_judged_only_where_it_was_loaded(
    client: Any, experiment: str, nested: bool
) -> None:
    """By itself LangSmith loads the roots alone, and a run without calls is not one that made none."""
    from langsmith.evaluation import evaluate_existing

    found = evaluate_existing(
        experiment,
        evaluators=[as_evaluator()],
        summary_evaluators=[pass_hat_k(1)],
        client=client,
        load_nested=nested,
    )
    verdicts = {
        row["example"].inputs["order"]: next(
            one for one in row["evaluation_results"]["results"] if one.key == "passhat_case"
        )
        for row in found
    }
    (summary,) = found._summary_results["results"]
    if nested:
        assert {key: one.value for key, one in verdicts.items()} == {
            "A1": "passed",
            "none": "failed",
        }
        assert summary.score == 0.5
    else:
        assert {one.value for one in verdicts.values()} == {"not_evaluated"}
        assert all("load_nested=True" in one.comment for one in verdicts.values())
        assert summary.score is None


@pytest.mark.parametrize("known", [True, False])
def test_a_run_without_runs_inside_rightly_has_none_where_that_is_said(
    server: Any, client: Any, known: bool
) -> None:
    from langsmith.evaluation import evaluate_existing

    server.add("orders", from_suite(SUITE))
    done = langsmith.evaluate(idle, data="orders", client=client)
    done.wait()
    client.flush()
    judge = as_evaluator("no_calls", load_nested=known)
    name = done.experiment_name
    rows = evaluate_existing(name, evaluators=[judge], client=client, load_nested=True)
    found = {one.value for row in rows for one in row["evaluation_results"]["results"]}
    assert found == {"passed" if known else "not_evaluated"}


def test_a_run_that_was_read_alone_does_not_say_that_it_made_no_calls(
    server: Any, client: Any, experiment: str
) -> None:
    from langsmith.schemas import Run

    held = next(one for one in server.runs.values() if one["name"] == "Target")
    alone = Run(**{key: one for key, one in held.items() if key != "session_name"})
    assert (
        to_trace(alone).gaps[0].startswith(f"calls: run {held['id']}: the runs inside it are not")
    )
    alone.child_runs = []
    assert to_trace(alone).gaps == ()
    alone.outputs = {"messages": [{"type": "human", "content": "hi"}]}
    alone.child_runs = None
    assert to_trace(alone).gaps == ()  # Its messages tell.

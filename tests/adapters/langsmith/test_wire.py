"""What the real client sends, compressed or not, and what an experiment does on a failing server."""

import time
from typing import Any

import pytest

from passhat.case import Case, Suite
from passhat_langsmith import evaluate, from_suite, pass_hat_k, to_traces

langsmith = pytest.importorskip("langsmith")

SUITE = Suite("orders", [Case("a", {"order": "A1"}, expected_calls=["lookup"])])


@langsmith.traceable(run_type="tool")
def lookup(id: str) -> str:
    return "shipped"


def agent(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"output": lookup(id=inputs["order"])}


@pytest.mark.parametrize(("zstd", "encoding"), [(True, "zstd"), (False, None)])
def test_what_is_sent_is_what_was_judged(stand_in: Any, zstd: bool, encoding: str | None) -> None:
    with stand_in(zstd=zstd) as server:
        server.add("orders", from_suite(SUITE))
        client = langsmith.Client(api_url=server.url, api_key="x")
        # A thread of the client's own asks the server; what is sent before it knows is not compressed.
        until = time.monotonic() + 30
        while zstd and client.compressed_traces is None and time.monotonic() < until:
            time.sleep(0.01)
        results = evaluate(agent, "orders", trials=3, client=client)
        client.flush()
        client.close()
        assert server.encodings == {encoding}
        name = results.about["source"]
        sent = [
            one for one in server.runs.values() if one.get("session_id") == server.project(name)
        ]
        traces = to_traces(sent)
    assert [one.passed for one in results] == [True] * 3
    assert [(one.calls[0].name, one.calls[0].result) for one in traces] == [
        ("lookup", "shipped")
    ] * 3
    assert {one.id for one in traces} == {one.trace_id for one in results}
    verdicts = [one for one in server.kept.values() if one["key"] == "passhat_case"]
    assert sorted(one["run_id"] for one in verdicts) == sorted(one.id for one in traces)


def test_an_experiment_outlives_a_server_that_fails_for_a_while(server: Any) -> None:
    server.add("orders", from_suite(SUITE))
    server.fail("POST /runs/multipart", status=500)
    server.fail("POST /runs/multipart", cut=True)
    server.fail("GET /examples", slow=0.3)
    server.fail("POST /feedback", status=429, retry_after=1)
    client = langsmith.Client(api_url=server.url, api_key="x")
    results = evaluate(agent, "orders", trials=2, client=client, summary_evaluators=[pass_hat_k(2)])
    client.flush()
    client.close()
    assert [one.passed for one in results] == [True] * 2
    assert [one["key"] for one in server.feedback] == ["pass^2"]
    assert len({one["run_id"] for one in server.sent("feedback")}) == 2

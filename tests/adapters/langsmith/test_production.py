"""Scoring what is recorded in a project, and the sources that name a server."""

import json
from datetime import UTC, datetime, timedelta
from inspect import signature
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langsmith_projects import trace

import passhat
from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat_langsmith import pull_suite, push_suite, score_project
from passhat_langsmith.flagging import SAMPLED
from passhat_langsmith.querying import whole_traces

langsmith = pytest.importorskip("langsmith")
CHECKS = Case("any", forbidden_calls=["refund"])


def test_a_sample_and_all_that_is_flagged(served: Any, connected: Any) -> None:
    for number in range(1, 201):
        served.add_runs("support", trace(number, "lookup"))
    flagged = {
        201: {"error": "ValueError('x')Traceback"},
        202: {"error": "GraphRecursionError('limit')"},
        203: {"seconds": 40},
        204: {"feedback_stats": {"user_score": {"n": 1, "avg": 0.0}}},
        205: {"error": "GraphInterrupt('waits')"},
    }
    for number, more in flagged.items():
        served.add_runs("support", trace(number, "refund", **more))
    scores = score_project(connected, "support", CHECKS, sample=0.2)
    assert scores.seen == 205
    tags = {one.trace_id: set(one.tags) for one in scores.results}
    for number, flag in ((201, "error"), (202, "limit"), (203, "slow"), (204, "thumbs_down")):
        assert f"flagged:{flag}" in tags[str(UUID(int=number << 64))]
    assert 20 < len(scores.sample) < 65
    assert all(SAMPLED in one.tags for one in scores.sample)
    assert {one.trace_id for one in scores.failures} >= {
        str(UUID(int=number << 64)) for number in (201, 202, 203, 204)
    }
    again = score_project(connected, "support", CHECKS, sample=0.2, feedback=False)
    assert {one.trace_id for one in again.results} == {one.trace_id for one in scores.results}
    few = score_project(connected, "support", CHECKS, sample=0, always=["slow"], feedback=False)
    assert [one.trace_id for one in few.results] == [str(UUID(int=203 << 64))]


def test_one_query_a_page(served: Any, connected: Any) -> None:
    for number in range(1, 101):
        served.add_runs("support", trace(number, "lookup", "look"))
    score_project(connected, "support", CHECKS, sample=1, feedback=False)
    queries = served.count("POST /runs/query") + served.count("POST /api/v2/runs/query")
    assert queries == (1 if served.version == "0.18.5" else 4)  # 400 runs.


@pytest.mark.parametrize(
    ("flags", "broken", "older", "newer"),
    [
        ({}, None, 0, 1),
        ({"ch_query_enabled": True}, None, 1, 0),
        ({"sdb_query_enabled": True}, None, 0, 1),
        ({"ch_query_enabled": False}, None, 0, 1),
        ({}, 404, 1, 1),  # It has not the newer query after all.
    ],
)
def test_the_query_that_the_server_has(
    stand_in: Any, flags: dict[str, bool], broken: int | None, older: int, newer: int
) -> None:
    with stand_in("0.18.5", **flags) as server:
        client = langsmith.Client(api_url=server.url, api_key="x")
        server.add_runs("support", trace(1, "lookup"))
        if broken is not None:
            server.fail("POST /api/v2/runs/query", status=broken, times=9)
        scores = score_project(client, "support", CHECKS, sample=1, feedback=False)
        client.close()
        assert len(scores.results) == 1
        asked = server.count("POST /runs/query"), server.count("POST /api/v2/runs/query")
        assert asked == (older, newer)


def test_a_run_that_came_too_late_for_its_trace_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """As where another machine's clock is behind by more than is reckoned with."""
    first, second = trace(1, "lookup"), trace(2, "lookup")
    late = second.pop()
    late["start_time"] = (datetime.now(UTC) - timedelta(hours=2)).isoformat()
    newest = sorted([*first, *second], key=lambda one: str(one["start_time"]), reverse=True)
    found = [runs for runs, _ in whole_traces(iter([newest, [late]]))]
    assert [len(one) for one in found] == [2, 3]
    assert f"run {late['id']} came when its trace {late['trace_id']}" in caplog.text


def test_feedback_is_written_once(served: Any, connected: Any) -> None:
    for number in range(1, 4):
        served.add_runs("support", trace(number, *(["refund"] if number == 2 else [])))
    scores = score_project(connected, "support", CHECKS, sample=1)
    assert (scores.written, scores.known) == (3, 0)
    bad = next(one for one in served.feedback if one["run_id"] == str(UUID(int=2 << 64)))
    assert (bad["key"], bad["score"], bad["value"]) == ("passhat_forbidden_calls", 0.0, "failed")
    assert "refund" in bad["comment"]
    assert bad["session_id"] == served.project("support")
    assert bad["feedback_source"]["type"] == "model"
    assert bad["feedback_source"]["metadata"]["lib"] == "passhat"
    tells = "extend_trace_retention" in signature(langsmith.Client.create_feedback).parameters
    assert bad.get("extend_trace_retention") is (False if tells else None)
    ids = set(served.kept)
    again = score_project(connected, "support", CHECKS, sample=1)
    assert (again.written, again.known) == (0, 3)
    served.kept.clear()  # As where the statistics are not there yet: the ids are the same.
    score_project(connected, "support", CHECKS, sample=1)
    assert set(served.kept) == ids


def test_failures_become_cases_with_the_expectation_left_to_correct(
    served: Any, connected: Any
) -> None:
    served.add_runs("support", trace(1, "lookup") + trace(2, "refund"))
    scores = score_project(connected, "support", CHECKS, sample=1, feedback=False)
    with pytest.raises(UsageError, match="redact=False"):
        scores.add_failures_to("todo")
    assert not served.sets

    def redact(case: Any) -> Any:
        return json.loads(json.dumps(case).replace("question 2", "[hidden]"))

    pushed = scores.add_failures_to("todo", redact=redact)
    assert pushed.created == (str(UUID(int=2 << 64)),)
    assert "question 2" not in json.dumps(served.examples("todo"))
    (case,) = pull_suite(connected, "todo").cases
    assert (case.input, case.expected_calls) == ("[hidden]", None)
    assert case.reference["recorded"]["calls"] == [{"name": "refund", "args": {}}]
    assert "refund" in case.reference["failed"]["forbidden_calls"]
    assert case.metadata["expectation"] == "to correct"
    assert passhat.grade(passhat.Trace("t"), case).status == "not_evaluated"
    (example,) = served.examples("todo")
    connected.update_examples(
        dataset_id=served.id_of("todo"),
        updates=[{"id": example["id"], "outputs": {"expected_calls": ["lookup"]}}],
    )
    again = scores.add_failures_to("todo", redact=redact)
    assert again.edited == pushed.created  # What somebody corrected is left.


def test_as_many_failures_become_cases_as_are_asked_for(server: Any, client: Any) -> None:
    server.add_runs("support", trace(1, "refund") + trace(2, "refund") + trace(3, "lookup"))
    scores = score_project(client, "support", CHECKS, sample=1, feedback=False)
    pushed = scores.add_failures_to("todo", redact=False, limit=1)
    assert pushed.created == (str(UUID(int=2 << 64)),)  # The newest.


@pytest.mark.parametrize(
    ("redact", "said"), [(lambda case: None, "redact gave null"), (lambda case: "x", "gave text")]
)
def test_a_redaction_that_gives_no_case(server: Any, client: Any, redact: Any, said: str) -> None:
    server.add_runs("support", trace(2, "refund"))
    scores = score_project(client, "support", CHECKS, sample=1, feedback=False)
    with pytest.raises(UsageError, match=said):
        scores.add_failures_to("todo", redact=redact)
    assert not server.sets


def test_langsmiths_own_anonymizer_redacts(server: Any, client: Any) -> None:
    from langsmith.anonymizer import create_anonymizer

    server.add_runs("support", trace(2, "refund"))
    scores = score_project(client, "support", CHECKS, sample=1, feedback=False)
    hide = create_anonymizer([{"pattern": r"question \d", "replace": "[asked]"}])
    scores.add_failures_to("todo", redact=hide)
    assert pull_suite(client, "todo").cases[0].input == "[asked]"


def test_runs_that_are_broken_or_not_over(server: Any, client: Any) -> None:
    broken = trace(1)
    broken[1]["inputs"] = {"messages": 5}
    server.add_runs("support", broken)
    server.add_runs("support", trace(2, end_time=None))
    server.add_runs("support", trace(3)[1:])  # Its root began before, or was lost.
    bad = trace(4)
    bad[0]["outputs"] = [1]
    server.add_runs("support", bad)
    scores = score_project(client, "support", CHECKS, sample=1)
    assert scores.running == 1
    assert [
        one.message.startswith(f"run {UUID(int=4 << 64)}") for one in scores.results.unread
    ] == [True]
    assert [one.trace_id for one in scores.results] == [str(UUID(int=1 << 64))]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"sample": 2}, "a share"),
        ({"always": ["eror"]}, "no flag 'eror'"),
        ({"checks": []}, "there is no check"),
        ({"checks": ["nope"]}, "nope"),
        ({"project": "nope"}, "no project 'nope'"),
    ],
)
def test_what_cannot_mean_anything(client: Any, more: Any, said: str) -> None:
    asked = {"project": "nope", "checks": CHECKS, **more}
    with pytest.raises(UsageError, match=said):
        score_project(client, **asked)


def test_a_client_that_samples_drops_feedback_and_is_refused(server: Any) -> None:
    client = langsmith.Client(api_url=server.url, api_key="x", tracing_sampling_rate=0.5)
    with pytest.raises(UsageError, match="drops feedback"):
        score_project(client, "support", CHECKS)


# Sources on the command line.


@pytest.fixture
def environment(served: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("LANGSMITH_ENDPOINT", served.url)
    monkeypatch.setenv("LANGSMITH_API_KEY", "x")
    return served


def test_a_project_and_a_dataset_are_sources(environment: Any, connected: Any) -> None:
    suite = Suite(
        "orders",
        [
            Case("one", "question 1", expected_calls=["lookup"]),
            Case("two", "asked otherwise", expected_calls=["lookup"]),
        ],
    )
    push_suite(connected, suite)
    ids = [one["id"] for one in environment.examples("orders")]
    environment.project("exp", reference_dataset_id=environment.id_of("orders"), extra={})
    environment.add_runs("exp", trace(1, "lookup", reference_example_id=ids[0]))
    environment.add_runs("exp", trace(2, "refund", reference_example_id=ids[1]))
    for by in ({"suite": "langsmith:dataset/orders"}, {"suite": suite}, {"expected": True}):
        results = passhat.score("langsmith:project/exp", **by)  # type: ignore[arg-type]
        found = {one.case_id: one.status for one in results}
        assert found == {"one": "passed", "two": "failed"}
    only = passhat.score("langsmith:project/exp?since=2h&limit=1", suite)
    assert sum(one.status != "not_run" for one in only) == 1
    environment.add_runs("support", trace(3))
    with pytest.raises(UsageError, match="is no experiment"):
        passhat.score("langsmith:project/support", expected=True)


def test_the_command_line_scores_a_project(environment: Any, tmp_path: Path) -> None:
    import os
    import subprocess
    import sys

    environment.add_runs("support", trace(1) + trace(2, "refund"))
    told = subprocess.run(
        f"{sys.executable} -m passhat score langsmith:project/support --checks no_calls"
        " --case any --format json".split(),
        capture_output=True,
        text=True,
        env={**os.environ},
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["trials"] == 2


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("langsmith:projects/x", "langsmith:project/NAME"),
        ("langsmith:project/", "langsmith:project/NAME"),
        ("langsmith:project/x?sinc=1d", "no option 'sinc'"),
        ("langsmith:project/x?since=soon", "since=soon"),
        ("langsmith:project/x?since=99999999999d", "since=99999999999d"),
        ("langsmith:project/x?limit=few", "limit=few: a whole number"),
        (f"langsmith:project/x?limit={'9' * 30}", "limit=9+: a whole number"),
        ("langsmith:project/gone", "no project 'gone'"),
        ("langsmith:dataset/x", "holds cases"),
    ],
)
def test_sources_that_are_none(environment: Any, source: str, said: str) -> None:
    environment.project("x", extra={})
    with pytest.raises(UsageError, match=said):
        passhat.score(source, checks=["no_calls"])

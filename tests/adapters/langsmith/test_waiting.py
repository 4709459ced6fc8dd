"""A server that is busy, cut off or gone is waited for as far as that can help."""

import socket
import time
from typing import Any

import pytest
from langsmith_projects import trace

from passhat.case import Case, Suite
from passhat.errors import PasshatError
from passhat_langsmith import pull_suite, push_suite, score_project
from passhat_langsmith.patience import patiently, wait_for

langsmith = pytest.importorskip("langsmith")
requests = pytest.importorskip("requests")
CHECKS = Case("any", forbidden_calls=["refund"])
SUITE = Suite("refunds", [Case(id, "Where is A1?", expected_calls=["lookup"]) for id in "abc"])


def test_a_busy_server_is_waited_for_as_it_asks(served: Any, connected: Any) -> None:
    connected.session.mount("http://", requests.adapters.HTTPAdapter())  # Without its own retries.
    served.add_runs("support", trace(1) + trace(2))
    for path in ("POST /runs/query", "POST /api/v2/runs/query", "POST /feedback"):
        served.fail(path, status=429, retry_after=0.1, times=6)
    served.fail("GET /sessions", status=502, retry_after=0)
    served.fail("POST /feedback", cut=True, after=True)
    served.fail("POST /feedback", slow=0.2)
    began = time.monotonic()
    scores = score_project(connected, "support", CHECKS, sample=1)
    assert time.monotonic() - began > 1.2  # Twelve times a tenth of a second.
    assert (len(scores.results), scores.written, len(served.kept)) == (2, 2, 2)


def test_the_clients_own_retries_wait_too(server: Any, client: Any) -> None:
    server.add_runs("support", trace(1))
    server.fail("POST /api/v2/runs/query", status=429, retry_after=1)
    assert len(score_project(client, "support", CHECKS, sample=1).results) == 1


def test_a_server_that_stays_busy_is_told(server: Any, patient: Any) -> None:
    server.add_runs("support", trace(1))
    server.fail("POST /api/v2/runs/query", status=429, retry_after=0.01, times=99)
    with pytest.raises(PasshatError, match="reading runs: LangSmith answers 429: too many"):
        score_project(patient, "support", CHECKS, sample=1)


def test_a_busy_server_is_waited_for_while_suites_are_moved(server: Any, patient: Any) -> None:
    server.fail("POST /v1/platform", status=429, retry_after=0.05, times=2)
    server.fail("GET /examples", status=429, retry_after=0.05)
    server.fail("GET /datasets", status=503, retry_after=0.05)
    assert len(push_suite(patient, SUITE).created) == 3
    assert pull_suite(patient, "refunds") == SUITE


def test_a_line_that_was_cut_after_the_examples_were_stored(server: Any, client: Any) -> None:
    server.fail("POST /v1/platform", cut=True, after=True, times=5)
    pushed = push_suite(client, SUITE)
    assert len(pushed.created) == 3
    assert pull_suite(client, "refunds") == SUITE


def test_a_line_that_was_cut_after_more_examples_than_a_page_were_stored(
    server: Any, client: Any
) -> None:
    suite = Suite("many", [Case(f"c{at}", "Hi?", expected_calls=[]) for at in range(450)])
    server.fail("POST /v1/platform/datasets", cut=True, after=True)
    assert len(push_suite(client, suite).created) == 450
    assert len(server.examples("many")) == 450


def test_what_waiting_cannot_mend_is_told_at_once(server: Any, client: Any) -> None:
    server.fail("GET /datasets", status=401, times=9)
    with pytest.raises(PasshatError, match="reading the dataset: LangSmith answers 401: the key"):
        push_suite(client, SUITE)
    assert server.count("GET /datasets") == 1


@pytest.mark.parametrize(
    ("stated", "wait"),
    [("3", 3.0), ("-1", 0.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0)]
    + [(stated, 1.0) for stated in ("inf", "nan", "1e999", "soon", None)],
)
def test_how_long_a_busy_server_asks_to_wait(stated: str | None, wait: float) -> None:
    """Where it says nothing that can be done, the client decides."""
    error = requests.HTTPError(response=requests.Response())
    error.response.status_code = 429
    if stated is not None:
        error.response.headers["Retry-After"] = stated
    assert wait_for(error, 0) == wait


def test_a_server_that_is_not_there_is_told_after_the_clients_own_tries() -> None:
    with socket.socket() as held:  # Bound, and not listening: nobody else takes the port.
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}"
        client = langsmith.Client(api_url=address, api_key="x", auto_batch_tracing=False)
        client.session.mount("http://", requests.adapters.HTTPAdapter())
        waits: list[float] = []
        with pytest.raises(PasshatError, match="nobody answers at the client's address"):
            patiently(lambda: client.read_dataset(dataset_name="x"), "reading", sleep=waits.append)
        assert waits == []

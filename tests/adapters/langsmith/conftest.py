"""The stand-in for LangSmith's API, and the real client connected to it."""

from collections.abc import Iterator
from typing import Any

import pytest
from langsmith_stand_in import LangSmithServer


@pytest.fixture(scope="session")
def stand_in() -> Any:
    """The class of the stand-in, for servers of another version."""
    return LangSmithServer


@pytest.fixture
def server(stand_in: Any) -> Iterator[Any]:
    """A stand-in that listens on the loopback while the test runs."""
    with stand_in() as running:
        yield running


@pytest.fixture
def client(server: Any) -> Iterator[Any]:
    """The real client, connected to the stand-in."""
    langsmith = pytest.importorskip("langsmith")
    made = langsmith.Client(api_url=server.url, api_key="x", auto_batch_tracing=False)
    yield made
    made.close()


@pytest.fixture
def patient(client: Any) -> Any:
    """The client without the retries of its session, which cannot wait for less than a second."""
    import requests

    client.session.mount("http://", requests.adapters.HTTPAdapter())
    return client


@pytest.fixture(params=["0.15.0", "0.18.5"])
def served(request: Any, stand_in: Any) -> Any:
    """A server of either generation."""
    with stand_in(request.param) as running:
        yield running


@pytest.fixture
def connected(served: Any) -> Any:
    langsmith = pytest.importorskip("langsmith")
    client = langsmith.Client(api_url=served.url, api_key="x")
    yield client
    client.close()

"""The stand-in for LangSmith's API."""

import pytest
from langsmith_stand_in import LangSmithServer


@pytest.fixture
def server():
    """A stand-in that listens on the loopback while the test runs."""
    with LangSmithServer() as running:
        yield running

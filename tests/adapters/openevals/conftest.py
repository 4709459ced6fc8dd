"""The stand-in for LangSmith's API, loaded by its path: a test folder is no package."""

import importlib.util
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "servers" / "langsmith.py"


@pytest.fixture
def server():
    """A stand-in that listens on the loopback while the test runs."""
    spec = importlib.util.spec_from_file_location("langsmith_stand_in", SERVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.LangSmithServer() as running:
        yield running

"""The stand-in for LangSmith's API, loaded by its path: a test folder is no package."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).resolve().parents[2] / "servers" / "langsmith.py"


@pytest.fixture
def server() -> Iterator[Any]:
    """A stand-in that listens on the loopback while the test runs."""
    spec = importlib.util.spec_from_file_location("langsmith_stand_in", SERVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.LangSmithServer() as running:
        yield running

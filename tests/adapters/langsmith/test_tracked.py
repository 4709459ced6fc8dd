"""Results inside tests that LangSmith's own pytest plugin tracks, and outside them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from passhat.result import Trial
from passhat_langsmith import log_results

pytest.importorskip("langsmith")

TESTS = """
import passhat, pytest
from langsmith import testing as t
from passhat_langsmith import log_results

def run(*names):
    calls = [{"id": str(at), "function": {"name": name, "arguments": "{}"}} for at, name in enumerate(names)]
    return [{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": calls}]

CASE = {"id": "c", "expected_calls": ["lookup"]}

@pytest.mark.langsmith
def test_passes():
    t.log_inputs({"q": "hi"})
    assert passhat.grade(run("lookup"), CASE).passed

@pytest.mark.langsmith
@pytest.mark.parametrize("asked", ["no call"])
def test_fails(asked):
    trial = passhat.grade(run(), CASE)
    assert not trial.passed
    log_results(trial)

def test_is_not_tracked():
    assert passhat.grade(run("lookup"), CASE).passed
    assert log_results(passhat.grade(run("lookup"), CASE)) == 0
"""


def run(
    server: Any, folder: Path, tests: str = TESTS, **environment: str
) -> subprocess.CompletedProcess[str]:
    (folder / "test_agent.py").write_text(tests, "utf-8")
    known = {key: held for key, held in os.environ.items() if not key.startswith("LANG")}
    about = {"LANGSMITH_ENDPOINT": server.url, "LANGSMITH_API_KEY": "x"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**known, **about, "LANGSMITH_TEST_SUITE": "agent", **environment},
        check=False,
    )


@pytest.mark.slow
def test_a_tracked_test_has_its_results_as_feedback(server: Any, tmp_path: Path) -> None:
    told = run(server, tmp_path, LANGSMITH_TRACING="true")
    assert told.returncode == 0, told.stdout
    held = [*server.kept.values()]
    found = sorted((one["key"], one.get("score")) for one in held if one["key"] != "pass")
    assert found == [
        ("passhat_case", 0.0),
        ("passhat_case", 0.0),  # Once by itself, and once by log_results.
        ("passhat_case", 1.0),
        ("passhat_trajectory", 0.0),
        ("passhat_trajectory", 0.0),
        ("passhat_trajectory", 1.0),
    ]
    bad = next(one for one in held if one["key"] == "passhat_trajectory" and not one["score"])
    assert "lookup(...) was not called" in bad["comment"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        {"LANGSMITH_TRACING": "true", "LANGSMITH_TEST_TRACKING": "false"},
        {"LANGSMITH_TRACING": "false", "LANGSMITH_TEST_TRACKING": "false"},
    ],
)
def test_with_tracking_off_nothing_is_logged_and_nothing_breaks(
    server: Any, tmp_path: Path, environment: dict[str, str]
) -> None:
    told = run(server, tmp_path, **environment)
    assert told.returncode == 0, told.stdout
    assert not server.kept
    assert not server.asked


@pytest.mark.slow
def test_with_tracing_off_ours_are_not_logged_though_theirs_are(
    server: Any, tmp_path: Path
) -> None:
    """There LangSmith's plugin still makes an experiment, and what logs in the test raises."""
    tests = TESTS.replace('    t.log_inputs({"q": "hi"})\n', "")
    told = run(server, tmp_path, tests, LANGSMITH_TRACING="false")
    assert told.returncode == 0, told.stdout
    assert {one["key"] for one in server.kept.values()} == {"pass"}
    told = run(server, tmp_path, LANGSMITH_TRACING="false")
    assert told.returncode == 1


def test_outside_a_test_of_langsmiths_nothing_is_logged() -> None:
    import langsmith.testing  # noqa: F401  # As in a session that loaded it.

    assert log_results(Trial("c", 0, "t", "passed")) == 0

"""Inside a test of LangSmith's pytest plugin our evaluators log their results, as theirs do."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("agentevals")

TESTS = """
import pytest
from langsmith import testing as t
from agentevals.trajectory.match import create_trajectory_match_evaluator
from passhat_openevals import as_evaluator

CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RUN = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "", "tool_calls": [CALL]}]

@pytest.mark.langsmith
def test_both():
    t.log_inputs({"q": "hi"})
    assert create_trajectory_match_evaluator()(outputs=RUN, reference_outputs=RUN)["score"]
    assert as_evaluator("trajectory")(outputs=RUN, reference_outputs=RUN)["score"] == 1.0
    assert as_evaluator("forbidden_calls")(outputs=RUN, reference_outputs={"forbidden_calls": ["f"]})["score"] == 0.0

def test_outside():
    assert as_evaluator("trajectory")(outputs=RUN, reference_outputs=RUN)["score"] == 1.0
"""


@pytest.mark.slow
@pytest.mark.parametrize("tracking", ["true", "false"])
def test_results_are_logged(tracking, server, tmp_path):
    (tmp_path / "test_agent.py").write_text(TESTS, "utf-8")
    known = {key: held for key, held in os.environ.items() if not key.startswith("LANG")}
    about = {
        "LANGSMITH_ENDPOINT": server.url,
        "LANGSMITH_API_KEY": "x",
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_TEST_TRACKING": tracking,
        "LANGSMITH_TEST_SUITE": "agent",
    }
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**known, **about},
        check=False,
    )
    if tracking == "true":
        assert ran.returncode == 0, ran.stdout
        found = {
            (one["key"], one.get("score")) for one in server.kept.values() if one["key"] != "pass"
        }
        assert {("passhat_trajectory", 1.0), ("passhat_forbidden_calls", 0.0)} <= found
        assert any(key == "trajectory_strict_match" for key, _ in found)
    else:
        assert not server.kept
        assert "passhat" not in ran.stdout.partition("short test summary")[2]

"""The examples that need a server, with the stand-in as theirs."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langsmith")
FOLDER = Path(__file__).resolve().parents[3] / "examples" / "langsmith"


def run(server: Any, folder: Path, script: str, *arguments: str) -> str:
    told = subprocess.run(
        [sys.executable, str(FOLDER / script), *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "LANGSMITH_ENDPOINT": server.url, "LANGSMITH_API_KEY": "x"},
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def test_datasets_both_ways(server: Any, tmp_path: Path) -> None:
    first = run(server, tmp_path, "datasets.py")
    assert first == "2 created, 0 updated, 0 unchanged\nTrue\n"
    assert run(server, tmp_path, "datasets.py") == "0 created, 0 updated, 2 unchanged\nTrue\n"


def test_production_traces(server: Any, tmp_path: Path) -> None:
    from datetime import UTC, datetime, timedelta
    from uuid import uuid4

    began = datetime.now(UTC) - timedelta(hours=1)
    for error in (None, "ValueError('x')"):
        root = str(uuid4())
        told = {
            "id": root,
            "trace_id": root,
            "run_type": "chain",
            "name": "agent",
            "start_time": began.isoformat(),
            "end_time": began.isoformat(),
            "inputs": {"question": "Write to me@example.org"},
            "error": error,
        }
        server.add_runs("shop", [told])
    said = run(server, tmp_path, "production.py", "shop")
    assert said.startswith("2 traces, ")
    assert "1 cases to correct in 'shop to correct'" in said
    (example,) = server.examples("shop to correct")
    assert example["inputs"] == {"input": "Write to <email>"}
    assert (tmp_path / "shop.scoring.jsonl").exists()

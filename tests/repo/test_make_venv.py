"""Making the environment on a machine whose Python will not do."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools/make_venv.sh"


@pytest.mark.parametrize(
    "said",
    ["Python 3.9.2, too old", "Python 3.12.1 without venv (Debian, Ubuntu: apt-get install ...)"],
)
def test_it_says_what_was_found_and_what_to_do(tmp_path: Path, said: str) -> None:
    python = tmp_path / "python3"
    python.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{said}'\nexit 1\n")
    python.chmod(0o755)
    ran = subprocess.run(
        ["sh", SCRIPT, tmp_path / "venv"],
        env={"PYTHON": str(python), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert "Python 3.11 or newer" in ran.stderr
    assert f"{python}: {said}" in ran.stderr
    assert "make PYTHON=" in ran.stderr
    assert not (tmp_path / "venv").exists()

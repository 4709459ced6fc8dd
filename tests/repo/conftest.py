"""What git knows of the repository."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """The files that git tracks, relative to the root; skips outside a checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = map(Path, listed.stdout.decode().strip("\0").split("\0"))
    return [name for name in names if (ROOT / name).is_file()]

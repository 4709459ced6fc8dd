"""Every block of README, the docs and the examples runs, and prints what the page says it prints."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = [folder for folder in sorted((ROOT / "examples").iterdir()) if folder.is_dir()]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *(folder / "README.md" for folder in EXAMPLES),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_runs_as_it_says(page: Path) -> None:
    command = [sys.executable, "-W", "error", "tools/docs_run.py", str(page.relative_to(ROOT))]
    ran = subprocess.run(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if ran.returncode:
        pytest.fail(f"{ran.stdout}\nUPDATE_DOCS=1 {' '.join(command[1:])}", pytrace=False)

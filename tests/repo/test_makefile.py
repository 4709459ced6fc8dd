"""The commands of README and CONTRIBUTING that set up the house: they exist and do what is said."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SH_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
MADE = re.compile(r"^make +([a-z]+)\b", re.MULTILINE)


@pytest.fixture
def make(tmp_path):
    """A function that runs make with the environment of this test in place of one of its own."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    tmp_path.joinpath("bin").symlink_to(Path(sys.executable).parent)
    for stamp in (".runtime", ".dev"):
        tmp_path.joinpath(stamp).touch()

    def run(*arguments):
        command = ["make", "--no-print-directory", f"VENV={tmp_path}", *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    return run


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_target_that_a_page_names_is_there(make, page):
    blocks = "".join(SH_BLOCK.findall(ROOT.joinpath(page).read_text(encoding="utf-8")))
    named = MADE.findall(blocks)
    assert "test" in named
    for target in named:
        planned = make("--dry-run", target)
        assert planned.returncode == 0, planned.stderr


def test_make_demo_scores_the_bundled_recordings(make):
    ran = make("demo")
    assert ran.returncode == 0, ran.stderr
    assert "pass^k: all of k runs pass" in ran.stdout


def test_make_test_lints_and_runs_every_test(make):
    planned = make("--dry-run", "test").stdout
    for tool in ("ruff check", "mypy", "pyright", "lint-imports", "docs_links.py", "pytest -q"):
        assert tool in planned, tool


def test_make_alone_lists_every_target(make):
    listed = make().stdout
    for target in ("demo", "test", "quick", "lint", "format", "docs", "bench", "pins", "clean"):
        assert f"make {target}" in listed

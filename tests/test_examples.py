"""What the examples' own pages cannot show: that an adapter is found once it is installed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

READER = Path(__file__).resolve().parent.parent / "examples/reader"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The example, built and installed by pip as a package of somebody else's, beside passhat."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "source"
    shutil.copytree(READER, source, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    # Built with the hatchling that is here: nothing is fetched.
    alone = ["--no-index", "--no-deps", "--no-build-isolation"]
    # pip takes no constraints of a build that it is told not to isolate.
    env = {name: value for name, value in os.environ.items() if name != "PIP_BUILD_CONSTRAINT"}
    subprocess.run([*pip, *alone, "--target", folder / "packages", source], check=True, env=env)
    return folder / "packages"


@pytest.fixture
def passhat(installed, tmp_path):
    """The command, where the example is installed."""

    def run(*args):
        return subprocess.run(
            [Path(sys.executable).with_name("passhat"), *map(str, args)],
            env={**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "100"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    return run


def test_an_adapter_of_ones_own_is_found_by_its_entry_point(passhat):
    assert "agentlog" in passhat("adapters").stdout
    ran = passhat("score", READER / "log.jsonl", "--checks", "loops")
    assert "2 runs of 1 case · log.jsonl (agentlog)" in ran.stdout, ran.stderr


def test_its_suites_and_recordings_move_to_other_worlds_and_back(passhat, tmp_path):
    there = passhat("convert", READER / "tasks.json", "--to", "adk", "-o", "orders.evalset.json")
    assert there.returncode == 0, there.stderr
    assert "1 case from agentlog to adk" in there.stderr
    back = passhat("convert", "orders.evalset.json", "--to", "agentlog", "-o", "tasks.json")
    assert back.returncode == 0, back.stderr
    assert '"must_call"' in (tmp_path / "tasks.json").read_text()
    messages = passhat("convert", READER / "log.jsonl", "--to", "openai", "-o", "runs.jsonl")
    assert messages.returncode == 0, messages.stderr
    assert "2 traces from agentlog to openai" in messages.stderr
    judged = passhat("parity", READER / "tasks.json", READER / "log.jsonl", "--doors", "openevals")
    assert judged.returncode == 0, judged.stderr


def test_it_passes_the_tests_of_every_adapter(installed, tmp_path):
    shutil.copy(READER / "test_agentlog.py", tmp_path)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_agentlog.py"],
        env={**os.environ, "PYTHONPATH": str(installed)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout

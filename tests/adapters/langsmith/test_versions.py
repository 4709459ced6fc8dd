"""The oldest LangSmith that is claimed, and the newest, do the same."""

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import passhat
import passhat_langsmith as ours

langsmith = pytest.importorskip("langsmith")
ROOT = Path(__file__).resolve().parents[3]
SCRIPT = Path(__file__).with_name("oldest.py")
DONE = ["evaluate local", "push and pull", "evaluate", "compare", "score a project", "sources"]


def claimed() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (said,) = project["optional-dependencies"]["langsmith"]
    return re.sub(r"^langsmith>=", "", said)


def without_langchain(folder: Path) -> Path:
    """The packages that are installed, but for those that need a newer LangSmith."""
    folder.mkdir()
    for one in Path(sysconfig.get_path("purelib")).iterdir():
        if not one.name.startswith(("langchain", "langgraph", "langsmith")):
            (folder / one.name).symlink_to(one)
    return folder


def run(version: str, *options: str, **environment: str) -> list[str]:
    told = subprocess.run(
        [sys.executable, "-W", "ignore", *options, str(SCRIPT), version],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    return [line for line in told.stdout.splitlines() if line in DONE]


@pytest.mark.slow
@pytest.mark.parametrize("server", ["0.15.0", "0.18.5"])
def test_the_oldest_that_is_claimed(tmp_path: Path, server: str) -> None:
    target = tmp_path / "oldest"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
    got = subprocess.run(
        [*pip, f"langsmith=={claimed()}"], capture_output=True, text=True, check=False
    )
    if got.returncode != 0:
        pytest.skip(f"langsmith {claimed()} cannot be installed here: {got.stderr[-300:]}")
    folders = [target, without_langchain(tmp_path / "others"), ROOT / "core", ROOT / "adapters"]
    path = os.pathsep.join(map(str, folders))
    assert run(claimed(), "-S", PYTHONPATH=path, SERVER_VERSION=server) == DONE


def test_no_method_that_langsmith_removes_in_january_2027_is_called(server: Any) -> None:
    def agent(inputs: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [{"role": "assistant", "content": "hi"}]}

    suite = passhat.Suite("s", (passhat.Case("a", {"q": "x"}, forbidden_calls=("refund",)),))
    client = langsmith.Client(api_url=server.url, api_key="x", auto_batch_tracing=False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ours.push_suite(client, suite, tag="v1")
        ours.pull_suite(client, "s", version="v1")
        name = ours.evaluate(agent, "s", trials=1, client=client).about["source"]
        assert ours.score_project(client, name, "no_calls", sample=1).written == 1
        list(client.list_runs(id=[uuid4()]))  # So that it is seen what the others do not do.
    client.close()
    removed = [one for one in told if "will be removed" in str(one.message)]
    by_us = [one for one in removed if "passhat_langsmith" in one.filename]
    told_of = "removed after" in (langsmith.Client.list_runs.__doc__ or "")  # Older ones are not.
    assert (len(removed), by_us) == (int(told_of), []), list(map(str, removed))


@pytest.mark.slow
def test_the_one_that_is_installed() -> None:
    assert run(version("langsmith")) == DONE

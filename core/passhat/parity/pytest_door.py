"""The door of pytest: `passhat.assert_passes` in tests that a pytest of its own runs."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from passhat.case import Suite
from passhat.errors import PasshatError
from passhat.grading.catalogue import CATALOGUE, build_check, known_checks
from passhat.parity.doors import CASE, Attempt, Told, Verdict

_SCORES = {"passed": 1.0, "failed": 0.0, "agent_error": 0.0}
"""The score of a test, by the status that its outcome stands for; others have none."""

_TESTS = """\
import pickle
from pathlib import Path

import passhat
import pytest

ATTEMPTS = pickle.loads(Path(__file__).with_name("attempts.pickle").read_bytes())


@pytest.mark.parametrize("number", range(len(ATTEMPTS)))
def test_attempt(number):
    trace, case = ATTEMPTS[number]
    passhat.assert_passes(trace, case)
"""

_CONFTEST = """\
import pickle
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest

from passhat.parity import told_of
from passhat.scoring import GRADED

for module in Path(__file__).with_name("modules.txt").read_text("utf-8").split():
    with suppress(ImportError):  # A check that is missing then is told by the tests that need it.
        import_module(module)
TRIALS = pytest.StashKey()
ROWS = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    trials = item.stash.setdefault(TRIALS, [])
    token = GRADED.set((*GRADED.get(), trials.append))
    try:
        return (yield)
    finally:
        GRADED.reset(token)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        raised = call.excinfo.value if call.excinfo is not None else None
        kind = type(raised).__name__ if raised is not None else None
        told = [told_of(trial) for trial in item.stash[TRIALS]]
        number = item.callspec.params["number"]
        ROWS.append((number, report.outcome, kind, str(raised or ""), told))
    return report


def pytest_sessionfinish():
    Path(__file__).with_name("told.pickle").write_bytes(pickle.dumps(ROWS))
"""


class PytestDoor:
    """Judges attempts by `passhat.assert_passes`, one test each, in a process of pytest's."""

    name = "pytest"
    about = "passhat.assert_passes in a pytest process"
    requires: tuple[str, ...] = ("pytest",)
    kind: Literal["ours", "theirs"] = "ours"
    not_carried: tuple[str, ...] = (
        "pytest says passed or failed, and why where it failed; the score and the reason of a "
        "check that passed come with the trial, not with the outcome",
    )

    def carries(self, told: Told) -> Told:
        """All of it."""
        return told

    def verdicts(self, suite: Suite, attempts: Sequence[Attempt]) -> Sequence[Verdict]:
        """What pytest says of each attempt.

        Raises:
            PasshatError: pytest did not run all the tests.
        """
        with tempfile.TemporaryDirectory(prefix="passhat-") as name:
            folder = Path(name)
            (folder / "attempts.pickle").write_bytes(
                pickle.dumps([(one.trace, one.case) for one in attempts])
            )
            (folder / "modules.txt").write_text("\n".join(_own_modules()), "utf-8")
            (folder / "test_attempts.py").write_text(_TESTS, "utf-8")
            (folder / "conftest.py").write_text(_CONFTEST, "utf-8")
            (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
            ran = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "passhat.pytest_plugin.hooks",
                 "-p", "no:cacheprovider", "--no-header", "--tb=no", "--show-capture=no", "-c", "pytest.ini", "test_attempts.py"],
                cwd=folder,
                env={
                    **_without(os.environ),
                    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                    "PYTHONPATH": os.pathsep.join(_path()),
                },
                capture_output=True,
                text=True,
                check=False,
            )  # fmt: skip
            told = folder / "told.pickle"
            # Written a moment ago, by tests of ours in a folder of ours.
            found = pickle.loads(told.read_bytes()) if told.exists() else []
        rows = {row[0]: _Row(*row) for row in found}
        if ran.returncode not in (0, 1) or len(rows) != len(attempts):
            last = (ran.stdout + ran.stderr).strip().splitlines()[-1:] or ["no word"]
            raise PasshatError(
                f"pytest ran {len(rows)} of {len(attempts)} tests and ended with "
                f"{ran.returncode}: {last[0]}"
            )
        return [_verdict(rows[at], one.case.id) for at, one in enumerate(attempts)]


class _Row(NamedTuple):
    number: int
    outcome: str
    raised: str | None
    message: str
    told: list[tuple[Told, ...]]


def _own_modules() -> list[str]:
    """The modules that the user's own checks come from, which their process has to load too."""
    own = (build_check(key) for key in known_checks() if key not in CATALOGUE)
    names = {str(getattr(getattr(check, "function", None), "__module__", "")) for check in own}
    return sorted(names - {"", "__main__"})


def _path() -> list[str]:
    """Where their process looks for modules: where this one does, and beside those of checks."""
    folders = []
    for name in _own_modules():
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            up = name.count(".") + (Path(file).name == "__init__.py")
            folders.append(str(Path(file).resolve().parents[up]))
    return [path or str(Path.cwd()) for path in (*sys.path, *folders)]


def _without(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without the options that the caller's own tests run with."""
    return {name: held for name, held in environment.items() if not name.startswith("PYTEST_")}


def _verdict(row: _Row, case_id: str) -> Verdict:
    """What one test said: the case by its outcome and message, the checks by its trial."""
    if len(row.told) != 1:
        return Verdict(why_not=f"pytest: {row.outcome}: {row.message}")
    whole, *checks = row.told[0]
    status, reason = "passed", whole.reason
    if row.outcome != "passed":
        counted = row.raised == "AssertionError"
        said = row.message.removeprefix(f"{case_id}: ") if counted else row.message
        status, _, reason = said.partition(", " if counted else ": ")
        if counted and "\n" in status:  # No reason; the checks follow.
            status, reason = status.partition("\n")[0], ""
        elif reason.startswith(f"{whole.reason}\n"):  # A reason may itself have several lines.
            reason = whole.reason
    return Verdict((Told(CASE, status, _SCORES.get(status), reason, whole.tables), *checks))

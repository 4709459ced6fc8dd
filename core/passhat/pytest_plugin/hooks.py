"""Where the plugin takes part in a session; nothing is loaded until a test asks for it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from passhat.pytest_plugin.asking import MARKER, NUMBER, RAISED, asked_of

_INI = "passhat_infrastructure"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the setting `passhat_infrastructure`."""
    parser.addini(
        _INI,
        "regular expressions, one a line: an exception whose `ClassName: message` has one is of the "
        "surroundings, and its trial does not count",
        type="linelist",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Says what the marker is, and keeps what the summary needs."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(trials=5, k=None, at_least=1.0, confidence=None, infrastructure=()): run the test "
        "as independent trials and hold it to pass^k",
    )
    if not hasattr(config, "workerinput"):  # A worker of xdist has a summary that nobody sees.
        from passhat.pytest_plugin.telling import Telling

        config.pluginmanager.register(Telling(), "passhat-summary")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuses a marker that says what cannot be meant, before anything runs."""
    patterns = config.getini(_INI)
    wrong = []
    for item in items:
        try:
            asked_of(item, patterns)
        except ValueError as error:
            wrong.append(f"{item.nodeid}: {error}")
    if wrong:
        raise pytest.UsageError("\n".join(wrong))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Runs a marked test as trials; every other test is left to pytest."""
    asked = asked_of(item, item.config.getini(_INI))
    if asked is None:
        return None
    from passhat.pytest_plugin.attempts import reports_of

    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in reports_of(item, nextitem, asked):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keeps the exceptions themselves, which reports have in words only."""
    report = yield
    if call.excinfo is not None and RAISED in item.stash:
        item.stash[RAISED].setdefault(call.when, []).append(call.excinfo.value)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Says nothing of subtests that failed inside a trial: the trial does."""
    from passhat.pytest_plugin.subtests import INSIDE

    return ("", "", "") if getattr(report, INSIDE, False) else None


@pytest.fixture
def passhat_trial(request: pytest.FixtureRequest) -> int:
    """Which trial of its test this is, counted from 0: a seed for what should differ."""
    number: int = request.node.stash.get(NUMBER, 0)
    return number

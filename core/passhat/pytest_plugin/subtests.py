"""Subtests inside a trial: each is a part of it, and none a result of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

INSIDE = "passhat_inside"
"""Marks the report of a subtest that failed inside a trial; the trial tells of it."""


class _Subtests:
    """Takes what fails in the subtests of a trial, which pytest would report at once."""

    def __init__(self, nodeid: str) -> None:
        self._nodeid = nodeid
        self._failed: list[Any] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps a subtest's failure before anybody counts it."""
        if report.nodeid == self._nodeid and report.failed:
            self._failed.append(report.longrepr)
            report.outcome, report.longrepr = "passed", None
            setattr(report, INSIDE, True)

    def fail(self, call: pytest.TestReport) -> None:
        """Fails the report of a trial that passed but for its subtests."""
        if call.passed and self._failed:
            call.outcome, call.longrepr = "failed", self._failed[0]


@contextmanager
def trial_of(item: pytest.Item) -> Iterator[_Subtests]:
    """What the subtests of a test do while a trial of it runs."""
    subtests = _Subtests(item.nodeid)
    item.config.pluginmanager.register(subtests)
    try:
        yield subtests
    finally:
        item.config.pluginmanager.unregister(subtests)
        _forget(item)


def _forget(item: pytest.Item) -> None:
    """Takes the failed subtests of this trial off what pytest counts for the whole test."""
    try:
        from _pytest.subtests import failed_subtests_key
    except ImportError:  # pytest 8 has none of its own.
        return
    counted: Any = item.config.stash[failed_subtests_key]
    counted.pop(getattr(item, "id", item.nodeid), None)

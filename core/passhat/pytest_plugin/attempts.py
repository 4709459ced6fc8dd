"""A test run as trials, each with fixtures of its own, and told as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import pytest
from _pytest.runner import runtestprotocol

from passhat.pytest_plugin.asking import NUMBER, RAISED, Asked
from passhat.pytest_plugin.asserting import TrialNotCounted
from passhat.pytest_plugin.deciding import Decision, decided
from passhat.pytest_plugin.subtests import trial_of

if TYPE_CHECKING:
    from passhat.failing import FailureRules

Ended: TypeAlias = Literal["passed", "failed", "infrastructure", "skipped", "broken"]

_WIDTH = 160


@dataclass(frozen=True)
class Attempt:
    """One trial of a test.

    Attributes:
        number: Which, counted from 0.
        ended: `broken` if a fixture of the test failed, which says nothing of the agent.
        why: The exception in short, if there was one.
        reports: By `setup`, `call`, `teardown`.
    """

    number: int
    ended: Ended
    why: str
    reports: dict[str, pytest.TestReport] = field(repr=False)

    def __str__(self) -> str:
        return f"trial {self.number}: {_SAID[self.ended]}{f': {self.why}' if self.why else ''}"


_SAID: dict[Ended, str] = {
    "passed": "passed",
    "failed": "failed",
    "infrastructure": "not counted, an error of the surroundings",
    "skipped": "skipped",
    "broken": "its setup failed",
}


class _Sibling:
    """A test that would run next beside this one: what they share stays set up, all else goes."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item

    def listchain(self) -> list[Any]:
        return [*self._item.listchain()[:-1], self]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._item, name)


def reports_of(
    item: pytest.Item, nextitem: pytest.Item | None, asked: Asked
) -> Iterator[pytest.TestReport]:
    """The reports of a test that is run as often as asked: one of each kind, as of any test."""
    attempts = _attempts(item, nextitem, asked)
    setups = [attempt.reports["setup"] for attempt in attempts]
    calls = [attempt.reports["call"] for attempt in attempts if "call" in attempt.reports]
    teardowns = [attempt.reports["teardown"] for attempt in attempts]
    broken = [attempt for attempt in attempts if attempt.ended == "broken"]
    skipped = all(attempt.ended == "skipped" for attempt in attempts)
    if broken or (skipped and not calls):
        yield _timed((broken or attempts)[-1].reports["setup"], setups)
    elif skipped:
        yield _timed(setups[0], setups)
        yield _timed(calls[0], calls)
    elif item.config.getoption("setuponly", False):
        yield _timed(setups[0], setups)
    else:
        decision = decided(asked, [attempt.ended for attempt in attempts])
        yield _timed(next(report for report in setups if not report.failed), setups)
        yield _told(attempts, decision, calls, item)
        # JUnit files take their properties from here.
        teardowns[-1].user_properties += decision.properties()
    failed = [report for report in teardowns if report.failed]
    yield _timed((failed or teardowns)[-1], teardowns)


def _attempts(item: pytest.Item, nextitem: pytest.Item | None, asked: Asked) -> list[Attempt]:
    rules = asked.rules()
    plan_only = item.config.getoption("setuponly", False)
    last = 1 if plan_only else asked.trials
    recorded = list(item.user_properties)
    attempts: list[Attempt] = []
    for number in range(last):
        item.stash[NUMBER] = number
        item.stash[RAISED] = {}
        # What was captured and recorded is kept on the test, and would come again with each trial.
        item._report_sections.clear()
        item.user_properties[:] = recorded
        ending = number == last - 1
        following = nextitem if ending else cast("pytest.Item", _Sibling(item))
        with trial_of(item) as subtests:
            found = runtestprotocol(item, nextitem=following, log=False)
        reports: dict[str, pytest.TestReport] = {str(report.when): report for report in found}
        if "call" in reports:
            subtests.fail(reports["call"])
        attempts.append(_attempt(number, reports, item, rules))
        if attempts[-1].ended == "broken" or _skips_all(attempts[-1]):
            if not ending:
                item.session._setupstate.teardown_exact(nextitem)
            break
    return attempts


def _skips_all(attempt: Attempt) -> bool:
    """Whether a test is skipped by a mark or in its fixtures: it would be in each trial."""
    return attempt.ended == "skipped" and "call" not in attempt.reports


def _attempt(
    number: int,
    reports: dict[str, pytest.TestReport],
    item: pytest.Item,
    rules: FailureRules,
) -> Attempt:
    call = reports.get("call")
    report = call or reports["setup"]
    all_of_it = item.stash[RAISED].get(str(report.when), [])
    why = _short(all_of_it[0] if all_of_it else None)
    if report.skipped and not hasattr(report, "wasxfail"):
        return Attempt(number, "skipped", why, reports)
    if report.passed or _passed_strictly(report, item):
        return Attempt(number, "passed", "", reports)
    if all_of_it and all(_of_the_surroundings(one, rules) for one in all_of_it):
        return Attempt(number, "infrastructure", why, reports)
    return Attempt(number, "failed" if call else "broken", why, reports)


def _of_the_surroundings(raised: BaseException, rules: FailureRules) -> bool:
    return isinstance(raised, TrialNotCounted) or (
        isinstance(raised, Exception | BaseExceptionGroup)
        and rules.outcome_of(raised) == "infrastructure_error"
    )


def _passed_strictly(report: pytest.TestReport, item: pytest.Item) -> bool:
    """Whether a trial passed that should fail, by a strict `xfail` or unittest: for pytest it failed."""
    told = str(report.longrepr)
    return report.failed and (
        told.startswith("[XPASS(strict)]")
        or (told.startswith("Unexpected success") and _expects_failure(item))
    )


def _expects_failure(item: pytest.Item) -> bool:
    """Whether `unittest.expectedFailure` stands on a test or on its class."""
    of = (getattr(item, "obj", None), getattr(item, "cls", None))
    return any(getattr(one, "__unittest_expecting_failure__", False) for one in of)


def _short(raised: BaseException | None) -> str:
    if raised is None:
        return ""
    lines = str(raised).strip().splitlines()
    text = f"{type(raised).__name__}{f': {lines[0]}' if lines else ''}"
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _told(
    attempts: list[Attempt], decision: Decision, calls: list[pytest.TestReport], item: pytest.Item
) -> pytest.TestReport:
    """The report of the trials: that of the first to fail, or to pass, with what all came to."""
    unlike = [attempt for attempt in attempts if attempt.ended != "passed"]
    worst = sorted(unlike, key=lambda attempt: attempt.ended != "failed")
    shown = (worst if not decision.passed and worst else attempts)[0]
    of = shown.reports.get("call") or shown.reports["setup"]
    report = pytest.TestReport(
        nodeid=of.nodeid,
        location=of.location,
        keywords=of.keywords,
        outcome="passed" if decision.passed else "failed",
        longrepr=None if decision.passed else of.longrepr,
        when="call",
        sections=list(of.sections),
        user_properties=[*of.user_properties, *decision.properties()],
    )
    listed = "\n".join(map(str, attempts))
    if decision.passed:
        report.sections.append(("passhat", f"{decision}\n{listed}"))
    else:
        _add(report, shown, f"{decision}\n{listed}", str(decision))
    strict = next((r.longrepr for r in calls if _passed_strictly(r, item)), None)
    if decision.passed and strict is not None:
        report.outcome, report.longrepr = "failed", f"{strict}\n{decision}\n{listed}"
        return _timed(report, calls)
    expected = next((r.wasxfail for r in calls if hasattr(r, "wasxfail")), None)
    if expected is not None:
        report.wasxfail = expected
        report.outcome = "passed" if decision.passed else "skipped"
    return _timed(report, calls)


def _add(report: pytest.TestReport, shown: Attempt, listed: str, told: str) -> None:
    """Adds what the trials came to, to the traceback of one of them."""
    longrepr: Any = report.longrepr
    if hasattr(longrepr, "addsection"):
        longrepr.addsection(f"passhat: this is trial {shown.number}", listed)
        crash = getattr(longrepr, "reprcrash", None)
        if crash is not None:
            crash.message = f"{told}; {crash.message}"
    else:
        report.longrepr = f"{longrepr or ''}\n{listed}".lstrip()


def _timed(report: pytest.TestReport, all_of_kind: list[pytest.TestReport]) -> pytest.TestReport:
    """The report with the time of all trials together."""
    if all_of_kind:
        report.duration = sum(other.duration for other in all_of_kind)
        report.start = min(other.start for other in all_of_kind)
        report.stop = max(other.stop for other in all_of_kind)
    return report

"""What the session's summary says of tests that were run as trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passhat.pytest_plugin.deciding import Decision

if TYPE_CHECKING:
    import pytest


class Telling:
    """Gathers what the reports of a session say, from the workers of xdist too."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], Decision] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps the decision that a report holds."""
        if report.when == "call" and (found := Decision.of_properties(report.user_properties)):
            # With --dist each every worker of xdist runs the test.
            worker = getattr(getattr(report, "node", None), "gateway", None)
            self.found[report.nodeid, getattr(worker, "id", "")] = found

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """A line for each test: n, c, pass^k, and what it was held to."""
        if not self.found:
            return
        terminalreporter.section("passhat: tests run as trials")
        several = len({nodeid for nodeid, _ in self.found}) < len(self.found)
        named = [f"[{worker}] {nodeid}" if several else nodeid for nodeid, worker in self.found]
        width = max(map(len, named))
        terminalreporter.write_line(f"{'':2}{'test':{width}}   n   c      pass^k  at least")
        for name, decision in zip(named, self.found.values(), strict=True):
            mark = "✓" if decision.passed else ("–" if decision.pass_hat_k is None else "✗")
            terminalreporter.write_line(
                f"{mark} {name:{width}} {decision.n:3} {decision.c:3}  {_value(decision)}"
                f"  {decision.at_least:8.3g}{_left(decision)}",
                **{"green" if decision.passed else "red": True},
            )


def _value(decision: Decision) -> str:
    if decision.pass_hat_k is None:
        return f"pass^{decision.k}     –"
    return f"pass^{decision.k} {decision.pass_hat_k:5.3f}"


def _left(decision: Decision) -> str:
    told = []
    if decision.confidence is not None and decision.low is not None:
        told.append(f"lower bound {decision.low:.3f} at {decision.confidence:g}")
    if decision.infrastructure:
        told.append(f"{decision.infrastructure} not counted: errors of the surroundings")
    if decision.skipped:
        told.append(f"{decision.skipped} skipped")
    if decision.pass_hat_k is None:
        told.append("not evaluated")
    return f"  {'; '.join(told)}" if told else ""

"""The trials of one case, added up as they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from passhat.reliability.estimators import pass_hat_k
from passhat.reliability.parting import Point, compared
from passhat.reliability.summary import CaseSummary, PartingPoint
from passhat.result import COUNTED, Trial

OF_THE_SURROUNDINGS = ("infrastructure_error", "not_run")
"""The statuses that say nothing of the agent."""

_MOST_POINTS = 5


@dataclass(slots=True)
class CaseTally:
    """What the trials of one case come to so far."""

    n: int = 0
    c: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    observed: int = 0
    measured: int = 0
    calls: float = 0
    errors: float = 0
    failure_classes: Counter[str] = field(default_factory=Counter)
    compared: int = 0
    parted: dict[bool, Counter[Point]] = field(
        default_factory=lambda: {True: Counter(), False: Counter()}
    )
    tags: dict[str, None] = field(default_factory=dict)

    @property
    def rank(self) -> tuple[int, float, int]:
        """Flaky before never before always before not judged; among flaky, the evenest first."""
        if not self.n:
            return 3, 0.0, 0
        if 0 < self.c < self.n:
            return 0, abs(self.c / self.n - 0.5), -self.c
        return (1 if self.c == 0 else 2), 0.0, 0

    def add(self, trial: Trial, status: str, points: frozenset[Point]) -> None:
        """Adds a trial of the case.

        Args:
            trial: The trial.
            status: Its status in the ledger.
            points: Where it parts from what was expected.
        """
        if status not in OF_THE_SURROUNDINGS:
            self.observed += 1
            if (calls := trial.measures.get("tool_calls")) is not None:
                self.measured += 1
                self.calls += calls
            self.errors += trial.measures.get("tool_errors", 0)
        if status not in COUNTED:
            self.left_out[status] += 1
            return
        self.n += 1
        self.c += trial.passed
        self.compared += compared(trial)
        if points:
            self.parted[trial.passed].update(points)
        if not trial.passed:
            self.failure_classes[trial.failed_as or status] += 1

    def summary(self, name: str, ks: Sequence[int]) -> CaseSummary:
        """What the trials of the case of that name come to."""
        return CaseSummary(
            case_id=name,
            n=self.n,
            c=self.c,
            left_out=dict(self.left_out),
            pass_hat_k={k: pass_hat_k(self.n, self.c, k) for k in ks if self.n},
            tool_calls=self.calls / self.measured if self.measured else None,
            tool_errors=int(self.errors),
            failure_classes=dict(self.failure_classes.most_common()),
            compared=self.compared,
            parting=self._parting(),
            tags=tuple(self.tags),
        )

    def _parting(self) -> tuple[PartingPoint, ...]:
        """The points that failed trials have more often than passed ones, most telling first."""
        failed, passed = self.parted[False], self.parted[True]
        lost, won = max(self.n - self.c, 1), max(self.c, 1)
        excess = {point: times / lost - passed[point] / won for point, times in failed.items()}
        ranked = sorted(
            (point for point in failed if excess[point] > 0),
            key=lambda point: (-excess[point], point.tool, point.arg or "", point.kind),
        )
        return tuple(
            PartingPoint(*point, failed=failed[point], passed=passed[point])
            for point in ranked[:_MOST_POINTS]
        )

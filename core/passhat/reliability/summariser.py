"""Adds trials up as they come, and makes their summary; memory does not grow with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from passhat.case import Case
from passhat.errors import TraceError
from passhat.reliability.casetally import OF_THE_SURROUNDINGS, CaseTally
from passhat.reliability.counts import Counts
from passhat.reliability.efficiency import EfficiencyTally
from passhat.reliability.estimators import mean_pass_at_k, mean_pass_hat_k
from passhat.reliability.faulted import FaultTally
from passhat.reliability.intervals import zero_failures_bound
from passhat.reliability.labels import RefusalTally, RouteTally, label_table
from passhat.reliability.ledger import (
    STATUSES,
    Left,
    LeftOutTally,
    Sensitivity,
    Unread,
    sensitivity,
    shared_k,
)
from passhat.reliability.mean_intervals import Method, interval_pass_at_k, interval_pass_hat_k
from passhat.reliability.parting import PartingTally, Point
from passhat.reliability.planning import few_cases_warning
from passhat.reliability.rates import CheckTally
from passhat.reliability.summary import CaseSummary, Intervals, Summary, TagSummary
from passhat.reliability.wording import counted, natural_key, percent
from passhat.result import COUNTED, Trial
from passhat.wording import joined

MOST_KS = 5
"""How many ks are told where none are asked for."""

_LISTED = 20
_MOST_TAGS = 200


class Summariser:
    """Adds trials up as they come.

    Memory grows with the number of cases, tools and checks, not with that of trials (but for eight
    bytes a measure of successful trials, for exact percentiles).

    Args:
        cases: The cases of the suite, for what only they know: the fewest calls a task takes.

    >>> from passhat.result import Trial
    >>> adding = Summariser()
    >>> for number, status in enumerate(["passed", "passed", "failed"]):
    ...     adding.add(Trial("refund", number, f"t{number}", status))
    >>> print(adding.summary(ks=[1]).verdict)
    Passes 67 % of the time: 2 of 3 runs, over 1 case.
    """

    def __init__(self, cases: Iterable[Case] = ()) -> None:
        self._optimal = {case.id: case.optimal_steps for case in cases}
        self._trials = 0
        self._ledger: Counter[str] = Counter()
        self._cases: dict[str, CaseTally] = {}
        self._caseless = 0
        self._checks = CheckTally()
        self._parting = PartingTally()
        self._efficiency = EfficiencyTally()
        self._routes = RouteTally()
        self._refusals = RefusalTally()
        self._faults = FaultTally()
        self._failure_classes: Counter[str] = Counter()
        self._tags: dict[str, dict[str, list[int]]] = {}
        self._more_tags = False
        self._left_out = LeftOutTally()
        self._stopped = False
        self._unread: list[str] = []
        self._unread_count = 0

    def add(self, trial: Trial) -> None:
        """Adds one trial. One without a case is left out of pass^k, whatever its status."""
        self._trials += 1
        self._stopped |= "until" in trial.pins
        status, reason = trial.status, trial.reason
        if trial.case_id is None and status in COUNTED:
            status, reason = "not_evaluated", "the trace joins no case"
        counts = status in COUNTED
        self._ledger[status] += 1
        if not counts:
            self._left_out.add(trial, status, reason)
        points: frozenset[Point] = frozenset()
        if status not in OF_THE_SURROUNDINGS:
            self._checks.add(trial, counts=counts)
            points = self._parting.add(trial)
            self._routes.add(trial)
            self._refusals.add(trial)
            self._faults.add(trial)
        if counts:
            self._efficiency.add(trial, self._optimal.get(trial.case_id or ""))
            if not trial.passed:
                self._failure_classes[trial.failed_as or status] += 1
        if trial.case_id is None:
            self._caseless += 1
        else:
            self._add_to_case(trial.case_id, trial, status, points)

    def add_unread(self, error: TraceError) -> None:
        """Counts and names an attempt that could not be read."""
        self._unread_count += 1
        if len(self._unread) < _LISTED:
            self._unread.append(str(error))

    @property
    def unread(self) -> tuple[str, ...]:
        """The first attempts that could not be read, each with its place."""
        return tuple(self._unread)

    def _add_to_case(
        self, case_id: str, trial: Trial, status: str, points: frozenset[Point]
    ) -> None:
        case = self._cases.get(case_id)
        if case is None:
            case = self._cases[case_id] = CaseTally()
        case.add(trial, status, points)
        if status not in COUNTED:
            return
        for tag in trial.tags:
            if tag not in self._tags and len(self._tags) >= _MOST_TAGS:
                self._more_tags = True
                continue
            case.tags[tag] = None
            held = self._tags.setdefault(tag, {}).setdefault(case_id, [0, 0])
            held[0] += 1
            held[1] += trial.passed

    def summary(
        self,
        ks: Sequence[int] | None = None,
        *,
        confidence: float = 0.95,
        method: Method = "auto",
        seed: int = 0,
        about: Mapping[str, str] | None = None,
    ) -> Summary:
        """What the trials so far come to.

        Args:
            ks: The ks of pass^k and pass@k; by default 1 to the fewest trials of a case, at most 5.
            confidence: Of the intervals, between 0 and 1.
            method: Of the intervals, as in `interval_pass_hat_k`.
            seed: For the bootstraps.
            about: What is summarised: `source`, `format`, `judged_by`.

        Raises:
            EstimationError: A k that some case's trials do not allow; the case is named.
            UsageError: There is no such method.
        """
        counts = [Counts(case.n, case.c, name) for name, case in self._cases.items() if case.n]
        if ks is None:
            ks = range(1, shared_k(counts, MOST_KS) + 1)
        told = sorted(set(ks)) if counts else []
        intervals = Intervals(
            {k: interval_pass_hat_k(counts, k, confidence, method, seed) for k in told},
            {k: interval_pass_at_k(counts, k, confidence, method, seed) for k in told},
        )
        return Summary(
            about=dict(about or {}) | ({"stopped": "when decided"} if self._stopped else {}),
            trials=self._trials,
            pass_hat_k={k: mean_pass_hat_k(counts, k) for k in told},
            pass_at_k={k: mean_pass_at_k(counts, k) for k in told},
            intervals=intervals,
            confidence=confidence,
            method=method,
            ledger={status: self._ledger[status] for status in STATUSES},
            sensitivity=self._sensitivity(told),
            cases=tuple(self._case_summaries(told)),
            checks=self._checks.checks(),
            rates=self._checks.rates(),
            efficiency=self._efficiency.efficiency(),
            failure_classes=dict(self._failure_classes.most_common()),
            tools=self._parting.tools(),
            tool_confusion=label_table(self._parting.confusion()),
            routing=self._routes.table(),
            refusals=self._refusals.refusals(),
            faults=self._faults.summary(confidence),
            tags={tag: _tag_summary(cases, told) for tag, cases in sorted(self._tags.items())},
            left_out=self._left_out.left_out(),
            unread=Unread(self._unread_count, self.unread),
            notes=tuple(self._notes(counts, told, confidence)),
        )

    def _sensitivity(self, ks: Sequence[int]) -> Sensitivity:
        return sensitivity(
            (Left(case.n, case.c, case.left_out.total()) for case in self._cases.values()),
            self._caseless + self._unread_count,
            ks or (1,),
        )

    def _case_summaries(self, ks: Sequence[int]) -> Iterator[CaseSummary]:
        ranked = sorted(self._cases.items(), key=lambda item: (*item[1].rank, natural_key(item[0])))
        return (case.summary(name, ks) for name, case in ranked)

    def _notes(
        self, counts: Sequence[Counts], ks: Sequence[int], confidence: float
    ) -> Iterator[str]:
        if counts and (warning := few_cases_warning(len(counts))):
            yield warning
        if counts and all(case.c == case.n for case in counts):
            bound = zero_failures_bound(len(counts), confidence)
            yield (
                f"no failure in {counted(len(counts), 'case')}: up to {percent(bound)} may still "
                f"fail ({percent(confidence)} confidence)"
            )
        sizes = [case.n for case in counts]
        if sizes and min(sizes) < max(sizes):
            fewest = min(counts, key=lambda case: case.n)
            yield (
                f"cases differ in their trials, from {fewest.n} (case {fewest.case_id}) "
                f"to {max(sizes)}; each case counts the same"
            )
        if sizes and max(sizes) == 1 and list(ks) == [1]:
            yield "one run a case: record several to tell how often one passes again"
        unjudged = [name for name, case in self._cases.items() if not case.n and case.observed]
        if unjudged:
            yield (
                f"{counted(len(unjudged), 'case')} tried, and never judged: "
                f"{joined(sorted(unjudged, key=natural_key), 5)}"
            )
        if self._more_tags:
            yield f"more than {_MOST_TAGS} different tags: the rest is not told apart"


def _tag_summary(cases: Mapping[str, Sequence[int]], ks: Sequence[int]) -> TagSummary:
    counts = [Counts(n, c, name) for name, (n, c) in cases.items()]
    fewest = min(case.n for case in counts)
    return TagSummary(
        cases=len(counts),
        n=sum(case.n for case in counts),
        c=sum(case.c for case in counts),
        pass_hat_k={k: mean_pass_hat_k(counts, k) for k in ks if k <= fewest},
    )

"""Pooled rates and what each check said: sums over trials, each with its denominator."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import Struct

from passhat.result import CheckResult, Trial

UPSIDE_DOWN = {"schema_valid": "invalid_calls"}
"""Checks whose rate is also asked for from its other end, and what that is called."""

RUNS_WITH_FORBIDDEN = "runs_with_forbidden_call"


class Rate(Struct, frozen=True):
    """A rate with what it is of.

    Attributes:
        value: `hits / of`; None where there was nothing to count.
        of: The denominator.
        hits: The numerator.

    >>> Rate.over(3, 4)
    Rate(value=0.75, of=4, hits=3)
    >>> Rate.over(0, 0).value is None
    True
    """

    value: float | None
    of: float
    hits: float

    @classmethod
    def over(cls, hits: float, of: float) -> Rate:
        """The rate of that numerator and denominator."""
        return cls(hits / of if of else None, of, hits)


class CheckCounts(Struct, frozen=True):
    """What one check said over many trials.

    Attributes:
        passed: Trials in which it held.
        failed: Trials in which it did not.
        not_evaluated: Trials in which there was nothing to judge.
        error: Trials in which the check itself broke.
        mean: The mean of its scores, where it scored.
        required: Whether verdicts depended on it.
        when_passed: Of the trials that passed and that it judged, those in which it held.
        when_failed: Of the trials that failed and that it judged, those in which it held.
    """

    passed: int
    failed: int
    not_evaluated: int
    error: int
    mean: float | None
    required: bool
    when_passed: Rate
    when_failed: Rate


@dataclass(slots=True)
class _CheckTally:
    statuses: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("passed", "failed", "not_evaluated", "error"), 0)
    )
    scored: int = 0
    total: float = 0.0
    required: bool = False
    hits: float = 0.0
    of: float = 0.0
    pooled: bool = False
    held: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    judged: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})


@dataclass(slots=True)
class CheckTally:
    """Adds up what checks say, trial by trial."""

    _checks: dict[str, _CheckTally] = field(default_factory=dict)
    _calls: float | None = None
    _errors: float = 0

    def add(self, trial: Trial, *, counts: bool) -> None:
        """Adds the results of one trial that ran; `counts` says whether it has a verdict."""
        if (calls := trial.measures.get("tool_calls")) is not None:
            self._calls = (self._calls or 0) + calls
            self._errors += trial.measures.get("tool_errors", 0)
        for result in trial.results:
            tally = self._checks.get(result.key)
            if tally is None:
                tally = self._checks[result.key] = _CheckTally()
            _add(tally, result, trial.passed if counts else None)

    def checks(self) -> dict[str, CheckCounts]:
        """What each check said, required ones first, in the order they came."""
        ranked = sorted(self._checks.items(), key=lambda item: not item[1].required)
        return {
            key: CheckCounts(
                **tally.statuses,
                mean=tally.total / tally.scored if tally.scored else None,
                required=tally.required,
                when_passed=Rate.over(tally.held[True], tally.judged[True]),
                when_failed=Rate.over(tally.held[False], tally.judged[False]),
            )
            for key, tally in ranked
        }

    def rates(self) -> dict[str, Rate]:
        """The pooled rates: of each check that counts something, and of what follows from it."""
        found: dict[str, Rate] = {}
        for key, tally in self._checks.items():
            if tally.pooled:
                found[key] = Rate.over(tally.hits, tally.of)
                if key in UPSIDE_DOWN:
                    found[UPSIDE_DOWN[key]] = Rate.over(tally.of - tally.hits, tally.of)
        forbidden = self._checks.get("forbidden_calls")
        if forbidden is not None:
            failed = forbidden.statuses["failed"]
            found[RUNS_WITH_FORBIDDEN] = Rate.over(failed, failed + forbidden.statuses["passed"])
        if self._calls is not None:
            found.setdefault("error_rate", Rate.over(self._errors, self._calls))
        return found


def _add(tally: _CheckTally, result: CheckResult, passed: bool | None) -> None:
    tally.statuses[result.status] += 1
    tally.required = tally.required or result.required
    if result.score is not None:
        tally.scored += 1
        tally.total += result.score
    if result.status in ("passed", "failed") and passed is not None:
        tally.judged[passed] += 1
        tally.held[passed] += result.status == "passed"
    if (counts := result.counts) is not None:
        tally.pooled = True
        tally.hits += counts[0]
        tally.of += counts[1]

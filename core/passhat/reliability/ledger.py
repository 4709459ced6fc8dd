"""What was left out of the rates, why, and what it could have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, get_args

from msgspec import Struct

from passhat.reliability.counts import Counts
from passhat.reliability.estimators import pass_hat_k
from passhat.result import Trial, TrialStatus

STATUSES: tuple[TrialStatus, ...] = get_args(TrialStatus)

_MOST_REASONS = 100
_MOST_RUNS = 5


class LeftOut(Struct, frozen=True):
    """Trials that do not count, and why.

    Attributes:
        status: Their status in the ledger.
        reason: Why.
        count: How many there are.
        runs: The first of them: `case #trial`, the case alone where none was run, or the trace's
            id where it joins no case.
    """

    status: str
    reason: str
    count: int
    runs: tuple[str, ...]


@dataclass(slots=True)
class LeftOutTally:
    """Adds up why trials do not count."""

    _count: Counter[tuple[str, str]] = field(default_factory=Counter)
    _runs: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, trial: Trial, status: str, reason: str) -> None:
        """Adds a trial that does not count."""
        key = (status, reason)
        if key not in self._runs and len(self._runs) >= _MOST_REASONS:
            key = (status, "for other reasons")
        self._count[key] += 1
        runs = self._runs.setdefault(key, [])
        if len(runs) < _MOST_RUNS:
            runs.append(_name(trial))

    def left_out(self) -> tuple[LeftOut, ...]:
        """Why trials do not count, the most frequent reason first."""
        return tuple(
            LeftOut(*key, count=count, runs=tuple(self._runs[key]))
            for key, count in self._count.most_common()
        )


def _name(trial: Trial) -> str:
    if trial.case_id is None:
        return trial.trace_id
    return trial.case_id if trial.status == "not_run" else f"{trial.case_id} #{trial.trial}"


class Unread(Struct, frozen=True):
    """Recorded attempts that could not be read.

    Attributes:
        count: How many.
        errors: The first of them, each with its place.
    """

    count: int = 0
    errors: tuple[str, ...] = ()


class Sensitivity(Struct, frozen=True):
    """What pass^k would be, had all that was left out failed, or passed.

    An attempt that joined no case, or could not be read, is taken as a case of its own. Where even
    so a case has fewer than k trials, its pass^k is 0 with a failure among them, else 1.

    Attributes:
        left_out: Trials that do not count, and attempts that could not be read.
        if_failed: pass^k, by k, had they all failed.
        if_passed: pass^k, by k, had they all passed.
    """

    left_out: int = 0
    if_failed: dict[int, float] = {}
    if_passed: dict[int, float] = {}


class Left(NamedTuple):
    """The trials of one case: those that count, those that passed, those left out."""

    n: int
    c: int
    left_out: int


def sensitivity(cases: Iterable[Left], caseless: int, ks: Sequence[int]) -> Sensitivity:
    """What pass^k would be, had all that was left out failed, or passed.

    Args:
        cases: The trials of each case.
        caseless: Attempts left out that belong to no known case.
        ks: The ks to tell it for.

    >>> told = sensitivity([Left(4, 4, 0), Left(3, 3, 1)], caseless=0, ks=[1, 4])
    >>> told.if_failed, told.if_passed
    ({1: 0.875, 4: 0.5}, {1: 1.0, 4: 1.0})
    """
    known = [case for case in cases if case.n or case.left_out]
    left_out = sum(case.left_out for case in known) + caseless
    total = len(known) + caseless
    if not total:
        return Sensitivity()
    failed: dict[int, float] = {}
    passed: dict[int, float] = {}
    for k in ks:
        failed[k] = sum(_pass_hat_k(case.n + case.left_out, case.c, k) for case in known) / total
        best = sum(_pass_hat_k(case.n + case.left_out, case.c + case.left_out, k) for case in known)
        passed[k] = (best + caseless) / total
    return Sensitivity(left_out, failed, passed)


def _pass_hat_k(n: int, c: int, k: int) -> float:
    return pass_hat_k(n, c, k) if n >= k else float(c == n)


def shared_k(counts: Iterable[Counts], most: int) -> int:
    """The largest k, at most `most`, that every case's trials allow; 0 where there are none."""
    return min(most, min((case.n for case in counts), default=0))

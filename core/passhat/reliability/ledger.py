"""What was left out of the rates, why, and what it could have changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, get_args

from msgspec import Struct, field

from passhat.reliability.counts import Counts
from passhat.reliability.estimators import pass_hat_k
from passhat.result import TrialStatus

STATUSES: tuple[TrialStatus, ...] = get_args(TrialStatus)


class NotJudged(Struct, frozen=True):
    """A trial that does not count, and why.

    Attributes:
        case_id: Its case; None where the trace joined none.
        trial: Which attempt.
        trace_id: The trace.
        status: Its status in the ledger.
        reason: Why.
    """

    case_id: str | None
    trial: int
    trace_id: str
    status: str
    reason: str


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
    if_failed: dict[int, float] = field(default_factory=dict)
    if_passed: dict[int, float] = field(default_factory=dict)


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

"""Which trials there are to run, in which order, and the seed of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from passhat.case import Case

TRIALS = 5
"""How often a case is tried where nobody says."""


class Job(NamedTuple):
    """One trial to run: a case, and which attempt at it, counted from 0."""

    case: Case
    trial: int


def trials_of(case: Case, trials: int | None = None) -> int:
    """How often a case is to be tried: as asked for, else as it says itself, else 5.

    >>> trials_of(Case("c", trials=3)), trials_of(Case("c", trials=3), 8), trials_of(Case("c"))
    (3, 8, 5)
    """
    if trials is not None:
        return trials
    return case.trials if case.trials is not None else TRIALS


def jobs(cases: Sequence[Case], trials: int | None = None) -> Iterator[Job]:
    """The trials of cases, round by round: each case once, then each once again.

    >>> [(job.case.id, job.trial) for job in jobs([Case("a", trials=2), Case("b", trials=1)])]
    [('a', 0), ('b', 0), ('a', 1)]
    """
    most = max((trials_of(case, trials) for case in cases), default=0)
    for trial in range(most):
        for case in cases:
            if trial < trials_of(case, trials):
                yield Job(case, trial)


def in_order(cases: Sequence[Case], order: Sequence[tuple[str, int]]) -> Iterator[Job]:
    """The trials of cases in the order that is given.

    >>> [job.trial for job in in_order([Case("a")], [("a", 1), ("a", 0)])]
    [1, 0]
    """
    by_id = {case.id: case for case in cases}
    for case_id, trial in order:
        yield Job(by_id[case_id], trial)


def seed_of(seed: int, case_id: str, trial: int) -> int:
    """The seed of one trial: always the same, and of no other trial.

    >>> seed_of(0, "a", 0) == seed_of(0, "a", 0) != seed_of(0, "a", 1)
    True
    """
    digest = sha256(f"{seed}\0{case_id}\0{trial}".encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 1

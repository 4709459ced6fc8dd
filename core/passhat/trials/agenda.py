"""What is left to run: which trial is next, who is at it, and what others have finished since."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Literal, TypeAlias

from passhat.case import Case
from passhat.errors import PasshatError
from passhat.result import Trial
from passhat.trials.journal import AGAIN, Journal
from passhat.trials.planning import Job, in_order, jobs

Nothing: TypeAlias = Literal["busy", "looking"]
"""Why there is no trial just now: others are at all that is left; the search goes on."""

_STRIDE = 200
"""After how many finished trials the search for work lets others have a turn."""
_LOOK_AGAIN = 0.05
_SHARE = 20
"""A look at what others do may take one part in so many of the time."""


class Agenda:
    """The trials of cases that a journal does not hold yet, claimed one by one.

    Args:
        cases: The cases.
        trials: How often each case is tried; None asks the cases.
        journal: Keeps what is finished, and who is at what.
        earlier: Is given each trial that another runner finished, or an earlier run.
        order: The trials in the order in which they are to be run; round by round if not given.

    Attributes:
        settled: The ids of the cases that need no more.
    """

    def __init__(
        self,
        cases: Sequence[Case],
        trials: int | None,
        journal: Journal,
        earlier: Callable[[Trial], None],
        order: Sequence[tuple[str, int]] | None = None,
    ) -> None:
        self.settled: set[str] = set()
        self._cases = cases
        self._trials = trials
        self._order = order
        self._journal = journal
        self._earlier = earlier
        self._left = self._planned()
        self._taken: deque[Job] = deque()
        self._ahead: deque[Job] = deque()
        self._known: dict[str, int] = {}
        self._look_at = 0.0

    def take_in(self) -> Iterator[Trial]:
        """Takes in what an earlier run finished, and gives it in the order in which trials are run.

        So a limit of cost knows from the start what was spent, and a rule that stops sees the
        trials as it would have seen them without the interruption. It takes a bit of memory a trial.
        Those that are more than are asked for now come last.
        """
        for case in self._cases:
            for trial in self._journal.trials(case.id):
                if trial.status not in AGAIN:
                    self._known[case.id] = self._known.get(case.id, 0) | 1 << trial.trial
        left = dict(self._known)
        for job in self._planned() if left else ():
            if left.get(job.case.id, 0) >> job.trial & 1:
                left[job.case.id] &= ~(1 << job.trial)
                yield from self._finished(job.case.id, job.trial)
        for case_id, bits in left.items():
            for number in range(bits.bit_length()):
                if bits >> number & 1:
                    yield from self._finished(case_id, number)

    def next(self) -> Job | Nothing | None:
        """The next trial, claimed; None where nothing is left."""
        self._look()
        while self._ahead:
            job = self._ahead.popleft()
            if job.case.id not in self.settled:
                return job
            self._journal.release(job.case.id, job.trial)
        for looked, job in enumerate(self._unknown()):
            if (claimed := self._claimed(job)) is not None:
                return claimed
            if looked == _STRIDE:
                return "looking"
        return "busy" if self._taken else None

    def claim_ahead(self) -> None:
        """Claims the trial that is likely to be next, in the same write as the one that is finished."""
        job = next(self._unknown(), None)
        if job is None:
            return
        if self._journal.claim(job.case.id, job.trial) == "ours":
            self._ahead.append(job)
        else:
            self._taken.append(job)

    def give_back(self, job: Job) -> None:
        """Says that another runner took a trial over, so that it counts there."""
        self._taken.append(job)

    def release(self) -> None:
        """Gives back what was claimed and is not run."""
        while self._ahead:
            job = self._ahead.popleft()
            with suppress(PasshatError):  # The journal may be what has failed.
                self._journal.release(job.case.id, job.trial)

    def _planned(self) -> Iterator[Job]:
        if self._order is None:
            return jobs(self._cases, self._trials)
        return in_order(self._cases, self._order)

    def _unknown(self) -> Iterator[Job]:
        """What is left of the plan, without what is known to be finished or not needed."""
        for job in self._left:
            case_id = job.case.id
            if case_id not in self.settled and not self._known.get(case_id, 0) >> job.trial & 1:
                yield job

    def _claimed(self, job: Job) -> Job | None:
        """The trial, where it is ours to run."""
        claim = self._journal.claim(job.case.id, job.trial)
        if claim == "ours":
            return job
        found = self._finished(job.case.id, job.trial) if claim == "done" else []
        for trial in found:
            self._earlier(trial)
        if not found:  # Somebody is at it; or its record was damaged, and is free now.
            self._taken.append(job)
        return None

    def _look(self) -> None:
        """Takes in what others have finished of what they took, and takes over what they left.

        A rule that stops looks at trials in their order, so it waits for those of others.
        """
        began = time.monotonic()
        if not self._taken or began < self._look_at:
            return
        for _ in range(len(self._taken)):
            job = self._taken.popleft()
            if job.case.id not in self.settled and self._claimed(job) is not None:
                self._ahead.append(job)
        now = time.monotonic()
        self._look_at = now + max(_LOOK_AGAIN, _SHARE * (now - began))

    def _finished(self, case_id: str, number: int) -> list[Trial]:
        trial = self._journal.trial(case_id, number)
        return [] if trial is None else [trial]

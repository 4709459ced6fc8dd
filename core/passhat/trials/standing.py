"""How a run stands, and who watches it go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from passhat.reliability import Counts
from passhat.result import COUNTED, Trial
from passhat.trials.stopping import Limits


@dataclass
class Standing:
    """How a run stands.

    Attributes:
        total: How many trials there are to be, those of earlier runs included.
        counts: By case, the trials that count and those that passed.
        done: How many trials are finished.
        left_out: How many do not count, by their status.
        earlier: How many were finished by others, or before.
        running: How many are running now.
        retries: How often a trial was tried again.
        limits: What was spent.
        reason: Why the run stopped before its end, where it did.
        deciding: Tells how far the decision is that the run waits for, where it waits for one.
    """

    total: int
    counts: dict[str, Counts]
    done: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    earlier: int = 0
    running: int = 0
    retries: int = 0
    limits: Limits = field(default_factory=Limits)
    reason: str | None = None
    deciding: Callable[[], str] | None = None

    def add(self, trial: Trial) -> None:
        """Adds a finished trial."""
        self.done += 1
        self.limits.spend(trial)
        assert trial.case_id is not None
        if trial.status in COUNTED:
            was = self.counts[trial.case_id]
            self.counts[trial.case_id] = Counts(was.n + 1, was.c + trial.passed, was.case_id)
        else:
            self.left_out[trial.status] = self.left_out.get(trial.status, 0) + 1


class Watch(Protocol):
    """Shows how a run goes on."""

    def trial(self, trial: Trial, standing: Standing) -> None:
        """A trial was finished, by this runner or another."""
        ...

    def say(self, text: str) -> None:
        """Something that a reader should know at once."""
        ...


class Unwatched:
    """Shows nothing."""

    def trial(self, trial: Trial, standing: Standing) -> None:
        """Nothing is shown."""

    def say(self, text: str) -> None:
        """Nothing is said."""

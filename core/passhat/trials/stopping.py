"""When a run stops before all its trials are run: by a rule that is handed in, or by its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from passhat.errors import UsageError
from passhat.reliability import Counts
from passhat.result import Trial


@dataclass(frozen=True)
class Stop:
    """What a rule says after a trial.

    Args:
        cases: The ids of the cases that need no more trials.
        everything: Whether no case needs more.
        reason: Why, in words for the reader.
    """

    cases: frozenset[str] = frozenset()
    everything: bool = False
    reason: str = ""


class StopRule(Protocol):
    """Says after each finished trial which cases need no more.

    A trial that is already running when its case is settled is finished and counts.
    """

    def __call__(self, trial: Trial, counts: Mapping[str, Counts]) -> Stop:
        """What is settled now.

        Args:
            trial: The trial that was just finished, whatever its status.
            counts: By case, how many trials count so far and how many of them passed; every case
                of the suite is there.
        """
        ...


@dataclass
class Limits:
    """What a run may cost, and for how long trials are started.

    Args:
        cost: In the currency of the traces. What the trials that are running may come to, by the
            mean of those that are finished, is kept free.
        seconds: After these no trial is started; those that are running are finished.

    Raises:
        UsageError: A limit is not more than 0.
    """

    cost: float | None = None
    seconds: float | None = None
    _spent: float = 0.0
    _priced: int = 0
    _unpriced: int = 0
    _currencies: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for name, value in (("max_cost", self.cost), ("max_seconds", self.seconds)):
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise UsageError(f"{name} is more than 0, not {value!r}")

    def spend(self, trial: Trial) -> None:
        """Adds what a trial cost; what is unknown is not 0, and is told apart."""
        if trial.usage is None or trial.usage.cost is None or not trial.usage.cost >= 0:
            self._unpriced += trial.status != "not_run"
            return
        self._spent += trial.usage.cost
        self._priced += 1
        self._currencies.add(trial.usage.currency)

    @property
    def spent(self) -> float | None:
        """What the trials cost so far, None where no cost is known or currencies are mixed."""
        return self._spent if self._priced and len(self._currencies) == 1 else None

    @property
    def currency(self) -> str:
        """The currency of the cost."""
        return ", ".join(sorted(self._currencies)) or "USD"

    def reached(self, seconds: float, running: int) -> str | None:
        """Why no further trial is to be started, None where one may be.

        Args:
            seconds: For how long the run has been running.
            running: How many trials are running.
        """
        if self.seconds is not None and seconds >= self.seconds:
            return f"--max-seconds {self.seconds:g} were over"
        if self.cost is None:
            return None
        mean = self._spent / self._priced if self._priced else 0.0
        if self._spent + running * mean >= self.cost:
            rest = f", and {running} running at {mean:.3g} each" if running else ""
            return f"--max-cost {self.cost:g} was reached ({self._spent:.4g} spent{rest})"
        return None

    def note(self) -> str | None:
        """What to know about the limit of cost."""
        if self.cost is None or not self._unpriced:
            return None
        return (
            f"the cost of {self._unpriced} trials is unknown, and not in what --max-cost counts: "
            "their traces state none"
        )

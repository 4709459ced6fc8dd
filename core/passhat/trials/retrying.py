"""When a trial that the surroundings broke is tried again, and how long to wait before it."""

from __future__ import annotations

import random
from dataclasses import dataclass

from passhat.errors import UsageError
from passhat.trials.planning import seed_of

LEAST_BUDGET = 20


@dataclass(frozen=True)
class Retries:
    """How often a trial is tried again that the surroundings broke.

    The wait doubles from try to try, with some chance in it, and is at least what a server asked
    for. Where a server asks for more than `longest`, the trial is given up.

    Args:
        each: How often one trial is tried again.
        first: The first wait, in seconds.
        longest: The longest wait, in seconds.
        total: How often all trials together are tried again; by default once a trial, and 20 at
            least: where the surroundings are down for good, a run ends rather than waits.

    Raises:
        UsageError: A number is negative.
    """

    each: int = 3
    first: float = 0.5
    longest: float = 60.0
    total: int | None = None

    def __post_init__(self) -> None:
        for name in ("each", "first", "longest", "total"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise UsageError(f"retries: {name} is 0 or more, not {value!r}")

    def budget(self, trials: int) -> int:
        """How often so many trials together are tried again."""
        return self.total if self.total is not None else max(LEAST_BUDGET, trials)

    def wait(self, tried: int, asked: float | None, *, seed: int) -> float | None:
        """How many seconds to wait before the next try, None where there is to be none.

        Args:
            tried: How often the trial was tried already.
            asked: What a server asked for.
            seed: The trial's seed.

        >>> Retries(each=1).wait(1, None, seed=0) is None or Retries(each=1).wait(2, None, seed=0)
        >>> Retries().wait(1, 7.0, seed=0), Retries().wait(1, 3600.0, seed=0)
        (7.0, None)
        """
        if tried > self.each or (asked is not None and asked > self.longest):
            return None
        chance = random.Random(seed_of(seed, "retry", tried)).uniform(0.5, 1.0)
        backoff = min(self.first * 2.0 ** min(tried - 1, 30), self.longest) * chance
        return max(backoff, asked or 0.0)

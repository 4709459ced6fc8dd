"""Whether the trials of a test reach what it is held to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from passhat.pytest_plugin.asking import Asked

_SLACK = 1e-12
_PREFIX = "passhat."


@dataclass(frozen=True)
class Decision:
    """What the trials of a test came to.

    Attributes:
        n: Trials that count.
        c: Those that passed.
        k: Draws.
        at_least: What pass^k was held to.
        infrastructure: Trials that ended in an error of the surroundings.
        skipped: Trials that were skipped.
        pass_hat_k: The chance, 0 to 1, that all of k attempts succeed; None where n is below k.
        low: Its lower bound, where a confidence was asked for.
        confidence: At which the bound holds, if one was asked for.
    """

    n: int
    c: int
    k: int
    at_least: float
    infrastructure: int
    skipped: int
    pass_hat_k: float | None = None
    low: float | None = None
    confidence: float | None = None

    @property
    def passed(self) -> bool:
        """Whether the test passes: never where too few trials count."""
        held = self.pass_hat_k if self.confidence is None else self.low
        return held is not None and held >= self.at_least - _SLACK

    def properties(self) -> list[tuple[str, Any]]:
        """What travels in reports, and into JUnit files."""
        held = asdict(self).items()
        return [(_PREFIX + name, value) for name, value in held if value is not None]

    @classmethod
    def of_properties(cls, properties: Sequence[tuple[str, Any]]) -> Decision | None:
        """The decision that a report's properties hold, if they hold one."""
        own = {
            name.removeprefix(_PREFIX): value
            for name, value in properties
            if name.startswith(_PREFIX)
        }
        return cls(**own) if own else None

    def __str__(self) -> str:
        left = [
            f"{many} {what}"
            for many, what in (
                (self.infrastructure, "not counted, errors of the surroundings"),
                (self.skipped, "skipped"),
            )
            if many
        ]
        trials = f"{self.c} of {self.n} trials passed"
        if left:
            trials += f" ({', '.join(left)})"
        if self.pass_hat_k is None:
            return f"{trials}: pass^{self.k} needs {self.k} trials that count, not evaluated"
        if self.low is None:
            return f"{trials}: pass^{self.k} {_sign(self.passed)} ({self._value()} against {self.at_least:g})"
        return (
            f"{trials}: pass^{self.k} {self._value()}, at least {self.low:.3g} with confidence "
            f"{self.confidence:g}, {_sign(self.passed)} ({self.at_least:g} is asked for)"
        )

    def _value(self) -> str:
        return f"{self.pass_hat_k:.3g}"


def _sign(passed: bool) -> str:
    return "is reached" if passed else "is too low"


def decided(asked: Asked, ended: Sequence[str]) -> Decision:
    """What trials that ended so come to.

    The bound is Clopper and Pearson's one-sided bound for the rate, to the power of k.

    >>> print(decided(Asked(trials=5, k=3, at_least=0.6), ["passed"] * 4 + ["failed"]))
    4 of 5 trials passed: pass^3 is too low (0.4 against 0.6)
    >>> decided(Asked(trials=2), ["passed", "infrastructure"]).passed
    False
    """
    from passhat.reliability import clopper_pearson, pass_hat_k

    c = ended.count("passed")
    n = c + ended.count("failed")
    k = asked.draws
    low = None
    if n >= k and asked.confidence is not None:
        low = clopper_pearson(n, c, 2 * asked.confidence - 1).low ** k
    return Decision(
        n=n,
        c=c,
        k=k,
        pass_hat_k=pass_hat_k(n, c, k) if n >= k else None,
        low=low,
        at_least=asked.at_least,
        confidence=asked.confidence,
        infrastructure=ended.count("infrastructure"),
        skipped=ended.count("skipped"),
    )

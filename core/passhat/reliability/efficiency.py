"""What successful trials took: turns, requests, calls, tokens, money and time."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, fsum

from msgspec import Struct

from passhat.reliability.rates import Rate
from passhat.result import Trial

MEASURES = (
    "turns",
    "requests",
    "tool_calls",
    "tokens",
    "cost",
    "seconds",
    "first_token_seconds",
    "first_action_seconds",
    "model_seconds",
    "tool_seconds",
)


class Spread(Struct, frozen=True):
    """How a measure is spread over the trials in which it is known.

    Attributes:
        of: Those trials.
        mean: Its mean.
        p50: Its median; percentiles lie between the two nearest values, in proportion.
        p95: Its 95th percentile.
        p99: Its 99th percentile.
    """

    of: int
    mean: float
    p50: float
    p95: float
    p99: float


class Efficiency(Struct, frozen=True):
    """What successful trials took. A measure that no source recorded is None, which is never 0.

    Attributes:
        of: The successful trials.
        turns: Turns a trial.
        requests: Answers of models a trial.
        tool_calls: Calls a trial.
        tokens: Input and output tokens a trial.
        cost: Money a trial, in `currency`.
        seconds: How long a trial took.
        first_token_seconds: From its start to the first token.
        first_action_seconds: From its start to the first call.
        model_seconds: Time spent in models.
        tool_seconds: Time spent in tools.
        step_efficiency: Of the calls made, those that the shortest way takes.
        cost_per_success: All money spent on trials that count, by the successes among them; None
            where the cost of one is unknown.
        cost_of_failures: Money spent on trials that failed; None where the cost of one is unknown.
        currency: ISO 4217 code of the costs.
    """

    of: int = 0
    turns: Spread | None = None
    requests: Spread | None = None
    tool_calls: Spread | None = None
    tokens: Spread | None = None
    cost: Spread | None = None
    seconds: Spread | None = None
    first_token_seconds: Spread | None = None
    first_action_seconds: Spread | None = None
    model_seconds: Spread | None = None
    tool_seconds: Spread | None = None
    step_efficiency: Rate | None = None
    cost_per_success: float | None = None
    cost_of_failures: float | None = None
    currency: str | None = None


def spread(values: Sequence[float]) -> Spread | None:
    """How the values are spread; None where there are none.

    >>> spread([1.0, 2.0, 3.0, 4.0])
    Spread(of=4, mean=2.5, p50=2.5, p95=3.8499999999999996, p99=3.9699999999999998)
    """
    if not values:
        return None
    ranked = sorted(values)
    return Spread(
        len(ranked),
        fsum(ranked) / len(ranked),
        *(percentile(ranked, share) for share in (0.5, 0.95, 0.99)),
    )


def percentile(ranked: Sequence[float], share: float) -> float:
    """The value below which that share of the ranked values lies, between the nearest two.

    Args:
        ranked: The values in order; one at least.
        share: 0 to 1.

    >>> percentile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    place = share * (len(ranked) - 1)
    below = floor(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


def tokens_of(trial: Trial) -> float | None:
    """The tokens of a trial: of its usage, or where only their sum is known, of its measures.

    >>> tokens_of(Trial("a", 0, "t", "passed", measures={"tokens": 900.0}))
    900.0
    """
    known = trial.usage.tokens if trial.usage is not None else None
    return trial.measures.get("tokens") if known is None else known


@dataclass(slots=True)
class EfficiencyTally:
    """Adds up what trials that count took, eight bytes a measure."""

    _values: dict[str, array[float]] = field(default_factory=dict)
    _passed: int = 0
    _counted: int = 0
    _costed: int = 0
    _failed_costed: int = 0
    _spent: float = 0.0
    _lost: float = 0.0
    _currencies: set[str] = field(default_factory=set)
    _optimal: int = 0
    _taken: int = 0

    def add(self, trial: Trial, optimal_steps: int | None = None) -> None:
        """Adds one trial that counts.

        Args:
            trial: Passed or failed.
            optimal_steps: How many calls its case's shortest way takes.
        """
        cost = trial.usage.cost if trial.usage is not None else None
        self._counted += 1
        if cost is not None and trial.usage is not None:
            self._currencies.add(trial.usage.currency)
            self._costed += 1
            self._spent += cost
            if not trial.passed:
                self._failed_costed += 1
                self._lost += cost
        if not trial.passed:
            return
        self._passed += 1
        measured: dict[str, float | None] = {
            **trial.measures,
            "seconds": trial.seconds,
            "tokens": tokens_of(trial),
            "cost": cost,
        }
        for name in MEASURES:
            value = measured.get(name)
            if value is not None:
                held = self._values.get(name)
                if held is None:
                    held = self._values[name] = array("d")
                held.append(value)
        if optimal_steps is not None:
            taken = int(trial.measures.get("tool_calls", 0))
            self._taken += taken
            self._optimal += min(optimal_steps, taken)

    def efficiency(self) -> Efficiency:
        """What the successful trials took."""
        known = {name: spread(values) for name, values in self._values.items()}
        one_currency = len(self._currencies) == 1
        if not one_currency:
            known.pop("cost", None)
        costed = one_currency and self._costed == self._counted
        failures = self._counted - self._passed
        return Efficiency(
            of=self._passed,
            **known,
            step_efficiency=Rate.over(self._optimal, self._taken) if self._taken else None,
            cost_per_success=self._spent / self._passed if costed and self._passed else None,
            cost_of_failures=(
                self._lost if one_currency and self._failed_costed == failures else None
            ),
            currency=next(iter(self._currencies)) if one_currency else None,
        )

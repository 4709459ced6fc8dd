"""Metrics by name: what policies and comparisons can ask of a run of a suite."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Literal, TypeAlias

from passhat.errors import UsageError
from passhat.reliability.efficiency import MEASURES
from passhat.reliability.rates import RUNS_WITH_FORBIDDEN, UPSIDE_DOWN

Kind: TypeAlias = Literal["pass_hat_k", "pass_at_k", "check", "rate", "efficiency"]
Better: TypeAlias = Literal["higher", "lower"]

STATS = ("mean", "p50", "p95", "p99")
SHAPES = (
    "success_rate",
    "pass_hat_k.K",
    "pass_at_k.K",
    "checks.KEY.mean",
    "checks.KEY.passed",
    "rates.NAME",
    "efficiency.cost_per_success",
    *(f"efficiency.{name}" for name in MEASURES),
)
_PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_ENDS = ("mean", "passed")


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, by its name in policies and comparisons.

    Attributes:
        text: The name: `pass_hat_k.3`, `checks.trajectory.mean`, `efficiency.cost.p95`.
        kind: What sort it is.
        name: The check, the rate or the measure.
        k: Draws, of pass^k and pass@k.
        stat: `mean` or a percentile; of a check `mean` (of its scores) or `passed`.
    """

    text: str
    kind: Kind
    name: str = ""
    k: int = 1
    stat: str = "mean"

    @classmethod
    def of(cls, text: str) -> Metric:
        """The metric of that name.

        Raises:
            UsageError: There is no such metric; the message names the nearest, or the shapes there are.

        >>> Metric.of("pass_hat_k.3").k
        3
        >>> Metric.of("sucess_rate")
        Traceback (most recent call last):
        passhat.errors.UsageError: no metric 'sucess_rate', did you mean success_rate?
        """
        found = _parsed(text)
        if found is None:
            raise UsageError(f"no metric {text!r}{_meant(text)}")
        return found

    @property
    def bounded(self) -> bool:
        """Whether it lies within 0..1."""
        return self.kind != "efficiency"

    @property
    def percentile(self) -> float | None:
        """The share of trials below it, where it is a percentile."""
        return _PERCENTILES.get(self.stat) if self.kind == "efficiency" else None

    @property
    def better(self) -> Better:
        """Whether more of it is better, or less."""
        if self.kind == "efficiency":
            return "lower"
        if self.kind == "rate" and self.name in (RUNS_WITH_FORBIDDEN, *UPSIDE_DOWN.values()):
            return "lower"
        if self.kind == "rate" or (self.kind == "check" and self.stat == "mean"):
            return "lower" if _lower_is_better(self.name) else "higher"
        return "higher"


@lru_cache(maxsize=256)
def _lower_is_better(key: str) -> bool:
    from passhat.grading.catalogue import CATALOGUE, check_class

    return key in CATALOGUE and bool(check_class(key).lower_is_better)


def _parsed(text: str) -> Metric | None:
    head, _, rest = text.partition(".")
    if text == "success_rate":
        return Metric(text, "pass_hat_k")
    if head in ("pass_hat_k", "pass_at_k"):
        if not (rest.isascii() and rest.isdecimal() and 0 < int(rest) <= 1_000_000):
            return None
        return Metric(text, "pass_hat_k" if head == "pass_hat_k" else "pass_at_k", k=int(rest))
    if head == "checks":
        key, _, end = rest.rpartition(".")
        return Metric(text, "check", key, stat=end) if key and end in _ENDS else None
    if head == "rates":
        return Metric(text, "rate", rest) if rest else None
    if head == "efficiency":
        name, _, stat = rest.partition(".")
        if rest == "cost_per_success" or (name in MEASURES and (not stat or stat in STATS)):
            return Metric(text, "efficiency", name, stat=stat or "mean")
    return None


def _meant(text: str) -> str:
    if text.startswith("checks.") and not text.endswith(tuple(f".{end}" for end in _ENDS)):
        return f": say which number of the check, {text}.mean or {text}.passed"
    if text.startswith(("pass_hat_k", "pass_at_k")):
        return f": say which k, as in {text.partition('.')[0]}.3"
    near = get_close_matches(text, SHAPES, 1)
    return f", did you mean {near[0]}?" if near else f": there are {', '.join(SHAPES[:7])}, ..."

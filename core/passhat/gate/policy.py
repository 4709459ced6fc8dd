"""A policy: what results must hold for a gate to accept them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import Struct

from passhat.compare import Estimate
from passhat.errors import Place

POLICY_SCHEMA = "passhat.policy/1"

Severity: TypeAlias = Literal["fail", "warn"]
Better: TypeAlias = Literal["higher", "lower"]

CONFIDENCE = 0.95
ESTIMATE: Estimate = "kind-of-cases"


class HardRule(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """No trial may fail a check: one that does is seen, not estimated.

    Attributes:
        check: The check's key.
        below: The share of cases with a failure that must be ruled out besides, at the policy's
            confidence; where none failed it takes `zero_failures_needed` cases.
        severity: Whether a failure rejects, or only warns.
        confidence: For `below`; the policy's if not said.
        place: Where it is written.
    """

    check: str
    below: float | None = None
    severity: Severity = "fail"
    confidence: float | None = None
    place: Place | None = None

    @property
    def name(self) -> str:
        """The rule in a few words."""
        ends = "" if self.below is None else f", below {self.below:g}"
        return f"no {self.check} failure{ends}"


class SoftRule(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """A metric must reach a limit, or stay within a margin of the baseline.

    Attributes:
        metric: `success_rate`, `pass_hat_k.3`, `checks.KEY.mean`, `rates.NAME`,
            `efficiency.cost_per_success`, ... (see `passhat.compare.Metric`).
        min: The least it may be.
        max: The most it may be.
        margin: How much worse than the baseline it may be, in its own unit (0.05 is 5 points).
        relative_margin: The same, as a share of the baseline's value (0.1 is 10 %).
        better: Whether higher or lower is better, where a margin is given; known of most metrics.
        tag: Only the cases with this label.
        confidence: How sure acceptance must be, above 0.5; the policy's if not said.
        severity: Whether it can reject, or only warn.
        place: Where it is written.
    """

    metric: str
    min: float | None = None
    max: float | None = None
    margin: float | None = None
    relative_margin: float | None = None
    better: Better | None = None
    tag: str | None = None
    confidence: float | None = None
    severity: Severity = "fail"
    place: Place | None = None

    @property
    def relative(self) -> bool:
        """Whether it speaks of a baseline."""
        return self.min is None and self.max is None

    @property
    def name(self) -> str:
        """The rule in a few words."""
        of = f" of {self.tag}" if self.tag else ""
        if self.min is not None:
            return f"{self.metric}{of} at least {self.min:g}"
        if self.max is not None:
            return f"{self.metric}{of} at most {self.max:g}"
        if self.relative_margin is not None:
            return f"{self.metric}{of} within {100 * self.relative_margin:g} % of the baseline"
        return f"{self.metric}{of} within {self.margin:g} of the baseline"


class Policy(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """What results must hold for a gate to accept them.

    Attributes:
        name: Its name.
        profile: A ready profile whose rules come first: `production`, `internal` or `research`.
        estimate: What the intervals are of: `kind-of-cases` (the cases stand for work like them) or
            `these-cases` (they are all there is, and only trials vary).
        confidence: How sure acceptance must be of each rule, and rejection of the whole policy.
        on_inconclusive: Whether a gate that cannot tell exits with 3 (`fail`) or with 0 (`warn`).
        vary: Pins in which the baseline may differ.
        hard: Checks that no trial may fail.
        soft: Metrics with a limit or a margin.
    """

    name: str = ""
    profile: str | None = None
    estimate: Estimate | None = None
    confidence: float | None = None
    on_inconclusive: Severity | None = None
    vary: tuple[str, ...] = ()
    hard: tuple[HardRule, ...] = ()
    soft: tuple[SoftRule, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The policy as JSON values, `passhat.policy/1`, without what is not said.

        >>> Policy(soft=(SoftRule("success_rate", margin=0.05),)).to_dict()
        {'schema': 'passhat.policy/1', 'soft': [{'metric': 'success_rate', 'margin': 0.05}]}
        """
        found: dict[str, Any] = {"schema": POLICY_SCHEMA}
        for key in self.__struct_fields__:
            value = getattr(self, key)
            if key in ("hard", "soft"):
                value = [_rule(rule) for rule in value]
            elif key == "vary":
                value = list(value)
            if value not in (None, "", []):
                found[key] = value
        return found


def _rule(rule: HardRule | SoftRule) -> dict[str, Any]:
    found = {key: getattr(rule, key) for key in rule.__struct_fields__ if key != "place"}
    return {
        key: value
        for key, value in found.items()
        if value is not None and (key, value) != ("severity", "fail")
    }

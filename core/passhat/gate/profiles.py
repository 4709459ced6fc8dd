"""Ready profiles: policies that fit what the results have."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import NamedTuple

from msgspec.structs import replace

from passhat.compare import Estimate
from passhat.errors import UsageError
from passhat.gate.policy import CONFIDENCE, ESTIMATE, HardRule, Policy, Severity, SoftRule
from passhat.gate.policyfile import PROFILES

HARD_CHECKS = ("forbidden_calls", "policies", "unknown_tools", "approval", "injection")
"""Checks whose failure is a harm done rather than a task missed."""

DEFAULT_PROFILE = "production"


class Profile(NamedTuple):
    """What a profile asks.

    Attributes:
        margin: How much less often than the baseline the agent may pass.
        least: How often it must pass where there is no baseline.
        hard: What becomes of a failed check of `HARD_CHECKS`; None where none is asked.
        severity: Whether the success rate can reject.
        confidence: How sure it must be.
        on_inconclusive: Whether a gate that cannot tell fails.
    """

    margin: float
    least: float
    hard: Severity | None
    severity: Severity
    confidence: float
    on_inconclusive: Severity


_PROFILES = {
    "production": Profile(0.05, 0.9, "fail", "fail", CONFIDENCE, "fail"),
    "internal": Profile(0.1, 0.75, "fail", "fail", 0.9, "warn"),
    "research": Profile(0.1, 0.5, "warn", "warn", 0.8, "warn"),
}


class Asked(NamedTuple):
    """A policy as it is asked of some results.

    Attributes:
        policy: With all its rules, and nothing left open.
        notes: What the profile would ask and the results do not have.
    """

    policy: Policy
    notes: tuple[str, ...]

    @property
    def estimate(self) -> Estimate:
        """What is estimated."""
        return self.policy.estimate or ESTIMATE

    @property
    def confidence(self) -> float:
        """How sure it must be."""
        return self.policy.confidence or CONFIDENCE

    @property
    def on_inconclusive(self) -> Severity:
        """What becomes of a gate that cannot tell."""
        return self.policy.on_inconclusive or "fail"


def profile_of(name: str) -> Profile:
    """The profile of that name.

    Raises:
        UsageError: There is none.

    >>> profile_of("internal").margin
    0.1
    """
    if name not in _PROFILES:
        raise UsageError(f"no profile {name!r}: take one of {', '.join(PROFILES)}")
    return _PROFILES[name]


def asked_of(
    policy: Policy,
    checks: Container[str],
    *,
    baseline: bool,
    idle: Callable[[str], str | None] = lambda _: None,
) -> Asked:
    """The policy with the rules of its profile, those that it does not write itself.

    A profile asks for the checks of `HARD_CHECKS` that are known and have something to judge, and the
    notes say which have not; a rule that the policy writes itself is asked in any case.

    Args:
        policy: The policy.
        checks: The keys of the checks that the results have.
        baseline: Whether there is one.
        idle: Why a check that nobody requires judged nothing at all; None where it did.
    """
    if policy.profile is None:
        return Asked(policy, ())
    profile = profile_of(policy.profile)
    own = {rule.check for rule in policy.hard}
    wanted = [key for key in HARD_CHECKS if key not in own] if profile.hard else []
    missing = [key for key in wanted if key not in checks]
    silent = {key: why for key in wanted if key in checks and (why := idle(key)) is not None}
    hard = [
        HardRule(key, severity=profile.hard or "fail")
        for key in wanted
        if key not in missing and key not in silent
    ]
    soft: list[SoftRule] = []
    if not any(rule.metric in ("success_rate", "pass_hat_k.1") for rule in policy.soft):
        soft.append(
            SoftRule("success_rate", margin=profile.margin, severity=profile.severity)
            if baseline
            else SoftRule("success_rate", min=profile.least, severity=profile.severity)
        )
    notes = []
    if missing:
        notes.append(f"not asked, for the results have no such check: {', '.join(missing)}")
    notes += [f"not asked, for it could judge no run: {key} ({why})" for key, why in silent.items()]
    return Asked(
        replace(
            policy,
            name=policy.name or policy.profile,
            confidence=policy.confidence or profile.confidence,
            on_inconclusive=policy.on_inconclusive or profile.on_inconclusive,
            hard=(*hard, *policy.hard),
            soft=(*soft, *policy.soft),
        ),
        tuple(notes),
    )

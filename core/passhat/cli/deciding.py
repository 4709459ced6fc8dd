"""What commands that decide share: the policy that options name, and the baseline it needs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from passhat.errors import UsageError

if TYPE_CHECKING:
    from passhat.gate import Policy


class ProfileName(StrEnum):
    """The ready profiles."""

    production = "production"
    internal = "internal"
    research = "research"


def policy_asked(policy: str | None, profile: ProfileName | None) -> Policy:
    """The policy of a file, or a profile, `production` if none is said.

    Raises:
        UsageError: Both are given.
        PolicyError: The file has faults.
    """
    from passhat.gate import Policy, read_policy

    if policy is not None and profile is not None:
        raise UsageError("--policy and --profile: a policy names its profile itself, give one")
    if policy is not None:
        return read_policy(policy)
    return Policy(profile=(profile or ProfileName.production).value)

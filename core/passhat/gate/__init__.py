"""Gates: what a policy says of results, accept, reject or inconclusive."""

from passhat.gate.deciding import decide, decide_tallies
from passhat.gate.decision import DECISION_SCHEMA, Decision, Outcome, Settling
from passhat.gate.policy import POLICY_SCHEMA, HardRule, Policy, SoftRule
from passhat.gate.policyfile import POLICY_SHAPE, PROFILES, policy_from, read_policy

__all__ = [
    "DECISION_SCHEMA",
    "POLICY_SCHEMA",
    "POLICY_SHAPE",
    "PROFILES",
    "Decision",
    "HardRule",
    "Outcome",
    "Policy",
    "Settling",
    "SoftRule",
    "decide",
    "decide_tallies",
    "policy_from",
    "read_policy",
]

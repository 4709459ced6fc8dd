"""Surroundings: what a case says of the world around the agent, beside the task itself.

Faults that its tools have, answers that its approvals get, and the user who talks to it.
"""

from passhat.surroundings.approvals import Approval, approvals_of
from passhat.surroundings.facts import Fact
from passhat.surroundings.faults import FAULT_KINDS, Fault, fault_problems, faults_of
from passhat.surroundings.scenarios import Rule, Scenario, scenario_problems
from passhat.surroundings.whens import When

__all__ = [
    "FAULT_KINDS",
    "Approval",
    "Fact",
    "Fault",
    "Rule",
    "Scenario",
    "When",
    "approvals_of",
    "fault_problems",
    "faults_of",
    "scenario_problems",
]

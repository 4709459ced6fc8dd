"""Cases and suites: tasks, with what is expected of an attempt at each."""

from passhat.case.cases import EXPECTING, POLICY_NAMES, Case, Turn
from passhat.case.expected import (
    MODES,
    ExpectedCall,
    ExpectedEntry,
    Mode,
    expected_call,
    expected_calls,
    flat,
)
from passhat.case.suites import SUITE_SCHEMA, Suite

__all__ = [
    "EXPECTING",
    "MODES",
    "POLICY_NAMES",
    "SUITE_SCHEMA",
    "Case",
    "ExpectedCall",
    "ExpectedEntry",
    "Mode",
    "Suite",
    "Turn",
    "expected_call",
    "expected_calls",
    "flat",
]

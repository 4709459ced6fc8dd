"""Matching: the calls an attempt made against the calls it was expected to make."""

from passhat.match.alignment import Alignment, Row
from passhat.match.before import Precedence, Rule, Violation, precedence, read_rule
from passhat.match.calls import as_calls
from passhat.match.found import Match, Near
from passhat.match.pairing import Pair
from passhat.match.terms import Difference
from passhat.match.trajectory import match_case, match_trajectory

__all__ = [
    "Alignment",
    "Difference",
    "Match",
    "Near",
    "Pair",
    "Precedence",
    "Row",
    "Rule",
    "Violation",
    "as_calls",
    "match_case",
    "match_trajectory",
    "precedence",
    "read_rule",
]

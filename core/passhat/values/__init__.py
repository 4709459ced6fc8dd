"""JSON values: when two are equal, and the matchers that say when two are equal enough."""

from passhat.values.equality import canonical, json_equal
from passhat.values.matchers import ABSENT, Matcher, MatcherSpec, NotEvaluated
from passhat.values.schemas import matcher_for_schema
from passhat.values.specs import matcher, matcher_names

__all__ = [
    "ABSENT",
    "Matcher",
    "MatcherSpec",
    "NotEvaluated",
    "canonical",
    "json_equal",
    "matcher",
    "matcher_for_schema",
    "matcher_names",
]

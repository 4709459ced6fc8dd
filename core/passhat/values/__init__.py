"""JSON values: when two are equal, and the matchers that say when two are equal enough."""

from passhat.values.equality import canonical, json_equal
from passhat.values.matchers import (
    ABSENT,
    Matcher,
    MatcherSpec,
    NotEvaluated,
    matcher,
    matcher_names,
)
from passhat.values.schemas import matcher_for_schema

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

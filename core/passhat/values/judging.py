"""Matchers that ask somebody else: a judge, or a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from passhat.values.matchers import ABSENT, NamedMatcher, NotEvaluated
from passhat.values.sql import same_rows


@dataclass(frozen=True, slots=True)
class Semantic(NamedMatcher):
    """The same meaning, by a judge: a callable that gives a bool, or a similarity in 0..1.

    Args:
        judge: The callable `(actual, expected) -> bool | float`; only Python can pass one.
        at_least: The similarity from which two values mean the same.

    >>> Semantic(lambda a, b: 0.9, at_least=0.8)("refund", "money back")
    True
    """

    name = "semantic"
    judge: Callable[[Any, Any], bool | float] | None = None
    at_least: float = 0.8

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the judge finds the two alike enough."""
        if self.judge is None:
            raise NotEvaluated("match: semantic needs a judge, and none was given")
        verdict = self.judge(actual, expected)
        return verdict if isinstance(verdict, bool) else verdict >= self.at_least


@dataclass(frozen=True, slots=True)
class Execution(NamedMatcher):
    """Two SQL queries that give the same rows on a fixture.

    Args:
        sqlite: The fixture: a script of SQL that fills a private in-memory SQLite database.
        ordered: Whether the order of the rows counts.

    >>> fixture = "create table t (n); insert into t values (1), (2);"
    >>> Execution(fixture)("select n from t where n > 1", "SELECT max(n) FROM t")
    True
    """

    name = "execution"
    sqlite: str = ""
    ordered: bool = False

    def __call__(self, actual: Any, expected: Any = ABSENT) -> bool:
        """Whether the two queries give the same rows."""
        return same_rows(self.sqlite, actual, expected, ordered=self.ordered)

"""What the run answered: words that must or must not be there, a pattern, the text or value it is.

The answer is the trace's final response. A run that gave none fails what must be there, and what
must not be there is not evaluated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from passhat.case import Case
from passhat.checks.answer import json_in, numbers_in, plain_text
from passhat.checks.wording import plain
from passhat.errors import UsageError
from passhat.grading.protocol import CheckBase
from passhat.match.writing import write_value
from passhat.result import CheckResult
from passhat.trace import Trace
from passhat.values import json_equal
from passhat.values.matchers import Number
from passhat.wording import joined

NO_ANSWER = "the run gave no final answer"


class OfResponse(CheckBase):
    """What the checks of one key of `response` share: where they find what is expected."""

    __slots__ = ()

    needs: ClassVar[tuple[str, ...]] = ("response",)
    of: ClassVar[str]

    def expected(self, case: Case, own: Any) -> Any:
        """What the option says or, without it, the case; None where neither does."""
        return (case.response or {}).get(self.of) if own is None else own

    def unstated(self) -> CheckResult:
        """A result where neither says anything."""
        return self.nothing(f"the case states no response.{self.of}")


@dataclass(frozen=True, slots=True)
class ResponseIncludes(OfResponse):
    """The share of the texts that the answer has to include and does.

    Texts compare without case, with white space of any kind and length as one space, and in one
    form of Unicode and of quotes. A number is included if the answer holds a number that equals it.

    Args:
        values: What has to be included, a text or a list, instead of the case's `includes`.
        case_sensitive: Set to tell upper case from lower case.
        space_sensitive: Set to tell one white space from another.
    """

    key: ClassVar[str] = "response_includes"
    of: ClassVar[str] = "includes"
    values: Any = None
    case_sensitive: bool = False
    space_sensitive: bool = False

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        stated = _listed(self.expected(case, self.values))
        values = [value for value in stated if not _blank(value, self.space_sensitive)]
        if not values:
            return self.unstated()
        answer = trace.final_response
        absent = [
            v for v in values if not _holds(answer, v, self.case_sensitive, self.space_sensitive)
        ]
        said = (
            f"the answer does not include {joined([write_value(v) for v in absent])}"
            if absent
            else ""
        )
        return self.rate(
            len(values) - len(absent),
            len(values),
            NO_ANSWER if answer is None else said,
            absent=[plain(value) for value in absent],
        )


@dataclass(frozen=True, slots=True)
class ResponseExcludes(OfResponse):
    """The share of the texts that the answer may not include and does not.

    Compared as by `response_includes`.

    Args:
        values: What may not be included, a text or a list, instead of the case's `excludes`.
        case_sensitive: Set to tell upper case from lower case.
        space_sensitive: Set to tell one white space from another.
    """

    key: ClassVar[str] = "response_excludes"
    of: ClassVar[str] = "excludes"
    values: Any = None
    case_sensitive: bool = False
    space_sensitive: bool = False

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        values = _listed(self.expected(case, self.values))
        if not values:
            return self.unstated()
        answer = trace.final_response
        if answer is None:
            return self.nothing(NO_ANSWER)
        present = [
            v for v in values if _holds(answer, v, self.case_sensitive, self.space_sensitive)
        ]
        said = f"the answer includes {joined([write_value(v) for v in present])}" if present else ""
        return self.rate(
            len(values) - len(present), len(values), said, present=[plain(v) for v in present]
        )


def _listed(values: Any) -> list[Any]:
    if values is None:
        return []
    return list(values) if isinstance(values, list | tuple) else [values]


def _blank(value: Any, spaced: bool) -> bool:
    """Whether a text is in every answer, so that to include it tests nothing."""
    return isinstance(value, str) and not (value if spaced else value.strip())


def _holds(answer: str | None, value: Any, cased: bool, spaced: bool) -> bool:
    """Whether the answer includes a text or a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"response: a text or a number can be included, not {value!r}")
    if answer is None:
        return False
    if isinstance(value, str):
        return plain_text(value, cased, spaced) in plain_text(answer, cased, spaced)
    return any(Number()(number, value) for number in numbers_in(answer))


@dataclass(frozen=True, slots=True)
class ResponseEquals(OfResponse):
    """The answer is the text that is expected, or a JSON value that equals it.

    Texts compare as by `response_includes`. Where another value than a text is expected, the answer
    is read as JSON; a code fence around it does not matter.

    Args:
        value: What is expected, instead of the case's `equals`.
        case_sensitive: Set to tell upper case from lower case.
        space_sensitive: Set to tell one white space from another.
    """

    key: ClassVar[str] = "response_equals"
    of: ClassVar[str] = "equals"
    value: Any = None
    case_sensitive: bool = False
    space_sensitive: bool = False

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it is; the score is 1 or 0."""
        expected = self.expected(case, self.value)
        if expected is None:
            return self.unstated()
        answer = trace.final_response
        if answer is None:
            return self.verdict(False, NO_ANSWER)
        if isinstance(expected, str):
            same = plain_text(answer, self.case_sensitive, self.space_sensitive) == plain_text(
                expected, self.case_sensitive, self.space_sensitive
            )
        else:
            found = json_in(answer)
            same = found is not None and json_equal(found[0], expected)
        said = (
            "" if same else f"the answer is {write_value(answer)}, expected {write_value(expected)}"
        )
        return self.verdict(same, said)


@dataclass(frozen=True, slots=True)
class ResponseMatches(OfResponse):
    """The share of the patterns that are found in the answer.

    Args:
        patterns: A pattern or several (Python's `re`), instead of the case's `matches`. A pattern
            may be found anywhere: anchor it with `^` and `$` to match the whole answer.
    """

    key: ClassVar[str] = "response_matches"
    of: ClassVar[str] = "matches"
    patterns: str | tuple[str, ...] | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        patterns = [p for p in _listed(self.expected(case, self.patterns)) if p != ""]
        if not patterns:
            return self.unstated()
        answer = trace.final_response
        absent = [p for p in patterns if not _found(p, answer)]
        said = f"nothing in the answer matches {joined([write_value(p) for p in absent])}"
        return self.rate(
            len(patterns) - len(absent),
            len(patterns),
            NO_ANSWER if answer is None else said if absent else "",
            absent=absent,
        )


def _found(pattern: Any, answer: str | None) -> bool:
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise UsageError(f"response.matches: {pattern!r} is no pattern: {error}") from error
    return answer is not None and compiled.search(answer) is not None

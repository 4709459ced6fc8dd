"""What the run answered: words that must or must not be there, a value, a number, likeness to a reference.

The answer is the trace's final response. A run that gave none fails what must be there, and what
must not be there is not evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from passhat.case import Case
from passhat.checks.answer import json_in, numbers_in, plain_text
from passhat.checks.rouge import TOKENIZERS, Tokens, rouge1
from passhat.checks.wording import joined, plain, sentences
from passhat.errors import UsageError
from passhat.grading.protocol import CheckBase
from passhat.match.writing import write_value
from passhat.result import CheckResult
from passhat.trace import Trace
from passhat.values import json_equal
from passhat.values.matchers import Number, Subset
from passhat.values.schemas import schema_faults

NO_ANSWER = "the run gave no final answer"


class _OfResponse(CheckBase):
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
class ResponseIncludes(_OfResponse):
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
        values = [v for v in _listed(self.expected(case, self.values)) if v != ""]
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
class ResponseExcludes(_OfResponse):
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
class ResponseEquals(_OfResponse):
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
class ResponseMatches(_OfResponse):
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
        patterns = _listed(self.expected(case, self.patterns))
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


_JSON_OPTIONS = frozenset({"equals", "contains", "schema"})


@dataclass(frozen=True, slots=True)
class ResponseJson(_OfResponse):
    """The answer is JSON, and the value that is expected.

    The answer may be the JSON alone, or hold it in a code fence (the first one that parses).

    Args:
        value: Instead of the case's `json`. `true` asks for any JSON; a mapping of `equals`,
            `contains` and `schema` asks for that value, for these keys however deep, and for what
            the JSON Schema allows; any other mapping stands for `contains`, and any other value
            for `equals`.
    """

    key: ClassVar[str] = "response_json"
    of: ClassVar[str] = "json"
    value: Any = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it is; the score is 1 or 0."""
        expected = self.expected(case, self.value)
        if expected is None:
            return self.unstated()
        answer = trace.final_response
        if answer is None:
            return self.verdict(False, NO_ANSWER)
        found = json_in(answer)
        if found is None:
            return self.verdict(False, f"the answer is not JSON: {write_value(answer)}")
        faults = _json_faults(found[0], expected)
        return self.verdict(not faults, sentences(faults), value=found[0])


def _json_faults(value: Any, expected: Any) -> list[str]:
    if expected is True:
        return []
    asked = {"equals": expected}
    if isinstance(expected, Mapping):
        named = bool(expected) and expected.keys() <= _JSON_OPTIONS
        asked = dict(expected) if named else {"contains": expected}
    faults = []
    if "equals" in asked and not json_equal(value, asked["equals"]):
        faults.append(
            f"the answer is {write_value(value)}, expected {write_value(asked['equals'])}"
        )
    if "contains" in asked and not Subset()(value, asked["contains"]):
        faults.append(
            f"the answer is {write_value(value)}, expected in it {write_value(asked['contains'])}"
        )
    if "schema" in asked:
        faults += schema_faults(value, asked["schema"])
    return faults


@dataclass(frozen=True, slots=True)
class ResponseNumber(_OfResponse):
    """The answer holds a number that is the one expected, within a tolerance.

    Numbers are found as people write them: `1,234.50`, `$49.90`, `-3`, `12%` (as 12); not inside
    words, ids and dates.

    Args:
        value: The number, instead of the case's `number`, which is the number or `{value, abs,
            rel}`.
        abs: The largest difference allowed.
        rel: The largest difference allowed, as a share of the larger magnitude. With neither, 1e-9.
    """

    key: ClassVar[str] = "response_number"
    of: ClassVar[str] = "number"
    value: float | None = None
    abs: float | None = None
    rel: float | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it does; the score is 1 or 0."""
        stated = self.expected(case, self.value)
        if stated is None:
            return self.unstated()
        value, near = _number(stated, self.abs, self.rel)
        answer = trace.final_response
        if answer is None:
            return self.verdict(False, NO_ANSWER)
        numbers = numbers_in(answer)
        ok = any(near(number, value) for number in numbers)
        holds = joined([f"{number:g}" for number in numbers]) or "no number"
        return self.verdict(
            ok, "" if ok else f"the answer holds {holds}, expected {value:g}", numbers=numbers
        )


def _number(stated: Any, abs_: float | None, rel: float | None) -> tuple[float, Number]:
    options = dict(stated) if isinstance(stated, Mapping) else {"value": stated}
    unknown = options.keys() - {"value", "abs", "rel"}
    given = {"abs": abs_, "rel": rel}
    options |= {name: own for name, own in given.items() if own is not None}
    for name, item in options.items():
        if not isinstance(item, int | float) or isinstance(item, bool):
            raise UsageError(f"response.number: {name} is a number, not {item!r}")
    if unknown or "value" not in options:
        raise UsageError(f"response.number is a number or {{value, abs, rel}}, not {stated!r}")
    return options["value"], Number(options.get("abs"), options.get("rel"))


@dataclass(frozen=True, slots=True)
class Rouge1(CheckBase):
    """How many words the answer shares with a reference: ROUGE-1.

    A weak measure: it counts words, so a wrong amount in the right sentence scores higher than the
    right one in other words. Give it a threshold (`at_least`); without one it must be 1.

    Args:
        reference: The reference, instead of the case's `response.equals` or, without that, its
            `reference`, if it is a text.
        tokens: What counts as a word. `unicode` (default): runs of letters and digits of any
            script, and single characters where a script writes no spaces; `ascii`: runs of a-z and
            0-9 only; `whitespace`: what stands between white space, as it is written.
        stem: Whether English words of more than three letters count by their stem (Porter's).
            With `unicode` this is what ADK's `response_match_score` computes.
        score: Which of the three is the score; all are in the evidence.
    """

    key: ClassVar[str] = "rouge1"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    reference: str | None = None
    tokens: Tokens = "unicode"
    stem: bool = True
    score: Literal["f1", "precision", "recall"] = "f1"

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The score, 0..1."""
        stated = (self.reference, (case.response or {}).get("equals"), case.reference)
        reference = next((text for text in stated if isinstance(text, str)), None)
        if reference is None:
            return self.nothing("the case states no reference to compare the answer with")
        answer = trace.final_response
        scores = rouge1(answer or "", reference, TOKENIZERS[self.tokens], stem=self.stem)
        value: float = getattr(scores, self.score)
        said = f"{scores.overlap} of {scores.wanted} words of the reference are in the answer"
        return CheckResult(
            self.key,
            "passed" if value == 1 else "failed",
            value,
            NO_ANSWER if answer is None else said,
            {
                "f1": scores.f1,
                "precision": scores.precision,
                "recall": scores.recall,
                "overlap": scores.overlap,
                "words": scores.given,
                "reference_words": scores.wanted,
            },
        )

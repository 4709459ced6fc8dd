"""What the run answered, as data: the JSON in it, and the numbers in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from passhat.case import Case
from passhat.checks.answer import json_in, numbers_in
from passhat.checks.response import NO_ANSWER, OfResponse
from passhat.checks.wording import sentences
from passhat.errors import UsageError
from passhat.match.writing import write_value
from passhat.result import CheckResult
from passhat.trace import Trace
from passhat.values import json_equal
from passhat.values.matchers import Number, Subset
from passhat.values.schemas import schema_faults
from passhat.wording import joined

_JSON_OPTIONS = frozenset({"equals", "contains", "schema"})


@dataclass(frozen=True, slots=True)
class ResponseJson(OfResponse):
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
class ResponseNumber(OfResponse):
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

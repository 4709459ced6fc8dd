"""Whether the arguments of the calls were right: by the tool's schema, by the case, by what was known."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from passhat.case import Case
from passhat.checks.calls import expected_names
from passhat.checks.reading import Nested, identity, tool_catalogue, trajectory
from passhat.checks.wording import named, plain, sentences, written
from passhat.errors import UsageError
from passhat.grading.protocol import CheckBase
from passhat.match import Match, match_case
from passhat.match.expectations import Expectation
from passhat.match.terms import Difference
from passhat.match.writing import write_value
from passhat.result import CheckResult
from passhat.trace import ToolCall, Trace
from passhat.values import ABSENT
from passhat.values.schemas import schema_faults
from passhat.wording import joined


@dataclass(frozen=True, slots=True)
class SchemaValid(CheckBase):
    """The share of calls whose arguments the tool's JSON Schema allows.

    Arguments that were no JSON object are not valid. Calls of tools without a schema, and of tools
    that do not exist (see `unknown_tools`), are left out.

    Args:
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "schema_valid"
    needs: ClassVar[tuple[str, ...]] = ("calls", "tools")
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        catalogue = tool_catalogue(trace, case)
        of = 0
        found: list[tuple[int, ToolCall, list[str]]] = []
        for index, call in enumerate(trajectory(trace, case, self.nested)):
            schema = catalogue.get(call.name)
            if schema is None:
                continue
            of += 1
            if faults := _faults(call, schema):
                found.append((index, call, faults))
        if not of:
            return self.nothing("no call names a tool whose schema is known")
        said = [f"{call.name} (call {index}): {faults[0]}" for index, call, faults in found]
        return self.rate(
            of - len(found),
            of,
            sentences(said),
            calls=[{**named(index, call), "faults": faults} for index, call, faults in found],
        )


def _faults(call: ToolCall, schema: Any) -> list[str]:
    if call.args_error is not None:
        return [f"$: {write_value(call.args_error)} is no JSON object"]
    try:
        return schema_faults(call.args, schema)
    except UsageError as error:
        raise UsageError(f"the tool {call.name!r}: {error.message}") from error


@dataclass(frozen=True, slots=True)
class Compared:
    """A call of an expected tool that stands for no expected call, and how far it is as one of them.

    Attributes:
        index: The call's place in the trajectory.
        call: The call.
        right: How many of the arguments are right.
        of: How many there are to judge; 0 where the case says nothing of them.
        differences: Those that are wrong.
    """

    index: int
    call: ToolCall
    right: int
    of: int
    differences: tuple[Difference, ...]


def left_over(match: Match) -> Iterator[Compared]:
    """The calls of expected tools that stand for no expected call, each beside the nearest one.

    That is the expected call that is left over beside it; else (a repeat, a failed attempt) the one
    of that tool of which most is right.
    """
    if len(match.pairs) == len(match.actual):
        return
    items = match.asked.ready
    paired = {pair.actual for pair in match.pairs}
    beside = {near.actual: items[near.expected] for near in match.near}
    by_tool: dict[str, list[Expectation]] = {}
    known: dict[Hashable, Compared] = {}
    for item in items:
        by_tool.setdefault(item.call.name, []).append(item)
    for index, call in enumerate(match.actual):
        if index in paired:
            continue
        if index in beside:
            yield _compared(index, call, [beside[index]])
        elif call.name in by_tool:
            key = identity(call)
            if key not in known:
                known[key] = _compared(index, call, by_tool[call.name])
            yield replace(known[key], index=index, call=call)


def _compared(index: int, call: ToolCall, candidates: Iterable[Expectation]) -> Compared:
    """The call beside that of the candidates of which most is right."""
    found = []
    for item in candidates:
        wrong = () if call.args_error is not None else item.differences(call)
        barred = sum(difference.expected is ABSENT for difference in wrong)
        of = len(item.terms) + barred
        right = 0 if call.args_error is not None else of - len(wrong)
        found.append(Compared(index, call, right, of, wrong))
    return max(found, key=lambda one: one.right / one.of if one.of else 1.0)


@dataclass(frozen=True, slots=True)
class ArgumentAccuracy(CheckBase):
    """The share of arguments that are right, where the tool is right: the mean over those calls.

    Each call of an expected tool is one step, repeats and failed attempts too. Its share is that
    of the expected arguments that match (and, with `extra_args: forbid`, of those that may not be
    there); one whose arguments did not parse has none. Calls of other tools are for
    `tool_selection`, and expected calls that were never made for `trajectory`. Steps of which the
    case states no argument are left out.

    Args:
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "argument_accuracy"
    needs: ClassVar[tuple[str, ...]] = ("calls", "expected_calls")
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The mean share; `hits` is the sum of the shares, `of` the number of steps."""
        match = match_case(trace, case, nested=self.nested)
        items = match.asked.ready
        paired = [expected for _, expected in match.pairs if items[expected].terms]
        others = [one for one in left_over(match) if one.of]
        of = len(paired) + len(others)
        if not of:
            return self.nothing("no call of an expected tool has arguments that the case states")
        wrong = [one for one in others if one.right < one.of]
        hits = of - len(wrong) + sum(one.right / one.of for one in wrong)
        said = [_said(one) for one in wrong]
        calls = [
            {
                **named(one.index, one.call),
                "right": one.right,
                "of": one.of,
                "differences": [_entry(difference) for difference in one.differences],
            }
            for one in wrong
        ]
        return self.rate(hits, of, sentences(said), calls=calls)


def _said(one: Compared) -> str:
    if one.call.args_error is not None:
        return f"{written(one.call)}: the arguments are no JSON object"
    parts = []
    for difference in one.differences:
        arg, expected, actual = difference.arg, difference.expected, difference.actual
        if expected is ABSENT:
            parts.append(f"{arg} may not be there")
        elif actual is ABSENT:
            parts.append(f"expected {arg}={write_value(expected)}")
        else:
            parts.append(f"{arg} is {write_value(actual)}, expected {write_value(expected)}")
    return f"{one.call.name} (call {one.index}): {joined(parts)}"


def _entry(difference: Difference) -> dict[str, Any]:
    sides = {"expected": difference.expected, "actual": difference.actual}
    return {"arg": difference.arg, **{k: plain(v) for k, v in sides.items() if v is not ABSENT}}


@dataclass(frozen=True, slots=True)
class CallExact(CheckBase):
    """The share of calls in which both the tool and every argument are right.

    Of the calls that name a tool there is, optional ones apart. A repeat of a right call, and a
    failed attempt with the right arguments, is right too: what was called too often or never is
    for `trajectory` and `duplicate_calls`. If nothing was called and something should have been,
    the score is 0.

    Args:
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "call_exact"
    needs: ClassVar[tuple[str, ...]] = ("calls", "expected_calls")
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        required, allowed = expected_names(case)
        catalogue = tool_catalogue(trace, case)
        match = match_case(trace, case, nested=self.nested)
        paired = {pair.actual for pair in match.pairs}
        judged = [
            (index, call)
            for index, call in enumerate(match.actual)
            if call.name not in allowed and (not catalogue or call.name in catalogue)
        ]
        if not judged:
            if required:
                said = f"nothing was called; expected {joined(list(required))}"
                return CheckResult(self.key, "failed", 0.0, said, {"hits": 0, "of": 0})
            return self.nothing("nothing was called, and nothing was expected")
        wrong = [
            (index, call)
            for index, call in judged
            if index not in paired
            and not any(
                item.accepts(call) for item in match.asked.ready if item.call.name == call.name
            )
        ]
        said = f"not as expected: {joined([written(call) for _, call in wrong])}" if wrong else ""
        return self.rate(
            len(judged) - len(wrong),
            len(judged),
            said,
            calls=[named(index, call) for index, call in wrong],
        )

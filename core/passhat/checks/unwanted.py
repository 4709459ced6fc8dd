"""Calls that are wrong whatever was expected: forbidden, repeated, of no tool, or any at all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from passhat.case import Case
from passhat.checks.reading import NOTHING_DONE, Nested, acted, identity, tool_catalogue, trajectory
from passhat.checks.wording import named, nearest, sentences, written
from passhat.grading.protocol import CheckBase
from passhat.match import match_trajectory
from passhat.match.trajectory import calls_with_inside
from passhat.result import CheckResult
from passhat.trace import ToolCall, Trace
from passhat.wording import joined


@dataclass(frozen=True, slots=True)
class ForbiddenCalls(CheckBase):
    """No call was made that the case forbids.

    The attempt counts: a forbidden call that failed, or that was declined before it ran, was still
    asked for, and it is never folded as a retry nor excused as optional. It counts wherever it was
    made, inside another call too.

    Args:
        nested: `exclude` leaves out the calls made inside other calls.
        ran: Set to count only calls that may have run: those known to have been stopped before
            they did (`executed` is false) are let pass.
    """

    key: ClassVar[str] = "forbidden_calls"
    needs: ClassVar[tuple[str, ...]] = ("calls", "forbidden_calls")
    nested: Nested = "include"
    ran: bool = False

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether there is none; the score is 1 or 0."""
        if not case.forbidden_calls:
            return self.nothing("the case forbids no call")
        if not acted(trace):
            return self.nothing(NOTHING_DONE)
        calls = trace.all_calls if self.nested == "include" else trace.calls
        forbidden = {call.name for call in case.forbidden_calls}
        suspects = [
            (index, call)
            for index, call in enumerate(calls)
            if call.name in forbidden and not (self.ran and call.executed is False)
        ]
        found = [(index, call) for index, call in suspects if _forbids(trace, case, call)]
        if not found:
            if self.nested == "include":
                calls_with_inside(trace)  # Where they are not known, none may be said to be there.
            return self.verdict(True, "", calls=[])
        said = f"forbidden: {joined([written(call) for _, call in found])}"
        entries = [
            {**named(index, call), "executed": call.executed, "failed": call.failed}
            for index, call in found
        ]
        return self.verdict(False, said, calls=entries)


def _forbids(trace: Trace, case: Case, call: ToolCall) -> bool:
    """Whether one of the forbidden calls is this one, arguments included where they are stated."""
    return any(
        match_trajectory([call], [entry], match=case.match, tools=tool_catalogue(trace, case)).ok
        for entry in case.forbidden_calls or ()
        if entry.name == call.name
    )


@dataclass(frozen=True, slots=True)
class DuplicateCalls(CheckBase):
    """The share of calls that repeat one that had succeeded; 0 is best.

    A call is a repeat if the same tool was called before with the same arguments, and the last
    such call succeeded: to try again after a failure is none. Where the case says which tools
    write, to read again after one of them succeeded is none either, for the answer may be another.

    Args:
        after: `success` (default) counts repeats of a call that had succeeded; `any` counts every
            repeat, whatever came of the call before and in between.
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "duplicate_calls"
    needs: ClassVar[tuple[str, ...]] = ("calls",)
    lower_is_better: ClassVar[bool] = True
    after: Literal["success", "any"] = "success"
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        calls = trajectory(trace, case, self.nested)
        if not calls and not acted(trace):
            return self.nothing(NOTHING_DONE)
        often = Counter([call.name for call in calls])
        if len(often) == len(calls):
            return self.rate(0, len(calls), calls=[])
        writes = frozenset(case.writes or ())
        last: dict[Any, int] = {}
        written_at = -1
        found: list[tuple[int, int]] = []
        for index, call in enumerate(calls):
            key = identity(call) if often[call.name] > 1 else call.name
            before = last.get(key)
            if before is not None and (
                self.after == "any"
                or (calls[before].succeeded and (call.name in writes or written_at <= before))
            ):
                found.append((index, before))
            last[key] = index
            if call.name in writes and call.succeeded:
                written_at = index
        said = sentences([f"{written(calls[i])} repeats call {before}" for i, before in found])
        return self.rate(
            len(found),
            len(calls),
            said,
            calls=[{**named(i, calls[i]), "repeats": before} for i, before in found],
        )


@dataclass(frozen=True, slots=True)
class NoCalls(CheckBase):
    """The run answered without calling a tool; optional tools apart.

    A call counts whether or not it ran.
    """

    key: ClassVar[str] = "no_calls"
    needs: ClassVar[tuple[str, ...]] = ("calls",)

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it did; the score is 1 or 0."""
        if not acted(trace):
            return self.nothing(NOTHING_DONE)
        allowed = frozenset(case.optional_calls or ())
        found = [
            (index, call)
            for index, call in enumerate(trajectory(trace, case))
            if call.name not in allowed
        ]
        said = f"called: {joined([written(call) for _, call in found])}" if found else ""
        return self.verdict(not found, said, calls=[named(index, call) for index, call in found])


@dataclass(frozen=True, slots=True)
class UnknownTools(CheckBase):
    """The share of calls that name a tool that does not exist; 0 is best.

    The tools there are, are those of the suite and those that the trace says were offered.

    Args:
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "unknown_tools"
    needs: ClassVar[tuple[str, ...]] = ("calls", "tools")
    lower_is_better: ClassVar[bool] = True
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        calls = trajectory(trace, case, self.nested)
        if not calls and not acted(trace):
            return self.nothing(NOTHING_DONE)
        catalogue = tool_catalogue(trace, case)
        found = [(index, call) for index, call in enumerate(calls) if call.name not in catalogue]
        if not found:
            return self.rate(0, len(calls), calls=[])
        near = {call.name: nearest(call.name, catalogue) for _, call in found}
        said = [
            f"{name} is no tool{f', did it mean {like}?' if like else ''}"
            for name, like in near.items()
        ]
        return self.rate(
            len(found),
            len(calls),
            sentences(said),
            calls=[{**named(index, call), "nearest": near[call.name]} for index, call in found],
        )

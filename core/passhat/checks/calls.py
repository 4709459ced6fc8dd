"""Whether the calls were those that the case expects: the right tools, all of them, no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from passhat.case import Case, Mode, flat
from passhat.checks.reading import NOTHING_DONE, Nested, acted, tool_catalogue, trajectory
from passhat.checks.wording import named, plain, sentences, written
from passhat.grading.protocol import CheckBase
from passhat.match import Match, match_case
from passhat.match.sidebyside import text_of_match
from passhat.result import CheckResult
from passhat.trace import Trace
from passhat.trace.derived import remembered
from passhat.values import ABSENT
from passhat.wording import joined

Retries = Literal["fold", "count"]
Parallel = Literal["free", "ordered"]


LENIENT = ("superset", "in_order")
"""The modes in which a run cannot fail where nothing is required of it."""


@dataclass(frozen=True, slots=True)
class Trajectory(CheckBase):
    """The calls that were made stand in the relation to the expected ones that the mode asks for.

    Evidence: the names of the `matched`, `missing` (required) and `extra` calls, with `near`, the
    arguments in which a missing call and an extra one of the same tool differ (`{tool, arg,
    expected, actual}`; what was not there has no key), and, where it failed, `alignment`.

    Args:
        mode: Instead of the case's mode.
        counts: Instead of the case's `counts`.
        retries: Instead of the case's `retries`.
        parallel: Instead of the case's `parallel`.
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "trajectory"
    needs: ClassVar[tuple[str, ...]] = ("calls", "expected_calls")
    mode: Mode | None = None
    counts: bool | None = None
    retries: Retries | None = None
    parallel: Parallel | None = None
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether the mode holds; the score is 1 or 0."""
        match = match_case(
            trace,
            case,
            mode=self.mode,
            counts=self.counts,
            retries=self.retries,
            parallel=self.parallel,
            nested=self.nested,
        )
        if match.ok and not acted(trace):
            return self.nothing(NOTHING_DONE)
        if match.ok and match.mode in LENIENT and not match.asked.requires:
            return self.nothing(f"no call is required, and mode {match.mode} lets others pass")
        wanted = match.asked.names
        whole = len(match.pairs) == len(wanted) == len(match.actual)
        evidence: dict[str, Any] = {
            "mode": match.mode,
            "matched": [*wanted] if whole else [wanted[index] for _, index in match.pairs],
            "missing": [] if whole else [wanted[index] for index in match.missing_at],
            "extra": [] if whole else [match.actual[index].name for index in match.extra_at],
        }
        if match.ok:
            return self.verdict(True, "", **evidence)
        evidence["near"] = _differences(match)
        evidence["alignment"] = text_of_match(match)
        return self.verdict(False, match.reason, **evidence)


def _differences(match: Match) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for near in match.near:
        tool = match.actual[near.actual].name
        for difference in near.differences:
            entry = {"tool": tool, "arg": difference.arg}
            for side in ("expected", "actual"):
                value = getattr(difference, side)
                if value is not ABSENT:
                    entry[side] = plain(value)
            found.append(entry)
    return found


@dataclass(frozen=True, slots=True)
class ToolSelection(CheckBase):
    """The tools that were called are those that were expected; none, where none was.

    Names are compared as sets, optional tools apart; neither arguments nor order count. A call
    counts as its tool's choice whatever came of it.

    The pooled rate is of calls: those of an expected tool, of all that name a tool there is (a
    name that is no tool is for `unknown_tools`).

    Args:
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "tool_selection"
    needs: ClassVar[tuple[str, ...]] = ("calls", "expected_calls")
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether the two sets are equal; the score is 1 or 0."""
        required, allowed = expected_names(case)
        catalogue = tool_catalogue(trace, case)
        calls = [c for c in trajectory(trace, case, self.nested) if c.name not in allowed]
        used = {call.name for call in calls}
        of = [call for call in calls if not catalogue or call.name in catalogue]
        missing = [name for name in required if name not in used]
        extra = [name for name in dict.fromkeys(c.name for c in calls) if name not in required]
        said = []
        if missing:
            said.append(f"{joined(missing)} should have been called")
        if extra:
            why = "" if required else ": no tool was expected"
            said.append(f"{joined(extra)} should not{why}")
        return self.verdict(
            not said,
            sentences(said),
            hits=sum(call.name in required for call in of),
            of=len(of),
            missing=missing,
            extra=extra,
        )


def expected_names(case: Case) -> tuple[dict[str, None], frozenset[str]]:
    """The tools that a case expects, in order, and those that it allows besides."""
    return remembered(case, "_expected_names", _names_in)


def _names_in(case: Case) -> tuple[dict[str, None], frozenset[str]]:
    required: dict[str, None] = {}
    allowed = set(case.optional_calls or ())
    for call in flat(case.expected_calls):
        if call.optional:
            allowed.add(call.name)
        else:
            required[call.name] = None
    return required, frozenset(allowed - required.keys())


@dataclass(frozen=True, slots=True)
class ToolCallF1(CheckBase):
    """How many of the calls were expected, and how many of the expected were made, in one number.

    Calls are paired one to one, arguments included, whatever the order. F1 = 2 tp / (2 tp + fp +
    fn), where tp are the matched required calls, fp the extra calls, fn the missing ones; optional
    calls and retries are in none of them. With nothing expected and nothing called it is 1.

    Args:
        counts: Instead of the case's `counts`.
        retries: Instead of the case's `retries`.
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "tool_call_f1"
    needs: ClassVar[tuple[str, ...]] = ("calls", "expected_calls")
    counts: bool | None = None
    retries: Retries | None = None
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The F1; precision, recall and the counts are in the evidence."""
        match = match_case(
            trace, case, counts=self.counts, retries=self.retries, nested=self.nested
        )
        missing, extra = match.missing, match.extra
        required = sum(not call.optional for call in match.expected)
        said = []
        if missing:
            said.append(f"missing {joined([call.name for call in missing])}")
        if extra:
            said.append(f"extra {joined([call.name for call in extra])}")
        return CheckResult(
            self.key,
            "failed" if said else "passed",
            match.f1,
            sentences(said),
            {
                "precision": match.precision,
                "recall": match.recall,
                "tp": required - len(missing),
                "fp": len(extra),
                "fn": len(missing),
            },
        )


@dataclass(frozen=True, slots=True)
class UnnecessaryCalls(CheckBase):
    """The share of calls that nothing asked for; 0 is best.

    A call is necessary if it stands for an expected one, or is a failed attempt that a matched
    call of the same tool followed up. Calls of optional tools are left out.

    Args:
        counts: Instead of the case's `counts`.
        retries: Instead of the case's `retries`.
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "unnecessary_calls"
    needs: ClassVar[tuple[str, ...]] = ("calls", "expected_calls")
    lower_is_better: ClassVar[bool] = True
    counts: bool | None = None
    retries: Retries | None = None
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        match = match_case(
            trace, case, counts=self.counts, retries=self.retries, nested=self.nested
        )
        if not match.actual and not acted(trace):
            return self.nothing(NOTHING_DONE)
        extra = [(index, match.actual[index]) for index in match.extra_at]
        said = f"not needed: {joined([written(call) for _, call in extra])}" if extra else ""
        return self.rate(
            len(extra),
            len(match.actual) - len(match.absorbed),
            said,
            calls=[named(index, call) for index, call in extra],
        )

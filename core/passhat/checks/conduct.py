"""How the run behaved: within its budget, without going round in circles, refusing and asking when it should."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import eq
from typing import Any, ClassVar

from passhat.case import Case, flat
from passhat.checks.declining import DECLINING, declines
from passhat.checks.reading import NOTHING_DONE, Nested, acted, identity, trajectory
from passhat.checks.wording import named, nearest, sentences, written
from passhat.errors import UsageError
from passhat.grading.needs import gap_in
from passhat.grading.protocol import CheckBase
from passhat.result import CheckResult
from passhat.trace import Interrupt, Message, ToolCall, Trace, Usage
from passhat.trace.derived import kept
from passhat.values import canonical
from passhat.wording import joined

MEASURES = ("turns", "requests", "tool_calls", "tokens", "cost", "seconds")
"""What a budget may bound."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Budget(CheckBase):
    """Nothing that the case's budget bounds went over its bound.

    A measure that the trace does not tell is never within its bound: the check is not evaluated,
    unless another one was broken. Where only a part is told (some requests record their tokens,
    others do not), that part is a lower bound: it can break the budget and cannot keep it.

    Args:
        turns: The most turns; like the others, together with those of the case's budget.
        requests: The most answers of a model.
        tool_calls: The most calls; those inside other calls only with `nested: include`.
        tokens: The most input and output tokens together.
        cost: The most money, in the currency of the trace.
        seconds: The longest time, from the start of the run to its end.
    """

    key: ClassVar[str] = "budget"
    turns: float | None = None
    requests: float | None = None
    tool_calls: float | None = None
    tokens: float | None = None
    cost: float | None = None
    seconds: float | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether nothing did; the score is 1 or 0."""
        held = kept(case)
        if "_limits" not in held or held["_limits"][0] is not self:
            held["_limits"] = (self, self._limits(case))
        limits: dict[str, float] = held["_limits"][1]
        if not limits:
            return self.nothing("the case states no budget")
        if not acted(trace):
            return self.nothing(NOTHING_DONE)
        spent: dict[str, dict[str, float | None]] = {}
        over, unknown = [], []
        for name, limit in limits.items():
            amount, whole = _spent(name, trace, case)
            spent[name] = {"limit": limit, "actual": amount}
            if amount is not None and amount > limit * (1 + _ROUNDING):
                over.append(f"{name} {amount:g} is over {limit:g}")
            elif not whole:
                unknown.append(name)
        if over:
            return self.verdict(False, "; ".join(over), spent=spent)
        if unknown:
            said = f"the trace does not tell all of {', '.join(unknown)}"
            return self.nothing(said, spent=spent)
        return self.verdict(True, "", spent=spent)

    def _limits(self, case: Case) -> dict[str, float]:
        limits = dict(case.budget or {})
        limits |= {name: own for name in MEASURES if (own := getattr(self, name)) is not None}
        for name, limit in limits.items():
            if name not in MEASURES:
                near = nearest(str(name), MEASURES)
                hint = f"did you mean {near}?" if near else f"there are {', '.join(MEASURES)}"
                raise UsageError(f"budget has no {name!r}, {hint}")
            if isinstance(limit, bool) or not isinstance(limit, int | float) or not limit >= 0:
                raise UsageError(f"budget: {name} is a number from 0, not {limit!r}")
        return limits


def _spent(name: str, trace: Trace, case: Case) -> tuple[float | None, bool]:
    """How much of a measure the trace tells, and whether that is all of it."""
    if name == "turns":
        return 1 + trace.steps[-1].turn - trace.steps[0].turn, True
    told, inside = gap_in(trace, "calls") is None, gap_in(trace, "calls inside") is None
    if name == "requests":
        return trace.requests, told and inside
    if name == "tool_calls":
        if case.nested == "include":
            return len(trace.all_calls), told and inside
        return len(trace.calls), told
    if name == "seconds":
        return trace.seconds, trace.seconds is not None
    usage = trace.total_usage
    if usage is None or gap_in(trace, "usage"):
        return None, False
    whole = trace.usage is not None or (
        inside
        and all(
            _amount(name, message.usage) is not None
            for message in trace.messages
            if message.role == "assistant"
        )
    )
    amount = _amount(name, usage)
    return amount, amount is not None and whole


def _amount(name: str, usage: Usage | None) -> float | None:
    """How much of tokens or cost was used; less than nothing is no answer."""
    if usage is None:
        return None
    amount = usage.tokens if name == "tokens" else usage.cost
    return amount if amount is not None and amount >= 0 else None


@dataclass(frozen=True, slots=True)
class Loops(CheckBase):
    """The run did not make the same call again and again for nothing.

    A loop is a number of calls in a row with the same tool and the same arguments, none of which
    brought anything new. A call brings something new if it succeeds with another result than the
    one before it: so a retry that works in the end is no loop, nor is asking for a status until
    it changes.

    Args:
        times: How many such calls in a row are a loop.
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "loops"
    needs: ClassVar[tuple[str, ...]] = ("calls", "results")
    times: int = 3
    nested: Nested | None = None

    def __post_init__(self) -> None:
        if self.times < 2:
            raise UsageError(f"loops: times is 2 or more, not {self.times}")

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether there is no loop; the score is 1 or 0."""
        calls = trajectory(trace, case, self.nested)
        if not calls and not acted(trace):
            return self.nothing(NOTHING_DONE)
        found = [run for run in _barren_runs(calls, self.times) if len(run) >= self.times]
        said = [
            f"{written(calls[run[0]])} was made {len(run)} times in a row and brought nothing new"
            for run in found
        ]
        return self.verdict(
            not found,
            sentences(said),
            loops=[{**named(run[0], calls[run[0]]), "times": len(run)} for run in found],
        )


def _barren_runs(calls: tuple[ToolCall, ...], times: int) -> Iterator[list[int]]:
    """The indexes of calls in a row that are the same and bring nothing new."""
    names = [call.name for call in calls]
    if not any(map(eq, names, names[1:])):
        return
    for _, named_alike in groupby(range(len(calls)), key=lambda index: calls[index].name):
        candidates = list(named_alike)
        if len(candidates) < times:
            continue
        for _, alike in groupby(candidates, key=lambda index: identity(calls[index])):
            barren: list[int] = []
            before: Any = None
            for index in alike:
                call = calls[index]
                result = (canonical(call.result),) if call.succeeded else None
                if result is None or result == before:
                    barren.append(index)
                else:
                    yield barren
                    before, barren = result, []
            yield barren


@dataclass(frozen=True, slots=True)
class Refusal(CheckBase):
    """The run refused where it should (`refuse: true`), or did not where it should not (`false`).

    It refused if its final answer declines and it did nothing that it would have had to refuse:
    no tool of the suite's `writes` was called with success or, where no `writes` are named, no tool
    that the case neither expects nor leaves open. Where it should not refuse, a successful call of
    a writing tool settles that it did not, whatever it says.

    An answer declines if it holds one of the phrases. That is a weak sign: "I can't find the order"
    sounds like a refusal and a refusal in other words, or in another language, does not. Name the
    phrases of your agent, or ask a judge, where that matters.

    Evidence: `expected` and `refused`, so that refusals too many and too few can be counted apart.

    Args:
        phrases: What a refusal sounds like, instead of the English phrases known.
    """

    key: ClassVar[str] = "refusal"
    needs: ClassVar[tuple[str, ...]] = ("response", "refuse")
    phrases: tuple[str, ...] = DECLINING

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it did what it should; the score is 1 or 0."""
        expected = bool(case.refuse)
        answer = trace.final_response
        phrase = None if answer is None else declines(answer, self.phrases)
        deeds = _deeds(trace, case)
        if not expected and not acted(trace):
            return self.nothing(NOTHING_DONE)
        refused = phrase is not None and not deeds
        evidence: dict[str, Any] = {
            "expected": expected,
            "refused": refused,
            "phrase": phrase,
            "calls": [named(index, call) for index, call in deeds],
        }
        if refused == expected:
            return self.verdict(True, "", **evidence)
        if not expected:
            return self.verdict(False, f"it declined ({phrase!r}) what it should do", **evidence)
        if deeds:
            did = joined([written(call) for _, call in deeds])
            return self.verdict(False, f"it should have refused, and called {did}", **evidence)
        did = "gave no answer" if answer is None else "its answer does not"
        return self.verdict(False, f"it should have refused, and {did}", **evidence)


def _deeds(trace: Trace, case: Case) -> list[tuple[int, ToolCall]]:
    """The calls that a run which refuses would not have made."""
    calls = enumerate(trace.all_calls)
    if case.writes is not None:
        return [(i, call) for i, call in calls if call.name in case.writes and call.succeeded]
    if not case.refuse:
        return []
    allowed = {*(case.optional_calls or ()), *(call.name for call in flat(case.expected_calls))}
    return [(i, call) for i, call in calls if call.name not in allowed and not call.failed]


@dataclass(frozen=True, slots=True)
class Clarification(CheckBase):
    """The run asked the user before it acted.

    It asked if, before its first act, it ended a request with words to the user that hold a
    question mark and with no call beside them, or paused with an interrupt. An act is a call of a
    tool of the suite's `writes` or, where none are named, of any tool but the optional ones: to look
    something up first is allowed where the suite tells reading from writing. What it asked is not
    judged.
    """

    key: ClassVar[str] = "clarification"
    needs: ClassVar[tuple[str, ...]] = ("calls", "response")

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it did; the score is 1 or 0."""
        asking = {call.request for call in trace.all_calls}
        index = -1
        for step in trace.steps:
            if type(step) is ToolCall:
                index += 1
                if _is_act(step, case):
                    said = f"{written(step)} was called before anything was asked"
                    return self.verdict(False, said, question=None, act=named(index, step))
            elif (question := _question(step, asking)) is not None:
                return self.verdict(True, "", question=question, act=None)
        return self.verdict(False, "it never asked the user anything", question=None, act=None)


def _is_act(call: ToolCall, case: Case) -> bool:
    if case.writes is not None:
        return call.name in case.writes
    return call.name not in (case.optional_calls or ())


_ADDRESS = re.compile(r"\bhttps?://\S+")
_QUESTION_MARKS = ("?", "？", "؟", "՞")


def _question(step: Any, asking: set[int | None]) -> str | None:
    """What a step asks the user, if it does."""
    if type(step) is Interrupt:
        return "(an interrupt)" if step.value is None else str(step.value)[:200]
    if type(step) is not Message or step.role != "assistant" or step.request in asking:
        return None
    said = _ADDRESS.sub("", step.text)
    return step.text[-200:] if any(mark in said for mark in _QUESTION_MARKS) else None

"""What the run left behind: the expected state and nothing else, and how much of it was reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal

from msgspec import UNSET

from passhat.case import Case
from passhat.checks.wording import sentences
from passhat.checks.world import NO_START, evaluated, initial_state
from passhat.errors import UsageError
from passhat.expressions import Expression, MissingValueError, compile_expression
from passhat.grading.needs import lacking
from passhat.grading.protocol import CheckBase
from passhat.result import CheckResult
from passhat.state import StateRules, goals, outcome
from passhat.state.changes import Change, value_text
from passhat.trace import Trace
from passhat.values import ABSENT
from passhat.wording import joined

_MOST = 50
"""How many places the evidence of a verdict names."""


@dataclass(frozen=True, slots=True)
class _StateCheck(CheckBase):
    """What the checks that compare states share.

    Args:
        ignore: Paths that are passed over, besides those of the case's `state`.
        allow: Paths that may change without being asked for, besides those of the case's `state`.
        match: `{path: matcher}` for what is expected there.
        keys: `{table: columns}`: the keys of tables, where they are not found.
        tolerance: How far numbers may be apart.
        lists: How lists that are no tables compare: `align`, `position` or `set`.
    """

    ignore: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    match: dict[str, Any] | None = None
    keys: dict[str, Any] | None = None
    tolerance: float | dict[str, float] | None = None
    lists: Literal["align", "position", "set"] | None = None

    def rules(self, case: Case, exact: bool | None = None) -> StateRules:
        """The rules of the case, with what the check says instead."""
        own = {
            "ignore": self.ignore,
            "allow": self.allow,
            "match": self.match,
            "keys": self.keys,
            "tolerance": self.tolerance,
            "lists": self.lists,
            "exact": exact,
        }
        return StateRules.of(case.state, {k: v for k, v in own.items() if v is not None})


@dataclass(frozen=True, slots=True)
class FinalState(_StateCheck):
    """The expected rows and documents are there in the end, and nothing else has changed.

    What is expected of a record is what is stated of it: the other fields of a row that was made
    may be anything, those of a row that was there before must be as they were. `allow` lists what
    may change besides. With `exact` the whole state must be as expected, and the initial one is
    not needed.

    Evidence: `missed` (`{path, expected, actual}`) and `unexpected` (`{path, kind, before,
    after}`); what was not there has no key. `notes` says which declared keys are of tables that
    neither state has.

    Args:
        exact: Instead of the case's `state: {exact: ...}`.
    """

    key: ClassVar[str] = "final_state"
    needs: ClassVar[tuple[str, ...]] = ("final_state", "expected_final_state")
    exact: bool | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether both hold; the score is 1 or 0."""
        start, rules = initial_state(trace, case), self.rules(case, self.exact)
        became = outcome(case.expected_final_state, start, trace.final_state, rules)
        misses, unexpected = became.misses, became.unexpected or ()
        evidence = {
            "missed": [miss.to_dict() for miss in misses[:_MOST]],
            "unexpected": [change.to_dict() for change in unexpected[:_MOST]],
            **_notes(rules, start, trace),
        }
        said = [str(miss) for miss in misses]
        if unexpected:
            said.append(f"nothing asked for: {joined(_places(unexpected), by='; ')}")
        if said:
            return self.verdict(False, sentences(said), **evidence)
        if became.unexpected is None:
            return self.nothing(
                f"what was expected is there, and whether anything else changed cannot be told: "
                f"{NO_START}; state: {{allow: ['*']}} says that it does not matter"
            )
        expected = case.expected_final_state
        why = _nothing_judged(rules, expected, start, trace.final_state)
        return self.nothing(why) if why else self.verdict(True, "", **evidence)


@dataclass(frozen=True, slots=True)
class StateUnchanged(_StateCheck):
    """Nothing has changed from the initial state to the final one, but for what may.

    Evidence: `unexpected`, as in `final_state`.
    """

    key: ClassVar[str] = "state_unchanged"
    needs: ClassVar[tuple[str, ...]] = ("final_state",)

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether nothing has; the score is 1 or 0."""
        start = initial_state(trace, case)
        if start is ABSENT:
            return self.nothing(NO_START)
        rules = self.rules(case)
        changes = rules.changes(start, trace.final_state)
        why = _nothing_judged(rules, {}, start, trace.final_state)
        if why and not changes:
            return self.nothing(why)
        return self.verdict(
            not changes,
            f"changed: {joined(_places(changes), by='; ')}" if changes else "",
            unexpected=[change.to_dict() for change in changes[:_MOST]],
            **_notes(rules, start, trace),
        )


@dataclass(frozen=True, slots=True)
class PartialCredit(_StateCheck):
    """The share of sub-goals that were reached.

    The sub-goals are `goals`, where the check names any. Else they are the records that
    `expected_final_state` speaks of, each reached as a whole or not: those that were not so from
    the start, and those that were and are no longer. With `exact` they are the records that had to
    change, and those that should not have.

    Evidence: `reached` and `missed`, the names of the sub-goals; `hits` and `of` are their numbers.

    Args:
        goals: Sub-goals by name, in CEL over what `success_check` sees.
        exact: Instead of the case's `state: {exact: ...}`.
    """

    key: ClassVar[str] = "partial_credit"
    needs: ClassVar[tuple[str, ...]] = ()
    goals: dict[str, str] = field(default_factory=dict)
    exact: bool | None = None

    def __post_init__(self) -> None:
        for name, text in self.goals.items():
            try:
                compiled(text)
            except UsageError as error:
                raise UsageError(f"partial_credit: goal {name!r}: {error}") from error

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share of those that were reached."""
        if self.goals:
            verdicts = [
                (name, _holds(compiled(text), trace, case)[0]) for name, text in self.goals.items()
            ]
        else:
            why = lacking(("expected_final_state", "final_state"), trace, case)
            if why:
                return self.nothing(why)
            rules = self.rules(case, self.exact)
            start = initial_state(trace, case)
            found = goals(case.expected_final_state, start, trace.final_state, rules)
            if not found and not rules.exact:
                return self.nothing("the case expects no record that could be reached")
            counted = [goal for goal in found if not (goal.reached and goal.held)]
            verdicts = [(goal.path, goal.reached) for goal in counted or found]
        missed = [name for name, good in verdicts if not good]
        return self.rate(
            len(verdicts) - len(missed),
            len(verdicts),
            f"not reached: {joined(missed)}" if missed else "",
            reached=[name for name, good in verdicts if good][:_MOST],
            missed=missed[:_MOST],
        )


@dataclass(frozen=True, slots=True)
class SuccessCheck(CheckBase):
    """The case's `success_check` holds: CEL over `state`, `initial`, `response`, `calls` and `case`.

    The parts of the final state are names too: `refunds['A100'].amount == 1200`. A table that is a
    list of rows is taken by its key where the expression asks for a row by its key, and is a list
    where it does not. What asks for something that is not there does not hold.

    Evidence: `read`, the values that it looked at.
    """

    key: ClassVar[str] = "success_check"
    needs: ClassVar[tuple[str, ...]] = ("success_check",)

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it holds; the score is 1 or 0."""
        holds, said, read = _holds(compiled(case.success_check or ""), trace, case)
        return self.verdict(holds, said, read=read)


def _nothing_judged(rules: StateRules, expected: Any, start: Any, final: Any) -> str | None:
    """Why a state that is as it should be says nothing: all of it may be anything. None where it does."""
    if expected and not rules.exact:
        return (
            "all that is expected lies in what is ignored" if rules.passes_over(expected) else None
        )
    if not rules.exact and rules.allows_all:
        return "everything may change (allow), and nothing is expected"
    sides = [side for side in (expected, start, final) if side and side is not ABSENT]
    if sides and all(map(rules.passes_over, sides)):
        return "all that the state holds is ignored"
    return None


def _notes(rules: StateRules, start: Any, trace: Trace) -> dict[str, Any]:
    before = {} if start is ABSENT else start
    notes = rules.notes(before, trace.final_state)
    return {"notes": notes} if notes else {}


def _places(changes: Sequence[Change]) -> list[str]:
    return [str(change) for change in changes]


@lru_cache(maxsize=1024)
def compiled(text: str, names: tuple[str, ...] | None = None) -> Expression:
    """The expression, compiled once.

    Raises:
        UsageError: It is none.
    """
    return compile_expression(text, names)


def _holds(expression: Expression, trace: Trace, case: Case) -> tuple[bool, str, dict[str, Any]]:
    """Whether an expression holds at the end of a run; why it does not; and what it looked at.

    Raises:
        NotEvaluated: Something that it reads was not recorded.
        UsageError: The values do not suit it, or it gives no boolean.
    """
    try:
        result = evaluated(expression, trace, case)
    except MissingValueError as error:
        return False, f"it asks for what is not there: {error.message}", {}
    if not isinstance(result, bool):
        raise UsageError(f"`{expression.text}` gives {value_text(result)}, not true or false")
    read = _looked_at(expression, trace)
    if result:
        return True, "", read
    found = ", ".join(f"{path} is {value_text(value)}" for path, value in list(read.items())[:3])
    return False, f"`{expression.text}` is false" + (f": {found}" if found else ""), read


def _looked_at(expression: Expression, trace: Trace) -> dict[str, Any]:
    """The scalars of the final state and the response that an expression reads, by their paths."""
    found: dict[str, Any] = {}
    for path in expression.reads:
        if path[0] in ("calls", "case", "initial"):
            continue
        if path[0] == "response":
            found["response"] = trace.final_response
            continue
        value: Any = trace.final_state
        for step in path[1:] if path[0] == "state" else path:
            value = value.get(step, UNSET) if isinstance(value, Mapping) else UNSET
        if value is not UNSET and not isinstance(value, Mapping | list):
            found[".".join(path)] = value
    return found

"""Rules of the house that hold of each call: what may not be, and what must."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from passhat.case import POLICY_NAMES, Case
from passhat.checks.reading import NOTHING_DONE, Nested, acted
from passhat.checks.state import compiled
from passhat.checks.wording import named, sentences, written
from passhat.checks.world import History, call_value, case_value, with_labels
from passhat.errors import UsageError
from passhat.expressions import Expression, ExpressionError, MissingValueError
from passhat.grading.protocol import CheckBase
from passhat.match.trajectory import calls_with_inside
from passhat.result import CheckResult
from passhat.state.changes import value_text
from passhat.trace import ToolCall, Trace
from passhat.values import NotEvaluated
from passhat.wording import joined


class _Policy(NamedTuple):
    """A policy: its name, its condition, and whether that must hold or may not."""

    name: str
    condition: Expression
    required: bool


@dataclass(frozen=True, slots=True)
class Policies(CheckBase):
    """Each call keeps the case's `policies`: no `deny` holds of it, and every `require` does.

    A condition is CEL over `call` (`name`, `args`, `turn`, `agent`, `executed`, `failed`, ...),
    `calls_before` (the calls of earlier requests: asked together is not before), `state` (as it
    was at the call: the initial state with the updates since; its tables as in `success_check`)
    and `case`. The attempt counts, as with forbidden calls. A `require` that asks for what is not
    there does not hold; a `deny` that does so is an error: write `has(call.args.amount) &&
    call.args.amount > 100`.

    Evidence: `violations`, each with the policy's name and the call's index and name; `hits` and
    `of` count the policies that were kept, of those that were judged.

    Args:
        nested: `exclude` leaves out the calls made inside other calls.
        ran: Set to judge only calls that may have run.
    """

    key: ClassVar[str] = "policies"
    needs: ClassVar[tuple[str, ...]] = ("calls", "policies")
    nested: Nested = "include"
    ran: bool = False

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share of policies that every call keeps; the check passes if all do."""
        if not case.policies:
            return self.nothing("the case states no policy")
        if not acted(trace):
            return self.nothing(NOTHING_DONE)
        steps = [
            (at, step)
            for at, step in enumerate(trace.steps)
            if type(step) is ToolCall
            and (self.nested == "include" or step.parent is None)
            and not (self.ran and step.executed is False)
        ]
        findings = [_judged(policy, steps, trace, case) for policy in _read(case)]
        broken = [said for finding in findings for said in finding.violations]
        if broken:
            return self._rated(findings, sentences([str(said) for said in broken]))
        faults = [finding.fault for finding in findings if finding.fault]
        if faults:
            raise UsageError(joined(faults, by="; "))
        unknown = [finding.unknown for finding in findings if finding.unknown]
        if unknown:
            return self.nothing(joined(unknown, by="; "))
        if self.nested == "include":
            calls_with_inside(trace)  # Where they are not known, none may be said to keep to it.
        return self._rated(findings, "")

    def _rated(self, findings: list[_Finding], reason: str) -> CheckResult:
        judged = [finding for finding in findings if not finding.fault and not finding.unknown]
        broken = [finding for finding in findings if finding.violations]
        of = len(judged) + sum(finding not in judged for finding in broken)
        violations = [said.to_dict() for finding in broken for said in finding.violations]
        return self.rate(of - len(broken), of, reason, violations=violations)


@dataclass(frozen=True, slots=True)
class _Violation:
    """A call that breaks a policy."""

    policy: _Policy
    index: int
    call: ToolCall
    why: str

    def __str__(self) -> str:
        return f"{written(self.call)} breaks {self.policy.name!r}: {self.why}"

    def to_dict(self) -> dict[str, Any]:
        """The violation as evidence names it."""
        return {**named(self.index, self.call), "policy": self.policy.name, "reason": self.why}


class _Finding(NamedTuple):
    """What became of one policy over all calls."""

    violations: list[_Violation]
    fault: str | None = None
    unknown: str | None = None


def _read(case: Case) -> list[_Policy]:
    """The policies of a case.

    Raises:
        UsageError: One has no condition, two, or one that does not compile.
    """
    found = []
    for number, stated in enumerate(case.policies or ()):
        if not isinstance(stated, Mapping):
            raise UsageError(
                f"policy {number + 1} is {{name, deny or require}}, not {stated!r:.100}"
            )
        name = str(stated.get("name", f"policy {number + 1}"))
        words = [word for word in ("deny", "require") if word in stated]
        if len(words) != 1:
            raise UsageError(f"policy {name!r} needs one of deny and require")
        try:
            condition = compiled(stated[words[0]], POLICY_NAMES)
        except UsageError as error:
            raise UsageError(f"policy {name!r}: {error}") from error
        found.append(_Policy(name, condition, words[0] == "require"))
    return found


def _judged(
    policy: _Policy, steps: list[tuple[int, ToolCall]], trace: Trace, case: Case
) -> _Finding:
    """Holds a policy against every call; the first thing that cannot be told is kept."""
    reads = [path for path in policy.condition.reads if path[0] == "state"]
    whole = any(len(path) == 1 for path in reads)
    history = History(trace, case, None if whole else frozenset(path[1] for path in reads))
    violations: list[_Violation] = []
    fault = unknown = None
    for index, (at, call) in enumerate(steps):
        try:
            values = _values(policy.condition, index, at, steps, history, case)
            result = policy.condition.evaluate(**values)
        except NotEvaluated as error:
            unknown = unknown or f"policy {policy.name!r} at {written(call)}: {error.message}"
            continue
        except MissingValueError as error:
            if policy.required:
                violations.append(_Violation(policy, index, call, error.message))
            else:
                fault = fault or (
                    f"policy {policy.name!r} at {written(call)}: {error.message}; guard it with "
                    "has(...) or with the call's name"
                )
            continue
        except ExpressionError as error:
            fault = fault or f"policy {policy.name!r} at {written(call)}: {error.message}"
            continue
        if not isinstance(result, bool):
            fault = fault or f"policy {policy.name!r} gives {value_text(result)}, not true or false"
        elif result is not policy.required:
            word = "does not hold" if policy.required else "holds"
            why = f"`{policy.condition.text}` {word}"
            violations.append(_Violation(policy, index, call, why))
    return _Finding(violations, fault, unknown)


def _values(
    condition: Expression,
    index: int,
    at: int,
    steps: list[tuple[int, ToolCall]],
    history: History,
    case: Case,
) -> Mapping[str, Any]:
    """What a condition reads, as it was at a call."""
    call = steps[index][1]
    given: dict[str, Any] = {}
    for name in condition.names_used:
        if name == "call":
            given[name] = call_value(call)
        elif name == "calls_before":
            earlier = [step for _, step in steps[:index]]
            given[name] = [call_value(step) for step in earlier if _before(step, call)]
        elif name == "state":
            given[name] = with_labels(history.at(at), condition, ("state",))
        else:
            given[name] = case_value(case, condition)
    return given


def _before(earlier: ToolCall, call: ToolCall) -> bool:
    """Whether a call was asked for before another: in an earlier request."""
    if earlier.request is None or call.request is None:
        return True
    return earlier.request < call.request

"""The plan of a case: which checks judge it, on what, by which thresholds, and which must hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from msgspec.structs import replace

from passhat.case import Case, Turn
from passhat.errors import UsageError
from passhat.grading.catalogue import brought, build_check, informing
from passhat.grading.needs import Look, checked_needs, looked_at
from passhat.grading.protocol import Check
from passhat.result import CheckResult

ChecksSpec: TypeAlias = Iterable[str | Check] | Mapping[str, Mapping[str, Any]]

_TURN_KEYS = frozenset(Turn.__struct_fields__) - {"input", "checks"}
_SLACK = 1e-9
"""Scores are sums and quotients: 0.8 is reached by 0.7999999999999999."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The scores between which a check passes, of which one at least is there."""

    at_least: float | None = None
    at_most: float | None = None

    def applied(self, result: CheckResult) -> CheckResult:
        """The result, passed or failed by its score where there is one and a threshold."""
        score = result.score
        if score is None:
            return result
        if result.status not in ("passed", "failed"):
            return result
        told = f"score {score:.4g}"
        low, high = self.at_least, self.at_most
        if low is not None and score < low - _SLACK:
            ok, said = False, f"{told} is under {low:g}"
        elif high is not None and score > high + _SLACK:
            ok, said = False, f"{told} is over {high:g}"
        elif result.status == "passed":
            return result
        elif high is None:
            ok, said = True, f"{told} reaches {low:g}"
        else:
            ok, said = True, f"{told} is within {'' if low is None else f'{low:g} to '}{high:g}"
        why = result.reason.removeprefix(told).removeprefix(": ")
        reason = ": ".join(part for part in (said, why) if part)
        return replace(result, status="passed" if ok else "failed", reason=reason)


@dataclass(frozen=True, slots=True)
class Part:
    """One judging of a check: of the whole trace, or of one of its turns.

    Attributes:
        turn: The turn, counted from 0; None for the whole.
        case: What is expected of the whole, or of that turn.
        check: The check.
        threshold: The scores it must reach; None where the check's own verdict stands.
        looks: What tells whether all is at hand in a trace without gaps; None where something is
            lacking in any trace.
    """

    turn: int | None
    case: Case
    check: Check
    threshold: Threshold | None
    looks: tuple[Look, ...] | None


@dataclass(frozen=True, slots=True)
class Planned:
    """A check as a case asks for it, and all that it is to judge."""

    key: str
    required: bool
    parts: tuple[Part, ...]


def plan_for(
    case: Case, checks: ChecksSpec | None = None, *, success: str | None = None, inform: bool = True
) -> tuple[Planned, ...]:
    """The checks of a case, required ones first.

    A check judges the whole trace where the case's own expectations ask for it, and each turn
    whose expectations do; where neither does, the whole.

    Args:
        case: The case.
        checks: The checks to run and require; None for those that the case's expectations bring,
            those that it names, and those that inform.
        success: The recorded score whose value is the verdict; then every other check informs.
        inform: Whether checks that nothing requires are there too.

    Raises:
        UsageError: A check is named that does not exist, or with an option it has not.
    """
    planner = _Planner(case)
    if success is not None:
        planner.add("recorded_score", options={"score": success}, required=True)
        planner.informs = True
    if checks is not None:
        for item in checks:
            key = item if isinstance(item, str) else item.key
            own = checks[key] if isinstance(checks, Mapping) else {}
            made = None if isinstance(item, str) else item
            stated = {k: v for k, v in (case.checks or {}).get(key, {}).items() if k != "required"}
            planner.add(key, made=made, options={**stated, **own}, required=True)
    else:
        stated_checks = case.checks or {}
        named = [
            name for turn in case.turns or () for name in (*brought(turn), *(turn.checks or ()))
        ]
        for key in dict.fromkeys((*brought(case), *named, *stated_checks)):
            planner.add(key, options=stated_checks.get(key, {}), required=True)
        if inform:
            for key in informing(case):
                planner.add(key, options={}, required=False)
    return tuple(sorted(planner.planned.values(), key=lambda planned: not planned.required))


@dataclass(slots=True)
class _Planner:
    case: Case
    informs: bool = False
    planned: dict[str, Planned] = field(default_factory=dict)
    _turn_cases: dict[int, Case] = field(default_factory=dict)

    def add(
        self,
        key: str,
        *,
        options: Mapping[str, Any],
        required: bool,
        made: Check | None = None,
    ) -> None:
        if key in self.planned:
            if made is not None:
                raise UsageError(f"there are two checks with the key {key!r}; run them one by one")
            return
        required = _flag(key, options, required) and not self.informs
        first = self._part(key, None, self.case, options, made)
        needs = first.check.needs
        turns = self.case.turns or ()
        asking = [
            index
            for index, turn in enumerate(turns)
            if key in (turn.checks or ()) or _asks(key, needs, turn)
        ]
        parts = [] if asking and not _asks(key, needs, self.case) else [first]
        for index in asking:
            own = (turns[index].checks or {}).get(key, {})
            if "required" in own:
                raise UsageError(f"check {key!r}: `required` is said for the case, not for a turn")
            if index not in self._turn_cases:
                self._turn_cases[index] = turn_case(self.case, turns[index])
            here = self._turn_cases[index]
            parts.append(self._part(key, index, here, {**options, **own}, made))
        self.planned[key] = Planned(key, required, tuple(parts))

    def _part(
        self,
        key: str,
        turn: int | None,
        case: Case,
        options: Mapping[str, Any],
        made: Check | None,
    ) -> Part:
        threshold = _threshold(key, options)
        if made is not None:
            checked_needs(key, made.needs)
        else:
            made = build_check(key, options)
        return Part(turn, case, made, threshold, looked_at(made.needs, case))


def turn_case(case: Case, turn: Turn) -> Case:
    """The case of one turn: its own expectations, with what holds for the whole.

    How calls compare (`match`, `counts`, `retries`, `nested`), the tools, and what may always be
    called hold for the whole; so does the mode, but for a turn that expects no calls at all.
    """
    own = {name: getattr(turn, name) for name in _TURN_KEYS}
    if turn.mode is None and turn.expected_calls != ():
        own["mode"] = case.mode
    if case.optional_calls:
        own["optional_calls"] = (*case.optional_calls, *(turn.optional_calls or ()))
    return replace(case, **{**own, "input": turn.input, "turns": None})


def _asks(key: str, needs: tuple[str, ...], stated: Case | Turn) -> bool:
    """Whether the expectations of a case or of a turn ask for a check, or are what it needs."""
    return key in brought(stated) or any(
        need in _TURN_KEYS and getattr(stated, need) is not None for need in needs
    )


def _flag(key: str, options: Mapping[str, Any], default: bool) -> bool:
    value = options.get("required", default)
    if not isinstance(value, bool):
        raise UsageError(f"check {key!r}: required is true or false, not {value!r}")
    return value


def _threshold(key: str, options: Mapping[str, Any]) -> Threshold | None:
    found: dict[str, float | None] = {}
    for name in ("at_least", "at_most"):
        value = options.get(name)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and 0 <= value <= 1):
            raise UsageError(f"check {key!r}: {name} is a score in 0..1, not {value!r}")
        found[name] = None if value is None else float(value)
    low, high = found["at_least"], found["at_most"]
    if low is None and high is None:
        return None
    if low is not None and high is not None and low > high:
        raise UsageError(f"check {key!r}: nothing is at least {low:g} and at most {high:g}")
    return Threshold(low, high)

"""Advice on a suite that has no faults: what it does not try, and what in it tests nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from passhat.case import Case, ExpectedCall, Suite
from passhat.errors import UsageError
from passhat.grading.catalogue import brought
from passhat.match import read_rule
from passhat.reliability.planning import half_width
from passhat.reliability.wording import counted
from passhat.suitefile.kinds import missing_kinds
from passhat.suitefile.shapefaults import nearest
from passhat.suitefile.stages import calls_expected, calls_required, required_alone, stages_of
from passhat.values import matcher
from passhat.values.matchers import NamedMatcher
from passhat.wording import joined

ENOUGH_CASES = 30


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing that a suite lacks, or that tests nothing in it.

    Args:
        kind: What it is about: `happy path`, ..., `no required check`, `few cases`, `matcher`,
            `cannot fail`, `empty args`, `argument`, `before`, `contradiction`, `approval`,
            `same input`, `success in words`.
        message: What is amiss and what to do.
        cases: The cases it is about; empty where it is the suite.
    """

    kind: str
    message: str
    cases: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def advise(suite: Suite) -> tuple[Advice, ...]:
    """What a suite does not try, and what in it tests nothing.

    Args:
        suite: A suite without faults.

    >>> [advice.kind for advice in advise(Suite("s", [Case("a", "hi", expected_calls=[])]))][:3]
    ['happy path', 'multi-step', 'read-only']
    """
    return tuple(
        advice
        for look in (
            _missing_kinds,
            _untested,
            _few_cases,
            _calls,
            _cannot_fail,
            _before,
            _conduct,
            _same_input,
            _wished,
        )
        for advice in look(suite)
    )


def _missing_kinds(suite: Suite) -> Iterator[Advice]:
    return (Advice(kind, message) for kind, message in missing_kinds(suite))


def _untested(suite: Suite) -> Iterator[Advice]:
    cases = [case.id for case in suite.cases if not _required_checks(case)]
    if cases:
        yield Advice(
            "no required check",
            f"nothing would be tested in {joined(cases, 5)}: state an expectation, or a check",
            tuple(cases),
        )


def _required_checks(case: Case) -> list[str]:
    options = case.checks or {}
    keys = [key for stage in stages_of(case) for key in (*brought(stage), *(stage.checks or ()))]
    return [key for key in keys if options.get(key, {}).get("required", True)]


def _few_cases(suite: Suite) -> Iterator[Advice]:
    count = len(suite.cases)
    if 0 < count < ENOUGH_CASES:
        here, then = (100 * half_width(n, 0.8) for n in (count, ENOUGH_CASES))
        yield Advice(
            "few cases",
            f"{counted(count, 'case')}: a pass rate of 80 % would be known to {here:.0f} points "
            f"either way (95 % interval); {ENOUGH_CASES} cases give {then:.0f}",
        )


def _calls(suite: Suite) -> Iterator[Advice]:
    for case in suite.cases:
        for call in calls_expected(case):
            if call.args == {}:
                yield Advice(
                    "empty args",
                    f"{case.id}: {call.name} is expected with empty args, which any arguments "
                    "match; state them, or leave `args` out",
                    (case.id,),
                )
            yield from _idle_matchers(case, call)
            yield from _unknown_arguments(case, call)


def _cannot_fail(suite: Suite) -> Iterator[Advice]:
    for case in suite.cases:
        if case.expected_calls is None or case.effective_mode not in ("superset", "in_order"):
            continue
        if not required_alone(case):
            yield Advice(
                "cannot fail",
                f"{case.id}: mode {case.effective_mode} with no required call holds for any run, "
                "and is not evaluated; require a call, or leave the mode out",
                (case.id,),
            )


def _idle_matchers(case: Case, call: ExpectedCall) -> Iterator[Advice]:
    for name, spec in call.match.items() if isinstance(call.match, Mapping) else ():
        if name not in (call.args or {}) and _needs_expected(spec):
            yield Advice(
                "matcher",
                f"{case.id}: {call.name}: {name} is matched by {_name_of(spec)}, which needs an "
                "expected value, and args has none; it never applies",
                (case.id,),
            )


def _needs_expected(spec: Any) -> bool:
    if spec == "auto":
        return True
    try:
        made = matcher(spec)
    except UsageError:
        return False
    return isinstance(made, NamedMatcher) and made.needs_expected


def _name_of(spec: Any) -> str:
    return str(next(iter(spec))) if isinstance(spec, Mapping) else str(spec)


def _unknown_arguments(case: Case, call: ExpectedCall) -> Iterator[Advice]:
    schema = (case.tools or {}).get(call.name, {})
    known = schema.get("properties")
    if not isinstance(known, Mapping) or schema.get("additionalProperties") not in (None, False):
        return
    for name in call.args or ():
        if name not in known:
            yield Advice(
                "argument",
                f"{case.id}: {call.name} has no argument {name!r}, {nearest(name, known)}",
                (case.id,),
            )


def _before(suite: Suite) -> Iterator[Advice]:
    """Orders that a good run may have nothing to judge by: no B of `[A, B]` is called for sure."""
    asking: dict[str, list[str]] = {}
    for case in suite.cases:
        if "precedence" not in _required_checks(case):
            continue
        for stage in stages_of(case):
            after = dict.fromkeys(read_rule(e).after.call.name for e in stage.before or ())
            sure = calls_required(case) if stage is case else required_alone(stage)
            if after and after.keys().isdisjoint(call.name for call in sure):
                asking.setdefault(" or ".join(after), []).append(case.id)
    for calls, cases in asking.items():
        yield Advice(
            "before",
            f"{joined(cases, 5)}: a run without {calls} is not evaluated, as `before` has nothing to "
            "judge; expect the call, or let the check inform (checks: {precedence: {required: "
            "false}})",
            tuple(cases),
        )


def _conduct(suite: Suite) -> Iterator[Advice]:
    for case in suite.cases:
        for stage in stages_of(case):
            banned = {call.name for call in stage.forbidden_calls or () if call.args is None}
            for name in dict.fromkeys(call.name for call in required_alone(stage)):
                if name in banned:
                    yield Advice(
                        "contradiction",
                        f"{case.id}: {name} is both expected and forbidden; no run can pass",
                        (case.id,),
                    )
            if stage.requires_approval is True and not case.writes:
                yield Advice(
                    "approval",
                    f"{case.id}: requires_approval: true means all of `writes`, and there are none",
                    (case.id,),
                )


def _same_input(suite: Suite) -> Iterator[Advice]:
    sharing: dict[str, list[str]] = {}
    for case in suite.cases:
        if isinstance(case.first_input, str) and case.first_input.strip():
            sharing.setdefault(case.first_input.strip(), []).append(case.id)
    for cases in sharing.values():
        if len(cases) > 1:
            yield Advice(
                "same input",
                f"{joined(cases, 5)} have the same input; only a case_id can tell their runs apart",
                tuple(cases),
            )


def _wished(suite: Suite) -> Iterator[Advice]:
    wished = [
        case.id
        for case in suite.cases
        if (case.scenario or {}).get("success") and "scenario_success" not in (case.checks or {})
    ]
    if wished:
        yield Advice(
            "success in words",
            f"{joined(wished, 5)} say in `scenario.success` when the user has what they want: a user who "
            "is a model is told, and no check judges by it; state it in `expected_final_state`, "
            "`success_check` or `response` too, or give the check `scenario_success` a judge",
            tuple(wished),
        )

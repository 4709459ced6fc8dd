"""Where checks are found: the catalogue by key, what brings each, and the user's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from passhat.case import Case, Turn
from passhat.errors import UsageError
from passhat.grading.needs import checked_needs
from passhat.grading.protocol import Check, FunctionCheck
from passhat.result import CheckResult
from passhat.trace import Trace
from passhat.wording import nearest_or_all

CATALOGUE: dict[str, str] = {
    "tool_selection": "calls:ToolSelection",
    "trajectory": "calls:Trajectory",
    "tool_call_f1": "calls:ToolCallF1",
    "unnecessary_calls": "calls:UnnecessaryCalls",
    "forbidden_calls": "unwanted:ForbiddenCalls",
    "duplicate_calls": "unwanted:DuplicateCalls",
    "no_calls": "unwanted:NoCalls",
    "unknown_tools": "unwanted:UnknownTools",
    "schema_valid": "arguments:SchemaValid",
    "argument_accuracy": "arguments:ArgumentAccuracy",
    "call_exact": "arguments:CallExact",
    "guessed_arguments": "guessing:GuessedArguments",
    "provenance": "provenance:Provenance",
    "precedence": "order:Precedence",
    "approval": "order:Approval",
    "budget": "conduct:Budget",
    "loops": "conduct:Loops",
    "refusal": "conduct:Refusal",
    "clarification": "conduct:Clarification",
    "injection": "injection:Injection",
    "claimed_action": "honesty:ClaimedAction",
    "claimed_calls": "lookups:ClaimedCalls",
    "false_success": "honesty:FalseSuccess",
    "fault_handling": "faults:FaultHandling",
    "recovered": "recovery:Recovered",
    "retry_budget": "recovery:RetryBudget",
    "error_rate": "recovery:ErrorRate",
    "user_on_script": "script:UserOnScript",
    "scenario_success": "script:ScenarioSuccess",
    "response_includes": "response:ResponseIncludes",
    "response_excludes": "response:ResponseExcludes",
    "response_equals": "response:ResponseEquals",
    "response_matches": "response:ResponseMatches",
    "response_json": "response_values:ResponseJson",
    "response_number": "response_values:ResponseNumber",
    "rouge1": "likeness:Rouge1",
    "node_trajectory": "nodes:NodeTrajectory",
    "route": "nodes:Route",
    "final_state": "state:FinalState",
    "state_unchanged": "state:StateUnchanged",
    "partial_credit": "state:PartialCredit",
    "success_check": "state:SuccessCheck",
    "policies": "policies:Policies",
    "recorded_score": "recorded:RecordedScore",
}
"""The checks by key: the file in `passhat.checks` and the class in it, imported when used."""

BROUGHT_BY: dict[str, tuple[str, ...]] = {
    "expected_calls": ("trajectory",),
    "before": ("precedence",),
    "forbidden_calls": ("forbidden_calls",),
    "expected_final_state": ("final_state",),
    "success_check": ("success_check",),
    "policies": ("policies",),
    "budget": ("budget",),
    "requires_approval": ("approval",),
    "route": ("route",),
    "refuse": ("refusal",),
    "clarify": ("clarification",),
    "faults": ("fault_handling",),
}
"""The checks that each expectation of a case brings. `response` brings one for each of its keys."""

_EMPTY_SAYS_NOTHING = frozenset(
    {
        *("before", "forbidden_calls", "policies", "budget", "requires_approval", "route"),
        *("clarify", "faults"),
    }
)
"""The keys whose empty (or false) value expects nothing, and so brings no check."""

RESPONSE_KEYS = ("includes", "excludes", "equals", "matches", "json", "number")

INFORMING = (
    "tool_selection",
    "trajectory",
    "tool_call_f1",
    "argument_accuracy",
    "call_exact",
    "unnecessary_calls",
    "duplicate_calls",
    "unknown_tools",
    "schema_valid",
    "error_rate",
    "recovered",
    "loops",
)
"""The checks that run on every trace to inform, where nothing requires them."""


def informing(case: Case) -> tuple[str, ...]:
    """The checks that inform of a case: those of every trace, of faults, and of a user who plays.

    >>> informing(Case("c", faults=[{"tool": "pay", "fault": 500}]))[-2:]
    ('retry_budget', 'false_success')
    """
    keys: list[str] = list(INFORMING)
    if case.faults:
        keys += ["fault_handling", "retry_budget", "false_success"]
        if any(fault.get("fault") == "instruction" for fault in case.faults):
            keys.append("injection")
    if case.scenario is not None and case.scenario.get("hidden_facts"):
        keys.append("user_on_script")
    return tuple(keys)


GRADE_OPTIONS = frozenset({"at_least", "at_most", "required"})
"""The options that grading itself reads; every other one is the check's own."""

_OWN: dict[str, FunctionCheck] = {}


def brought(case: Case | Turn) -> tuple[str, ...]:
    """The keys of the checks that the expectations of a case (or of a turn) bring.

    Raises:
        UsageError: `response` is no mapping, or has a key that is none: it would be judged by
            nothing.

    >>> brought(Case("c", expected_calls=["a"], response={"includes": ["done"]}))
    ('trajectory', 'response_includes')
    """
    keys: list[str] = []
    for name, brings in BROUGHT_BY.items():
        value = getattr(case, name, None)
        if name == "faults":
            value = [fault for fault in value or () if fault.get("expect")]
        if value or (value is not None and name not in _EMPTY_SAYS_NOTHING):
            keys += brings
    response = case.response or {}
    if not isinstance(response, Mapping):
        raise UsageError(f"response is {{{', '.join(RESPONSE_KEYS)}}}, not {response!r:.100}")
    for name in response:
        if name not in RESPONSE_KEYS:
            raise UsageError(f"response has no key {name!r}, {nearest_or_all(name, RESPONSE_KEYS)}")
        keys.append(f"response_{name}")
    return tuple(keys)


def check(
    key: str, *, needs: tuple[str, ...] = ()
) -> Callable[[Callable[[Trace, Case], bool | float | CheckResult]], FunctionCheck]:
    """Makes a function `(trace, case) -> bool | float | CheckResult` a check of your own.

    Args:
        key: Its name, in results and in suites.
        needs: What must be at hand, or it is not evaluated.

    Raises:
        UsageError: The catalogue has a check of that name, or a need is none.

    >>> @check("polite", needs=("response",))
    ... def polite(trace, case):
    ...     return "please" in (trace.final_response or "")
    >>> polite.key
    'polite'
    """
    if key in CATALOGUE:
        raise UsageError(f"{key!r} is a check of the catalogue; choose another key")
    checked_needs(key, needs)

    def register(function: Callable[[Trace, Case], bool | float | CheckResult]) -> FunctionCheck:
        own = FunctionCheck(key, function, needs)
        _OWN[key] = own
        return own

    return register


def known_checks() -> tuple[str, ...]:
    """The keys that a suite may name: those of the catalogue, then the user's own."""
    return (*CATALOGUE, *_OWN)


def build_check(key: str, options: Mapping[str, Any] | None = None) -> Check:
    """The check of that key with those options.

    Args:
        key: A key of the catalogue, or of a check of your own.
        options: The check's own options; those of grading (`at_least`, `at_most`, `required`) are
            passed over.

    Raises:
        UsageError: There is no such check, it has no such option (the nearest one is named), or
            an option has a value that it cannot have.

    >>> build_check("trajectory", {"mode": "in_order"}).mode
    'in_order'
    """
    given = {k: v for k, v in (options or {}).items() if k not in GRADE_OPTIONS}
    if key in _OWN:
        if given:
            raise UsageError(f"check {key!r} is your own and has no options: {', '.join(given)}")
        return _OWN[key]
    cls = check_class(key)
    names = [item.name for item in fields(cls)]
    for name in given:
        if name not in names:
            hint = nearest_or_all(name, [*names, *sorted(GRADE_OPTIONS)])
            raise UsageError(f"check {key!r} has no option {name!r}, {hint}")
    try:
        made: Check = msgspec.convert(given, cls)
    except msgspec.ValidationError as error:
        raise UsageError(f"check {key!r}: {_option_fault(str(error))}") from error
    return made


@cache
def check_class(key: str) -> Any:
    """The class of a check of the catalogue.

    Raises:
        UsageError: There is no such check; the nearest one is named.
    """
    if key not in CATALOGUE:
        raise UsageError(f"there is no check {key!r}, {nearest_or_all(key, known_checks())}")
    module, _, name = CATALOGUE[key].partition(":")
    return getattr(import_module(f"passhat.checks.{module}"), name)


_KINDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
}
_WRONG_KIND = re.compile(r"Expected `(.+)`, got `(.+)` - at `\$\.(.+)`")
_WRONG_WORD = re.compile(r"Invalid enum value (.+) - at `\$\.(.+)`")
_NOT_THERE = re.compile(r"Object missing required field `(.+)`")


def _option_fault(said: str) -> str:
    """What msgspec says of an option, in the words that a suite's other faults have."""
    if found := _WRONG_KIND.fullmatch(said):
        wanted, got = (
            " or ".join(_KINDS.get(kind, kind) for kind in kinds.split(" | "))
            for kinds in found.groups()[:2]
        )
        return f"{found[3]} needs {wanted}, not {got}"
    if found := _WRONG_WORD.fullmatch(said):
        return f"{found[2]} cannot be {found[1]}"
    if found := _NOT_THERE.fullmatch(said):
        return f"needs a {found[1]}"
    return said

"""What `test_config.json` asks for, in our words: modes, thresholds, and checks with their options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from passhat.adapter import FidelityNote
from passhat.case import Case, ExpectedCall, Mode
from passhat.errors import UsageError
from passhat.grading.catalogue import CATALOGUE, check_class
from passhat.match.dialects import Translation, find_dialect, translation, ways_of
from passhat_adk.fields import number
from passhat_adk.native import CONFIG, CRITERION, snaked

PREFIX = "passhat_"
CASE_METRIC = "passhat_case"
"""The metric that runs all that a case expects."""

TRAJECTORY = "tool_trajectory_avg_score"
RESPONSE = "response_match_score"
MATCH_TYPES = ("exact", "in_order", "any_order")
DIALECT = "adk@2.13"

INFORMATIONAL = (
    "tool_call_count_v1",
    "inference_call_count_v1",
    "token_usage_v1",
    "invocation_duration_v1",
)
"""ADK's metrics that never pass or fail; a threshold makes them not evaluated."""

JUDGED = (
    "response_evaluation_score",
    "safety_v1",
    "final_response_match_v2",
    "rubric_based_final_response_quality_v1",
    "hallucinations_v1",
    "rubric_based_tool_use_quality_v1",
    "per_turn_user_simulator_quality_v1",
    "multi_turn_task_success_v1",
    "multi_turn_trajectory_quality_v1",
    "multi_turn_tool_use_quality_v1",
    "rubric_based_multi_turn_trajectory_quality_v1",
)
"""ADK's metrics that ask a model, which is carried along and never judged here."""

BUILT_IN = (TRAJECTORY, RESPONSE, *INFORMATIONAL, *JUDGED)
_CASE_KEYS = frozenset(Case.__struct_fields__) - {"id", "input", "turns", "extensions", "checks"}
BASE = frozenset({"threshold", "include_intermediate_responses_in_final"})
"""The keys that a criterion of any metric may have."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the criterion of one of our metrics says besides its threshold.

    Attributes:
        check: Options of the check itself.
        case: Keys of a case, for every case that does not state them.
        extra_args: Whether the calls of an eval set allow further arguments.
        checks: For `passhat_case`: options of checks by key.
    """

    check: dict[str, Any] = field(default_factory=dict)
    case: dict[str, Any] = field(default_factory=dict)
    extra_args: str | None = None
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)


def options_of(key: str, criterion: Mapping[str, Any]) -> Options:
    """The options that ride in a criterion.

    Args:
        key: The check, or `case`.
        criterion: The criterion as JSON, its threshold included.

    Raises:
        UsageError: A key is neither an option of the check nor a key of a case, or `required` is
            neither true nor false.

    >>> options_of("trajectory", {"threshold": 1.0, "mode": "in_order", "match": {"f": "auto"}})
    Options(check={'mode': 'in_order'}, case={'match': {'f': 'auto'}}, extra_args=None, checks={})
    """
    own = {item.name for item in fields(check_class(key))} if key in CATALOGUE else set()
    found = Options()
    extra_args = None
    grading = ("at_least", "at_most", "required") if key != "case" else ()
    for name, value in snaked(criterion, CRITERION).items():
        if name in BASE:
            continue
        if name in own or name in grading:
            found.check[name] = value
        elif name == "extra_args" and value in ("allow", "forbid"):
            extra_args = value
        elif name == "checks" and key == "case" and isinstance(value, dict):
            found.checks.update(value)
        elif name in _CASE_KEYS:
            found.case[name] = value
        else:
            known = sorted({*own, *grading, "extra_args", *_CASE_KEYS})
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"criterion {PREFIX}{key}: unknown key {name!r}, {hint}")
    required = found.check.get("required", True)
    if not isinstance(required, bool):
        raise UsageError(f"criterion {PREFIX}{key}: required is true or false, not {required!r}")
    return Options(found.check, found.case, extra_args, found.checks)


@dataclass(frozen=True)
class NativeMode:
    """How ADK's own criterion judges calls.

    Attributes:
        word: Its match type.
        args: How arguments compare: `exact` or `ignore`.
        threshold: The share of turns that must match, above 0.
    """

    word: str = "exact"
    args: str = "exact"
    threshold: float = 1.0

    @property
    def said(self) -> str:
        """The match type as ADK writes it."""
        return self.word.upper() + (", ignore_args" if self.args == "ignore" else "")

    @cached_property
    def ours(self) -> Translation:
        """What it is in our words."""
        return translation(find_dialect(DIALECT), self.word, self.args)

    @cached_property
    def ways(self) -> tuple[dict[str, str], ...]:
        """The keys by which a case means it: one that expects no call, one, or several."""
        counted = [[ExpectedCall("f")] * count for count in range(3)]
        return tuple(ways_of(self.ours.nearest, calls) for calls in counted)


_BY_DEFAULT = NativeMode()


@dataclass(frozen=True, slots=True)
class Meaning:
    """How the criteria of an eval set judge what it expects.

    Attributes:
        mode: How the actual calls relate to the expected ones.
        native: The criterion of ADK's own that judges the calls; None where none does.
        ignore_args: Whether only names are compared.
        extra_args: Whether further arguments are allowed.
        trajectory: Options of our `trajectory` check, where the criteria ask for the calls.
        response: The least ROUGE-1 of the final response, where the criteria ask for it.
        checks: Options of checks by key, which every case requires.
        case: Keys of a case, for every case that does not state them.
    """

    mode: Mode = "exact"
    native: NativeMode | None = None
    ignore_args: bool = False
    extra_args: str = "forbid"
    trajectory: dict[str, Any] = field(default_factory=dict)
    response: float | None = None
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)
    case: dict[str, Any] = field(default_factory=dict)


def criteria_of(config: Mapping[str, Any] | None) -> dict[str, dict[str, Any]]:
    """The criteria of a configuration, each as an object with its threshold.

    >>> criteria_of({"criteria": {"response_match_score": 0.8}})
    {'response_match_score': {'threshold': 0.8}}
    """
    held = snaked(config or {}, CONFIG).get("criteria")
    found: dict[str, dict[str, Any]] = {}
    for name, value in held.items() if isinstance(held, dict) else ():
        found[name] = dict(value) if isinstance(value, dict) else {"threshold": value}
    return found


def threshold_of(criterion: Mapping[str, Any]) -> float:
    """The threshold of a criterion, 1 where it states none that is a number."""
    value = number(criterion.get("threshold"))
    return 1.0 if value is None else value


def match_type(criterion: Mapping[str, Any]) -> str:
    """The match type of a trajectory criterion: `exact`, `in_order` or `any_order`.

    ADK takes any spelling, and numbers; what it does not know is EXACT here, and an error there.

    >>> match_type({"matchType": "In Order"}), match_type({"match_type": 2}), match_type({})
    ('in_order', 'any_order', 'exact')
    """
    value = snaked(criterion, CRITERION).get("match_type")
    if isinstance(value, int) and value in (0, 1, 2):
        return MATCH_TYPES[value]
    if isinstance(value, str):
        word = value.strip().lower().replace("-", "_").replace(" ", "_")
        if word in MATCH_TYPES:
            return word
    return "exact"


def meaning_of(
    config: Mapping[str, Any] | None, notes: list[FidelityNote] | None = None
) -> Meaning:
    """How a configuration judges, in our words.

    Without one the calls are judged as ADK does by default (EXACT), and the final response is a
    reference.

    Args:
        config: The configuration as JSON; None where there is none.
        notes: Takes what has no equal in our words.

    Raises:
        UsageError: One of our criteria has a key that means nothing.

    >>> meaning = meaning_of({"criteria": {
    ...     "tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "ANY_ORDER"}}})
    >>> meaning.mode, meaning.extra_args
    ('superset', 'forbid')
    """
    if config is None:
        return Meaning(native=_BY_DEFAULT)
    notes = [] if notes is None else notes
    criteria = criteria_of(config)
    made: dict[str, Any] = {"trajectory": {"required": False}, "checks": {}, "case": {}}
    for name, criterion in criteria.items():
        if name == TRAJECTORY:
            made |= _trajectory(criterion, notes)
        elif name == RESPONSE:
            made["response"] = threshold_of(criterion)
        elif name.startswith(PREFIX) and name.removeprefix(PREFIX) in (*CATALOGUE, "case"):
            _ours(name.removeprefix(PREFIX), criterion, made, TRAJECTORY in criteria)
        else:
            notes.append(FidelityNote(f"criteria.{name}", "carried", "judged by ADK alone"))
    return Meaning(**made)


def _trajectory(criterion: Mapping[str, Any], notes: list[FidelityNote]) -> dict[str, Any]:
    args = "ignore" if snaked(criterion, CRITERION).get("ignore_args") else "exact"
    threshold = threshold_of(criterion)
    native = NativeMode(match_type(criterion), args, threshold)
    options: dict[str, Any] = {}
    if threshold <= 0:
        options["required"] = False
        why = f"threshold {threshold:g} passes whatever was called; here the check informs"
        run = "actual [], expected [a]: theirs passed, ours not evaluated"
        notes.append(FidelityNote(f"criteria.{TRAJECTORY}", "approximated", why, run))
    else:
        if threshold < 1:
            options["at_least"] = threshold
        why = f"{native.said} is {native.ours.nearest}"
        notes.append(FidelityNote(f"criteria.{TRAJECTORY}", "translated", why))
    return {
        "mode": native.ours.nearest.mode,
        "native": native,
        "ignore_args": args == "ignore",
        "trajectory": options,
    }


def _ours(
    key: str, criterion: Mapping[str, Any], made: dict[str, Any], has_trajectory: bool
) -> None:
    """Takes the criterion of one of our own metrics."""
    options = options_of(key, criterion)
    case = dict(options.case)
    if key in ("case", "trajectory"):
        mode = options.check.pop("mode", None) or case.pop("mode", None)
        if not has_trajectory or mode is not None:
            made["mode"] = mode or "exact"
            made["native"] = None
            made["trajectory"] = {}
        if options.extra_args is not None:
            made["extra_args"] = options.extra_args
    made["case"] |= case
    if key == "case":
        made["checks"] |= options.checks
        return
    stated = bounds(key, threshold_of(criterion), options.check)
    if key == "trajectory":
        made["trajectory"] = {**made["trajectory"], **stated}
    else:
        made["checks"][key] = stated


def bounds(key: str, threshold: float, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a check with ADK's threshold among them, where it says something of the score.

    A threshold is the least score, unless the options say otherwise. For a check whose score is
    better the lower it is, it says nothing: the score must be 0, or at most `at_most`.

    >>> bounds("tool_call_f1", 0.8, {}), bounds("error_rate", 0.8, {})
    ({'at_least': 0.8}, {})
    """
    stated = dict(options)
    given = "at_least" in stated or "at_most" in stated
    lower = key in CATALOGUE and check_class(key).lower_is_better
    if not given and 0 < threshold < 1 and not lower:
        stated["at_least"] = threshold
    return stated

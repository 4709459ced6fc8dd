"""Policies as files: YAML or JSON, read as JSON types, with every fault told at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from passhat.compare import Metric
from passhat.errors import PolicyError, SuiteError, UsageError
from passhat.gate.policy import POLICY_SCHEMA, HardRule, Policy, SoftRule
from passhat.suitefile.building import in_memory
from passhat.suitefile.document import Document
from passhat.suitefile.files import read_file
from passhat.suitefile.shape import DRAFT
from passhat.suitefile.shapefaults import shape_faults

PROFILES = ("production", "internal", "research")

_CONFIDENCE: dict[str, Any] = {
    "type": "number",
    "minimum": 0.51,
    "maximum": 0.999999,
    "description": "How sure it must be: 0.95, or more for more.",
}
_SEVERITY: dict[str, Any] = {
    "enum": ["fail", "warn"],
    "description": "Whether the rule can reject, or only warns.",
}
_NUMBER: dict[str, Any] = {"type": "number"}
_NAME: dict[str, Any] = {"type": "string", "minLength": 1}

HARD_SHAPE: dict[str, Any] = {
    "type": "object",
    "description": "A check that no trial may fail.",
    "properties": {
        "check": {**_NAME, "description": "The check's key."},
        "below": {
            "type": "number",
            "minimum": 0.000001,
            "maximum": 0.999999,
            "description": "The share of cases with a failure that must be ruled out besides.",
        },
        "severity": _SEVERITY,
        "confidence": _CONFIDENCE,
    },
    "required": ["check"],
    "additionalProperties": False,
}
SOFT_SHAPE: dict[str, Any] = {
    "type": "object",
    "description": "A metric with a limit, or with a margin to the baseline.",
    "properties": {
        "metric": {**_NAME, "description": "success_rate, pass_hat_k.3, checks.KEY.mean, ..."},
        "min": {**_NUMBER, "description": "The least it may be."},
        "max": {**_NUMBER, "description": "The most it may be."},
        "margin": {
            "type": "number",
            "minimum": 0,
            "description": "How much worse than the baseline it may be, in its own unit.",
        },
        "relative_margin": {
            "type": "number",
            "minimum": 0,
            "description": "The same, as a share of the baseline's value.",
        },
        "better": {
            "enum": ["higher", "lower"],
            "description": "Which way is better, where a margin is given.",
        },
        "tag": {**_NAME, "description": "Only the cases with this label."},
        "severity": _SEVERITY,
        "confidence": _CONFIDENCE,
    },
    "required": ["metric"],
    "additionalProperties": False,
}
POLICY_SHAPE: dict[str, Any] = {
    "$schema": DRAFT,
    "title": POLICY_SCHEMA,
    "description": "What results must hold for a gate to accept them.",
    "type": "object",
    "properties": {
        "schema": {"const": POLICY_SCHEMA},
        "name": {"type": "string"},
        "profile": {
            "enum": list(PROFILES),
            "description": "A ready profile whose rules come first.",
        },
        "estimate": {
            "enum": ["kind-of-cases", "these-cases"],
            "description": "What is estimated: work like these cases, or these very cases.",
        },
        "confidence": _CONFIDENCE,
        "on_inconclusive": {
            "enum": ["fail", "warn"],
            "description": "Whether a gate that cannot tell exits with 3, or with 0.",
        },
        "vary": {
            "type": "array",
            "items": _NAME,
            "description": "Pins in which the baseline may differ.",
        },
        "hard": {
            "type": "array",
            "description": "Checks that no trial may fail.",
            "items": {"anyOf": [_NAME, HARD_SHAPE]},
        },
        "soft": {"type": "array", "description": "Metrics.", "items": SOFT_SHAPE},
    },
    "additionalProperties": False,
}


def read_policy(path: str | Path) -> Policy:
    """The policy that a YAML or JSON file writes.

    Args:
        path: The file; `-` is standard input.

    Raises:
        PolicyError: It cannot be read, or has faults; `faults` has every one with its place.
    """
    try:
        return _policy(read_file(path))
    except SuiteError as error:
        raise PolicyError(error.faults) from None


def policy_from(value: Mapping[str, Any]) -> Policy:
    """The policy that a mapping in memory writes.

    Raises:
        PolicyError: It has faults.

    >>> policy_from({"soft": [{"metric": "success_rate", "margin": 0.05}]}).soft[0].name
    'success_rate within 0.05 of the baseline'
    >>> policy_from({"soft": [{"metric": "succes_rate", "min": 0.8}], "hrad": []})
    Traceback (most recent call last):
    passhat.errors.PolicyError: $.hrad: unknown key, did you mean hard?
    $.soft[0].metric: no metric 'succes_rate', did you mean success_rate?
    """
    try:
        return _policy(in_memory(dict(value)))
    except SuiteError as error:
        raise PolicyError(error.faults) from None


def _policy(document: Document) -> Policy:
    shape_faults(document, POLICY_SHAPE)
    _meaning_faults(document)
    document.raise_faults()
    value = dict(document.value)
    value.pop("schema", None)
    hard: list[dict[str, Any]] = [
        {"check": rule} if isinstance(rule, str) else rule for rule in value.pop("hard", [])
    ]
    soft = value.pop("soft", [])
    return Policy(
        **{**value, "vary": tuple(value.get("vary", ()))},
        hard=tuple(
            HardRule(**rule, place=document.place(("hard", at))) for at, rule in enumerate(hard)
        ),
        soft=tuple(
            SoftRule(**rule, place=document.place(("soft", at))) for at, rule in enumerate(soft)
        ),
    )


def _meaning_faults(document: Document) -> None:
    """Notes what has the right shape and makes no sense."""
    value = document.value
    if not isinstance(value, dict):
        return
    soft = value.get("soft")
    for at, rule in enumerate(soft if isinstance(soft, list) else []):
        if isinstance(rule, dict):
            _soft_faults(document, ("soft", at), rule)
    if not any(value.get(key) for key in ("hard", "soft", "profile")):
        document.fault((), "has no rule: give hard or soft rules, or a profile")
    _repeats(document, value)


def _soft_faults(document: Document, steps: tuple[str | int, ...], rule: dict[str, Any]) -> None:
    metric = rule.get("metric")
    found = None
    if isinstance(metric, str) and metric:
        try:
            found = Metric.of(metric)
        except UsageError as error:
            document.fault((*steps, "metric"), error.message)
    limits = [key for key in ("min", "max", "margin", "relative_margin") if key in rule]
    if not limits:
        document.fault(steps, "has no limit: give min, max, margin or relative_margin")
    elif len(limits) > 1:
        document.fault(steps, f"has both {' and '.join(limits)}; write a rule for each")
    elif found is not None and found.bounded and limits[0] != "relative_margin":
        number = rule[limits[0]]
        if (
            isinstance(number, int | float)
            and not isinstance(number, bool)
            and not 0 <= number <= 1
        ):
            document.fault(
                (*steps, limits[0]), f"is {number}; {metric} lies within 0..1 (95 % is 0.95)"
            )
    if "better" in rule and not {"margin", "relative_margin"} & rule.keys():
        document.fault((*steps, "better"), "goes with a margin; min and max say themselves")


def _repeats(document: Document, value: dict[str, Any]) -> None:
    for key in ("hard", "soft"):
        seen: set[str] = set()
        rules = value.get(key)
        for at, rule in enumerate(rules if isinstance(rules, list) else []):
            text = repr(sorted(rule.items())) if isinstance(rule, dict) else repr(rule)
            if text in seen:
                document.fault((key, at), "stands here twice")
            seen.add(text)

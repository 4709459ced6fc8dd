"""Suites as eval sets, with the criteria of `test_config.json` beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from passhat.adapter import Fidelity, FidelityNote
from passhat.case import Suite
from passhat.errors import Place, UsageError
from passhat.jsontext import replacing
from passhat.suitefile.writing import suite_value
from passhat_adk.config import read_config, with_case_metric
from passhat_adk.criteria import Meaning, meaning_of
from passhat_adk.findings import Findings
from passhat_adk.native import CONFIG_FILE, plain
from passhat_adk.suites import SIDECAR, SUITE_KEYS, suite_of
from passhat_adk.translating import native_config
from passhat_adk.writingcases import case_notes, write_case


def from_suite(
    suite: Suite, target: str | Path | None = None, *, app_name: str | None = None
) -> dict[str, Any]:
    """The suite as an eval set, as JSON: `EvalSet.model_validate` takes it.

    What ADK's own keys cannot say rides in a rubric of each case, which `passhat_case` judges;
    `to_suite` of the eval set is the suite again.

    Args:
        suite: The suite.
        target: Where to write it, with its `test_config.json` beside it; None writes nothing.
        app_name: The app whose sessions begin in the state that a case states, where the suite does
            not come from ADK.

    Raises:
        UsageError: The suite has no cases, or something that JSON cannot hold, or the file cannot
            be written.

    >>> from passhat.case import Case
    >>> evalset = from_suite(Suite("s", [Case("a", "Refund A1", expected_calls=["refund"])]))
    >>> [rubric["rubric_id"] for rubric in evalset["eval_cases"][0]["rubrics"]]
    ['passhat:case']
    """
    evalset, config, _ = as_evalset(suite, app_name=app_name)
    if target is not None:
        _write(_beside(evalset, config, suite), config, Path(target))
    return evalset


def write_suite(suite: Suite, target: str | Path) -> Fidelity:
    """Writes an eval set with its `test_config.json` beside it, and says what was kept.

    Raises:
        UsageError: As `from_suite`.
    """
    evalset, config, notes = as_evalset(suite)
    _write(_beside(evalset, config, suite), config, Path(target))
    return Fidelity(notes)


def _beside(evalset: dict[str, Any], config: dict[str, Any] | None, suite: Suite) -> dict[str, Any]:
    """The eval set as it is with its configuration beside it: without keys of ours where that says all."""
    if SIDECAR not in evalset or not isinstance(suite.extensions.get("adk"), dict):
        return evalset
    bare = {key: item for key, item in evalset.items() if key != SIDECAR}
    found = Findings(parted=False)
    again = suite_of(plain(bare), suite.name, config, found)
    return bare if again == suite and not found.faults else evalset


def as_evalset(
    suite: Suite, *, app_name: str | None = None, judged: bool = False
) -> tuple[dict[str, Any], dict[str, Any] | None, tuple[FidelityNote, ...]]:
    """The suite as an eval set and its configuration, with what became of what.

    Args:
        suite: The suite.
        app_name: As in `from_suite`.
        judged: Whether `passhat_case` is to be among the criteria in any case.

    Returns:
        The eval set, the configuration (None where ADK's defaults are meant), and the notes.

    Raises:
        UsageError: The suite has no cases, or something that JSON cannot hold.
    """
    own = {key: item for key, item in suite_value(suite).items() if key in SUITE_KEYS}
    kept = suite.extensions.get("adk")
    native = kept if isinstance(kept, dict) else None
    config: dict[str, Any] | None = (native or {}).get("config")
    app = app_name or _app_name(suite)
    cases, ridden = _written(suite, meaning_of(config), app)
    found = native_config(suite) if native is None and not judged else None
    if found is not None:
        config = found.config
        cases, ridden = _written(suite, meaning_of(config), app)
    elif native is None or any(ridden) or judged:
        config = with_case_metric(config)
        cases, ridden = _written(suite, meaning_of(config), app)
    said = found.said if found is not None else ""
    notes = [
        note
        for case, keys in zip(suite.cases, ridden, strict=True)
        for note in case_notes(case, keys, said)
    ]
    evalset: dict[str, Any] = {"eval_set_id": suite.name}
    for key, item in (native or {}).items():
        if key != "config":
            evalset[key] = item
    if native is None:
        evalset["name"] = suite.name
    evalset["eval_cases"] = cases
    if native is None or config is not None or own != _plain_own(suite):
        evalset[SIDECAR] = own
    return plain(evalset), config, tuple(notes)


def _plain_own(suite: Suite) -> dict[str, Any]:
    """What a suite says of itself that comes from an eval set without a configuration."""
    return {"name": suite.name, "extensions": {"adk": suite.extensions.get("adk")}}


def _written(
    suite: Suite, meaning: Meaning, app_name: str
) -> tuple[list[dict[str, Any]], list[tuple[str, ...]]]:
    """The eval cases, and for each the keys that ride in a rubric."""
    pairs = [write_case(case, suite, meaning, app_name) for case in suite.cases]
    return [value for value, _ in pairs], [keys for _, keys in pairs]


def _app_name(suite: Suite) -> str:
    """The app of the suite's cases, where one names it; else a name made of the suite's."""
    for case in suite.cases:
        kept = case.extensions.get("adk")
        session = kept.get("session_input") if isinstance(kept, dict) else None
        if isinstance(session, dict) and session.get("app_name"):
            return str(session["app_name"])
    word = "".join(char if char.isascii() and char.isalnum() else "_" for char in suite.name)
    return word if word[:1].isalpha() else f"app_{word}"


def _write(evalset: Mapping[str, Any], config: Mapping[str, Any] | None, target: Path) -> None:
    beside = target.parent / CONFIG_FILE
    if config is not None and beside.is_file() and read_config(beside) != config:
        raise UsageError(
            f"{CONFIG_FILE} is there already and says otherwise; move it, or write elsewhere",
            Place(str(beside)),
        )
    with replacing(target) as file:
        file.write(_pretty(evalset))
    if config is not None:
        with replacing(beside) as file:
            file.write(_pretty(config))


def _pretty(value: Mapping[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"

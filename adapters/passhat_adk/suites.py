"""Eval sets to suites, with the criteria of `test_config.json`."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os.path import isfile, join, split
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from passhat.adapter import Fidelity
from passhat.case import Case, Suite
from passhat.errors import InputError, PasshatError, Place, UsageError
from passhat.jsontext import decode, file_name, read_bytes
from passhat.recordings.shapes import kind_of
from passhat.suitefile.reading import suite_from
from passhat_adk import convert
from passhat_adk.config import read_config, with_case_metric
from passhat_adk.criteria import Meaning, meaning_of
from passhat_adk.databases import MAGIC
from passhat_adk.evalcases import read_case
from passhat_adk.findings import Findings
from passhat_adk.legacy import is_legacy, modern
from passhat_adk.native import CONFIG_FILE, EVAL_SET, plain
from passhat_adk.ordinarycases import judged_alike, read_ordinary
from passhat_adk.ordinaryrows import ordinary_rows, suite_of_rows
from passhat_adk.rawcases import decoded, with_raw_cases
from passhat_adk.storedsets import expected_in_results
from passhat_adk.translating import native_config

SIDECAR = "passhat"
"""The key of an eval set under which the suite's own keys ride; ADK passes it over."""

_FEW = 5
_SET_KEYS = EVAL_SET | {SIDECAR}
SUITE_KEYS = ("name", "tools", "writes", "defaults", "checks", "metadata", "extensions")


def to_suite(evalset: Any, *, config: Any = None) -> Suite:
    """The suite that an eval set is.

    Args:
        evalset: A file (`*.evalset.json`, `*.test.json`, also in the two older shapes), or an eval
            set as JSON or as ADK's own object. It is left as it is.
        config: The criteria: a file, or a configuration as JSON or as ADK's own object. By default
            the `test_config.json` beside the file, where there is one.

    Returns:
        The suite. The calls that the eval set expects are judged as its criteria say (EXACT without
        any), the final response is the case's `reference`, and a check only where the criteria ask
        for it. What has no place in a suite is kept in `extensions`, and written back.

    Raises:
        SuiteError: It has faults; each is named with its path.
        InputError: The file cannot be read.

    >>> suite = to_suite({"eval_set_id": "refunds", "eval_cases": [{"eval_id": "A1", "conversation": [{
    ...     "user_content": {"parts": [{"text": "Refund A1"}]},
    ...     "intermediate_data": {"tool_uses": [{"name": "refund", "args": {"order": "A1"}}]}}]}]})
    >>> suite.cases[0].mode, suite.cases[0].expected_calls
    ('exact', (ExpectedCall(name='refund', args={'order': 'A1'}, extra_args='forbid'),))
    """
    return _read(evalset, config, Findings(parted=False, noted=False))


def read_suite(source: Any, *, config: Any = None) -> tuple[Suite, Fidelity]:
    """The suite of an eval set, and what became of what was not written in our words.

    Args:
        source: As `to_suite` takes it, or a stored result, whose expected invocations are the suite.
        config: The criteria, as `to_suite` takes them.

    Raises:
        SuiteError: It has faults.
        UsageError: It records sessions, which expect nothing.
        InputError: The file cannot be read.
    """
    found = Findings()
    suite = _read(source, config, found)
    return suite, Fidelity(tuple(found.notes))


def _read(source: Any, config: Any, found: Findings) -> Suite:
    with _undisturbed():
        suite = _suite_in(source, config, found)
    found.raise_faults()
    return suite


def _suite_in(source: Any, config: Any, found: Findings) -> Suite:
    if isinstance(source, str | Path):
        return _suite_in_file(source, config, found)
    value = plain(source)
    settings = read_config(config) if config is not None else None
    return suite_of(value, "evalset", settings, found)


def _suite_in_file(source: str | Path, config: Any, found: Findings) -> Suite:
    file = found.file = file_name(source)
    data = read_bytes(source)
    if data.startswith(MAGIC):
        raise _no_suite(file)
    rows = ordinary_rows(data) if not found.parted and data.startswith(b"[") else None
    raw = with_raw_cases(data, _SET_KEYS) if rows is None else None
    at_once = rows is not None or raw is not None
    value = None if at_once else decode(data, Place(file))
    folder, name = split(file)
    name = name.removesuffix(".json").removesuffix(".evalset").removesuffix(".test")
    if config is None and isfile(beside := join(folder, CONFIG_FILE)):
        config = beside
    settings = read_config(config) if config is not None else None
    if at_once:
        suite = _suite_at_once(rows, raw, name, settings, found)
        if suite is not None:
            return suite
        value = decode(data, Place(file))
    return suite_of(value, name, settings, found, looked=True)


def _suite_at_once(
    rows: list[Any] | None,
    raw: dict[str, Any] | None,
    name: str,
    settings: dict[str, Any] | None,
    found: Findings,
) -> Suite | None:
    """The suite of what was read without all of it in memory; None where that tells too little.

    What is wrong is not told here: for that the file is read as a whole.
    """
    if rows is not None:
        return suite_of_rows(rows, name, settings)
    tried = Findings(found.file, found.parted, found.noted)
    try:
        suite = suite_of(raw, name, settings, tried)
    except PasshatError:
        return None
    if tried.faults:
        return None
    found.notes += tried.notes
    return suite


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Holds the collector of cycles: it finds none in JSON, and costs half of the time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def suite_of(
    value: Any, name: str, config: dict[str, Any] | None, found: Findings, *, looked: bool = False
) -> Suite:
    """The suite of an eval set as JSON, in any of its shapes.

    Args:
        value: The eval set.
        name: What it is called where it has no name.
        config: The configuration; None where there is none.
        found: Takes faults and notes.
        looked: Whether its text was looked at already, and holds no ordinary rows of an older shape.

    Raises:
        UsageError: It records sessions, which expect nothing.
    """
    what = convert.kind(value)
    if isinstance(value, list) and value and all(_is_set(one) for one in value):
        if len(value) > 1:
            found.fault("$", _several(value))
            return Suite(name)
        value = value[0]
    if is_legacy([value]):
        found.fault("$", "an older shape of ADK's stands in a list: put brackets around it")
        return Suite(name)
    if is_legacy(value):
        rows = None if found.parted or looked else ordinary_rows(value)
        if rows is not None and (suite := suite_of_rows(rows, name, config)) is not None:
            return suite
        value = modern(value, name, found)
        if found.faults:
            return Suite(name)
    elif what == "set result":
        value, config = expected_in_results(value, name, config)
    elif isinstance(value, list) and value and convert.kind(value[0]) == "eval set":
        value = {"eval_set_id": name, "eval_cases": value}
    elif what != "case result" and isinstance(value, dict) and {"eval_id", "evalId"} & value.keys():
        value = {"eval_set_id": name, "eval_cases": [value]}
    elif what in ("session", "event", "invocation", "inference", "case result") or (
        isinstance(value, list) and value and convert.is_entry(value[0])
    ):
        raise _no_suite(found.file)
    if not isinstance(value, dict):
        found.fault("$", f"an eval set is an object with eval_cases, not {kind_of(value)}")
        return Suite(name)
    return _from_set(value, name, config, found)


def _no_suite(file: str | None) -> UsageError:
    return UsageError(
        "ADK's sessions hold no suite: they record attempts, and expect nothing", Place(file)
    )


def _is_set(value: Any) -> bool:
    return isinstance(value, dict) and bool({"eval_cases", "evalCases"} & value.keys())


def _several(sets: list[Any]) -> str:
    """That a file holds more eval sets than one, which are as many suites."""
    names = [str(one.get("eval_set_id") or one.get("evalSetId") or "?") for one in sets]
    shown = ", ".join(names[:_FEW]) + (", ..." if len(names) > _FEW else "")
    return (
        f"there are {len(sets)} eval sets ({shown}), and a suite is one, as ADK's own files are: "
        "give each a file of its own"
    )


def _from_set(
    value: Mapping[str, Any], name: str, config: dict[str, Any] | None, found: Findings
) -> Suite:
    held = found.checked(value, _SET_KEYS, "$")
    given = held.get("eval_set_id")
    if not isinstance(given, str) or not given:
        found.fault("$.eval_set_id", "an eval set needs an eval_set_id, which is text")
    carried = held.get(SIDECAR)
    own = dict(carried) if isinstance(carried, dict) else {}
    own = {key: item for key, item in own.items() if key in SUITE_KEYS}
    extensions = own.get("extensions")
    if config is None and isinstance(extensions, dict) and isinstance(extensions.get("adk"), dict):
        config = extensions["adk"].get("config")
    try:
        meaning = meaning_of(config, found.notes)
    except UsageError as error:
        found.fault("$", error.message)
        return Suite(name)
    cases = _cases(held.get("eval_cases"), meaning, found)
    if found.faults:
        return Suite(name)
    if own:
        return _with_config(_with_own(own, cases, found), config, meaning)
    kept = {
        key: item
        for key, item in held.items()
        if key not in ("eval_set_id", "eval_cases", SIDECAR)
        and (key not in EVAL_SET or item not in (None, 0, 0.0))
    }
    if config is not None:
        kept["config"] = config
    return Suite(str(given), cases, checks=meaning.checks, extensions={"adk": kept})


def _with_own(own: dict[str, Any], cases: tuple[Case, ...], found: Findings) -> Suite:
    """The suite with the keys that were written for it, when it became an eval set."""
    try:
        bare = suite_from({**own, "cases": [{"id": "case"}]}, found.place("$.passhat"))
    except InputError as error:
        found.take(error)
        return Suite("evalset")
    return replace(bare, cases=cases)


def _with_config(suite: Suite, config: dict[str, Any] | None, meaning: Meaning) -> Suite:
    """The suite with a configuration that was changed since it was written beside it."""
    kept = suite.extensions.get("adk")
    native = kept if isinstance(kept, dict) else {}
    before = native.get("config")
    made = native_config(suite)
    if config is None or config in (before, with_case_metric(before), made and made.config):
        return suite
    return replace(
        suite,
        checks={**meaning.checks, **suite.checks},
        extensions={**suite.extensions, "adk": {**native, "config": config}},
    )


def _cases(value: Any, meaning: Meaning, found: Findings) -> tuple[Case, ...]:
    if not isinstance(value, list):
        found.fault("$.eval_cases", f"eval_cases are a list, not {kind_of(value)}")
        return ()
    if not value:
        found.fault("$.eval_cases", "the eval set has no cases: it tests nothing")
    cases: list[Case] = []
    seen: dict[str, int] = {}
    quick = judged_alike(meaning)
    for at, item in enumerate(value):
        case = read_ordinary(item, meaning, found) if quick else None
        if case is None:
            case = _careful(decoded(item), meaning, found, f"$.eval_cases[{at}]")
            if case is None:
                continue
        first = seen.setdefault(case.id, at)
        if first != at:
            message = f"{case.id!r} is the eval_id of eval_cases[{first}] too"
            found.fault(f"$.eval_cases[{at}].eval_id", message)
        cases.append(case)
    return tuple(cases)


def _careful(item: Any, meaning: Meaning, found: Findings, path: str) -> Case | None:
    """The case of an eval case of any shape; None where it has faults."""
    faults = len(found.faults)
    case = read_case(item, meaning, found, path)
    if faults < len(found.faults):
        found.name_case(item, since=faults)
    return case

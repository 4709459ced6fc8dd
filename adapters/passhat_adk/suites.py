"""Eval sets to suites and back, with the criteria of `test_config.json`."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from passhat.adapter import Fidelity, FidelityNote
from passhat.case import Case, Suite
from passhat.errors import InputError, Place, UsageError
from passhat.jsontext import decode, file_name, read_bytes, replacing
from passhat.recordings.shapes import kind_of
from passhat.suitefile.reading import suite_from
from passhat.suitefile.writing import suite_value
from passhat_adk import convert
from passhat_adk.config import CONFIG_FILE, read_config, with_case_metric
from passhat_adk.criteria import Meaning, meaning_of
from passhat_adk.evalcases import read_case
from passhat_adk.findings import Findings
from passhat_adk.history import case_results, set_result
from passhat_adk.legacy import is_legacy, modern
from passhat_adk.native import EVAL_SET, INVOCATION, METRIC_RESULT, plain, snaked
from passhat_adk.translating import native_config
from passhat_adk.writingcases import case_notes, write_case

SIDECAR = "passhat"
"""The key of an eval set under which the suite's own keys ride; ADK passes it over."""

_FEW = 5
_SUITE_KEYS = ("name", "tools", "writes", "defaults", "checks", "metadata", "extensions")


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
    return read_suite(evalset, config=config)[0]


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
    name, file = "evalset", None
    if isinstance(source, str | Path):
        file = file_name(source)
        name = Path(file).name
        for ending in (".json", ".evalset", ".test"):
            name = name.removesuffix(ending)
        value = decode(read_bytes(source), Place(file))
    else:
        value = plain(source)
    if config is None and file is not None:
        beside = Path(file).parent / CONFIG_FILE
        config = beside if beside.is_file() else None
    settings = read_config(config) if config is not None else None
    found = Findings(file)
    with _undisturbed():
        suite = _suite(value, name, settings, found)
    found.raise_faults()
    return suite, Fidelity(tuple(found.notes))


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


def _suite(value: Any, name: str, config: dict[str, Any] | None, found: Findings) -> Suite:
    what = convert.kind(value)
    if isinstance(value, list) and value and all(_is_set(one) for one in value):
        if len(value) > 1:
            found.fault("$", _several(value))
            return Suite(name)
        value = value[0]
    if is_legacy(value):
        value = modern(value, name, found)
    elif what == "set result":
        value, config = _expected_in(value, name, config)
    elif isinstance(value, list) and value and convert.kind(value[0]) == "eval set":
        value = {"eval_set_id": name, "eval_cases": value}
    elif isinstance(value, dict) and ({"eval_id", "evalId"} & value.keys()):
        value = {"eval_set_id": name, "eval_cases": [value]}
    elif what in ("session", "event", "invocation", "inference", "case result") or (
        isinstance(value, list) and value and convert.is_entry(value[0])
    ):
        raise UsageError(
            "ADK's sessions hold no suite: they record attempts, and expect nothing",
            Place(found.file),
        )
    if not isinstance(value, dict):
        found.fault("$", f"an eval set is an object with eval_cases, not {kind_of(value)}")
        return Suite(name)
    return _from_set(value, name, config, found)


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
    held = found.checked(value, EVAL_SET | {SIDECAR}, "$")
    given = held.get("eval_set_id")
    if not isinstance(given, str) or not given:
        found.fault("$.eval_set_id", "an eval set needs an eval_set_id, which is text")
    carried = held.get(SIDECAR)
    own = dict(carried) if isinstance(carried, dict) else {}
    own = {key: item for key, item in own.items() if key in _SUITE_KEYS}
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
        if key not in ("eval_set_id", "eval_cases", SIDECAR) and item not in (None, 0, 0.0)
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
    for at, item in enumerate(value):
        path = f"$.eval_cases[{at}]"
        faults = len(found.faults)
        case = read_case(item, meaning, found, path)
        if faults < len(found.faults):
            found.name_case(item, since=faults)
        if case is None:
            continue
        if case.id in seen:
            found.fault(
                f"{path}.eval_id", f"{case.id!r} is the eval_id of eval_cases[{seen[case.id]}] too"
            )
        seen.setdefault(case.id, at)
        cases.append(case)
    return tuple(cases)


def _expected_in(
    value: Any, name: str, config: dict[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The eval set that a stored result was judged by, as far as it is stored with it."""
    result = set_result(value)
    cases: dict[str, dict[str, Any]] = {}
    criteria: dict[str, Any] = {}
    for row in case_results(result):
        for metric in _objects(row.get("overall_eval_metric_results")):
            held = snaked(metric, METRIC_RESULT)
            criterion = held.get("criterion") or held.get("threshold")
            if criterion is not None:
                criteria.setdefault(str(held.get("metric_name")), criterion)
        turns = _objects(row.get("eval_metric_result_per_invocation"))
        expected = [snaked(turn, METRIC_RESULT).get("expected_invocation") for turn in turns]
        known = _objects(expected)
        given = str(row.get("eval_id"))
        if known and given not in cases:
            rubrics = _case_rubrics(turns, known)
            cases[given] = {"eval_id": given, "conversation": known, "rubrics": rubrics}
    if not cases:
        raise UsageError("the stored result carries no expected invocations, so it is no suite")
    found = {"eval_set_id": result.get("eval_set_id") or name, "eval_cases": list(cases.values())}
    return found, config if config is not None else {"criteria": criteria}


def _case_rubrics(turns: list[Any], expected: list[Any]) -> list[Any]:
    """The rubrics of the case itself: ADK puts them on every turn of the run."""
    own = _objects(snaked(expected[0], INVOCATION).get("rubrics"))
    for actual in _objects([snaked(turns[0], METRIC_RESULT).get("actual_invocation")]):
        rubrics = _objects(snaked(actual, INVOCATION).get("rubrics"))
        return [rubric for rubric in rubrics if rubric not in own]
    return []


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    rows = value if isinstance(value, list) else []
    return [row for row in rows if isinstance(row, dict)]


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
    found = Findings()
    again = _suite(plain(bare), suite.name, config, found)
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
    own = {key: item for key, item in suite_value(suite).items() if key in _SUITE_KEYS}
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

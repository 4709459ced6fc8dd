"""What ADK would pass over in silence in `test_config.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from passhat.errors import Place, SuiteFault, UsageError
from passhat.grading.catalogue import CATALOGUE, check_class
from passhat_adk.criteria import (
    BASE,
    BUILT_IN,
    INFORMATIONAL,
    MATCH_TYPES,
    PREFIX,
    TRAJECTORY,
    options_of,
)
from passhat_adk.dotted import why_not
from passhat_adk.native import CONFIG, CRITERION, camel, snaked
from passhat_adk.shapes import misshapen_rubrics

_JUDGE = {"judge_model_options"}
_JUDGE_NAMES = ("judge_model", "judge_model_config", "num_samples", "parallelism_limit")
_JUDGE_KEYS = {*_JUDGE_NAMES, *map(camel, _JUDGE_NAMES)}
_KEYS: dict[str, set[str]] = {
    TRAJECTORY: {"match_type", "ignore_args"},
    "final_response_match_v2": _JUDGE,
    "rubric_based_final_response_quality_v1": {*_JUDGE, "rubrics"},
    "rubric_based_tool_use_quality_v1": {*_JUDGE, "rubrics"},
    "rubric_based_multi_turn_trajectory_quality_v1": {*_JUDGE, "rubrics"},
    "hallucinations_v1": {*_JUDGE, "evaluate_intermediate_nl_responses"},
    "per_turn_user_simulator_quality_v1": {*_JUDGE, "stop_signal"},
}
_REFUSED = "ADK refuses the criterion, does not evaluate it, and passes the case by the others"
_CUSTOM = frozenset({"code_config", "metric_info", "description"})
_STATES = {"initial_state", "final_state"}
_OURS = {f"{PREFIX}{key}": key for key in (*CATALOGUE, "case")}


def lint_config(config: Mapping[str, Any], path: Path | str) -> list[SuiteFault]:
    """What is wrong with a configuration. Nothing that it names is imported.

    Args:
        config: The configuration as JSON.
        path: Its file.

    >>> [fault.message for fault in lint_config({"criteria": {"tool_trajectory_avg_score":
    ...     {"threshold": 1.0, "match_typ": "IN_ORDER"}}}, "test_config.json")]
    ['unknown key match_typ, did you mean match_type? ADK passes it over']
    """
    return [
        SuiteFault(message, Place(str(path), None, where))
        for where, message in _faults(config, path)
    ]


def _faults(config: Mapping[str, Any], path: Path | str) -> Iterator[tuple[str, str]]:
    held = snaked(config, CONFIG)
    for key in sorted(held.keys() - CONFIG):
        if not key.startswith("_"):  # so people mark a comment
            yield f"$.{key}", f"unknown key {key}{_near(key, CONFIG)} ADK passes it over"
    criteria = held.get("criteria") or {}
    custom = held.get("custom_metrics") or {}
    if not isinstance(criteria, dict) or not isinstance(custom, dict):
        yield "$", "criteria and custom_metrics are objects: an entry for each metric"
        return
    if not criteria:
        yield "$.criteria", "no criteria: ADK judges nothing and reports numbers only"
    for name, criterion in criteria.items():
        yield from _criterion(name, criterion, custom)
    unnamed = [name for name in criteria if name in _OURS and name not in custom]
    if unnamed and not _registers(Path(path).resolve().parent):
        for name in unnamed:
            yield (
                f"$.criteria.{name}",
                f"custom_metrics does not name {name}, and no code here calls "
                "passhat_adk.register(): ADK does not evaluate it, and passes the case by the "
                "others; `passhat adk init` names passhat_case",
            )
    if not _records(Path(path).resolve().parent):
        for name, stated in criteria.items():
            if _STATES & set(_needs(name)):
                free = isinstance(stated, dict) and stated.get("required") is False
                then = "ADK passes the case by the others" if free else "every case fails"
                yield (
                    f"$.criteria.{name}",
                    f"{name} needs the state of the session, and no code here makes a "
                    f"passhat_adk.TracePlugin: it cannot be judged, and {then}",
                )
    for name, entry in custom.items():
        yield from _custom(name, entry, criteria, path)


def _needs(name: str) -> tuple[str, ...]:
    """What the check of one of our metrics needs."""
    key = _OURS.get(name)
    return check_class(key).needs if key in CATALOGUE else ()


def _criterion(name: str, criterion: Any, custom: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    where = f"$.criteria.{name}"
    if name in INFORMATIONAL:
        yield where, f"{name} informs and takes no threshold: with one, ADK does not evaluate it"
        return
    if name not in custom and name not in BUILT_IN and name not in _OURS:
        known = (*BUILT_IN, *custom, *_OURS)
        hint = _near(name, known)
        yield (
            where,
            f"no metric {name}{hint} ADK does not evaluate it, and passes the case by the others",
        )
        return
    if isinstance(criterion, bool) or not isinstance(criterion, dict | int | float):
        yield where, "a criterion is a threshold, or an object that has one"
        return
    stated = criterion if isinstance(criterion, dict) else {"threshold": criterion}
    threshold = stated.get("threshold")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        yield f"{where}.threshold", "a criterion needs a threshold, which is a number"
    elif threshold <= 0 and name not in _OURS:
        yield f"{where}.threshold", f"a threshold of {threshold:g} passes whatever happens"
    if name in _OURS:
        try:
            options_of(_OURS[name], stated)
        except UsageError as error:
            yield where, error.message
    elif name in BUILT_IN:
        yield from _keys(name, stated, where)


def _keys(name: str, stated: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    """Keys of a criterion that ADK does not know."""
    held = snaked(stated, CRITERION)
    known = BASE | _KEYS.get(name, set())
    for key in sorted(held.keys() - known):
        yield f"{where}.{key}", f"unknown key {key}{_near(key, known)} ADK passes it over"
    judge = held.get("judge_model_options")
    if isinstance(judge, dict) and "judge_model_options" in known:
        for key in sorted(judge.keys() - _JUDGE_KEYS):
            yield (
                f"{where}.judge_model_options.{key}",
                f"unknown key {key}{_near(key, _JUDGE_KEYS)} {_REFUSED}",
            )
    if "rubrics" in known and "rubrics" in held:
        for path, wrong in misshapen_rubrics(held["rubrics"], f"{where}.rubrics"):
            yield path, f"{wrong}; {_REFUSED}"
    if "match_type" in held and name == TRAJECTORY:
        value = held["match_type"]
        word = str(value).strip().lower().replace("-", "_").replace(" ", "_")
        if value not in (0, 1, 2) and word not in MATCH_TYPES:
            types = ", ".join(MATCH_TYPES).upper()
            yield f"{where}.match_type", f"no match type {value!r}: there are {types}"


def _custom(
    name: str, entry: Any, criteria: Mapping[str, Any], path: Path | str
) -> Iterator[tuple[str, str]]:
    where = f"$.custom_metrics.{name}"
    if name not in criteria:
        yield where, f"{name} is no criterion, so it never runs{_near(name, criteria).rstrip(';')}"
    code = entry.get("code_config", entry.get("codeConfig")) if isinstance(entry, dict) else None
    dotted = code.get("name") if isinstance(code, dict) else None
    if not isinstance(dotted, str):
        yield where, "a custom metric needs code_config.name, a dotted path to a function"
        return
    for key in (code or {}).keys() - {"name"}:
        yield (
            f"{where}.code_config.{key}",
            "code_config holds a name alone: ADK refuses the whole file; options ride in the criterion",
        )
    for key in snaked(entry, _CUSTOM).keys() - _CUSTOM:
        yield f"{where}.{key}", f"unknown key {key}{_near(key, _CUSTOM)} ADK passes it over"
    why = why_not(dotted, Path(path).parent)
    if why is not None:
        yield (
            f"{where}.code_config.name",
            f"{dotted} cannot be imported: {why}; ADK does not evaluate it, and passes the case by "
            "the others",
        )


def _registers(folder: Path) -> bool:
    """Whether code beside the file, or a conftest.py or services.py above it, registers ours."""
    places = list(folder.glob("*.py"))
    for above in folder.parents:
        if (folder / ".git").exists():
            break
        folder = above
        places += [above / "conftest.py", above / "services.py"]
    return any(_says(path, b"register(") for path in places if path.is_file())


def _records(folder: Path) -> bool:
    """Whether the agent beside the file makes a plugin that records; True where there is none."""
    if not (folder / "agent.py").is_file():
        return True
    files = (*folder.glob("*.py"), *folder.glob("*/*.py"))
    return any(_says(path, b"TracePlugin") for path in files)


def _says(path: Path, word: bytes) -> bool:
    """Whether code uses something of passhat's, as far as its text tells."""
    try:
        text = path.read_bytes()
    except OSError:
        return False
    return b"passhat_adk" in text and word in text


def _near(word: str, known: Any) -> str:
    near = get_close_matches(str(word), [str(item) for item in known], 1)
    return f", did you mean {near[0]}?" if near else ";"

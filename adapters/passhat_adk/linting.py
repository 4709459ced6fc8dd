"""What ADK would pass over in silence: in an eval set, and in the configuration beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from passhat.case import Case, Suite
from passhat.errors import InputError, PasshatError, Place, SuiteFault
from passhat.grading.catalogue import CATALOGUE, check_class
from passhat.grading.needs import lacking
from passhat.jsontext import decode, read_bytes
from passhat.reliability.wording import counted
from passhat.trace import Trace
from passhat_adk.config import read_config
from passhat_adk.configlint import lint_config
from passhat_adk.convert import kind
from passhat_adk.criteria import PREFIX, RESPONSE, TRAJECTORY, criteria_of, match_type
from passhat_adk.evalcases import PERSONAS
from passhat_adk.expected import expected_in
from passhat_adk.legacy import is_legacy
from passhat_adk.native import (
    CONFIG_FILE,
    CRITERION,
    EVAL_CASE,
    SCENARIO,
    SESSION_INPUT,
    is_config,
    snaked,
)
from passhat_adk.rubriclint import inside, repeated_rubrics, turns_in, unjudged_rubrics
from passhat_adk.shapes import misshapen
from passhat_adk.suites import read_suite

_NEED_CONVERSATION = frozenset(
    {TRAJECTORY, RESPONSE, "final_response_match_v2", "response_evaluation_score"}
)
_NOTHING = Trace("nothing")
_FEW = 3
_DEFAULTS = "tool_trajectory_avg_score 1.0 (EXACT) and response_match_score 0.8"


def lint(path: str | Path) -> tuple[SuiteFault, ...]:
    """What is wrong with an eval set and its `test_config.json`, or with a configuration alone.

    Nothing that they name is imported or run.

    Args:
        path: The file.

    Raises:
        InputError: It cannot be read at all.
    """
    path = Path(path)
    value = decode(read_bytes(path), Place(str(path)))
    if is_config(value, path):
        return tuple(lint_config(value, path))
    if not is_legacy(value) and not _has_cases(value):
        return ()
    beside = path.parent / CONFIG_FILE
    config: dict[str, Any] | None = None
    faults: list[SuiteFault] = []
    if beside.is_file():
        try:
            config = read_config(beside)
            faults += lint_config(config, beside)
        except InputError as error:
            faults.append(SuiteFault(error.message, error.place))
    else:
        faults.append(SuiteFault(_not_found(path), Place(str(path))))
    faults += _unreadable(path, config if not faults else None)
    faults += _shape(value, path, config)
    faults += _not_loaded(value, path, {fault.place.path for fault in faults})
    for at, case in enumerate(_cases(value)):
        held = snaked(case, EVAL_CASE)
        faults += _of_case(held, Place(str(path), None, f"$.eval_cases[{at}]"), config)
    faults += _apps(value, path)
    if isinstance(value, dict) and not is_storable(name := str(value.get("eval_set_id"))):
        place = Place(str(path), None, "$.eval_set_id")
        faults.append(
            SuiteFault(f"ADK stores no results of a set called {name!r}: rename it", place)
        )
    return tuple(dict.fromkeys(faults))


def _has_cases(value: Any) -> bool:
    """Whether a value is an eval set, or a list of such or of eval cases."""
    if isinstance(value, list) and value:
        return kind(value[0]) == "eval set"
    return isinstance(value, dict) and not {"eval_cases", "evalCases"}.isdisjoint(value)


def is_storable(set_id: str) -> bool:
    """Whether ADK can store the results of an eval set of that id; it ends in an error else.

    >>> is_storable("refunds"), is_storable("shop/refunds")
    (True, False)
    """
    drive = set_id[:1].isalpha() and set_id[1:2] == ":"
    return not drive and set_id not in (".", "..") and not {"/", "\\", "\0"} & {*set_id}


def _not_found(path: Path) -> str:
    """That there is no configuration beside an eval set, with one near by that may be meant."""
    folder = path.resolve().parent
    beside = [name for name in _near_names(folder) if name != path.name]
    above = [f"../{n}" for n in _near_names(folder.parent) if _has_criteria(folder.parent / n)]
    found = next(iter((*beside, *above)), None)
    hint = f" ({found} is there; is that it?)" if found else ""
    return (
        f"no {CONFIG_FILE} beside it{hint}: ADK takes its defaults, {_DEFAULTS}, and says nothing, "
        "unless `adk eval --config_file_path` names another"
    )


def _near_names(folder: Path) -> list[str]:
    """The names in a folder that are like that of a configuration, the most like first."""
    names = sorted(file.name for file in folder.glob("*.json"))
    return get_close_matches(CONFIG_FILE, names, _FEW, 0.7)


def _has_criteria(path: Path) -> bool:
    """Whether a file is a configuration, as far as its text tells."""
    try:
        return b'"criteria"' in path.read_bytes()
    except OSError:
        return False


def _unreadable(path: Path, config: dict[str, Any] | None) -> Iterator[SuiteFault]:
    """The faults that make the eval set no suite, and our rubrics that are not understood."""
    try:
        suite, fidelity = read_suite(
            path, config=config if config is not None else {"criteria": {}}
        )
    except PasshatError as error:
        yield from getattr(error, "faults", (SuiteFault(error.message, error.place),))
    else:
        for note in fidelity.notes:
            if note.kind == "carried" and "not understood" in note.note:
                yield SuiteFault(f"{note.what}: {note.note}", Place(str(path)))
        yield from _unasked(suite, criteria_of(config), path.parent / CONFIG_FILE)


def _unasked(suite: Suite, criteria: Mapping[str, Any], path: Path) -> Iterator[SuiteFault]:
    """Criteria of ours that judge by a key which cases do not state, and so fail these cases."""
    for name, criterion in criteria.items():
        key = name.removeprefix(PREFIX)
        if (
            not name.startswith(PREFIX)
            or key not in CATALOGUE
            or criterion.get("required") is False
        ):
            continue
        for need in check_class(key).needs:
            without = [case.id for case in suite.cases if _states_no(case, need)]
            if without:
                shown = ", ".join(without[:_FEW]) + (", ..." if len(without) > _FEW else "")
                yield SuiteFault(
                    f"{counted(len(without), 'case')} of {len(suite.cases)} ({shown}) without {need}: "
                    f"{name} cannot judge them, and fails them whatever was done; passhat_case judges "
                    'each case by what it states, and "required": false lets such cases pass',
                    Place(str(path), None, f"$.criteria.{name}"),
                )


def _states_no(case: Case, need: str) -> bool:
    """Whether a check that needs a key of a case has nothing to judge there, nor in its turns."""
    if any(getattr(turn, need, None) is not None for turn in case.turns or ()):
        return False
    return lacking((need,), _NOTHING, case) == f"the case states no {need}"


def _not_loaded(value: Any, path: Path, known: set[str | None]) -> Iterator[SuiteFault]:
    """What ADK would not load, and then complain of something else."""
    for where, why in misshapen(value) if isinstance(value, dict) else ():
        if where not in known:
            yield SuiteFault(
                f"{why}: ADK does not load the eval set, takes it for one of an older shape, and "
                "says something misleading",
                Place(str(path), None, where),
            )


def _cases(value: Any) -> list[Mapping[str, Any]]:
    rows = (value.get("eval_cases") or value.get("evalCases")) if isinstance(value, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _shape(value: Any, path: Path, config: Mapping[str, Any] | None) -> Iterator[SuiteFault]:
    """What the older shapes cannot do."""
    if not is_legacy(value):
        return
    place = Place(str(path))
    if "query" in value[0]:
        why = "an older shape (rows of queries): only AgentEvaluator loads it, `adk eval` does not"
    else:
        why = "an older shape (named lists of rows): only `adk eval` loads it, AgentEvaluator does not"
    yield SuiteFault(f"{why}; `from_suite(to_suite(file))` makes it an EvalSet", place)
    if config is not None and config.get("custom_metrics"):
        yield SuiteFault("ADK refuses custom metrics beside eval data of an older shape", place)


def _of_case(
    case: Mapping[str, Any], place: Place, config: Mapping[str, Any] | None
) -> Iterator[SuiteFault]:
    name = case.get("eval_id")
    session = case.get("session_input")
    if isinstance(session, dict):
        held = snaked(session, SESSION_INPUT)
        if held.get("session_id"):
            yield SuiteFault(
                f"{name}: the session is pinned to {held['session_id']!r}: a repeated run goes on "
                "in the history of the one before",
                inside(place, "session_input.session_id"),
            )
        if "app_name" in held and not held["app_name"]:
            yield SuiteFault(
                f"{name}: app_name is empty: ADK cannot run the case",
                inside(place, "session_input.app_name"),
            )
    yield from repeated_rubrics(case, place, name)
    yield from unjudged_rubrics(case, place, name, config)
    yield from _expectations(case, place, config, name)
    scenario = case.get("conversation_scenario")
    persona = snaked(scenario, SCENARIO).get("user_persona") if isinstance(scenario, dict) else None
    if isinstance(persona, str) and persona not in PERSONAS:
        yield SuiteFault(
            f"{name}: ADK knows no persona {persona!r}: there are {', '.join(PERSONAS)}",
            inside(place, "conversation_scenario.user_persona"),
        )


def _expectations(
    case: Mapping[str, Any], place: Place, config: Mapping[str, Any] | None, name: Any
) -> Iterator[SuiteFault]:
    """Expectations that nothing judges."""
    criteria = criteria_of(config)
    if case.get("final_session_state") and not any(key.startswith(PREFIX) for key in criteria):
        yield SuiteFault(
            f"{name}: ADK reads final_session_state nowhere; passhat_case judges it",
            inside(place, "final_session_state"),
        )
    if case.get("conversation_scenario") is not None:
        for metric in sorted(criteria.keys() & _NEED_CONVERSATION):
            yield SuiteFault(
                f"{name}: a scenario expects no conversation, so ADK does not evaluate {metric}, and "
                "passes the case by the others",
                inside(place, "conversation_scenario"),
            )
    if config is not None and TRAJECTORY not in criteria:
        return
    criterion = snaked(criteria.get(TRAJECTORY, {}), CRITERION)
    word = match_type(criterion).upper()
    for at, turn in enumerate(turns_in(case)):
        where = f"conversation[{at}]"
        try:
            expected = expected_in(turn.get("intermediate_data"))
        except InputError:
            continue
        bare = {call["name"]: None for call in expected if call.get("args") is None}
        if bare and not criterion.get("ignore_args"):
            yield SuiteFault(
                f"{name}: {', '.join(bare)} without args, which ADK takes for null, and no call "
                'with arguments matches that, nor one with {}: write args, or "ignore_args": true',
                inside(place, where),
            )
        if not expected and word != "EXACT":
            yield SuiteFault(
                f"{name}: no tool is expected, and {word} passes whatever is called then; EXACT "
                "or forbidden_calls would say no",
                inside(place, where),
            )


def _apps(value: Any, path: Path) -> Iterator[SuiteFault]:
    """App names that part: ADK then finds no session of the run, and says nothing."""
    names: dict[str, int] = {}
    for at, case in enumerate(_cases(value)):
        session = snaked(case, EVAL_CASE).get("session_input")
        given = (
            snaked(session, SESSION_INPUT).get("app_name") if isinstance(session, dict) else None
        )
        if isinstance(given, str) and given:
            names.setdefault(given, at)
    if len(names) > 1:
        yield SuiteFault(
            f"the cases name several apps ({', '.join(names)}): of all but one ADK keeps no session",
            Place(str(path), None, "$.eval_cases"),
        )
    folder = next(
        (
            parent.name
            for parent in path.resolve().parents
            if (parent / "agent.py").is_file() or (parent / "root_agent.yaml").is_file()
        ),
        None,
    )
    for given, at in names.items():
        if folder is not None and given != folder:
            yield SuiteFault(
                f"app_name is {given!r} and the agent's folder {folder!r}: ADK finds no session of "
                "the run, so its state and events are not kept",
                Place(str(path), None, f"$.eval_cases[{at}].session_input.app_name"),
            )

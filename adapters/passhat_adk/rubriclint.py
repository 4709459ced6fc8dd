"""What ADK passes over in silence in the rubrics of an eval case and its turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from passhat.errors import Place, SuiteFault
from passhat.reliability.wording import counted
from passhat_adk.criteria import BUILT_IN, PREFIX, criteria_of
from passhat_adk.native import INVOCATION, RUBRIC, snaked
from passhat_adk.rubrics import is_ours

_JUDGES = {
    "FINAL_RESPONSE_QUALITY": "rubric_based_final_response_quality_v1",
    "TOOL_USE_QUALITY": "rubric_based_tool_use_quality_v1",
    "TRAJECTORY_QUALITY": "rubric_based_multi_turn_trajectory_quality_v1",
}
"""The types of rubrics of cases and turns that ADK judges, each with the metric that does."""
_FEW = 3


def repeated_rubrics(case: Mapping[str, Any], place: Place, name: Any) -> Iterator[SuiteFault]:
    """Rubric ids that come twice in a case or one of its turns: ADK then ends the whole run.

    Args:
        case: The `EvalCase` as JSON, its own keys in snake case.
        place: Where it stands.
        name: What it is called.
    """
    own = [rubric.get("rubric_id") for rubric in _rubrics(case)]
    for at, turn in enumerate(turns_in(case)):
        seen: set[Any] = set()
        for given in (*own, *(rubric.get("rubric_id") for rubric in _rubrics(turn))):
            if isinstance(given, str) and given in seen:
                where = f"conversation[{at}].rubrics" if given not in own else "rubrics"
                yield SuiteFault(
                    f"{name}: the rubric id {given!r} comes twice: ADK ends the whole run there",
                    inside(place, where),
                )
            if isinstance(given, str):
                seen.add(given)


def unjudged_rubrics(
    case: Mapping[str, Any], place: Place, name: Any, config: Mapping[str, Any] | None
) -> Iterator[SuiteFault]:
    """Rubrics that no criterion judges: each metric of ADK's takes those of one type alone.

    Where a metric is somebody's own, nothing is said: it may read them all.

    Args:
        case: The `EvalCase` as JSON, its own keys in snake case.
        place: Where it stands.
        name: What it is called.
        config: The configuration; None where none stands beside, and one may be named elsewhere.
    """
    criteria = criteria_of(config)
    if any(key not in BUILT_IN and not key.startswith(PREFIX) for key in criteria):
        return
    holders = [("rubrics", case)]
    holders += [(f"conversation[{at}].rubrics", turn) for at, turn in enumerate(turns_in(case))]
    for where, holder in holders:
        ids: dict[str | None, list[str]] = {}
        for rubric in _rubrics(holder):
            if not is_ours(rubric):
                kind = rubric.get("type")
                kind = kind if isinstance(kind, str) else None
                ids.setdefault(kind, []).append(str(rubric.get("rubric_id")))
        for kind, found in ids.items():
            judge = None if kind is None else _JUDGES.get(kind)
            unasked = config is not None and judge not in criteria
            if judge is None or unasked:
                shown = ", ".join(found[:_FEW]) + (", ..." if len(found) > _FEW else "")
                told = f"{counted(len(found), 'rubric')} ({shown}) {_why(kind, judge)}"
                yield SuiteFault(f"{name}: {told}", inside(place, where))


def _why(kind: str | None, judge: str | None) -> str:
    if judge is not None:
        return f"of the type {kind}, which {judge} judges, and that is no criterion"
    what = "without a type" if kind is None else f"of the type {kind!r}"
    return f"{what}: ADK judges those of {', '.join(_JUDGES)}, and passes over these"


def _rubrics(holder: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    rows = holder.get("rubrics")
    rows = rows if isinstance(rows, list) else []
    return [snaked(row, RUBRIC) for row in rows if isinstance(row, dict)]


def turns_in(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The turns of an eval case, their own keys in snake case."""
    rows = case.get("conversation")
    rows = rows if isinstance(rows, list) else []
    return [snaked(row, INVOCATION) for row in rows if isinstance(row, dict)]


def inside(place: Place, path: str) -> Place:
    """Where something in a case stands."""
    return Place(place.file, None, f"{place.path}.{path}")

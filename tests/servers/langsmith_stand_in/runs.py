"""Answers about runs, as they are sent, read one by one, and queried in pages."""

import json
import re
import time
from datetime import UTC, datetime
from typing import Any

from langsmith_stand_in.bodies import parts_of
from langsmith_stand_in.held import Answer, Asked, Held, Json


def about_runs(held: Held, asked: Asked) -> Answer | None:
    """The answer to a request that is about runs; None for any other."""
    match asked.method, asked.where:
        case "POST", ["runs", "multipart"]:
            take(held, parts_of(asked.body, asked.kind))
            return 202, {}
        case "POST", ["runs"]:
            told = json.loads(asked.body)
            _keep(held, told["id"], told)
            return 202, {}
        case "PATCH", ["runs", id]:
            _keep(held, id, json.loads(asked.body))
            return 202, {}
        case "POST", ["runs", "query"]:
            return _query(held, json.loads(asked.body))
        case "GET", ["runs", id]:
            return (200, _shown(held, held.runs[id])) if id in held.runs else (404, {})
        case "POST", ["api", "v2", "runs", "query"]:
            return _query_v2(held, json.loads(asked.body))
    return None


def take(held: Held, parts: list[tuple[str, Any]]) -> None:
    """Takes what the parts of one body hold."""
    for name, value in parts:
        held.parts[name] = value
        what, id, *more = name.split(".")
        if what in ("post", "patch"):
            _keep(held, id, {more[0]: value} if more else value)
        elif what == "feedback":
            held.kept[id] = value


def _keep(held: Held, id: str, told: Json) -> None:
    run = held.runs.setdefault(id, {"id": id})
    run |= {key: value for key, value in told.items() if value is not None}
    if "session_id" not in run and "session_name" in run:
        run["session_id"] = held.project(run["session_name"])
    held.newest_first = None


def _shown(held: Held, run: Json) -> Json:
    """A run with what the service derives."""
    stats: dict[str, list[float]] = {}
    for one in held.kept.values():
        if one.get("run_id") == run["id"]:
            stats.setdefault(one["key"], [])
            if one.get("score") is not None:
                stats[one["key"]].append(float(one["score"]))
    shown = {"inputs": {}, "outputs": None, "extra": {}, "error": None, "tags": [], **run}
    shown.setdefault("parent_run_id", None)
    order = [part[22:] for part in str(run.get("dotted_order", "")).split(".")]
    shown["parent_run_ids"] = order[:-1]
    shown["status"] = (
        "error" if run.get("error") else "success" if run.get("end_time") else "pending"
    )
    scored = {
        key: {"n": max(1, len(all_)), "avg": sum(all_) / len(all_) if all_ else None}
        for key, all_ in stats.items()
    }
    shown["feedback_stats"] = {**(run.get("feedback_stats") or {}), **scored}
    shown.pop("session_name", None)
    return shown


def _query(held: Held, told: Json) -> Answer:
    limit = told.get("limit") or 100
    if limit > 100:
        return 400, {"detail": "limit must be at most 100"}
    found, at = _found(held, told), int(told.get("cursor") or 0)
    page = [_shown(held, one) for one in found[at : at + limit]]
    more = str(at + limit) if at + limit < len(found) else None
    return 200, {"runs": page, "cursors": {"next": more}}


def _query_v2(held: Held, told: Json) -> Answer:
    size, at = told.get("page_size") or 100, int(told.get("cursor") or 0)
    if size > 1000:
        return 422, {"detail": "page_size must be at most 1000"}
    since = told.get("min_start_time") or datetime.fromtimestamp(time.time() - 86_400, UTC)
    until = told.get("max_start_time")
    found = _found(
        held,
        {
            "session": told.get("project_ids"),
            "is_root": told.get("is_root"),
            "trace": told.get("trace_id"),
            "start_time": str(since),
            "filter": told.get("filter"),
        },
    )
    if until is not None:
        found = [one for one in found if _started(one) <= _seconds(until)]
    selects = {name.lower() for name in told.get("selects") or ["ID"]} | {"id"}
    page = [_as_v2(_shown(held, one), selects) for one in found[at : at + size]]
    more = str(at + size) if at + size < len(found) else None
    return 200, {"items": page, "next_cursor": more}


def _found(held: Held, told: Json) -> list[Json]:
    found = _newest_first(held)
    if told.get("session"):
        found = [one for one in found if one.get("session_id") in told["session"]]
    if told.get("is_root") is not None:
        found = [one for one in found if (one.get("parent_run_id") is None) is told["is_root"]]
    for key, name in (("trace", "trace_id"), ("parent_run", "parent_run_id")):
        if told.get(key):
            found = [one for one in found if one.get(name) == told[key]]
    if told.get("id"):
        found = [one for one in found if one["id"] in told["id"]]
    if told.get("reference_example"):
        wanted = told["reference_example"]
        found = [one for one in found if one.get("reference_example_id") in wanted]
    if told.get("start_time"):
        found = [one for one in found if _started(one) >= _seconds(told["start_time"])]
    return [one for one in found if _passes(told.get("filter") or "", one)]


def _newest_first(held: Held) -> list[Json]:
    if held.newest_first is None:
        held.newest_first = sorted(held.runs.values(), key=_started, reverse=True)
    return held.newest_first


def _seconds(told: Any) -> float:
    when = datetime.fromisoformat(str(told))
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _started(run: Json) -> float:
    return _seconds(run["start_time"]) if run.get("start_time") else 0.0


_COMPARED = re.compile(r'(eq|neq|gt|gte|lt|lte)\((\w+), "([^"]*)"\)')


def _passes(filter: str, run: Json) -> bool:
    """Whether a run passes a filter: comparisons, all of which must hold."""
    for sign, name, value in _COMPARED.findall(filter):
        held, wanted = run.get(name), value
        if name.endswith("_time"):
            held, wanted = _seconds(held), _seconds(value)
        if not {
            "eq": held == wanted,
            "neq": held != wanted,
            "gt": held > wanted,
            "gte": held >= wanted,
            "lt": held < wanted,
            "lte": held <= wanted,
        }[sign]:
            return False
    return True


def _as_v2(run: Json, selects: set[str]) -> Json:
    """A run as the newer API shows it: what was selected, its words in capitals."""
    shown = {**run, "project_id": run.get("session_id")}
    shown["run_type"] = str(run["run_type"]).upper()
    shown["status"] = str(run["status"]).upper()
    shown["metadata"] = (run.get("extra") or {}).get("metadata") or {}
    return {key: value for key, value in shown.items() if key in selects}

"""Runs of a project, read from the server page by page, and the traces built here.

One query gives a page of runs of any trace: asking for the runs of each trace by itself is what
runs into rate limits. Pages come newest first, so that a trace is whole once runs come that began
before its root.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from passhat.errors import InputError, UsageError
from passhat_langsmith.cases import Json
from passhat_langsmith.patience import patiently, status_of
from passhat_langsmith.runs import seconds_of

if TYPE_CHECKING:
    from langsmith import Client

_NEWER = (0, 16, 0)
"""The server's version from which on it has the newer query; the older one ends in January 2027."""
_PAGE = 100
_PAGE_NEWER = 500
_EARLIER = timedelta(days=1)
_SKEW = 5.0
"""Seconds by which a child may seem to have begun before its root, on another machine's clock."""
_FIELDS = (
    *("id", "name", "run_type", "start_time", "end_time", "inputs", "outputs", "error", "extra"),
    *("events", "tags", "trace_id", "dotted_order", "parent_run_ids", "reference_example_id"),
    *("feedback_stats", "total_cost", "status"),
)
_NEWEST = ("project_id", "attachments")
_OLDER = ("session_id", "parent_run_id", "s3_urls")


def project_of(client: Client, project: str | UUID) -> Any:
    """A project, or an experiment, by its name or id.

    Raises:
        UsageError: There is none.
        PasshatError: The server refused, or stayed busy.
    """
    try:
        by: Json = {"project_id": str(UUID(str(project)))}
    except ValueError:
        by = {"project_name": str(project)}

    def read() -> Any:
        try:
            return client.read_project(**by)
        except Exception as error:
            gone = type(error).__name__ == "LangSmithNotFoundError" or status_of(error) == 404
            if gone or "not found" in str(error):
                return None
            raise

    found = patiently(read, "reading the project")
    if found is None:
        raise UsageError(f"there is no project {str(project)!r} in this workspace")
    return found


def began(project: Any) -> datetime | None:
    """A time before all runs of a project; the newer query looks at the last day where none is said."""
    start = project.start_time
    if not isinstance(start, datetime):
        return None
    return (start if start.tzinfo else start.replace(tzinfo=UTC)) - _EARLIER


def run_pages(
    client: Client,
    project_id: Any,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    trace_id: str | None = None,
    roots: bool = False,
    fields: Sequence[str] = _FIELDS,
) -> Iterator[list[Json]]:
    """The runs of a project as the server writes them, newest first, a page a query.

    Args:
        client: LangSmith's client.
        project_id: The project.
        since: Only runs that began then or later.
        until: Only runs that began then or before.
        trace_id: Only those of one trace.
        roots: Only the roots of traces.
        fields: What of each run to read.

    Raises:
        PasshatError: The server refused, or stayed busy.
    """
    version = patiently(lambda: client.info.version, "asking the server what it can do")
    newer = _numbers(version) >= _NEWER
    if newer:
        asked: Json = {
            "project_ids": [str(project_id)],
            "page_size": _PAGE_NEWER,
            "selects": [
                name.upper() for name in (*fields, *(_NEWEST if fields is _FIELDS else ()))
            ],
            # Without it the server looks at the last day alone.
            "min_start_time": (since or datetime.fromtimestamp(0, UTC)).isoformat(),
            "max_start_time": until.isoformat() if until else None,
            "trace_id": trace_id,
            "is_root": roots or None,
        }
        base = client.api_url.rstrip("/").removesuffix("/v1").removesuffix("/api")
        path, rows, place = f"{base}/api/v2/runs/query", "items", ["next_cursor"]
    else:
        asked = {
            "session": [str(project_id)],
            "limit": _PAGE,
            "select": [*fields, *(_OLDER if fields is _FIELDS else ())],
            "start_time": since.isoformat() if since else None,
            "filter": f'lte(start_time, "{until.isoformat()}")' if until else None,
            "trace": trace_id,
            "is_root": roots or None,
        }
        path, rows, place = "/runs/query", "runs", ["cursors", "next"]
    asked = {key: held for key, held in asked.items() if held is not None}
    while True:
        answer: Any = patiently(
            lambda asked=asked: client.request_with_retries("POST", path, json=asked).json(),  # type: ignore[misc]  # bound at once
            "reading runs",
        )
        page = answer.get(rows) if isinstance(answer, dict) else None
        if not isinstance(page, list):
            raise InputError(f"LangSmith answered a query for runs without {rows!r}")
        if page:
            yield [{**one, "session_id": str(project_id)} for one in page]
        cursor: Any = answer
        for key in place:
            cursor = (cursor or {}).get(key)
        if not cursor:
            return
        asked = {**asked, "cursor": cursor}


def whole_traces(pages: Iterator[list[Json]]) -> Iterator[tuple[list[Json], datetime]]:
    """The runs of each trace, once all of them came, with the time from which to go on later.

    Traces whose root never came began before the pages do, and are left out.

    Args:
        pages: Runs, newest first.
    """
    opened: dict[str, list[Json]] = {}
    roots: dict[str, float] = {}
    for page in pages:
        last = 0.0
        for run in page:
            trace = str(run.get("trace_id") or run["id"])
            opened.setdefault(trace, []).append(run)
            last = seconds_of(run.get("start_time")) or 0.0
            if run["id"] == trace or not (run.get("parent_run_id") or run.get("parent_run_ids")):
                roots[trace] = last
        ready = [trace for trace, began in roots.items() if began > last + _SKEW]
        for trace in ready:
            runs = opened.pop(trace)
            del roots[trace]
            yield runs, _horizon(opened, last)
    for trace in roots:
        yield opened[trace], datetime.fromtimestamp(0, UTC)


def _horizon(opened: dict[str, list[Json]], last: float) -> datetime:
    """The latest time at which a run began of which the trace is not yet whole."""
    times = [seconds_of(run.get("start_time")) or 0.0 for runs in opened.values() for run in runs]
    return datetime.fromtimestamp(max([last, *times]), UTC)


def _numbers(version: Any) -> tuple[int, ...]:
    parts = str(version or "").split(".")[:3]
    return tuple(int(part) for part in parts) if all(map(str.isdecimal, parts)) else ()

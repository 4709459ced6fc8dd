"""Runs of a project, read from the server page by page, and the traces built here.

One query gives a page of runs of any trace: asking for the runs of each trace by itself is what
runs into rate limits. Pages come newest first, so that a trace is whole once runs come that began
before its root.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from passhat.errors import InputError, PasshatError, UsageError
from passhat_langsmith.cases import Json
from passhat_langsmith.patience import is_missing, patiently, status_of
from passhat_langsmith.runs import seconds_of

if TYPE_CHECKING:
    from langsmith import Client

_log = logging.getLogger("passhat_langsmith")
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
_MISSING = frozenset({404, 405, 501})
"""How a server answers a query that it does not have."""
_NEWEST = ("project_id", "attachments", "metadata")
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
            if is_missing(error):
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
    info = patiently(lambda: client.info, "asking the server what it can do")
    wanted = _Wanted(str(project_id), since, until, trace_id, roots, fields)
    newer, begun = _has_newer(info), False
    query: _Query | None = _newer(client, wanted) if newer else _older(wanted)
    while query is not None:
        try:
            answer = _answer(client, query)
        except PasshatError as error:
            if begun or not newer or status_of(error) not in _MISSING:
                raise
            newer, query = False, _older(wanted)
            continue
        begun = True
        page = answer.get(query.rows) if isinstance(answer, dict) else None
        if not isinstance(page, list):
            raise InputError(f"LangSmith answered a query for runs without {query.rows!r}")
        if page:
            yield [{**one, "session_id": str(project_id)} for one in page]
        query = query.next(answer)


class _Wanted(NamedTuple):
    """Which runs of a project are wanted, and what of each."""

    project: str
    since: datetime | None
    until: datetime | None
    trace: str | None
    roots: bool
    fields: Sequence[str]


class _Query(NamedTuple):
    """A query for a page of runs, and where the answer has the runs and the place of the next."""

    path: str
    body: Json
    rows: str
    place: tuple[str, ...]

    def next(self, answer: Json) -> _Query | None:
        """The query for the page after that of an answer; None where there is none."""
        cursor: Any = answer
        for key in self.place:
            cursor = (cursor or {}).get(key)
        return self._replace(body={**self.body, "cursor": cursor}) if cursor else None


def _has_newer(info: Any) -> bool:
    """Whether a server answers the newer query: it may say so itself, else its version does.

    LangSmith's own client goes by what it says alone, where it reads experiments.

    >>> from types import SimpleNamespace
    >>> _has_newer(SimpleNamespace(version="0.18.5", instance_flags={}))
    True
    >>> _has_newer(SimpleNamespace(version="0.18.5", instance_flags={"sdb_query_enabled": False}))
    False
    """
    flags = info.instance_flags or {}
    if flags.keys() & {"sdb_query_enabled", "ch_query_enabled"}:
        return bool(flags.get("sdb_query_enabled")) or not flags.get("ch_query_enabled", True)
    return _numbers(info.version) >= _NEWER


def _newer(client: Client, wanted: _Wanted) -> _Query:
    base = client.api_url.rstrip("/").removesuffix("/v1").removesuffix("/api")
    names = (*wanted.fields, *(_NEWEST if wanted.fields is _FIELDS else ()))
    body = {
        "project_ids": [wanted.project],
        "page_size": _PAGE_NEWER,
        "selects": [name.upper() for name in names],
        # Without it the server looks at the last day alone.
        "min_start_time": (wanted.since or datetime.fromtimestamp(0, UTC)).isoformat(),
        "max_start_time": wanted.until.isoformat() if wanted.until else None,
        "trace_id": wanted.trace,
        "is_root": wanted.roots or None,
    }
    return _Query(f"{base}/api/v2/runs/query", _stated(body), "items", ("next_cursor",))


def _older(wanted: _Wanted) -> _Query:
    body = {
        "session": [wanted.project],
        "limit": _PAGE,
        "select": [*wanted.fields, *(_OLDER if wanted.fields is _FIELDS else ())],
        "start_time": wanted.since.isoformat() if wanted.since else None,
        "filter": f'lte(start_time, "{wanted.until.isoformat()}")' if wanted.until else None,
        "trace": wanted.trace,
        "is_root": wanted.roots or None,
    }
    return _Query("/runs/query", _stated(body), "runs", ("cursors", "next"))


def _stated(body: Json) -> Json:
    return {key: held for key, held in body.items() if held is not None}


def _answer(client: Client, query: _Query) -> Any:
    return patiently(
        lambda: client.request_with_retries("POST", query.path, json=query.body).json(),
        "reading runs",
    )


def is_root(run: Json) -> bool:
    """Whether a run is the root of its trace."""
    above = run.get("parent_run_id") or run.get("parent_run_ids")
    return run["id"] == _trace_of(run) or not above


def _trace_of(run: Json) -> str:
    return str(run.get("trace_id") or run["id"])


def whole_traces(pages: Iterator[list[Json]]) -> Iterator[tuple[list[Json], datetime]]:
    """The runs of each trace, once all of them came, with the time from which to go on later.

    Traces whose root never came began before the pages do, and are left out.

    Args:
        pages: Runs, newest first.
    """
    opened: dict[str, list[Json]] = {}
    roots: dict[str, float] = {}
    given: set[str] = set()
    for page in pages:
        last = 0.0
        for run in page:
            trace = _trace_of(run)
            if trace in given:
                _log.warning(
                    "run %s came when its trace %s was taken to be whole", run["id"], trace
                )
                continue
            opened.setdefault(trace, []).append(run)
            last = seconds_of(run.get("start_time")) or 0.0
            if is_root(run):
                roots[trace] = last
        ready = [trace for trace, began in roots.items() if began > last + _SKEW]
        for trace in ready:
            runs = opened.pop(trace)
            del roots[trace]
            given.add(trace)
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

"""Sessions, invocations and stored results to traces, from JSON or from ADK's own objects."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from passhat.errors import InputError, Place, TraceError
from passhat.recordings.attempts import attempts
from passhat.recordings.shapes import kind_of
from passhat.trace import Trace
from passhat_adk.databases import is_database, sessions_in
from passhat_adk.events import Run
from passhat_adk.history import (
    case_trace,
    inference_trace,
    session_fields,
    set_result,
    set_traces,
)
from passhat_adk.invocations import add_invocations
from passhat_adk.legacy import is_legacy
from passhat_adk.native import CASE_RESULT, SESSION, a_list, plain, snaked

_KINDS = {
    "set result": {"eval_case_results", "evalCaseResults", "run_eval_results", "runEvalResults"},
    "case result": {"final_eval_status", "finalEvalStatus"},
    "inference": {"eval_case_id", "evalCaseId", "inferences"},
    "eval set": {"eval_cases", "evalCases", "eval_id", "evalId"},
    "session": {"events"},
    "invocation": {"user_content", "userContent"},
    "event": {"author", "invocation_id", "invocationId"},
}
"""What each kind alone has, the more telling first."""


def kind(value: Any) -> str | None:
    """What a JSON value of ADK's is: `session`, `event`, `invocation`, `set result`, ...

    >>> kind({"id": "s", "events": []}), kind({"author": "user"}), kind({"messages": []})
    ('session', 'event', None)
    """
    if isinstance(value, str):
        return "set result" if "eval_case_results" in value[:2000] or "evalCase" in value else None
    if isinstance(value, dict):
        for name, keys in _KINDS.items():
            if not keys.isdisjoint(value):
                return name
    return None


def is_entry(value: Any) -> bool:
    """Whether a value is one event or one invocation: several of them are one attempt."""
    return kind(value) in ("event", "invocation")


def to_trace(
    source: Any,
    *,
    id: str | None = None,
    case_id: str | None = None,
    initial_state: Any | UnsetType = UNSET,
) -> Trace:
    """The trace of one attempt that ADK recorded.

    Args:
        source: A session, a list of its events, an invocation or a list of them, a case's stored
            result, or an `InferenceResult`: as JSON in either spelling, or as ADK's own object.
            It is left as it is, and shares nothing with the trace. Or a file that holds one.
        id: The trace's id, instead of the source's own.
        case_id: The case it is an attempt at, where the source does not say.
        initial_state: The session's state before the run, which ADK does not store.

    Raises:
        TraceError: It cannot be read, or holds several attempts; the error names the path.
        InputError: The file cannot be opened.

    >>> trace = to_trace([
    ...     {"author": "user", "content": {"parts": [{"text": "Refund A1"}]}},
    ...     {"author": "shop", "content": {"role": "model", "parts": [
    ...         {"functionCall": {"name": "refund", "args": {"order": "A1"}}}]}},
    ... ])
    >>> [(call.name, call.args, call.agent) for call in trace.calls]
    [('refund', {'order': 'A1'}, 'shop')]
    """
    if isinstance(source, Path) or (isinstance(source, str) and os.path.isfile(source)):
        found = list(read_traces(source))
    else:
        try:
            value = plain(source)
        except InputError as error:
            raise TraceError(error.message, error.place) from error
        found = list(_traces(value, "trace"))
    if not found:
        raise TraceError("no attempt is stored here: nothing was recorded")
    if len(found) > 1:
        raise TraceError(f"{len(found)} attempts are stored here; `to_traces` gives them all")
    if isinstance(found[0], TraceError):
        raise found[0]
    given: dict[str, Any] = {}
    if id is not None:
        given["id"] = id
    if case_id is not None:
        given["case_id"] = case_id
    if initial_state is not UNSET:
        given["initial_state"] = plain(initial_state)
    return replace(found[0], **given) if given else found[0]


def to_traces(source: Any) -> Iterator[Trace]:
    """The traces of all attempts that ADK recorded, one after the other.

    Args:
        source: A file (also the SQLite file in which a service of ADK's keeps sessions), or a value
            as `to_trace` takes it, an `EvalSetResult`, or a list of either.

    Raises:
        TraceError: One of them cannot be read.
        InputError: The file cannot be opened.
    """
    for item in read_traces(source):
        if isinstance(item, TraceError):
            raise item
        yield item


def read_traces(source: Any) -> Iterator[Trace | TraceError]:
    """The traces of a file or a value, lazily; one that cannot be read is given as its error.

    Raises:
        InputError: The file cannot be opened.
    """
    if isinstance(source, str | Path) and is_database(Path(source)):
        yield from _of_database(Path(source))
        return
    for attempt in attempts(source, is_entry):
        if isinstance(attempt, InputError):
            yield TraceError(attempt.message, attempt.place)
            continue
        for item in _traces(attempt.value, attempt.id):
            yield _placed(item, attempt.place)


def _of_database(path: Path) -> Iterator[Trace | TraceError]:
    """The traces of the sessions that one of ADK's services keeps in a SQLite file."""
    for session in sessions_in(path):
        if isinstance(session, InputError):
            yield TraceError(session.message, session.place)
            continue
        for item in _traces(session, path.name):
            if isinstance(item, TraceError):
                place = Place(str(path), None, item.place.path)
                item = TraceError(f"session {session['id']!r}: {item.message}", place)
            yield item


def _traces(value: Any, id: str) -> Iterator[Trace | TraceError]:
    try:
        what = kind(value[0]) if isinstance(value, list) and value else kind(value)
        reader = _LISTS.get(what or "") if isinstance(value, list) else None
        if isinstance(value, list) and reader is None:
            for at, item in enumerate(value):
                for found in _traces(item, f"{id}[{at}]"):
                    yield found.under(f"$[{at}]") if isinstance(found, TraceError) else found
            if not value:
                raise TraceError("an empty list: no event and no invocation is recorded there")
        elif reader is not None:
            yield reader(value, id)
        elif what == "set result":
            yield from set_traces(set_result(value))
        elif what in _ONES and isinstance(value, dict):
            yield _ONES[what](value, id)
        elif what == "eval set" or is_legacy([value]):
            raise TraceError(
                "an eval set says what is expected and records no run; give it as the suite"
            )
        else:
            raise TraceError(
                f"{kind_of(value)} that is no session, event, invocation or stored result of ADK"
            )
    except TraceError as error:
        yield error


def _placed(item: Trace | TraceError, outer: Place) -> Trace | TraceError:
    """What was read; an error with the file and the line that it stands in."""
    if isinstance(item, Trace):
        return item
    inner = (item.place.path or "$")[1:]
    return TraceError(item.message, Place(outer.file, outer.line, (outer.path or "$") + inner))


def _session(value: Mapping[str, Any], id: str) -> Trace:
    session = snaked(value, SESSION)
    given = session.get("id")
    run = Run(given if isinstance(given, str) and given else id)
    run.add_all(a_list(session.get("events"), "$.events", "events"), "$.events")
    run.extensions |= {key: item for key, item in session.items() if key not in SESSION}
    return run.finished(**session_fields(session))


def _events(value: list[Any], id: str) -> Trace:
    run = Run(id)
    run.add_all(value)
    return run.finished()


def _invocations(value: list[Any], id: str) -> Trace:
    run = Run(id)
    fields = add_invocations(run, value)
    return run.finished(**fields)


_LISTS: dict[str, Callable[[list[Any], str], Trace]] = {
    "event": _events,
    "invocation": _invocations,
}
_ONES: dict[str, Callable[[Mapping[str, Any], str], Trace]] = {
    "session": _session,
    "event": lambda value, id: _events([value], id),
    "invocation": lambda value, id: _invocations([value], id),
    "case result": lambda value, id: case_trace(snaked(value, CASE_RESULT)),
    "inference": lambda value, id: inference_trace(value),
}

"""Runs to traces: from objects in memory, and from files of runs, nested or flat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from passhat.errors import InputError, Place, TraceError, UsageError
from passhat.jsontext import file_name, items
from passhat.trace import Message, Trace
from passhat_langsmith.bodies import unpacked
from passhat_langsmith.captures import captured_traces, is_capture
from passhat_langsmith.errors import head_of, is_handoff, is_pause, outcome_of
from passhat_langsmith.fetched import is_message, trace_of_messages
from passhat_langsmith.measures import means_of, total_usage
from passhat_langsmith.parquet import exported_traces, is_parquet
from passhat_langsmith.plain import plain
from passhat_langsmith.runs import Run, field_in, id_of, is_run, trace_in
from passhat_langsmith.traced import Traced
from passhat_langsmith.trees import Tree, trees
from passhat_langsmith.walking import Walk

_ENVIRONMENT = ("LANGSMITH_", "LANGCHAIN_")
_FEW = 3
_CUT = (
    "calls: what stands in the file behind a run of this trace could not be read, and may be one of "
    "its runs"
)
_SNIFFED = 65_536


def to_trace(run: Any) -> Trace:
    """The trace of a run and of all that ran inside it.

    Args:
        run: A live `RunTree`, a `schemas.Run` or a run of the newer API; a dict, nested
            (`child_runs`) or not; a list of the runs of one trace in any order, or of one thread,
            whose traces become the turns of one; what `langsmith-fetch` writes. It is left as it
            is, and shares nothing with the trace. Or a file that holds one trace.

    Returns:
        The trace. Its `case_id` is the id of the example that it ran on; what could not be
        recovered is in its `gaps`.

    Raises:
        TraceError: It is no run, or holds a run that cannot be read, which is named.
        UsageError: A list of runs is of several traces that share no thread, or a file is.
        InputError: The file cannot be opened.

    >>> told = {"id": "r", "run_type": "chain", "inputs": {"question": "Hi?"}, "outputs": {"output": "Hello."}}
    >>> to_trace(told).final_response
    'Hello.'
    """
    return _only(run) if isinstance(run, str | Path) else _of_runs(run)


def _of_runs(run: Any) -> Trace:
    """The trace of runs in memory, where a text is no run, and never a path."""
    listed = isinstance(run, list | tuple)
    runs = list(run) if listed else unpacked(run)
    if runs and not any(map(is_run, runs)) and isinstance(run, Mapping | list | tuple):
        return trace_of_messages(run if isinstance(run, Mapping) else {"messages": runs})
    found = trees(runs)
    if not found:
        raise TraceError("no run: the list is empty")
    threads = {tree.root.thread for tree in found}
    if len(found) > 1 and (len(threads) > 1 or None in threads):
        raise UsageError(
            f"the runs are of {len(found)} traces, which share no thread; give those of one"
        )
    # The server's own objects say None where the runs inside were not asked for.
    apart = not listed and not isinstance(run, Mapping) and field_in(run, "child_runs") is None
    return _trace(found, apart=apart)


def _only(path: str | Path) -> Trace:
    """The trace of a file that holds no other."""
    found = list(islice(read_traces(path), 2))
    if not found:
        raise TraceError("no run: nothing is recorded there", Place(str(path)))
    first = found[0]
    if isinstance(first, TraceError):
        raise first
    if len(found) > 1:
        raise UsageError(
            "there is more than one trace; passhat.read_traces gives them all", Place(str(path))
        )
    return first


def to_traces(runs: Any) -> list[Trace]:
    """The traces of runs that belong to several, in the order they began.

    Args:
        runs: Runs, nested or flat, of any number of traces.

    Raises:
        TraceError: A run cannot be read; the error names it.
    """
    return [_trace([tree]) for tree in trees(runs)]


def _trace(found: list[Tree], *, apart: bool = False) -> Trace:
    first, last = found[0].root, found[-1].root
    traced = Traced.of(tree.root for tree in found)
    walk = Walk(first.id if len(found) == 1 or first.thread is None else first.thread, traced)
    for tree in found:
        for gap in tree.gaps:
            walk.chat.gap(gap)
        walk.add(tree.root)
    for tree in found:
        known = tree.root.ended or tree.root.outputs is not None or tree.root.error
        if not known and not tree.gaps:
            walk.chat.gap(f"run {tree.root.id} has no end: it was recorded while it ran")
        if _is_alone(tree.root, apart):
            walk.chat.gap(
                f"calls: run {tree.root.id}: the runs inside it are not here, and it has no messages "
                "that tell of them; load_nested=True loads them for an experiment"
            )
        elif known and _is_bare(tree.root):
            walk.chat.gap(
                f"calls: run {tree.root.id}: nothing that it was given or did was recorded"
            )
    ending: dict[str, Any] = {}
    failed = next((tree.root for tree in reversed(found) if _failed(tree.root)), None)
    if failed is not None:
        assert failed.error is not None
        ending = {"error": head_of(failed.error), "outcome": outcome_of(failed.error)}
    tags = plain(first.tags)
    metadata = {
        key: plain(value)
        for key, value in last.metadata.items()
        if not key.startswith(_ENVIRONMENT)
    }
    if first.name:
        metadata.setdefault("run_name", first.name)
    chat = walk.finish()
    told = any(isinstance(step, Message) and step.usage is not None for step in chat.steps)
    return chat.trace(
        usage=total_usage(first) if not told and len(found) == 1 else None,
        case_id=first.example_id,
        started=first.started,
        ended=last.ended,
        tools=walk.tools or None,
        turn_ids=tuple(tree.root.id for tree in found) if len(found) > 1 else (),
        scores=means_of(last.feedback),
        pins={"model": walk.models[0] if len(walk.models) == 1 else walk.models}
        if walk.models
        else {},
        tags=tuple(map(str, tags)) if isinstance(tags, list) else (),
        metadata=metadata,
        **ending,
    )


def _is_alone(root: Run, apart: bool) -> bool:
    """Whether a root came without the runs inside it, and nothing in it tells of them."""
    if root.children or not (apart or root.totals) or root.kind in ("llm", "tool"):
        return False
    return not (isinstance(root.outputs, Mapping) and root.outputs.get("messages"))


def _is_bare(root: Run) -> bool:
    """Whether a root is empty: an agent's, that has neither inputs nor outputs nor runs inside it."""
    empty = not (root.children or root.inputs or root.outputs or root.elsewhere)
    return empty and root.kind not in ("llm", "tool")


def _failed(root: Run) -> bool:
    return root.error is not None and not is_pause(root.error) and not is_handoff(root.error)


def read_traces(source: Any) -> Iterator[Trace | TraceError]:
    """The traces of a file of runs, or of runs in memory; one that cannot be read is its error.

    A file holds runs, one a line or in a list; what the client sent to `/runs/multipart`; or the
    messages of one trace, in a file that has its name. Runs that say to which trace they belong are
    gathered, wherever in the file they stand; a run with its `child_runs` stands by itself, and so
    does a line that is a list of runs. Each trace is an attempt: give `to_trace` the runs of a
    thread to have its traces as the turns of one.

    Raises:
        InputError: The file cannot be opened.
    """
    if isinstance(source, str | Path):
        if is_parquet(source):
            return read_export([Path(source)])
        if _is_captured(source):
            return _told(captured_traces(Path(source)), Place(file_name(source)))
        found: Iterator[Any] = iter(items(source))
        head = list(islice(found, _FEW))
        if head and not isinstance(head[0], InputError) and is_message(head[0].value):
            return _fetched(Path(source), chain(head, found))
        return _gathered(
            item if isinstance(item, InputError) else (item.value, item.place)
            for item in chain(head, found)
        )
    values = source if isinstance(source, list | tuple) else [source]
    return _gathered((value, Place(path=f"$[{at}]")) for at, value in enumerate(values))


def read_export(files: Sequence[Path]) -> Iterator[Trace | TraceError]:
    """The traces of a bulk export in Parquet; one that cannot be read is its error.

    Raises:
        InputError: A file is no Parquet file of runs.
        MissingExtraError: pyarrow is not installed.
    """
    place = Place(file_name(files[0]) if len(files) == 1 else None)
    yield from _told(exported_traces(files), place)


def _told(found: Iterator[Any], place: Place) -> Iterator[Trace | TraceError]:
    for item in found:
        if isinstance(item, TraceError):
            yield item
        else:
            yield from _one(item, place)


def _is_captured(path: str | Path) -> bool:
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return is_capture(file.read(_SNIFFED))


def _fetched(path: Path, found: Iterator[Any]) -> Iterator[Trace | TraceError]:
    held = list(found)
    broken = [item for item in held if isinstance(item, InputError)]
    yield from (TraceError(item.message, item.place) for item in broken)
    if not broken:
        row = {"trace_id": path.stem, "messages": [item.value for item in held]}
        yield from _one(row, Place(file_name(path)))


def _gathered(found: Iterator[Any]) -> Iterator[Trace | TraceError]:
    flat: dict[str, list[Any]] = {}
    places: dict[str, Place] = {}
    homes: dict[str, str] = {}
    cut: set[str] = set()
    last = ""
    for item in found:
        if isinstance(item, InputError):
            yield TraceError(item.message, item.place)
            cut.add(last)  # Runs of a trace mostly stand together: it may be one of the last one's.
            continue
        held, place = item
        for value in unpacked(held):
            if not is_run(value) or not isinstance(value, Mapping) or value.get("child_runs"):
                yield from _one(value, place)
                last = ""
                continue
            home = _home(value)
            if home is None:  # Runs that name their parents alone are gathered once all came.
                home = id_of(value)
                homes.setdefault(home, str(value.get("parent_run_id") or home))
            places.setdefault(home, place)
            flat.setdefault(home, []).append(value)
            last = home
    gathered: dict[str, list[Any]] = {}
    for home, runs in flat.items():
        gathered.setdefault(_root(home, homes), []).extend(runs)
    cut = {_root(home, homes) for home in cut}
    for home, runs in gathered.items():
        for one in _one(runs, places.get(home) or places[id_of(runs[0])]):
            if home in cut and isinstance(one, Trace):
                yield replace(one, gaps=(*one.gaps, _CUT))
            else:
                yield one


def _home(run: Mapping[str, Any]) -> str | None:
    """The trace that a run says it belongs to."""
    if run.get("trace_id"):
        return str(run["trace_id"])
    return trace_in(str(run.get("dotted_order") or ""))


def _root(home: str, parents: dict[str, str]) -> str:
    """The run at the top of those that name each other as parents; of a ring, always the same."""
    seen = [home]
    while (above := parents.get(seen[-1])) is not None and above != seen[-1]:
        if above in seen:
            return min(seen[seen.index(above) :])
        seen.append(above)
    for one in seen:
        parents[one] = seen[-1]
    return seen[-1]


def _one(value: Any, place: Place) -> Iterator[Trace | TraceError]:
    several = isinstance(value, list | tuple) and any(map(is_run, value))
    try:
        yield from to_traces(value) if several else [_of_runs(value)]
    except (TraceError, UsageError) as error:
        inner = error.place.path or "$"
        where = Place(place.file, place.line, (place.path or "$") + inner[1:])
        yield TraceError(error.message, where)

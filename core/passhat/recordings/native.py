"""Our own form: `passhat.trace/1`, one trace a line, or in the journal of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from passhat.adapter import Fidelity
from passhat.errors import InputError, Place, TraceError, UsageError
from passhat.jsontext import (
    MAX_DEPTH,
    RawItem,
    decode,
    first_values,
    head_of,
    jsonable,
    raw_items,
    replacing,
    too_deep,
)
from passhat.recordings.journals import is_journal, journal_traces
from passhat.recordings.suiteless import Suiteless
from passhat.trace import TRACE_SCHEMA, Trace, decode_trace, encode_trace

_DEPTH = MAX_DEPTH + 50
"""A trace holds its values a few levels deeper than what it was read from."""
_HEAD = 100
_AT = re.compile(r" - at `(\$[^`]*)`$")


class Native(Suiteless):
    """Reads and writes `passhat.trace/1`, and reads the journals of `passhat run`."""

    name = "passhat"
    label = "passhat traces"
    requires: tuple[str, ...] = ()

    def sniff(self, path: Path, head: bytes) -> float:
        """How sure it is that the file is its own, 0 (no) to 1 (sure), by its first bytes."""
        if is_journal(path, head):
            return 1.0
        values = first_values(head)
        own = any(
            isinstance(value, dict) and value.get("schema") == TRACE_SCHEMA for value in values
        )
        return 1.0 if own else 0.0

    def read_traces(self, source: Any, **options: Any) -> Iterator[Trace | TraceError]:
        """The traces of a file, lazily; one that cannot be read is given as its error.

        Args:
            source: A path (`-` is standard input), or traces in memory as JSON values.
            **options: This reader has none.

        Raises:
            UsageError: An option was given.
            InputError: The file cannot be opened.
        """
        if options:
            raise UsageError(f"the reader {self.name} has no option {next(iter(options))!r}")
        if isinstance(source, str | Path):
            file = Path(source)
            if str(source) != "-" and is_journal(file, head_of(file, _HEAD)):
                return map(_read, journal_traces(file))
            return map(_read, raw_items(source))
        values = source if isinstance(source, list | tuple) else [source]
        return map(self._in_memory, enumerate(values))

    def _in_memory(self, numbered: tuple[int, Any]) -> Trace | TraceError:
        at, value = numbered
        place = Place(path=f"$[{at}]")
        try:
            return _read(RawItem(msgspec.json.encode(jsonable(value)), place))
        except InputError as error:
            return TraceError(error.message, error.place)

    def write_traces(self, traces: Iterable[Trace], target: Path) -> Fidelity:
        """Writes traces, one a line, losing nothing.

        Raises:
            UsageError: The target cannot be written.
            TraceError: A trace holds a value that is no JSON.
        """
        with replacing(target) as file:
            for trace in traces:
                try:
                    file.write(encode_trace(trace) + b"\n")
                except (TypeError, UnicodeEncodeError, RecursionError) as error:
                    raise TraceError(f"trace {trace.id!r} cannot be written: {error}") from error
        return Fidelity()


def _read(item: RawItem | InputError) -> Trace | TraceError:
    if isinstance(item, InputError):
        return TraceError(item.message, item.place)
    try:
        trace = _decoded(item)
    except InputError as error:
        return TraceError(error.message, error.place)
    return _numbered_wrong(trace, item.place) or trace


def _decoded(item: RawItem) -> Trace:
    if too_deep(item.data, _DEPTH):
        return _patiently(item)
    try:
        return decode_trace(item.data, item.place)
    except TraceError:
        return _patiently(item)


def _patiently(item: RawItem) -> Trace:
    """The trace read once more, for a NaN that can be kept or an error that says more."""
    clean = msgspec.json.encode(decode(item.data, item.place, depth=_DEPTH))
    try:
        return decode_trace(clean, item.place)
    except TraceError as error:
        at = _AT.search(error.message)
        if at is None:
            raise
        place = error.place
        base = place.path or "$"
        inner = Place(place.file, place.line, base + at[1][1:])
        raise TraceError(error.message[: at.start()], inner) from None


def _numbered_wrong(trace: Trace, place: Place) -> TraceError | None:
    """The error of a step whose turn is no number that a step of this trace can have."""
    most = len(trace.steps)
    if trace.turn_count - 1 <= most:
        return None
    for at, step in enumerate(trace.steps):
        if step.turn > most:
            path = f"{place.path or '$'}.steps[{at}]"
            return TraceError(
                f"turn {step.turn} of a trace of {most} steps: turns are counted from 0",
                Place(place.file, place.line, path),
            )
    return None


adapter = Native()

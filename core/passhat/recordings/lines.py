"""Traces written in another form, one a line, with an account of what each lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from passhat.adapter import Fidelity, FidelityNote
from passhat.errors import TraceError
from passhat.jsontext import replacing
from passhat.recordings.fidelity import differences
from passhat.trace import Trace

encoded: Callable[[Any], bytes] = msgspec.json.Encoder().encode
"""A value as JSON."""


def write_lines(
    traces: Iterable[Trace],
    target: Path,
    written: Callable[[Trace], Any],
    read: Callable[[Any], Trace],
) -> Fidelity:
    """What became of the traces that a file now holds, each as a line of JSON.

    The target is replaced only once all is written.

    Args:
        traces: The traces.
        target: The file.
        written: What a trace is in the other form, as a JSON value.
        read: The trace of such a value.

    Raises:
        UsageError: The target cannot be written.
        TraceError: A trace holds a value that is no JSON.
    """
    notes: list[FidelityNote] = []
    with replacing(target) as file:
        for trace in traces:
            value = written(trace)
            file.write(encoded(value) + b"\n")
            notes += losses(trace, value, read)
    return Fidelity(tuple(notes))


def losses(trace: Trace, value: Any, read: Callable[[Any], Trace]) -> list[FidelityNote]:
    """What is no longer as it was in a trace that was written as a value, found by reading it."""
    try:
        return differences(trace, read(value))
    except TraceError as error:
        return [FidelityNote(trace.id, "lost", f"it cannot be read back: {error}")]

"""Traces written once more in the form that they came from, to see what they hold of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from passhat.convert.leaves import Paths
from passhat.errors import InputError, PasshatError
from passhat.jsontext import items
from passhat.trace import Trace

_AT_ONCE = 64


@dataclass
class Again:
    """The traces of a source, each written in the form that it came from, as they pass.

    Attributes:
        adapter: The adapter of that form.
        paths: What was written.
        able: Whether traces can be written in that form at all.
    """

    adapter: Any
    paths: Paths = field(default_factory=Paths)
    able: bool = True
    _waiting: list[Trace] = field(default_factory=list)

    def take(self, trace: Trace) -> None:
        """Writes a trace, sooner or later."""
        self._waiting.append(trace)
        if len(self._waiting) >= _AT_ONCE:
            self.finish()

    def finish(self) -> None:
        """Writes those that still wait."""
        for row in self.rows(self._waiting):
            self.paths.take(row)
        self._waiting = []

    def rows(self, traces: Iterable[Trace]) -> Iterator[Any]:
        """Traces in the form that they came from, as JSON; nothing where that cannot be."""
        if not self.able:
            return
        try:
            if callable(make := getattr(self.adapter, "from_trace", None)):
                for trace in traces:
                    yield make(trace)
                return
            with tempfile.TemporaryDirectory(prefix="passhat-") as folder:
                target = Path(folder) / "again.jsonl"
                self.adapter.write_traces(traces, target)
                for item in items(target):
                    if not isinstance(item, InputError):
                        yield item.value
        except PasshatError:
            self.able = False  # An adapter that only reads: what is in no trace is told.

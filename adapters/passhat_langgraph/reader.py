"""The adapter: what `--from langgraph` and `--to langgraph` mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passhat.adapter import Fidelity
from passhat.errors import TraceError, UsageError
from passhat.jsontext import first_values, jsonable
from passhat.recordings.lines import write_lines
from passhat.recordings.suiteless import Suiteless
from passhat.trace import Trace
from passhat_langgraph import convert, server, sqlite

if TYPE_CHECKING:
    from passhat.case import Suite
    from passhat.demo import Demo

_OPTIONS = frozenset({"states", "thread"})


class LangGraph(Suiteless):
    """Reads checkpoint databases and thread histories, and writes traces as histories."""

    name = "langgraph"
    label = "LangGraph checkpoints and thread histories"
    requires: tuple[str, ...] = ("langgraph",)
    agent_modules: tuple[str, ...] = ("langgraph.graph", "langgraph.pregel")

    def sniff(self, path: Path, head: bytes) -> float:
        """How sure it is that the file is its own, 0 (no) to 1 (sure), by its first bytes."""
        if head.startswith(sqlite.MAGIC):
            return 0.95 if sqlite.is_saver_file(path) else 0.0
        return max((_sure(value) for value in first_values(head)), default=0.0)

    def to_trace(self, value: Any, config: Any = None, **options: Any) -> Trace:
        """The trace of one thread; see `passhat_langgraph.to_trace`."""
        return convert.to_trace(value, config, **options)

    def as_agent(self, value: Any) -> Any:
        """A compiled graph as a callable that plays a case; see `passhat_langgraph.as_agent`."""
        from passhat_langgraph.agents import as_agent

        return as_agent(value)

    def as_tools(self, source: Any, *, errors: Any = "tell") -> list[Any]:
        """Tools of a sandbox as LangChain's; see `passhat_langgraph.as_tools`."""
        from passhat_langgraph.tools import as_tools

        return list(as_tools(source, errors=errors))

    def read_traces(self, source: Any, **options: Any) -> Iterator[Trace | TraceError]:
        """The traces of a database or of histories, lazily; one that cannot be read is its error.

        Args:
            source: The file of a SqliteSaver, a `postgresql://` address, a file of thread
                histories (JSON, JSONL), a graph or a checkpointer.
            **options: `states` (default True): whether to decode the states in which each branch
                began and ended; `thread`: the one thread to read.

        Raises:
            UsageError: There is no such option.
            InputError: The source cannot be opened.
        """
        for option in options.keys() - _OPTIONS:
            raise UsageError(f"the reader langgraph has no option {option!r}")
        return convert.read_traces(source, **options)

    def write_traces(self, traces: Iterable[Trace], target: Path) -> Fidelity:
        """Writes thread histories, one a line, and says what of each was not kept.

        Raises:
            UsageError: The target cannot be written.
            TraceError: A trace holds a value that is no JSON.
        """
        return write_lines(traces, target, server.history_of, _read_back)

    def demo(self, suite: Suite, trials: int) -> Demo:
        """The refund desk of `passhat demo`, played in this framework."""
        from passhat_langgraph.demo import demo

        return demo(suite, trials)


def _read_back(history: Any) -> Trace:
    found = next(iter(convert.read_traces([jsonable(history)])))
    if isinstance(found, TraceError):
        raise found
    return found


def _sure(value: Any) -> float:
    if isinstance(value, list):
        return max((_sure(item) for item in value[:1]), default=0.0)
    return 0.95 if server.is_state(value) else 0.0


adapter = LangGraph()

"""The adapter: what `--from langsmith` and `--to langsmith` mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passhat.adapter import Fidelity
from passhat.errors import SuiteFault, TraceError, UsageError
from passhat.jsontext import first_values
from passhat.recordings.lines import write_lines
from passhat.trace import Trace
from passhat_langsmith import convert
from passhat_langsmith.captures import is_capture
from passhat_langsmith.parquet import MAGIC
from passhat_langsmith.runs import is_run

if TYPE_CHECKING:
    from passhat.case import Suite
    from passhat.demo import Demo
    from passhat.parity import Door

_RUN = frozenset({"inputs", "outputs", "trace_id", "dotted_order", "child_runs", "start_time"})
_EXAMPLE = frozenset({"id", "dataset_id", "outputs", "reference_outputs", "metadata", "created_at"})


class LangSmith:
    """Reads and writes LangSmith's runs and examples, without LangSmith."""

    name = "langsmith"
    label = "LangSmith runs and examples"
    requires: tuple[str, ...] = ("langsmith",)
    result_modules: tuple[str, ...] = ("langsmith",)

    def sniff(self, path: Path, head: bytes) -> float:
        """How sure it is that the file is its own, 0 (no) to 1 (sure), by its first bytes."""
        if head.startswith(MAGIC):
            return 0.6
        if is_capture(head):
            return 0.97
        return max((_sure(value) for value in first_values(head)), default=0.0)

    def to_trace(self, value: Any) -> Trace:
        """The trace of one run in memory; see `passhat_langsmith.to_trace`."""
        return convert.to_trace(value)

    def read_traces(self, source: Any, **options: Any) -> Iterator[Trace | TraceError]:
        """The traces of runs, in a file or on the server; one that cannot be read is its error.

        Raises:
            UsageError: An option was given; this reader has none.
            InputError: The file cannot be opened.
        """
        if options:
            raise UsageError(f"the reader langsmith has no option {next(iter(options))!r}")
        from passhat_langsmith.live import source_of, traces_of

        live = source_of(source)
        return convert.read_traces(source) if live is None else traces_of(live)

    def write_traces(self, traces: Iterable[Trace], target: Path) -> Fidelity:
        """Writes the runs of each trace as a list, one a line, and says what was not kept.

        Raises:
            UsageError: The target cannot be written.
            TraceError: A trace holds a value that is no JSON.
        """
        from passhat_langsmith.writing import from_trace

        return write_lines(traces, target, from_trace, convert.to_trace)

    def read_suite(self, source: Any) -> tuple[Suite, Fidelity]:
        """The suite of a file of examples, or of a dataset on the server.

        Raises:
            SuiteError: It has faults.
            UsageError: The file records runs, which expect nothing.
        """
        from passhat_langsmith.live import source_of, suite_of
        from passhat_langsmith.suites import read_suite

        live = source_of(source)
        if live is None:
            return read_suite(source)
        from passhat_langsmith.keeping import files_of_cases

        suite = suite_of(live)
        return suite, Fidelity(tuple(files_of_cases(suite)))

    def lint(self, path: Path) -> Sequence[SuiteFault]:
        """What a file of examples says that nobody reads; nothing of a dataset on the server."""
        from passhat_langsmith.linting import lint
        from passhat_langsmith.live import source_of

        return lint(path) if source_of(path) is None else ()

    def doors(self, suite: Suite) -> Sequence[Door]:
        """LangSmith's doors for a suite: ways by which our verdicts come to its users."""
        from passhat_langsmith.doors import doors

        return doors(suite)

    def demo(self, suite: Suite, trials: int) -> Demo:
        """The refund desk of `passhat demo`, played in this framework."""
        from passhat_langsmith.demo import demo

        return demo(suite, trials)

    def write_suite(self, suite: Suite, target: Path | str, *, overwrite: bool = False) -> Fidelity:
        """Writes examples, one a line, or pushes them to `langsmith:dataset/NAME`.

        Args:
            suite: The suite.
            target: A file, or the address of a dataset.
            overwrite: Whether examples of a dataset that somebody edited are written over.

        Returns:
            What was kept; of a dataset, which examples were left because somebody edited them.

        Raises:
            UsageError: It cannot be written.
            PasshatError: The server refused something, or stayed busy.
        """
        from passhat_langsmith.live import push_to, source_of
        from passhat_langsmith.suites import write_suite

        live = source_of(target)
        if live is not None:
            return push_to(live, suite, overwrite=overwrite)
        return write_suite(suite, Path(target))

    def would_leave(self, suite: Suite, target: Path | str) -> Fidelity:
        """Which examples of a dataset `write_suite` would leave; nothing is written.

        Raises:
            UsageError: The target is no dataset that a suite can be pushed to.
            PasshatError: The server refused something, or stayed busy.
        """
        from passhat_langsmith.live import left_by, source_of

        live = source_of(target)
        return Fidelity() if live is None else left_by(live, suite)


_FETCHED = frozenset({"trace_id", "thread_id"})
_BESIDE = frozenset({"messages", "metadata", "feedback"})
_EXPORTED = frozenset({"run_id", "trace_id", "parent_run_id"})
"""What LangSmith's command line has in every row of a run."""


def _sure(value: Any) -> float:
    if isinstance(value, list):
        return max((_sure(item) for item in value[:2]), default=0.0)
    if not isinstance(value, dict):
        return 0.0
    for key in ("runs", "items", "post"):  # What the server answers, a webhook or it is sent.
        if isinstance(value.get(key), list) and any(map(is_run, value[key][:2])):
            return _sure(value[key])
    if isinstance(value.get("run_type"), str):
        named = "id" in value or value.keys() >= _EXPORTED
        return 0.97 if named and value.keys() & _RUN else 0.0
    if isinstance(value.get("inputs"), dict):
        known = len(value.keys() & _EXAMPLE)
        return 0.9 if known > 1 else 0.6 if isinstance(value.get("outputs"), dict) else 0.0
    # What `langsmith-fetch` writes has these keys alone; rows of other tools name their trace too.
    fetched = value.keys() & _FETCHED and isinstance(value.get("messages"), list)
    return 0.97 if fetched and not value.keys() - _FETCHED - _BESIDE else 0.0


adapter = LangSmith()

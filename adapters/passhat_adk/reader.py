"""The adapter: what `--from adk` and `--to adk` mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passhat.adapter import Fidelity
from passhat.errors import Place, SuiteFault, TraceError, UsageError
from passhat.jsontext import decode, first_values, head_of, read_bytes
from passhat.recordings.lines import write_lines
from passhat.trace import Trace
from passhat_adk import convert
from passhat_adk.databases import MAGIC, holds_sessions
from passhat_adk.history import VERDICT
from passhat_adk.native import CONFIG, CONFIG_FILE, camel, is_config

if TYPE_CHECKING:
    from passhat.case import Suite
    from passhat.demo import Demo
    from passhat.parity import Door

_HEAD = 65_536
_CONFIG = CONFIG | {camel(name) for name in CONFIG}
_ASKING = frozenset(
    {"eval_cases", "evalCases", "conversation", "conversation_scenario", "conversationScenario"}
)
"""The keys that an eval set, or a case of one, cannot do without."""
_SURE = {
    "set result": 0.99,
    "case result": 0.95,
    "inference": 0.9,
    "eval set": 0.99,
    "session": 0.9,
    "invocation": 0.95,
    "event": 0.9,
}


class Adk:
    """Reads and writes what ADK records (sessions, stored results) and expects (eval sets)."""

    name = "adk"
    label = "Google ADK sessions, stored eval results and eval sets"
    requires: tuple[str, ...] = ("google-adk[eval]",)
    result_modules: tuple[str, ...] = ("google.adk",)
    agent_modules: tuple[str, ...] = ("google.adk.agents", "google.adk.apps")

    def sniff(self, path: Path, head: bytes) -> float:
        """How sure it is that the file is its own, 0 (no) to 1 (sure), by its first bytes."""
        if head.startswith(MAGIC):
            return 0.95 if holds_sessions(path) else 0.0
        if _as_text(head):
            return _SURE["set result"]
        sure = max((_sure(value) for value in first_values(head)), default=0.0)
        by_name = path.name == CONFIG_FILE and b'"cases"' not in head
        return max(sure, 0.5) if by_name else sure

    def recorded_verdict(self, source: Any) -> str | None:
        """The score that is ADK's own verdict, where the file is a result that ADK stored.

        Raises:
            InputError: The file cannot be opened.
        """
        head = head_of(source, _HEAD)
        stored = _as_text(head) or any(
            convert.kind(value) in ("set result", "case result") for value in first_values(head)
        )
        return VERDICT if stored else None

    def to_trace(self, value: Any, **options: Any) -> Trace:
        """The trace of one attempt in memory; see `passhat_adk.to_trace`."""
        return convert.to_trace(value, **options)

    def as_tools(self, source: Any, *, errors: Any = "tell") -> list[Any]:
        """Tools of a sandbox as ADK's; see `passhat_adk.as_tools`."""
        from passhat_adk.tools import as_tools

        return list(as_tools(source, errors=errors))

    def as_agent(self, value: Any) -> Any:
        """An agent or an app as a callable that plays a case; see `passhat_adk.as_agent`."""
        from passhat_adk.agents import as_agent

        return as_agent(value)

    def read_traces(self, source: Any, **options: Any) -> Iterator[Trace | TraceError]:
        """The traces of sessions or stored results, lazily; one that cannot be read is its error.

        Raises:
            UsageError: An option was given; this reader has none.
            InputError: The file cannot be opened.
        """
        if options:
            raise UsageError(f"the reader adk has no option {next(iter(options))!r}")
        return convert.read_traces(source)

    def write_traces(self, traces: Iterable[Trace], target: Path) -> Fidelity:
        """Writes sessions, one a line, and says what of each was not kept.

        Raises:
            UsageError: The target cannot be written.
            TraceError: A trace holds a value that is no JSON.
        """
        from passhat_adk.writing import from_trace

        return write_lines(traces, target, from_trace, convert.to_trace)

    def read_suite(self, source: Any) -> tuple[Suite, Fidelity]:
        """The suite of an eval set (or of the expectations that a stored result carries).

        Raises:
            SuiteError: It has faults.
            UsageError: The file records sessions, which expect nothing.
        """
        from passhat_adk.suites import read_suite

        return read_suite(source)

    def doors(self, suite: Suite) -> Sequence[Door]:
        """ADK's doors for a suite: ways by which our verdicts come to its users."""
        from passhat_adk.doors import doors

        return doors(suite)

    def demo(self, suite: Suite, trials: int) -> Demo:
        """The refund desk of `passhat demo`, played in this framework."""
        from passhat_adk.demo import demo

        return demo(suite, trials)

    def write_suite(self, suite: Suite, target: Path) -> Fidelity:
        """Writes an eval set, its `test_config.json` beside it, and says what was kept.

        Raises:
            UsageError: It cannot be written.
        """
        from passhat_adk.evalsets import write_suite

        return write_suite(suite, target)

    @property
    def commands(self) -> Any:
        """The commands of `passhat adk`, as a typer app."""
        from passhat_adk.commands import app

        return app

    def is_settings(self, path: Path) -> bool:
        """Whether a file is a configuration alone, with criteria and no cases."""
        return is_config(decode(read_bytes(path), Place(str(path))), path)

    def lint(self, path: Path) -> Sequence[SuiteFault]:
        """What ADK would pass over in silence in an eval set and its configuration."""
        from passhat_adk.linting import lint

        return lint(path)


def _as_text(head: bytes) -> bool:
    """Whether a file is a result as older ADK versions stored it: JSON in a text."""
    return head.lstrip()[:1] == b'"' and b'\\"eval_case_results\\"' in head


def _sure(value: Any) -> float:
    if isinstance(value, list):
        return max((_sure(item) for item in value[:2]), default=0.0)
    if isinstance(value, dict) and _is_legacy(value):
        return 0.9
    if isinstance(value, dict) and "criteria" in value and not value.keys() - _CONFIG:
        return 0.9
    if isinstance(value, dict) and value.keys() & {"messages", "contents", "traj"}:
        return 0.0  # A row of another tool, whatever else it names.
    what = convert.kind(value)
    if what == "session" and not ({"app_name", "appName", "user_id", "userId"} & value.keys()):
        events = value.get("events")
        first = events[0] if isinstance(events, list) and events else None
        return 0.9 if convert.kind(first) == "event" else 0.0
    if what == "event" and not ({"content", "actions"} & value.keys() and "author" in value):
        return 0.0
    if what == "eval set" and value.keys().isdisjoint(_ASKING):
        return 0.0  # Others call an id of theirs so.
    if what == "case result" and "eval_id" not in value and "evalId" not in value:
        return 0.0
    return _SURE.get(what or "", 0.0)


def _is_legacy(value: dict[str, Any]) -> bool:
    rows = value.get("data")
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        return "name" in value and "query" in rows[0]
    return "query" in value and bool({"expected_tool_use", "reference"} & value.keys())


adapter = Adk()

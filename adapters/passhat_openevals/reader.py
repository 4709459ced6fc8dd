"""The adapter: what `--from openevals` and `--to openevals` mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from passhat.adapter import Fidelity
from passhat.errors import Place, TraceError
from passhat.jsontext import first_values
from passhat.recordings.conversation import Conversation
from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.openai_chat import OpenAIChat
from passhat.recordings.shapes import Entry
from passhat.trace import Trace
from passhat_openevals.convert import are_messages, form_of, listed
from passhat_openevals.settings import KEYS

if TYPE_CHECKING:
    from passhat.case import Suite
    from passhat.parity import Door

_BESIDE = ("inputs", "reference_outputs", "evaluator", "library", *KEYS)
_CHATS = frozenset({"messages", "traj", "contents", "run_type", "dataset_id"})


class OpenEvals(OpenAIChat):
    """Reads and writes rows of outputs and reference outputs, without their libraries."""

    name = "openevals"
    label = "rows of outputs and reference outputs"
    requires: tuple[str, ...] = ("openevals", "agentevals")
    key = "outputs"
    row_keys = _BESIDE

    def is_entry(self, value: Any) -> bool:
        """Never: a row holds its messages under `outputs`."""
        return False

    def sure(self, entries: Sequence[Any], row: dict[str, Any]) -> float:
        """Sure where outputs or reference outputs are messages, in a row of no other tool."""
        return sure_of(row)

    def sniff(self, path: Path, head: bytes) -> float:
        """How sure it is that the file is its own, 0 (no) to 1 (sure), by its first bytes."""
        return max((_sure(value) for value in first_values(head)), default=0.0)

    def recognises(self, value: Any) -> float:
        """How sure it is that a value is a row, 0 (no) to 1 (sure)."""
        return sure_of(value) if isinstance(value, dict) else 0.0

    def trace_of_plain(self, value: Any, id: str) -> Trace:
        """The trace of one row's outputs; what stands beside them is kept in its extensions.

        Raises:
            TraceError: The row has no outputs, or they cannot be read.
        """
        if not isinstance(value, dict):
            return super().trace_of_plain(value, id)
        if value.get("outputs") is None:
            raise TraceError(
                "the row has no outputs: it says what is expected and records no run",
                Place(path="$"),
            )
        row = {**value, "outputs": listed(value["outputs"])}
        trace = super().trace_of_plain(row, id)
        beside = {key: item for key, item in value.items() if key in _BESIDE and item is not None}
        if not beside:
            return trace
        return replace(trace, extensions={**trace.extensions, "openevals": beside})

    def fill(self, chat: Conversation, entries: list[Entry], row: dict[str, Any]) -> None:
        """Puts the messages into the trace, OpenAI's or LangChain's."""
        if form_of([entry for _, entry in entries]) == "langchain":
            read = [(path, langchain.normal(entry)) for path, entry in entries]
            langchain.fill(chat, read, row)
        else:
            super().fill(chat, entries, row)

    def from_trace(self, trace: Trace) -> dict[str, Any]:
        """A trace as a row: its messages as `outputs`, with what stood beside them.

        Raises:
            TraceError: The trace holds a value that is no JSON.
        """
        row = super().from_trace(trace)
        beside = trace.extensions.get("openevals")
        if not isinstance(beside, dict) or beside.keys() - set(_BESIDE):
            return row
        others = {key: item for key, item in row["extensions"].items() if key != "openevals"}
        row.pop("extensions")
        return {**row, **({"extensions": others} if others else {}), **beside}

    def read_suite(self, source: Any) -> tuple[Suite, Fidelity]:
        """The suite of a file of rows with reference outputs.

        Raises:
            SuiteError: It has faults.
            UsageError: The rows expect nothing.
        """
        from passhat_openevals.suites import read_suite

        return read_suite(source)

    def doors(self, suite: Suite) -> Sequence[Door]:
        """The doors of agentevals and openevals for a suite: ways by which our verdicts come to its users."""
        from passhat_openevals.doors import doors

        return doors(suite)

    def write_suite(self, suite: Suite, target: Path) -> Fidelity:
        """Writes rows of reference outputs with evaluator settings, and says what was kept.

        Raises:
            UsageError: It cannot be written.
        """
        from passhat_openevals.suites import write_suite

        return write_suite(suite, target)


_LANGSMITHS = frozenset({"run_type", "dataset_id", "example_id", "reference_example_id"})
"""Keys of LangSmith's runs and examples."""


def _sure(value: Any) -> float:
    if isinstance(value, list):
        return max((_sure(item) for item in value[:2]), default=0.0)
    return sure_of(value) if isinstance(value, dict) else 0.0


def sure_of(row: dict[str, Any]) -> float:
    """How sure it is that an object is a row of outputs and reference outputs.

    >>> sure_of({"outputs": [{"role": "user", "content": "hi"}], "reference_outputs": []})
    0.98
    """
    if row.keys() & _CHATS:
        return 0.0
    evaluator = row.get("evaluator")
    told = set(row) | (set(evaluator) if isinstance(evaluator, dict) else set())
    ours = row.get("passhat")
    carried = isinstance(ours, dict) and bool({"schema", "suite"} & ours.keys()) and "id" in row
    if told & set(KEYS) or (isinstance(evaluator, dict) and "passhat" in evaluator) or carried:
        return 0.98
    messages = [key for key in ("outputs", "reference_outputs") if are_messages(row.get(key))]
    theirs = isinstance(row.get("inputs"), dict) and not isinstance(row.get("outputs", []), list)
    if "reference_outputs" in row and messages and not theirs:
        return 0.98
    if "reference_outputs" in row and not theirs and not row.keys() & _LANGSMITHS:
        return 0.92
    return 0.6 if messages == ["outputs"] and isinstance(row["outputs"], list) else 0.0


adapter = OpenEvals()

"""tau-bench results: a list of `{task_id, trial, reward, info, traj}`, `traj` being OpenAI messages.

Of some agents they are Anthropic's, and some write their calls into their texts.

A tool of tau-bench says that it failed by an answer that begins with `Error:`. The tasks ride
along in `info`, so the same file is a suite as well. The results of tau2-bench, which are one
object with `tasks` and `simulations`, are read too.

A `reward_info` that is null says that the conversation had not ended when the run was stopped. The
agents of tau-bench itself stop so at their limit of steps, but a file names neither the limit nor
that it was hit, and other agents stop for other reasons. So the reader states no limit (tau2-bench
gives the reason, and there it does): such a run fails by its recorded reward, which is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from passhat.adapter import Fidelity, FidelityNote
from passhat.case import Case, ExpectedCall, Suite
from passhat.errors import InputError, Place, TraceError
from passhat.jsontext import file_name
from passhat.recordings import tau2_bench, tau_actions
from passhat.recordings.anthropic import adapter as anthropic
from passhat.recordings.attempts import Attempt, attempts
from passhat.recordings.conversation import Conversation
from passhat.recordings.failing import with_error
from passhat.recordings.openai_chat import OpenAIChat
from passhat.recordings.shapes import Entry, kind_of, objects
from passhat.trace import ToolCall, Trace

_FAILED = "Error:"
_ERROR = re.compile(f"^{_FAILED}")
_RENAMED = {"case_id": "task_id", "metadata": "info"}


class TauBench(OpenAIChat):
    """Reads and writes the results of tau-bench, and reads the suite they hold."""

    name = "tau-bench"
    label = "tau-bench results"
    key = "traj"

    def is_entry(self, value: Any) -> bool:
        """Never: a file of these holds whole attempts."""
        return False

    def recognises(self, value: Any) -> float:
        """How sure it is that a value is one attempt in this form, 0 (no) to 1 (sure)."""
        if not isinstance(value, dict):
            return 0.0
        held = value.get(self.key)
        own = isinstance(held, list) or (isinstance(held, str) and held.lstrip().startswith("[{"))
        known = own or tau2_bench.is_results(value) or tau2_bench.is_simulation(value)
        return 0.98 if known else 0.0

    def _attempts(self, source: Any) -> Iterator[Attempt | InputError]:
        for attempt in attempts(source, self.is_entry):
            if isinstance(attempt, Attempt) and tau2_bench.is_results(attempt.value):
                yield from tau2_bench.simulations(attempt)
            else:
                yield attempt

    def trace_of_plain(self, value: Any, id: str) -> Trace:
        """The trace of one attempt; see `RecordingReader.trace_of_plain`."""
        if tau2_bench.is_simulation(value):
            return super().trace_of_plain(tau2_bench.row_of(value), id)
        if not isinstance(value, dict) or self.key not in value:
            missed = (
                "; this object has none" if isinstance(value, dict) else f", not {kind_of(value)}"
            )
            raise TraceError(f"{self.label} are objects with {self.key!r}{missed}", Place(path="$"))
        row = {key: item for key, item in value.items() if key not in ("task_id", "info")}
        task, info = value.get("task_id"), value.get("info")
        if task is not None:
            row = {"case_id": str(task), **row}
            if value.get("trial") is not None:
                row = {"id": f"{task}/{value['trial']}", **row}
        if info is not None:
            row["metadata"] = info if isinstance(info, dict) else {"info": info}
        if isinstance(info, dict) and isinstance(info.get("error"), str):
            row["error"] = info["error"]
        return super().trace_of_plain(row, id)

    def fill(self, chat: Conversation, entries: list[Entry], row: dict[str, Any]) -> None:
        """Puts the messages into the trace: OpenAI's, or the texts or Anthropic's of some agents."""
        if tau_actions.are_actions(entries):
            tau_actions.fill(chat, entries, _FAILED)
            return
        messages = [entry for _, entry in entries]
        in_blocks = any(isinstance(entry.get("content"), list) for entry in messages)
        if not in_blocks or anthropic.sure(messages, {}) <= self.sure(messages, {}):
            super().fill(chat, entries, row)
            return
        anthropic.fill(chat, entries, {})
        for at, step in enumerate(chat.steps):
            chat.steps[at] = with_error(step, _ERROR)

    def failed(self, entry: dict[str, Any]) -> bool:
        """Whether a tool's answer says that the call failed."""
        told, content = entry.get("error"), entry.get("content")
        if isinstance(told, bool):
            return told
        failed = isinstance(content, str) and content.startswith(_FAILED)
        return failed or super().failed(entry)

    def result_entry(self, call: ToolCall) -> dict[str, Any]:
        """The message that a tool answers a call with."""
        entry = {**super().result_entry(call), "name": call.name}
        if call.error is not None and call.error.startswith(_FAILED):
            entry["content"] = call.error
        return entry

    def from_trace(self, trace: Trace) -> dict[str, Any]:
        """A trace as one result of tau-bench.

        Raises:
            TraceError: The trace holds a value that is no JSON.
        """
        row = super().from_trace(trace)
        row = {_RENAMED.get(key, key): value for key, value in row.items()}
        task = row.get("task_id")
        if row["id"] == f"{task}/{row.get('trial')}":
            del row["id"]
        if isinstance(task, str) and task.isascii() and task.isdigit() and str(int(task)) == task:
            row["task_id"] = int(task)
        scores = row.pop("scores", {})
        if "reward" in scores:
            row["reward"] = scores.pop("reward")
        if scores:
            row["scores"] = scores
        trajectory = row.pop(self.key)
        return {**row, self.key: trajectory}

    def read_suite(self, source: Any) -> tuple[Suite, Fidelity]:
        """The suite of the tasks that were attempted, with the actions tau-bench expects.

        A task without actions expects that nothing is changed, which no list of calls can say: it
        has the check `state_unchanged` then, which only informs, as most recordings keep no state.

        Raises:
            InputError: The file cannot be read, or holds no task.
        """
        cases: dict[str, Case] = {}
        notes: list[FidelityNote] = []
        for attempt in attempts(source, self.is_entry):
            try:
                found = _tasks(attempt)
            except InputError as error:
                notes.append(FidelityNote(str(error.place), "lost", error.message))
                continue
            for case in found:
                if case.id not in cases:
                    cases[case.id] = case
                    notes.append(_note(case))
        name = file_name(source) if isinstance(source, str | Path) else "tau-bench"
        if not cases:
            raise InputError("no task of tau-bench in it", Place(name))
        return Suite(Path(name).stem, tuple(cases.values())), Fidelity(tuple(notes))


def _tasks(attempt: Attempt | InputError) -> list[Case]:
    """The tasks that an attempt, or a whole file of tau2-bench, tells of."""
    if isinstance(attempt, InputError):
        raise attempt
    if tau2_bench.is_results(attempt.value):
        return tau2_bench.cases(attempt)
    value = attempt.value
    info = value.get("info") if isinstance(value, dict) else None
    task = info.get("task") if isinstance(info, dict) else None
    if not isinstance(task, dict) or value.get("task_id") is None:
        return []
    goal = task.get("instruction")
    actions = objects(task.get("actions"), "$.info.task.actions", "actions")
    return [
        Case(
            str(value["task_id"]),
            goal,
            user=task.get("user_id"),
            scenario={"goal": goal},
            expected_calls=tuple(
                ExpectedCall(str(action.get("name")), action.get("kwargs") or {})
                for _, action in actions
            )
            or None,
            checks=None if actions else {"state_unchanged": {"required": False}},
            reference={"instruction": goal, "outputs": task.get("outputs", [])},
            metadata={
                key: item
                for key, item in task.items()
                if key not in ("user_id", "actions", "instruction", "outputs")
            },
        )
    ]


def _note(case: Case) -> FidelityNote:
    what = f"{case.id}: actions"
    if case.expected_calls is not None:
        return FidelityNote(what, "translated", "expected_calls")
    why = "there are none: nothing may be changed, which the check state_unchanged says"
    return FidelityNote(what, "translated", why)


adapter = TauBench()

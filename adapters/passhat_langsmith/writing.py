"""Traces as runs: a root, a run for each request of a model, and one for each call that ran."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from passhat.errors import InputError, TraceError
from passhat.jsontext import jsonable
from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.tools import openai_tools
from passhat.trace import Interrupt, Message, Step, ToolCall, Trace, Usage

Json = dict[str, Any]


def from_trace(trace: Trace) -> list[Json]:
    """A trace as the flat list of its runs, root first, as LangSmith records them.

    Ids are made from the trace's, so that the same trace gives the same runs. What has no place in
    runs (states, interrupts that were answered) is not written; `write_traces` says what.

    Raises:
        TraceError: The trace holds a value that is no JSON.

    >>> from passhat.trace import Message, Trace
    >>> steps = (Message("user", "hi"), Message("assistant", "Hello.", request=0))
    >>> [(run["run_type"], run["name"]) for run in from_trace(Trace("t", steps=steps))]
    [('chain', 'agent'), ('llm', 'model')]
    """
    try:
        return jsonable(_Writer(trace).runs())  # type: ignore[no-any-return]  # a list gives a list
    except InputError as error:
        raise TraceError(
            f"trace {trace.id!r} cannot be written: {error.message}", error.place
        ) from error


class _Writer:
    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._runs: list[Json] = []
        self._began = _moment(trace.started) or datetime.fromtimestamp(0.0, UTC)

    def runs(self) -> list[Json]:
        trace = self.trace
        metadata = dict(trace.metadata)
        name = metadata.pop("run_name", "agent")
        root = self._run("chain", str(name), None, trace.started, trace.ended)
        scopes = _scopes(trace)
        top = scopes.get(None, [])
        self._write(scopes, root)
        chat = _chat(top)
        first = next((at for at, one in enumerate(chat) if one["type"] == "ai"), len(chat))
        root["inputs"] = {"messages": chat[:first]}
        root["outputs"] = {"messages": chat}
        waiting = [one for one in top if isinstance(one, Interrupt) and not one.resolved]
        if waiting:
            root["outputs"]["__interrupt__"] = [
                {"value": one.value, "id": one.id} for one in waiting
            ]
        root |= {
            "error": trace.error,
            "extra": {"metadata": metadata},
            "tags": list(trace.tags),
            "reference_example_id": trace.case_id,
        }
        if trace.scores:
            root["feedback_stats"] = {
                key: {"n": 1, "avg": score} for key, score in trace.scores.items()
            }
        if trace.tools is not None:
            models = [run for run in self._runs if run["run_type"] == "llm"]
            for run in models[:1]:
                run["extra"]["invocation_params"] = {"tools": openai_tools(trace.tools)}
        return self._runs

    def _write(self, scopes: dict[str | None, list[Step]], root: Json) -> None:
        """Writes the requests and calls of the agent, then those made inside each of its calls."""
        todo: list[tuple[str | None, Json]] = [(None, root)]
        for scope, parent in todo:  # It grows as calls are found that hold others.
            steps = scopes.pop(scope, [])
            chat = _chat(steps)
            asked = iter([at for at, entry in enumerate(chat) if entry["type"] == "ai"])
            seen: set[int | None] = set()
            for step in steps:
                if not isinstance(step, Message | ToolCall):
                    continue
                if isinstance(step, Message) and step.role != "assistant":
                    continue
                request = step.request
                if isinstance(step, Message) or (request is not None and request not in seen):
                    seen.add(request)
                    if (at := next(asked, None)) is not None:
                        self._request(step, chat, at, parent)
                if isinstance(step, ToolCall):
                    run = self._call(step, parent)
                    if run is not None and step.id in scopes:
                        todo.append((step.id, run))

    def _request(self, step: Message | ToolCall, chat: list[Json], at: int, parent: Json) -> None:
        said = step if isinstance(step, Message) else Message("assistant")
        run = self._run("llm", said.model or "model", parent, said.started, said.ended)
        run["inputs"] = {"messages": [chat[:at]]}
        outputs: Json = {"generations": [[{"message": chat[at]}]]}
        if said.usage is not None:
            outputs["usage_metadata"] = _usage(said.usage)
        run["outputs"] = outputs
        if said.first_token is not None:
            run["events"] = [{"name": "new_token", "time": _time(said.first_token)}]
        if said.model is not None:
            run["extra"]["metadata"] = {"ls_model_name": said.model}

    def _call(self, call: ToolCall, parent: Json) -> Json | None:
        ran = call.result is not UNSET or call.error is not None
        if not ran and call.started is None:
            return None
        run = self._run("tool", call.name, parent, call.started, call.ended)
        run["inputs"] = call.args
        if call.id is not None:
            run["extra"]["tool_call_id"] = call.id
        if call.node is not None:
            run["extra"]["metadata"] = {"langgraph_node": call.node}
        if call.error is not None:
            run["error"] = call.error
        elif ran:
            run["outputs"] = {"output": call.result}
        return run

    def _run(
        self, kind: str, name: str, parent: Json | None, began: float | None, ended: float | None
    ) -> Json:
        number = len(self._runs)
        id = (
            self.trace.id
            if parent is None
            else str(uuid5(NAMESPACE_URL, f"{self.trace.id}#{number}"))
        )
        stamp = (self._began + timedelta(microseconds=number)).strftime("%Y%m%dT%H%M%S%fZ") + id
        run: Json = {
            "id": id,
            "trace_id": self.trace.id,
            "parent_run_id": None if parent is None else parent["id"],
            "dotted_order": stamp if parent is None else f"{parent['dotted_order']}.{stamp}",
            "name": name,
            "run_type": kind,
            "start_time": _time(began),
            "end_time": _time(ended),
            "inputs": {},
            "outputs": None,
            "extra": {},
        }
        self._runs.append(run)
        return run


def _scopes(trace: Trace) -> dict[str | None, list[Step]]:
    """The steps by the id of the call inside which they happened; None for the agent's own.

    A message does not say so itself: it is inside a call that has calls of its own and was
    answered only later.
    """
    parents = {call.parent for call in trace.all_calls}
    spans = [
        (call.request, call.answered, call.id)
        for call in trace.all_calls
        if call.id in parents and call.id is not None and call.request is not None
    ]
    found: dict[str | None, list[Step]] = {}
    for step in trace.steps:
        owner = step.parent if isinstance(step, ToolCall) else None
        if isinstance(step, Message) and step.request is not None:
            for begin, end, id in spans:
                if begin < step.request and (end is None or step.request < end):
                    owner = id
        found.setdefault(owner, []).append(step)
    return found


def _chat(steps: list[Step]) -> list[Json]:
    """The messages of steps, flat; calls that no model asked for are told by their runs alone."""
    kept: list[Step] = []
    for step in steps:
        if isinstance(step, ToolCall) and step.request is not None:
            extensions = {k: v for k, v in step.extensions.items() if k in ("type", "artifact")}
            kept.append(replace(step, parent=None, extensions=extensions))
        elif isinstance(step, Message):
            foreign = isinstance(step.content, list) and not all(
                map(langchain.is_part, step.content)
            )
            kept.append(replace(step, content=None, extensions={}) if foreign else step)
    messages: list[Json] = langchain.conversation(Trace("", steps=tuple(kept)))[langchain.key]
    return messages


def _usage(usage: Usage) -> Json:
    found: Json = msgspec.to_builtins(usage)
    return {
        "input_tokens": found.get("input_tokens"),
        "output_tokens": found.get("output_tokens"),
        "input_token_details": {"cache_read": found.get("cached_input_tokens")},
        "output_token_details": {"reasoning": found.get("reasoning_tokens")},
        "total_cost": found.get("cost"),
    }


def _time(seconds: float | None) -> str | None:
    moment = _moment(seconds)
    return None if moment is None else moment.isoformat()


def _moment(seconds: float | None) -> datetime | None:
    """A time as LangSmith has it; None for one that the calendar has not, which is lost."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None

"""The steps of a trace as the events of an ADK session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.trace import Interrupt, Message, StateUpdate, Step, ToolCall, Trace
from passhat_adk.contents import response_for
from passhat_adk.fields import USER
from passhat_adk.writingparts import (
    answer_parts,
    call_part,
    carry,
    object_in,
    response_part,
    said_parts,
    stamps,
    take_extensions,
    usage_value,
)

_AGENT = "agent"


@dataclass
class EventWriter:
    """Writes the steps of a trace as events; results stand where they could first be seen."""

    trace: Trace
    made: list[dict[str, Any]] = field(default_factory=list)
    due: list[ToolCall] = field(default_factory=list)
    awaited: list[tuple[ToolCall, Interrupt]] = field(default_factory=list)
    number: int = 0
    last: ToolCall | None = None
    called: dict[str, ToolCall] = field(default_factory=dict)

    def events(self) -> list[dict[str, Any]]:
        """All events, in order."""
        groups: dict[object, list[ToolCall]] = {}
        for call in self.trace.all_calls:
            groups.setdefault(_request(call), []).append(call)
        for step in self.trace.steps:
            if type(step) is Message and step.role == "user":
                self._results(self.due)
                self._said(step)
            elif type(step) is Message and step.role == "assistant":
                self._before(step.request)
                self._answered(step, groups.pop(step.request, []))
            elif type(step) is ToolCall and _request(step) in groups:
                self._before(step.request)
                self._answered(None, groups.pop(_request(step)))
            elif type(step) is StateUpdate:
                self._changed(step)
            elif type(step) is Interrupt:
                self._asked(step)
            if type(step) is ToolCall:
                self.last = step
                if step.id is not None:
                    self.called.setdefault(step.id, step)
        self._results(self.due)
        self._arrived()
        self._failed()
        return self.made

    def _event(self, author: str, turn: int, **fields: Any) -> dict[str, Any]:
        self.number += 1
        ids = self.trace.turn_ids
        event = {
            "id": f"{self.trace.id}:{self.number}",
            "timestamp": self.trace.started or 0.0,
            "invocation_id": ids[turn] if turn < len(ids) else f"{self.trace.id}#{turn}",
            "author": author,
            **{key: value for key, value in fields.items() if value not in (None, {}, [])},
        }
        self.made.append(event)
        return event

    def _said(self, step: Message) -> None:
        content = {"role": "user", "parts": said_parts(step)}
        event = self._event(USER, step.turn, content=content, **stamps(step))
        take_extensions(event, step.extensions)

    def _answered(self, step: Message | None, calls: list[ToolCall]) -> None:
        first: Step = step if step is not None else calls[0]
        parts = answer_parts(step) if step is not None else []
        native = self.trace.source == "adk"
        parts += [call_part(call, native) for call in calls]
        agent = (step.agent if step is not None else None) or next(
            (call.agent for call in calls if call.agent), _AGENT
        )
        event = self._event(
            agent,
            first.turn,
            content={"role": "model", "parts": parts} if parts else None,
            branch=(".".join(calls[0].path) or None) if calls else None,
            model_version=step.model if step is not None else None,
            usage_metadata=usage_value(step.usage) if step is not None else None,
            **(stamps(step) if step is not None else {}),
        )
        if not native and any(call.extensions for call in calls):
            carry(event, {"calls": [call.extensions for call in calls]})
        parent = calls[0].parent if calls else None
        if step is not None:
            parent = parent or step.extensions.get("parent")
            take_extensions(event, step.extensions)
        if parent is None and step is not None and not calls:
            parent = self._open_parent(step)
        if parent is not None:
            carry(event, {"parent": parent})
        self.due += [call for call in calls if call.error is not None or call.result is not UNSET]

    def _open_parent(self, step: Message) -> str | None:
        """The call inside which a message without calls of its own was said, if it was in one."""
        parent = self.last.parent if self.last is not None else None
        if parent is None or step.request is None:
            return None
        outer = self.called.get(parent)
        ended = outer.answered if outer is not None else None
        return parent if ended is None or step.request < ended else None

    def _before(self, request: int | None) -> None:
        """Writes the results that this request sees."""
        if request is not None:
            self._results(
                [call for call in self.due if call.answered is None or call.answered <= request]
            )
            self._arrived(request)

    def _results(self, calls: list[ToolCall]) -> None:
        """Writes results: those of one request in one event."""
        groups: dict[object, list[ToolCall]] = {}
        for call in sorted(calls, key=lambda call: call.parent is None):
            groups.setdefault(_request(call), []).append(call)
        for group in groups.values():
            native = self.trace.source == "adk"
            parts = [response_part(call, native) for call in group]
            event = self._event(
                group[0].agent or _AGENT, group[0].turn, content={"role": "user", "parts": parts}
            )
            if native:
                take_extensions(event, object_in(group[0].extensions, "response_event"))
            if group[0].ended is not None:
                event["timestamp"] = group[0].ended
            if group[0].parent is not None:
                carry(event, {"parent": group[0].parent})
        done = {id(call) for call in calls}
        self.due = [call for call in self.due if id(call) not in done]

    def _changed(self, step: StateUpdate) -> None:
        """Puts a change of the state on the event of the call that made it, or on one of its own.

        A change that several calls made together stands on the event of all their results.
        """
        several = step.extensions.get("calls")
        by = (step.by, *(several if isinstance(several, list) else ()))
        made = [call for call in self.due if call.id is not None and call.id in by]
        if made:
            self._results([call for call in self.due if _request(call) == _request(made[0])])
            event = self.made[-1]
        elif (
            self.made
            and "actions" not in self.made[-1]
            and any(one in by for one in (self.made[-1]["author"], *_answered_in(self.made[-1])))
        ):
            event = self.made[-1]
        else:
            event = self._event(step.by or _AGENT, step.turn)
        event["actions"] = {**event.get("actions", {}), "state_delta": step.delta}
        if step.at is not None:
            event["timestamp"] = step.at

    def _asked(self, step: Interrupt) -> None:
        """Writes a pause as ADK asks for it, and its answer as the user gives it."""
        asked_by = step.extensions.get("asked_by")
        known = {call.id: call for call in self.trace.all_calls}
        name = "adk_request_confirmation"
        if isinstance(asked_by, str) and asked_by.startswith("adk_request_"):
            name = asked_by
        given = step.id or f"{self.trace.id}:pause{self.number}"
        waiting = [known[call] for call in step.pending if call in known]
        if given in step.pending and waiting:
            self._long_running(step, waiting[0])
            return
        args: dict[str, Any] = {"toolConfirmation": step.value}
        if name != "adk_request_confirmation" and isinstance(step.value, dict):
            args = step.value
        elif waiting:
            args["originalFunctionCall"] = {
                "id": waiting[0].id, "name": waiting[0].name, "args": waiting[0].args,
            }  # fmt: skip
        if len(step.pending) > 1:
            args["pendingCalls"] = list(step.pending)
        part = {"function_call": {"id": given, "name": name, "args": args}}
        agent = next((call.agent for call in waiting if call.agent), _AGENT)
        self._event(
            agent, step.turn, content={"role": "model", "parts": [part]},
            long_running_tool_ids=[given],
        )  # fmt: skip
        for call in waiting:
            if "interim" in call.extensions:
                self._interim(call, call.extensions["interim"], step.turn)
        if step.resolved:
            self._outside(given, name, step)

    def _long_running(self, step: Interrupt, call: ToolCall) -> None:
        for event in self.made:
            for part in event.get("content", {}).get("parts", ()):
                if part.get("function_call", {}).get("id") == call.id:
                    event.setdefault("long_running_tool_ids", []).append(call.id)
        # What was asked for together is answered together: by others that wait, for now.
        together = [other for other in self.due if _request(other) == _request(call)]
        known = {id(other) for other in together}
        self.due = [other for other in self.due if id(other) not in known]
        self._results(
            [
                replace(other, result=other.extensions["interim"], error=None)
                if "interim" in other.extensions
                else other
                for other in together
            ]
        )
        if step.resolved:
            self.awaited.append((call, step))

    def _arrived(self, request: int | None = None) -> None:
        """Writes the answers from outside that this request sees, by default all that are left."""
        held, self.awaited = self.awaited, []
        for call, step in held:
            if request is not None and call.answered is not None and call.answered > request:
                self.awaited.append((call, step))
            elif call.id is not None:
                self._outside(call.id, call.name, step)

    def _interim(self, call: ToolCall, value: Any, turn: int) -> None:
        """Writes what a tool says while its call waits."""
        held = {"id": call.id, "name": call.name, "response": response_for(value, None)}
        content = {"role": "user", "parts": [{"function_response": held}]}
        self._event(call.agent or _AGENT, turn, content=content)

    def _outside(self, call_id: str, name: str, step: Interrupt) -> None:
        held = {"id": call_id, "name": name, "response": response_for(step.answer, None)}
        content = {"role": "user", "parts": [{"function_response": held}]}
        self._event(USER, step.turn, content=content)

    def _failed(self) -> None:
        """Writes what ended the run as ADK keeps it: an event with an error."""
        if self.trace.error is not None and self.trace.outcome != "completed":
            turn = self.trace.steps[-1].turn if self.trace.steps else 0
            self._event(_AGENT, turn, error_message=self.trace.error)


def _request(call: ToolCall) -> object:
    return ("alone", id(call)) if call.request is None else call.request


def _answered_in(event: Mapping[str, Any]) -> list[str]:
    """The ids of the calls whose results an event brings."""
    held = [part.get("function_response") for part in event.get("content", {}).get("parts", ())]
    return [one["id"] for one in held if isinstance(one, dict) and isinstance(one.get("id"), str)]

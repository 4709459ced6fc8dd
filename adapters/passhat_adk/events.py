"""Events of a session, one after the other, as the steps of a trace.

One user message sets off one turn. A model's event is a request; calls that stand in one event were
asked for together. State changes stand on the event that made them. A confirmation that ADK asks
for is an interrupt, not a call, and so is the wait for a long-running tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.recordings.conversation import Conversation, outcome
from passhat.recordings.gemini import adapter as gemini
from passhat.recordings.parts import LISTED, SPOKEN
from passhat.recordings.sidecar import trace_fields
from passhat.trace import ToolCall, Trace
from passhat_adk.contents import Answer, Request, parts_of, requests_of
from passhat_adk.failing import error_text, outcome_of
from passhat_adk.fields import SIDECAR, branch_of, kept, number, own_state, text, usage_of
from passhat_adk.native import ACTIONS, EVENT, a_list, an_object, said, snaked

USER = "user"
REQUESTS = frozenset({"adk_request_confirmation", "adk_request_credential", "adk_request_input"})
"""The calls by which ADK itself asks somebody outside; they are no calls of the agent."""

_THOUGHT = frozenset({"text", "thought"})
_MODELS_OWN = ("usage_metadata", "model_version", "finish_reason")


@dataclass
class Run(Conversation):
    """A trace under construction from ADK events. All that is given must be made for it alone.

    >>> run = Run("s1")
    >>> run.add({"author": "user", "invocation_id": "e-1", "content": {"parts": [{"text": "hi"}]}})
    >>> run.add({"author": "helper", "invocation_id": "e-1",
    ...          "content": {"role": "model", "parts": [{"text": "hello"}]}})
    >>> run.finished().final_response
    'hello'
    """

    source: str = "adk"
    turn_ids: list[str] = field(default_factory=list)
    carried: dict[str, Any] = field(default_factory=dict)
    _invocation: str | None = None
    _waits: dict[str, str] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)
    _long: set[str] = field(default_factory=set)
    _chunks: dict[str, str] = field(default_factory=dict)
    _failure: tuple[str | None, str | None] | None = None
    _first: float | None = None

    def add_all(self, events: Iterable[Any], path: str = "$") -> None:
        """Adds events in the order in which they came.

        Raises:
            TraceError: One of them is no event; the error names its path.
        """
        for at, event in enumerate(events):
            where = f"{path}[{at}]"
            self.add(an_object(event, where, "an event"), where)

    def add(self, event: Mapping[str, Any], path: str = "$", parent: str | None = None) -> None:
        """Adds one event.

        Args:
            event: The event as JSON, in either spelling.
            path: Where it stands.
            parent: The call inside which it came, where it came from a nested run.

        Raises:
            TraceError: It has not the shape of an event.
        """
        event = snaked(event, EVENT)
        if event.get("content") is None:
            event = _spoken(event)
        at = event.get("timestamp")
        if self._first is None and isinstance(at, int | float):
            self._first = float(at)
        parts = parts_of(event.get("content"), f"{path}.content")
        metadata = event.get("custom_metadata")
        if isinstance(metadata, dict) and isinstance(carried := metadata.get(SIDECAR), dict):
            parent = carried.get("parent", parent)
            own = ("parent", "event", "calls")
            self.carried |= {key: item for key, item in carried.items() if key not in own}
        author = event.get("author")
        if not isinstance(author, str):
            author = None
        if event.get("partial") is True:
            self._chunk(author or "", parts)
        elif author == USER:
            if parent is None:
                self._user(event, parts, path)
        else:
            self._agent(event, author, parts, path, parent)
        self._actions(event, parts, path, author, parent)

    def finished(self, **fields: Any) -> Trace:
        """The trace of all that was added; see `TraceBuilder.trace`."""
        self._flush()
        if self.carried:
            fields = self._with_carried(fields)
        if self._failure is not None and "error" not in fields:
            fields["error"] = error_text(*self._failure)
            fields.setdefault("outcome", outcome_of(*self._failure))
        if self._first is not None:
            fields.setdefault("started", self._first)
        return self.trace(turn_ids=tuple(self.turn_ids), **fields)

    def _with_carried(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The fields of a trace with those that `from_trace` put where ADK has no place for them."""
        if self.carried.pop("no_final_state", False):
            fields.pop("final_state", None)
        known = trace_fields(self.carried, (), gemini.usage)
        metadata = {**known.pop("metadata", {}), **fields.get("metadata", {})}
        for gap in known.pop("gaps", ()):
            self.gap(gap)
        self.extensions |= known.pop("extensions", {})
        fields = {**known, **{key: item for key, item in fields.items() if item is not None}}
        return {**fields, "metadata": metadata} if metadata else fields

    def _user(self, event: Mapping[str, Any], parts: list[Any], path: str) -> None:
        """What came from outside: a message, which opens a turn, or the answers to what was asked."""
        request = requests_of(parts, f"{path}.content.parts", LISTED)[0] if parts else Request()
        for answer in request.answers:
            self._outside(answer)
        if not request.spoken and (request.answers or "content" not in event):
            return
        self._opens(event.get("invocation_id"))
        self._failure = None
        self.user(
            request.text,
            content=request.content,
            id=text(event.get("id")),
            started=number(event.get("timestamp")),
            extensions=kept(event),
        )

    def _opens(self, invocation: Any) -> None:
        """Opens a turn with a new invocation, whatever came of the last one."""
        if isinstance(invocation, str) and invocation:
            if self._asked and self._invocation is not None and invocation != self._invocation:
                self._flush()
                self.turn += 1
                self._asked = False
            self._invocation = invocation
            if len(self.turn_ids) == self.turn:
                self.turn_ids.append(invocation)

    def _agent(
        self,
        event: Mapping[str, Any],
        author: str | None,
        parts: list[Any],
        path: str,
        parent: str | None,
    ) -> None:
        requests = requests_of(parts, f"{path}.content.parts", SPOKEN) if parts else []
        self._chunks.pop(author or "", None)
        long = event.get("long_running_tool_ids")
        if long:
            ids = a_list(long, f"{path}.long_running_tool_ids", "long_running_tool_ids")
            self._long.update(id for id in ids if isinstance(id, str))
        extensions = kept(event)
        if not requests:
            if any(event.get(key) is not None for key in _MODELS_OWN):
                self._answered(event, author, Request(), extensions, parent)
        elif parent is None:
            self._failure = None
        first = True
        for request in requests:
            asked = [call for call in request.calls if call.name in REQUESTS]
            if asked:
                request.calls = [call for call in request.calls if call.name not in REQUESTS]
                request.spoken = bool(request.calls or request.text or request.thoughts)
            if request.spoken:
                self._answered(event, author, request, extensions if first else {}, parent)
                first = False
            for call in asked:
                self._asks(call)
            for answer in request.answers:
                self.join(answer, event, extensions if not request.spoken else {})
        if event.get("error_code") is not None or event.get("error_message") is not None:
            self._failed(event, author, parent)

    def _answered(
        self,
        event: Mapping[str, Any],
        author: str | None,
        request: Request,
        extensions: dict[str, Any],
        parent: str | None,
    ) -> None:
        path = branch_of(event)
        if request.thoughts and any(said(one, _THOUGHT) for one in request.thoughts):
            extensions = {**extensions, "thoughts": request.thoughts}
        if parent is not None:
            extensions = {**extensions, "parent": parent}
        usage = event.get("usage_metadata")
        self.assistant(
            request.text,
            content=request.content,
            reasoning=request.reasoning,
            agent=author,
            id=text(event.get("id")),
            model=text(event.get("model_version")),
            usage=usage_of(usage) if usage else None,
            started=number(event.get("timestamp")),
            extensions=extensions,
        )
        carried = _carried_calls(event)
        for at, call in enumerate(request.calls):
            more = carried[at] if at < len(carried) else None
            extensions = more if isinstance(more, dict) else call.extensions
            self.call(replace(call, agent=author, path=path, parent=parent, extensions=extensions))

    def _asks(self, call: ToolCall) -> None:
        """ADK asks somebody outside: for a confirmation of a call, a credential, an input."""
        held = call.args.get("originalFunctionCall") or call.args.get("original_function_call")
        waiting = held.get("id") if isinstance(held, dict) else None
        value = call.args.get("toolConfirmation") or call.args.get("tool_confirmation")
        if value is None:
            value = call.args
        pending: tuple[str, ...] = (waiting,) if isinstance(waiting, str) else ()
        if isinstance(several := call.args.get("pendingCalls"), list):
            pending = tuple(item for item in several if isinstance(item, str))
        self.interrupt(value, id=call.id, pending=pending, extensions={"asked_by": call.name})
        if call.id is not None:
            self._waits |= dict.fromkeys(pending, call.id)

    def join(
        self,
        answer: Answer,
        event: Mapping[str, Any] | None = None,
        extensions: dict[str, Any] | None = None,
    ) -> None:
        """Joins what a tool gave back to its call."""
        call_id = answer.call_id
        if call_id is not None and call_id in self._waits:
            return  # ADK answers a call that waits for a confirmation by saying so: no result
        said = (
            ("response", answer.more),
            ("response_part", answer.beside),
            ("response_event", extensions),
        )
        more = {key: value for key, value in said if value}
        self.answer(
            answer.returned,
            call_id=call_id,
            name=answer.name,
            failed=answer.failed,
            extensions=more or None,
            entry=answer.part,
        )
        self._ended(call_id, (event or {}).get("timestamp"))
        if call_id is not None and call_id in self._refused:
            self._refused.discard(call_id)
            where = self._position(call_id)
            if where is not None and self._call_at(where).failed:
                # The tool answers for itself that it was not let run.
                self.steps[where] = replace(self._call_at(where), executed=False)
        if call_id is not None and call_id in self._long:
            self._long.discard(call_id)
            self.interrupt(
                answer.returned,
                id=call_id,
                pending=(call_id,),
                extensions={"asked_by": answer.name},
            )

    def _ended(self, call_id: str | None, at: Any) -> None:
        if call_id is None or not isinstance(at, int | float):
            return
        where = self._position(call_id)
        if where is not None:
            self.steps[where] = replace(self._call_at(where), ended=float(at))

    def _outside(self, answer: Answer) -> None:
        """Takes what somebody outside answered to a confirmation or for a long-running tool."""
        call_id = answer.call_id
        if not self.resume(answer.returned, id=call_id or ""):
            self.join(answer)
            return
        waiting = [call for call, asked in self._waits.items() if asked == call_id]
        for name in waiting:
            del self._waits[name]
        if isinstance(answer.returned, Mapping) and answer.returned.get("confirmed") is False:
            self._refused |= set(waiting)
        where = None if waiting or call_id is None else self._position(call_id)
        if where is not None:
            call = self._call_at(where)
            result, error = outcome(answer.returned, False)
            interim = call.result if call.result is not UNSET else {"error": call.error}
            self.steps[where] = replace(
                call,
                result=result,
                error=error,
                answered=self.request + 1,
                extensions={**call.extensions, "interim": interim},
            )

    def _position(self, call_id: str) -> int | None:
        """Where the latest call of that id stands among the steps."""
        for at in range(len(self.steps) - 1, -1, -1):
            step = self.steps[at]
            if type(step) is ToolCall and step.id == call_id:
                return at
        return None

    def _call_at(self, at: int) -> ToolCall:
        step = self.steps[at]
        assert isinstance(step, ToolCall)
        return step

    def _failed(self, event: Mapping[str, Any], author: str | None, parent: str | None) -> None:
        """Takes an error: whose it was, where that can be told, and what it was."""
        code, message = text(event.get("error_code")), text(event.get("error_message"))
        if parent is None:
            self._failure = (code, message)
        waiting = [
            step
            for step in self.steps
            if type(step) is ToolCall
            and step.answered is None
            and step.parent == parent
            and step.turn == self.turn
            and step.agent in (author, None)
            and step.id not in self._waits
        ]
        by_model = any(event.get(key) is not None for key in _MODELS_OWN)
        if len(waiting) == 1 and not by_model:
            self.answer(error_text(code, message), call_id=waiting[0].id, name=waiting[0].name,
                        failed=True)  # fmt: skip
        elif waiting and not by_model:
            self.gap("an exception ended calls made together; which of them raised it is not told")
        self.extensions.setdefault("errors", []).append(
            {"code": code, "message": message, "agent": author, "turn": self.turn}
        )

    def _actions(
        self,
        event: Mapping[str, Any],
        parts: list[Any],
        path: str,
        author: str | None,
        parent: str | None,
    ) -> None:
        actions = event.get("actions")
        if not actions or (isinstance(actions, dict) and not any(actions.values())):
            return
        actions = snaked(an_object(actions, f"{path}.actions", "actions"), ACTIONS)
        if parent is not None:
            return
        delta = actions.get("state_delta")
        if delta:
            changed = own_state(an_object(delta, f"{path}.actions.state_delta", "a state_delta"))
            if changed:
                ids = [
                    held.get("id")
                    for part in parts
                    if isinstance(held := part.get("function_response"), dict)
                ]
                by = ids[0] if len(ids) == 1 else None if ids else author
                extensions = {"calls": ids} if len(ids) > 1 else {}
                at = number(event.get("timestamp"))
                self.state_update(changed, by=by, at=at, extensions=extensions)
        if before := actions.get("rewind_before_invocation_id"):
            self.gap(
                f"the session was rewound to before invocation {before}; what happened since then "
                "stays in the trace"
            )
        if compaction := actions.get("compaction"):
            self.extensions.setdefault("compactions", []).append(compaction)

    def _chunk(self, author: str, parts: list[Any]) -> None:
        """Remembers a piece of a streamed answer, should the whole one never come."""
        words = "".join(
            text
            for part in parts
            if isinstance(text := part.get("text"), str) and part.get("thought") is not True
        )
        self._chunks[author] = self._chunks.get(author, "") + words

    def _flush(self) -> None:
        for author, words in self._chunks.items():
            if words:
                self.assistant(words, agent=author or None, extensions={"partial": True})
                self.gap("a streamed answer broke off; the pieces that came are one message")
        self._chunks.clear()


def _spoken(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event of a live run with what was said aloud, once it was written down, as its text."""
    if event.get("partial") is True:
        return event
    for key, role in (("input_transcription", USER), ("output_transcription", "model")):
        words = event[key].get("text") if isinstance(event.get(key), dict) else None
        if isinstance(words, str) and words:
            author = USER if role == USER else event.get("author")
            return {
                **event,
                "author": author,
                "content": {"role": role, "parts": [{"text": words}]},
            }
    return event


def _carried_calls(event: Mapping[str, Any]) -> list[Any]:
    """What `from_trace` put beside the calls of an event, which ADK has no place for."""
    metadata = event.get("custom_metadata")
    carried = metadata.get(SIDECAR) if isinstance(metadata, dict) else None
    calls = carried.get("calls") if isinstance(carried, dict) else None
    return calls if isinstance(calls, list) else []

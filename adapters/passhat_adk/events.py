"""Events of a session, one after the other, as the steps of a trace.

One user message sets off one turn. A model's event is a request; calls that stand in one event were
asked for together. State changes stand on the event that made them. A confirmation that ADK asks
for is an interrupt, not a call, and so is the wait for a long-running tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from passhat.errors import TraceError
from passhat.recordings.gemini import adapter as gemini
from passhat.recordings.parts import LISTED, SPOKEN
from passhat.recordings.sidecar import trace_fields
from passhat.trace import Trace
from passhat.wording import joined
from passhat_adk.answering import REQUESTS, Calls
from passhat_adk.contents import Request, parts_of, requests_of
from passhat_adk.failing import error_text, outcome_of
from passhat_adk.fields import (
    MODELS_OWN,
    USER,
    branch_of,
    carried_calls,
    carried_in,
    kept,
    moment,
    own_state,
    spoken_in,
    text,
    usage_of,
)
from passhat_adk.inside import closed_calls
from passhat_adk.native import ACTIONS, EVENT, a_list, an_object, said, snaked
from passhat_adk.plainevents import take_plain

_THOUGHT = frozenset({"text", "thought"})
_WHERE = frozenset({"branch", "isolation_scope", "node_info"})
"""What an event says of where it happened, and of nothing that did."""
_FIELDS_OF_EVENT = frozenset({"parent", "event", "calls"})
"""What `from_trace` carries for one event; all else is of the trace."""


@dataclass
class Run(Calls):
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
    sees_inside: bool = False
    _invocation: str | None = None
    _chunks: dict[str, str] = field(default_factory=dict)
    _first: float | None = None

    def add_all(self, events: Iterable[Any], path: str = "$") -> None:
        """Adds events in the order in which they came.

        Raises:
            TraceError: One of them is no event; the error names its path.
        """
        for at, event in enumerate(events):
            try:
                self.add(event)
            except TraceError as error:
                raise error.under(f"{path}[{at}]") from None

    def add(self, event: Any, parent: str | None = None) -> None:
        """Adds one event.

        Args:
            event: The event as JSON, in either spelling.
            parent: The call inside which it came, where it came from a nested run.

        Raises:
            TraceError: It has not the shape of an event; the error names the path within it.
        """
        if type(event) is not dict or not event.keys() <= EVENT:
            event = snaked(an_object(event, "$", "an event"), EVENT)
        if self._first is None:
            self._first = moment(event.get("timestamp"))
        if parent is None and take_plain(self, event):
            return
        content = event.get("content")
        if content is None:
            event = spoken_in(event)
            content = event.get("content")
        if (carried := carried_in(event)) is not None:
            parent = carried.get("parent", parent)
            of_trace = carried.keys() - _FIELDS_OF_EVENT
            self.carried |= {key: carried[key] for key in of_trace}
        author = event.get("author")
        if type(author) is not str:
            author = None
        partial = event.get("partial") is True
        try:
            parts = parts_of(content)
            requests = [] if partial else requests_of(parts, LISTED if author == USER else SPOKEN)
        except TraceError as error:
            raise error.under("$.content") from None
        if partial:
            self._chunk(author or "", parts)
        elif author != USER:
            self._agent(event, author, requests, carried, parent)
        elif parent is None:
            self.takes(event, requests)
        actions = event.get("actions")
        if actions and parent is None and not (type(actions) is dict and not any(actions.values())):
            self._actions(event, actions, parts, author)

    def takes(self, event: Mapping[str, Any], requests: list[Request]) -> None:
        """Takes what came from outside: a message, which opens a turn, or answers to what was asked.

        Args:
            event: The event.
            requests: What its content says.
        """
        request = requests[0] if requests else Request()
        for answer in request.answers:
            self._outside(answer, event)
        if not request.spoken and (request.answers or event.get("content") is None):
            return
        self.asked(
            request.text,
            event.get("invocation_id"),
            content=request.content,
            id=text(event.get("id")),
            started=moment(event.get("timestamp")),
            extensions=kept(event),
        )

    def asked(self, words: str, invocation: Any, **fields: Any) -> None:
        """Adds what the user says, which opens a turn with a new invocation."""
        self._opens(invocation)
        self._failure = None
        self.user(words, **fields)

    def goes_on(self, author: str) -> None:
        """Lets an agent say something whole: no piece of it waits, and no error was the end."""
        self._chunks.pop(author, None)
        self._failure = None

    def drops_pieces(self, author: str) -> None:
        """Forgets the pieces of an answer of which something whole has come."""
        self._chunks.pop(author, None)

    def changes(
        self, delta: Mapping[str, Any], answered: list[Any], author: str | None, at: float | None
    ) -> None:
        """Lets an event change the state.

        Args:
            delta: The change, ADK's own keys among it.
            answered: The ids of the calls whose results the event brought: a lone one made the change.
            author: Who wrote the event.
            at: When.
        """
        changed = own_state(delta)
        if changed:
            several = len(answered) > 1
            by = None if several else (answered[0] if answered else None) or author
            extensions = {"calls": answered} if several else {}
            self.state_update(changed, by=by, at=at, extensions=extensions)

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
        if not self.sees_inside and (names := closed_calls(self.steps)):
            self.gap(
                f"calls inside: {joined(names)} may be an agent as a tool (AgentTool), and what it "
                "called stands in no session; passhat_adk.TracePlugin() records it"
            )
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
        requests: list[Request],
        carried: Mapping[str, Any] | None,
        parent: str | None,
    ) -> None:
        self.drops_pieces(author or "")
        if long := event.get("long_running_tool_ids"):
            ids = a_list(long, "$.long_running_tool_ids", "long_running_tool_ids")
            self._long.update(id for id in ids if isinstance(id, str))
        extensions = kept(event)
        if not requests:
            if any(event.get(key) is not None for key in MODELS_OWN):
                self._answered(event, author, Request(), extensions, carried, parent)
            elif extensions.keys() - _WHERE:
                self._told(event, author, extensions, parent)
        elif parent is None:
            self._failure = None
        first = True
        for request in requests:
            asked = [call for call in request.calls if call.name in REQUESTS]
            if asked:
                request.calls = [call for call in request.calls if call.name not in REQUESTS]
                request.spoken = bool(request.calls or request.text or request.thoughts)
            if request.spoken:
                self._answered(event, author, request, extensions if first else {}, carried, parent)
                first = False
            for call in asked:
                self._asks(call)
            for answer in request.answers:
                self.join(answer, event, extensions if not request.spoken else {})
        if event.get("error_code") is not None or event.get("error_message") is not None:
            self._failed(event, author, parent)

    def _told(
        self,
        event: Mapping[str, Any],
        author: str | None,
        extensions: Mapping[str, Any],
        parent: str | None,
    ) -> None:
        """Keeps an event that says something, but nothing that a step could say."""
        row = {"agent": author, "turn": self.turn, "id": event.get("id"), "parent": parent}
        told = {key: item for key, item in row.items() if item is not None}
        self.extensions.setdefault("events", []).append({**told, **extensions})

    def _answered(
        self,
        event: Mapping[str, Any],
        author: str | None,
        request: Request,
        extensions: dict[str, Any],
        carried: Mapping[str, Any] | None,
        parent: str | None,
    ) -> None:
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
            started=moment(event.get("timestamp")),
            extensions=extensions,
        )
        if not request.calls:
            return
        path = branch_of(event)
        beside = carried_calls(carried)
        for at, call in enumerate(request.calls):
            more = beside[at] if at < len(beside) else None
            own = more if isinstance(more, dict) else call.extensions
            self.call(call, agent=author, path=path, parent=parent, extensions=own)

    def _actions(
        self,
        event: Mapping[str, Any],
        actions: Any,
        parts: list[Mapping[str, Any]],
        author: str | None,
    ) -> None:
        """Takes what an event did besides: a change of the state, a rewind, a compaction."""
        actions = snaked(an_object(actions, "$.actions", "actions"), ACTIONS)
        if delta := actions.get("state_delta"):
            ids = [
                held.get("id")
                for part in parts
                if isinstance(held := part.get("function_response"), dict)
            ]
            delta = an_object(delta, "$.actions.state_delta", "a state_delta")
            self.changes(delta, ids, author, moment(event.get("timestamp")))
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

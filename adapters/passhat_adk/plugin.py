"""`TracePlugin`: records what ADK's evaluation does not hand on to metrics.

State before and after, every event with its change of the state, when tools began and ended, what
they raised, and the calls that agents make inside a call (`AgentTool`).
"""

from __future__ import annotations

import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from passhat.trace import Trace
from passhat_adk.cautious import as_json, harmless, in_words, model_as_json
from passhat_adk.fields import SIDECAR, USER, own_state
from passhat_adk.needs import need_adk
from passhat_adk.recorder import RECORDER, Recorded, trace_of

need_adk()

from google.adk.plugins.base_plugin import BasePlugin  # noqa: E402  # said first what is missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.events.event import Event
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse
    from google.adk.sessions.session import Session
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types

_CONTEXTS = ("invocation_context", "callback_context", "tool_context")
_PARTS = ("calls", "response", "final_state")
"""What checks need of a trace that may be missing where a callback failed."""

_WITHIN: ContextVar[tuple[str, str] | None] = ContextVar("passhat_adk_within", default=None)
"""The invocation and the call inside which code runs; each call of a tool runs in its own task."""


class TracePlugin(BasePlugin):
    """Records every run of an app, for the metrics and for you.

        app = App(name="shop", root_agent=root_agent, plugins=[TracePlugin()])

    Nothing of a run is changed, and no value in it ends it: one that is no JSON is kept in words.
    What is recorded stays in this process, for the last 20,000 runs or the last 256 MB of them,
    whichever is less.

    Args:
        name: The plugin's name in the app.
    """

    def __init__(self, name: str = "passhat_trace") -> None:
        super().__init__(name=name)
        self._inside: dict[str, tuple[str, str]] = {}

    def trace(self, session_id: str) -> Trace | None:
        """The trace of all that was recorded of a session; None where nothing was."""
        rows = RECORDER.of_session(session_id)
        return trace_of(rows) if rows else None

    @harmless
    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """A run begins: its state is that before."""
        row = self._begun(invocation_context)
        if row is not None:
            RECORDER.add(row, {
                "author": USER,
                "invocation_id": row.invocation_id,
                "timestamp": time.time(),
                "content": model_as_json(user_message, in_words(row.gaps)),
            })  # fmt: skip
        return None

    @harmless
    async def before_run_callback(
        self, *, invocation_context: InvocationContext
    ) -> types.Content | None:
        """A run begins that no message began."""
        self._begun(invocation_context)
        return None

    @harmless
    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        """Something happened."""
        row, parent = self._row(invocation_context.invocation_id)
        if row is not None and parent is None:
            _hear(invocation_context, row)
        if row is not None and event.partial is not True and not _from_outside(event):
            value = model_as_json(event, in_words(row.gaps))
            if parent is not None:
                value["custom_metadata"] = {
                    **value.get("custom_metadata", {}),
                    SIDECAR: {"parent": parent},
                }
            RECORDER.add(row, value)
        return None

    @harmless
    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """A run ended: its state is that after."""
        self._ended(invocation_context)

    @harmless
    async def on_run_error_callback(
        self, *, invocation_context: InvocationContext, error: Exception
    ) -> None:
        """A run ended in an exception."""
        row = self._ended(invocation_context)
        if row is not None:
            row.failed = _raised(row, error)

    @harmless
    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> None:
        """A model is asked, in a run that did not begin: so ADK's live evaluation runs agents."""
        row, _ = self._row(callback_context.invocation_id)
        if row is None:
            row = Recorded(callback_context.invocation_id, apart=True)
            RECORDER.put(row)
            RECORDER.ended(row, _state(callback_context.session, row))

    @harmless
    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> None:
        """A model answered; of a live evaluation this alone is told, and the turn it belongs to."""
        run = RECORDER.get(callback_context.invocation_id)
        turn = getattr(llm_response, "invocation_id", None)
        if run is None or not run.apart or not isinstance(turn, str):
            return
        row = RECORDER.get(turn)
        if row is None:
            row = Recorded(turn, before=run.after, apart=True)
            RECORDER.put(row)
        state = _state(callback_context.session, row)
        RECORDER.ended(row, state)
        RECORDER.ended(run, state)

    @harmless
    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """A call begins; what runs from here on in this task is inside it."""
        row, _ = self._row(tool_context.invocation_id)
        call_id = tool_context.function_call_id
        if row is not None and call_id is not None:
            row.spans.setdefault(call_id, []).append((time.time(), None))
            _WITHIN.set((row.invocation_id, call_id))
            if getattr(tool, "include_plugins", True) is False:
                why = f"calls inside: {tool.name} runs its agent without the app's plugins"
                row.gaps += [why] if why not in row.gaps else []
        return None

    @harmless
    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: dict[str, Any],
    ) -> dict[str, Any] | None:
        """A call ended."""
        self._call_ended(tool_context)
        return None

    @harmless
    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: Exception,
    ) -> dict[str, Any] | None:
        """A call ended in an exception; the run goes on where somebody answers for the tool."""
        row = self._call_ended(tool_context)
        call_id = tool_context.function_call_id
        if row is not None and call_id is not None:
            row.failures[call_id] = f"{type(error).__name__}: {error}"
            row.raised[type(error).__name__, str(error)] = "tool"
        return None

    @harmless
    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> None:
        """A model raised an exception; the run goes on where somebody answers for it."""
        row, _ = self._row(callback_context.invocation_id)
        if row is not None:
            row.raised[type(error).__name__, str(error)] = "model"

    def missed(self, callback: str, error: Exception, told: Mapping[str, Any]) -> None:
        """Says in the record of a run that something of it is missing there."""
        context = next(told[name] for name in _CONTEXTS if name in told)
        root, _ = self._inside.get(context.invocation_id, (context.invocation_id, None))
        row = RECORDER.get(root)
        why = f"{callback} of the plugin ended in {type(error).__name__}; the log has more"
        if row is not None:
            row.gaps += [gap for part in _PARTS if (gap := f"{part}: {why}") not in row.gaps]

    def _begun(self, context: InvocationContext) -> Recorded | None:
        """The record of a run that begins; None for one that runs inside a call."""
        invocation_id = context.invocation_id
        within = _WITHIN.get()
        if within is not None and within[0] != invocation_id and _is_open(*within):
            self._inside[invocation_id] = within
            return None
        row = RECORDER.get(invocation_id)
        if row is None:
            row = Recorded(invocation_id, context.session.id, started=time.time())
            RECORDER.put(row)
            RECORDER.begun(row, _state(context.session, row))
            _rewound(context, row)
            return row
        row.after = row.ended = None
        return row

    def _row(self, invocation_id: str) -> tuple[Recorded | None, str | None]:
        """The record that an invocation belongs to, and the call inside which it runs."""
        root, parent = self._inside.get(invocation_id, (invocation_id, None))
        return RECORDER.get(root), parent

    def _ended(self, context: InvocationContext) -> Recorded | None:
        if self._inside.pop(context.invocation_id, None) is not None:
            return None
        row = RECORDER.get(context.invocation_id)
        if row is not None:
            _hear(context, row)
            RECORDER.ended(row, _state(context.session, row))
            row.ended = time.time()
        return row

    def _call_ended(self, context: ToolContext) -> Recorded | None:
        row, _ = self._row(context.invocation_id)
        call_id = context.function_call_id
        if row is not None and call_id is not None:
            spans = row.spans.get(call_id, [])
            going_on = [at for at, (_, ended) in enumerate(spans) if ended is None]
            if going_on:
                spans[going_on[-1]] = (spans[going_on[-1]][0], time.time())
        return row


def _from_outside(event: Event) -> bool:
    """Whether an event is the user's; what a delegated task gave back bears the user's name too."""
    info = getattr(event, "node_info", None)
    return event.author == USER and not (info is not None and info.path)


def _is_open(invocation_id: str, call_id: str) -> bool:
    """Whether a call has not ended yet; only then can something run inside it."""
    row = RECORDER.get(invocation_id)
    return row is not None and any(ended is None for _, ended in row.spans.get(call_id, ()))


def _raised(row: Recorded, error: BaseException) -> tuple[str, str, str]:
    """Who raised what ended a run: it may stand inside another exception by now."""
    waiting, seen = [error], set()
    while waiting:
        one = waiting.pop()
        known = (type(one).__name__, str(one))
        if known in row.raised:
            return (row.raised[known], *known)
        seen.add(id(one))
        inner = [*getattr(one, "exceptions", ()), one.__cause__, one.__context__]
        waiting += [other for other in inner if other is not None and id(other) not in seen]
    return ("run", type(error).__name__, str(error))


def _rewound(context: InvocationContext, row: Recorded) -> None:
    """Takes that the session was rewound since its last run, which no callback tells."""
    events = context.session.events
    at = row.heard = len(events)
    while at and events[at - 1].actions.rewind_before_invocation_id:
        at -= 1
    for event in events[at:]:
        RECORDER.add(row, model_as_json(event, in_words(row.gaps)))


def _hear(context: InvocationContext, row: Recorded) -> None:
    """Takes what users say into a live run: ADK puts it into the session past all callbacks."""
    if context.live_request_queue is None:
        return
    events = context.session.events
    for event in events[row.heard :]:
        if event.author == USER:
            RECORDER.add(row, model_as_json(event, in_words(row.gaps)))
    row.heard = len(events)


def _state(session: Session, row: Recorded) -> dict[str, Any]:
    """A copy of the session's state as JSON, without ADK's own keys."""
    copied: dict[str, Any] = as_json(own_state(session.state), in_words(row.gaps))
    return copied

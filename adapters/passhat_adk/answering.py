"""The calls of a session under construction, and what answers them.

A tool's result, a confirmation that somebody gives or refuses, what a long-running tool brings in
the end, and the exception that ended a call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.recordings.conversation import Conversation, outcome
from passhat.trace import ToolCall
from passhat_adk.contents import Answer
from passhat_adk.failing import error_text
from passhat_adk.fields import MODELS_OWN, moment, text

REQUESTS = frozenset({"adk_request_confirmation", "adk_request_credential", "adk_request_input"})
"""The calls by which ADK itself asks somebody outside; they are no calls of the agent."""

_OF_ANSWER = ("response", "response_part", "response_event")
"""What a call keeps of its answer."""


@dataclass
class Calls(Conversation):
    """The part of a trace under construction that knows which call waits for what."""

    _waits: dict[str, str] = field(default_factory=dict)
    _refused: set[str] = field(default_factory=set)
    _long: set[str] = field(default_factory=set)
    _failure: tuple[str | None, str | None] | None = None

    def _asks(self, call: ToolCall) -> None:
        """ADK asks somebody outside: for a confirmation of a call, a credential, an input."""
        held = call.args.get("originalFunctionCall") or call.args.get("original_function_call")
        waiting = held.get("id") if isinstance(held, dict) else None
        if waiting is None:  # A credential names the call alone.
            waiting = call.args.get("functionCallId") or call.args.get("function_call_id")
        value = call.args.get("toolConfirmation") or call.args.get("tool_confirmation")
        if value is None:
            value = call.args
        pending: tuple[str, ...] = (waiting,) if isinstance(waiting, str) else ()
        if isinstance(several := call.args.get("pendingCalls"), list):
            pending = tuple(item for item in several if isinstance(item, str))
        self.interrupt(value, id=call.id, pending=pending, extensions={"asked_by": call.name})
        for name in pending:
            self._reopen(name)
        if call.id is not None:
            self._waits |= dict.fromkeys(pending, call.id)

    def _reopen(self, call_id: str) -> None:
        """Lets a call wait that was given an answer just before ADK asks somebody about it.

        In a run the question mostly comes first; where a database sorts by time, it comes second.
        """
        where = self._position(call_id)
        if where is None or self._call_at(where).answered != self.request + 1:
            return
        call = self._call_at(where)
        kept = {key: item for key, item in call.extensions.items() if key not in _OF_ANSWER}
        if call.error is None:
            kept["interim"] = call.result
        self.steps[where] = waiting = replace(
            call,
            result=UNSET,
            error=None,
            executed=None,
            answered=None,
            ended=None,
            extensions=kept,
        )
        self._open.add(where, waiting)

    def join(
        self,
        answer: Answer,
        event: Mapping[str, Any] | None = None,
        extensions: dict[str, Any] | None = None,
    ) -> None:
        """Joins what a tool gave back to its call."""
        call_id = answer.call_id
        if call_id is not None and call_id in self._waits:
            self._meanwhile(call_id, answer)
            return
        more: dict[str, Any] = {}
        if answer.more or answer.beside or extensions:
            said = zip(_OF_ANSWER, (answer.more, answer.beside, extensions), strict=True)
            more = {key: value for key, value in said if value}
        self.answer(
            answer.returned,
            call_id=call_id,
            name=answer.name,
            failed=answer.failed,
            ended=moment((event or {}).get("timestamp")),
            extensions=more or None,
            entry=answer.part,
        )
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

    def _meanwhile(self, call_id: str, answer: Answer) -> None:
        """Takes what a call is answered that waits: no result, but what the tool says of it is kept."""
        where = self._position(call_id)
        result, error = outcome(answer.returned, answer.failed)
        if where is not None and error is None:
            call = self._call_at(where)
            self.steps[where] = replace(call, extensions={**call.extensions, "interim": result})

    def _outside(self, answer: Answer, event: Mapping[str, Any]) -> None:
        """Takes what somebody outside answered to a confirmation or for a long-running tool."""
        call_id = answer.call_id
        if not self.resume(answer.returned, id=call_id or ""):
            self.join(answer, event)
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
        by_model = any(event.get(key) is not None for key in MODELS_OWN)
        if len(waiting) == 1 and not by_model:
            self.answer(
                error_text(code, message),
                call_id=waiting[0].id,
                name=waiting[0].name,
                failed=True,
                ended=moment(event.get("timestamp")),
            )
        elif waiting and not by_model:
            self.gap("an exception ended calls made together; which of them raised it is not told")
        self.extensions.setdefault("errors", []).append(
            {"code": code, "message": message, "agent": author, "turn": self.turn}
        )

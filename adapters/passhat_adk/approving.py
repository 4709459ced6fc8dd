"""Answers of a case to the confirmations that an ADK run asks for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from passhat.case import Case
from passhat.surroundings import approvals_of

if TYPE_CHECKING:
    from google.genai import types

ASKS = "adk_request_confirmation"
_ROUNDS = 100


class Approvals:
    """Answers confirmations by the approvals of a case, the first that answers a call being its answer.

    ADK knows a yes and a no: `edit` is a yes with its `args` as the payload, which tools that ask
    for a confirmation themselves may read. What nobody answers goes on waiting.
    """

    def __init__(self, case: Case) -> None:
        self._approvals = approvals_of(case.approvals)
        self._asked: Counter[str] = Counter()
        self._left = _ROUNDS

    def answering(self, events: list[Any]) -> types.Content | None:
        """The message that answers what the events of a run ask; None where none is to be answered."""
        from google.genai import types

        if not self._approvals or self._left <= 0:
            return None
        parts = []
        for event in events:
            for call in event.get_function_calls():
                if call.name == ASKS and (response := self._response(call.args or {})) is not None:
                    parts.append(
                        types.Part(
                            function_response=types.FunctionResponse(
                                id=call.id, name=ASKS, response=response
                            )
                        )
                    )
        if not parts:
            return None
        self._left -= 1
        return types.Content(role="user", parts=parts)

    def _response(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        held = asked.get("originalFunctionCall") or asked.get("original_function_call") or {}
        name, args = str(held.get("name")), dict(held.get("args") or {})
        self._asked[name] += 1
        number = self._asked[name]
        approval = next((a for a in self._approvals if a.answers(name, args, number)), None)
        if approval is None:
            return None
        said: dict[str, Any] = {"confirmed": approval.decision != "decline"}
        if approval.args is not None:
            said["payload"] = approval.args
        return said

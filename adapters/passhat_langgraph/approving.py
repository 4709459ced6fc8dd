"""Answers of a case to what a graph's run waits for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from passhat.case import Case
from passhat.surroundings import Approval, approvals_of

_ROUNDS = 100
"""How often a run is answered: one that asks without end would never end."""


class TooManyPauses(Exception):
    """A run that asks without end."""


class Approvals:
    """Answers interrupts by the approvals of a case, the first that answers a call being its answer.

    An interrupt that asks about calls (the human-in-the-loop middleware, `tool_approval`) gets a
    decision for each. Any other is answered by an approval of any tool (`*`): with its `message` or,
    where it has none, with true or false; for `edit` with its `args`. What nobody answers goes on
    waiting.
    """

    def __init__(self, case: Case) -> None:
        self._approvals = approvals_of(case.approvals)
        self._asked: Counter[str] = Counter()
        self._left = _ROUNDS

    def resuming(self, graph: Any, config: Mapping[str, Any]) -> Any:
        """The command that answers what waits on a thread; None where nothing waits, or is answered.

        Raises:
            TooManyPauses: It asks without end.
        """
        if not self._approvals:
            return None
        pauses = graph.get_state(config).interrupts
        answers = {pause.id: self._answer(pause.value) for pause in pauses}
        if not answers or any(answer is None for answer in answers.values()):
            return None
        if not self._left:
            raise TooManyPauses(f"it was answered {_ROUNDS} times, and asks again")
        self._left -= 1
        from langgraph.types import Command

        return Command(resume=answers)

    def _answer(self, asked: Any) -> Any:
        if isinstance(asked, Mapping) and isinstance(asked.get("action_requests"), list):
            each = [self._decision(request) for request in asked["action_requests"]]
            return None if any(one is None for one in each) else {"decisions": each}
        if isinstance(asked, Mapping) and asked.get("type") == "tool_approval":
            return self._decision(asked)
        approval = self._found("*", {})
        if approval is None:
            return None
        if approval.decision == "edit":
            return dict(approval.args or {})
        return approval.message or approval.decision == "approve"

    def _decision(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        name = str(request.get("name"))
        args = request.get("args")
        args = dict(args) if isinstance(args, Mapping) else {}
        approval = self._found(name, args)
        if approval is None:
            return None
        if approval.decision == "approve":
            return {"type": "approve"}
        if approval.decision == "edit":
            edited = {"name": name, "args": {**args, **(approval.args or {})}}
            return {"type": "edit", "edited_action": edited}
        return {"type": "reject", **({"message": approval.message} if approval.message else {})}

    def _found(self, name: str, args: Mapping[str, Any]) -> Approval | None:
        self._asked[name] += 1
        number = self._asked[name]
        return next((a for a in self._approvals if a.answers(name, args, number)), None)

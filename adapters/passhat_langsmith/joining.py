"""Joins the runs of tools to the calls that were asked for."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.trace import ToolCall
from passhat_langsmith.errors import head_of, is_handoff, is_pause
from passhat_langsmith.history import History, Scope
from passhat_langsmith.plain import plain
from passhat_langsmith.runs import Run
from passhat_langsmith.toolruns import Asked, AskedCalls, args_of, call_id_of, gave
from passhat_langsmith.traced import Traced


class Calls:
    """The calls of a trace, as the runs of tools come to them.

    Args:
        history: What was said and asked so far.
        traced: What the runs tell of tools.
    """

    def __init__(self, history: History, traced: Traced) -> None:
        self._history, self._chat, self._traced = history, history.chat, traced

    def began(self, run: Run, scope: Scope) -> Asked:
        """The call that a tool's run belongs to; one of its own where nobody asked for it."""
        id = call_id_of(run)
        args = args_of(run)
        call = scope.asked.for_run(id, run.name, args)
        if call is None:
            made = ToolCall(
                run.name,
                args,
                id=id or run.id,
                turn=self._chat.turn,
                parent=scope.call_id,
                # An id of a call is a model's, whose request is not among the runs.
                extensions={"asked_by": "code"} if id is None else {},
            )
            call = Asked(len(self._chat.steps), id or run.id, run.name, args)
            self._chat.steps.append(made)
            if run.inputs is None and "inputs" not in run.elsewhere:
                self._chat.gap(f"calls: run {run.id}: what the tool was given was not recorded")
            scope.asked.add(call)
            self._history.acted = self._history.acted or scope.call_id is None
        elif call.id in self._traced.waited and args:  # Inputs that are hidden are empty.
            self._edited(call, run.name, args)
        call.runs += 1
        call.run = run
        return call

    def _edited(self, call: Asked, name: str, args: dict[str, Any]) -> None:
        """Takes over what somebody who was asked to approve a call changed in it."""
        step = self._chat.steps[call.at]
        assert isinstance(step, ToolCall)
        if name != step.name or any(args.get(key) != held for key, held in step.args.items()):
            asked = {"name": step.name, "args": step.args}
            more = {**step.extensions, "asked": asked}
            self._chat.steps[call.at] = replace(step, name=name, args=args, extensions=more)

    def ended(self, run: Run, call: Asked, scope: Scope) -> None:
        """Gives a call what its run gave, once all that ran inside it was told."""
        node = run.metadata.get("langgraph_node")
        more: dict[str, Any] = {
            "started": run.started,
            "ended": run.ended,
            "node": node if isinstance(node, str) else None,
            "attempts": call.runs if call.runs > 1 else None,
        }
        found: tuple[Any, str | None] = UNSET, None
        beside: dict[str, Any] = {}
        if run.error is None:
            if run.outputs is not None and not _are_hidden(run):
                found, beside = gave(plain(run.outputs), call.id)
            elif run.ended is not None:
                more["executed"] = True
                if "outputs" not in run.elsewhere:
                    self._chat.gap(f"run {run.id}: what the tool gave was not recorded")
        elif is_handoff(run.error):
            found = None, None
        elif not is_pause(run.error):
            found = UNSET, head_of(run.error)
        if found == (UNSET, None):
            self._chat.steps[call.at] = replace(self._chat.steps[call.at], **more)
        else:
            self._history.settle(call, scope, found, extensions=beside, **more)

    def join_told(self, scope: Scope, begin: int) -> None:
        """Makes one call of two where a tool's run told of it before the message that asks for it.

        Args:
            scope: Whose calls these are.
            begin: Where the messages stand in which the agent, at its end, told what it had asked for.
        """
        steps = self._chat.steps
        dropped: set[int] = set()
        for told in [one for one in scope.asked if one.at >= begin]:
            call = steps[told.at]
            for ran in scope.asked:
                by_code = steps[ran.at]
                if (
                    isinstance(call, ToolCall)
                    and isinstance(by_code, ToolCall)
                    and ran.at < begin
                    and ran.at not in dropped
                    and by_code.request is None
                    and (by_code.turn, by_code.name, by_code.args)
                    == (call.turn, call.name, call.args)
                ):
                    dropped.add(ran.at)
                    answered = call.answered
                    if answered is None and by_code.answered is not None:
                        answered = (call.request or 0) + 1
                    steps[told.at] = replace(
                        by_code,
                        id=call.id,
                        request=call.request,
                        agent=call.agent,
                        answered=answered,
                        extensions=call.extensions,
                    )
                    break
        if dropped:
            kept = [at for at in range(len(steps)) if at not in dropped]
            moved = {was: now for now, was in enumerate(kept)}
            asked, scope.asked = scope.asked, AskedCalls()
            scope.unseen = [one for one in scope.unseen if one.at in moved]
            for one in asked:
                if one.at in moved:
                    one.at = moved[one.at]
                    scope.asked.add(one)
            self._chat.steps = [steps[at] for at in kept]


def _are_hidden(run: Run) -> bool:
    """Whether a tool's outputs were hidden: LangChain's tools, whose calls have ids, give an `output`."""
    return run.outputs == {} and "tool_call_id" in run.extra

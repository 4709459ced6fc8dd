"""From a tree of runs to the steps of a trace.

Calls come from what the models asked for. The runs of tools are joined to them by id (by order and
arguments where there are none), and what has no run is filled from the tools' messages: a call of
a tool that does not exist leaves no run at all. A tool that no model asked for was called by the
code around it, and is a request of its own.

Messages that a model was given and that nobody said in this trace (few-shot examples, what went
before in the thread, a prompt that code wrote) are no steps: they stand in `extensions["context"]`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.errors import TraceError
from passhat.recordings.conversation import Conversation, outcome
from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.tools import catalogue
from passhat.trace import Message, ToolCall, Usage
from passhat_langsmith.errors import head_of, is_handoff, is_pause
from passhat_langsmith.messages import (
    Entry,
    calls_of,
    entries,
    given,
    key_of,
    question,
    reply,
    said,
)
from passhat_langsmith.plain import plain
from passhat_langsmith.runs import Run, seconds_of
from passhat_langsmith.toolruns import Asked, args_of, call_for, call_id_of, gave


@dataclass
class _Scope:
    """Whose requests these are: the agent's, or those made inside one call."""

    call_id: str | None = None
    asked: list[Asked] = field(default_factory=list)
    known: Counter[Any] = field(default_factory=Counter)
    ids: set[str] = field(default_factory=set)
    made: Counter[Any] = field(default_factory=Counter)
    before: list[Any] = field(default_factory=list)
    seen: Counter[Any] = field(default_factory=Counter)
    goes_on: bool = False


class Walk:
    """Walks the trees of one attempt, root by root, and builds its trace."""

    def __init__(self, id: str) -> None:
        self.chat = Conversation(id, source="langsmith")
        self.tools: dict[str, dict[str, Any]] = {}
        self.models: list[str] = []
        self._at = id
        self._top = _Scope()
        self._acted = False
        self._asked = False

    def add(self, root: Run) -> None:
        """Adds all that happened in one tree.

        Raises:
            TraceError: A run holds what cannot be read; the error names it.
        """
        self._at = root.id
        try:
            self._walk(root)
        except TraceError as error:
            raise TraceError(f"run {self._at}: {error.message}", error.place) from error

    def _walk(self, root: Run) -> None:
        self._acted = self._asked = False
        self._begin(root)
        requests = self.chat.request
        joined: dict[str, Asked] = {}
        todo: list[tuple[Run, _Scope, bool]] = [(root, self._top, False)]
        while todo:
            run, scope, left = todo.pop()
            self._at = run.id
            if left:
                self._tool_ended(run, joined[run.id])
                continue
            inner = scope
            if run.kind == "tool":
                call = joined[run.id] = self._tool_began(run, scope)
                inner = _Scope(call.id)
                todo.append((run, scope, True))
            elif run.kind == "llm":
                self._model(run, scope)
                continue  # A model within a model is the same request, told twice.
            elif run.kind == "retriever":
                self._keep("retrievals", _told(run))
            elif run is not root and run.metadata.get("langgraph_node") == run.name:
                self._visit(run)
            todo += [(child, inner, False) for child in reversed(run.children)]
        self._at = root.id
        self._end(root, untold=self.chat.request == requests)

    # The root.

    def _begin(self, root: Run) -> None:
        inputs = root.inputs
        if isinstance(inputs, dict) and inputs.get("resume") is not None:
            self.chat.resume(plain(inputs["resume"]))
        if root.kind in ("llm", "tool"):
            return
        messages = given(inputs)
        if messages is not None:
            found, strange = entries(messages)
            for value in strange:
                self._keep("unread_messages", value)
            self._top.seen, self._top.goes_on, self._top.before = Counter(), False, []
            last = max((at for at, one in enumerate(found) if one["type"] == "human"), default=-1)
            self._absorb(found[:last] if last >= 0 else found, self._top, words=True)
            if last >= 0:
                self._say(found[last], self._top)
                for entry in found[last + 1 :]:
                    self._context(entry, key_of(entry), self._top)
            self._asked = last >= 0
        elif (text := question(inputs)) is not None:
            self._say({"type": "human", "content": text}, self._top)
            self._asked = True
        if inputs and messages is None:
            self._keep("inputs", plain(inputs))

    def _end(self, root: Run, *, untold: bool) -> None:
        outputs = root.outputs
        held = outputs.get("messages") if isinstance(outputs, dict) else None
        if root.kind in ("llm", "tool"):
            return
        if isinstance(held, list | tuple):
            found, strange = entries(held)
            for value in strange:
                self._keep("unread_messages", value)
            self._top.seen, self._top.goes_on, self._top.before = Counter(), False, []
            self._absorb(found, self._top, untold=untold)
        else:
            self._answer(reply(outputs))
        if outputs and not isinstance(held, list | tuple):
            self._keep("outputs", plain(outputs))
        paused = outputs.get("__interrupt__") if isinstance(outputs, dict) else None
        self._pause(root, plain(paused) or [])

    def _answer(self, text: str | None) -> None:
        """Adds what the agent gave as its answer, where that is not what its model said last."""
        if text is None:
            return
        words = [step for step in self.chat.steps if isinstance(step, Message)]
        if words and words[-1].role == "assistant" and words[-1].text.strip() == text.strip():
            return
        self.chat.steps.append(Message("assistant", text, turn=self.chat.turn))

    def _pause(self, root: Run, paused: Any) -> None:
        waiting = tuple(one.id for one in self._top.asked if not one.settled)
        for one in paused if isinstance(paused, list) else [paused]:
            held = one if isinstance(one, dict) else {"value": one}
            id = held.get("id")
            self.chat.interrupt(
                held.get("value"), id=None if id is None else str(id), pending=waiting
            )
        if not paused and is_pause(root.error):
            self.chat.interrupt(head_of(root.error or ""), pending=waiting)

    # Messages.

    def _absorb(
        self, found: list[Entry], scope: _Scope, *, words: bool = False, untold: bool = False
    ) -> None:
        """Takes from a history what is new in it.

        Args:
            found: The history.
            scope: Whose it is.
            words: Whether it is what the agent was given, so that a user's words in it are new.
            untold: Whether no model's run tells of the agent's answers, so that those in the
                history after the user's last words are all there is.
        """
        seen, after = scope.seen, -1
        if untold:
            humans = [at for at, one in enumerate(found) if one["type"] == "human"]
            after = humans[-1] if humans else -1
        for at, entry in enumerate(found):
            key, id, kind = key_of(entry), entry.get("id"), entry["type"]
            seen[key] += 1
            if kind == "ai" and (scope.made[key] > 0 or id in scope.ids):
                scope.goes_on = True
            if seen[key] <= scope.known[key] or (isinstance(id, str) and id in scope.ids):
                continue
            if kind == "tool":
                self._tool_said(entry, key, scope)
            elif scope.call_id is None and kind == "human":
                if words or untold or scope.goes_on or not (self._asked or self._acted):
                    self._say(entry, scope)
                else:
                    self._context(entry, key, scope)
            elif scope.call_id is None and kind == "system":
                self._say(entry, scope)
            elif kind == "ai" and untold and at > after:
                self._speak(entry, scope, None)
            else:
                self._context(entry, key, scope)

    def _say(self, entry: Entry, scope: _Scope) -> None:
        scope.known[key_of(entry)] += 1
        if isinstance(entry.get("id"), str):
            scope.ids.add(entry["id"])
        langchain.fill(self.chat, [("$", entry)], {})

    def _context(self, entry: Entry, key: Any, scope: _Scope) -> None:
        scope.known[key] += 1
        self._keep("context", entry)

    def _tool_said(self, entry: Entry, key: Any, scope: _Scope) -> None:
        scope.known[key] += 1
        id, name = entry.get("tool_call_id"), entry.get("name")
        waiting = [one for one in scope.asked if one.id == id] if id is not None else []
        if id is None:
            waiting = [one for one in scope.asked if not one.settled and name in (None, one.name)]
        opened = next((one for one in waiting if not one.settled), None)
        if opened is not None:
            result, error = outcome(entry.get("content"), entry.get("status") == "error")
            self._settle(opened, result, error)
        elif not waiting:
            self._keep("context", entry)

    # Models.

    def _model(self, run: Run, scope: _Scope) -> None:
        answers = said(run.outputs)
        messages = given(run.inputs)
        if messages is None and run.inputs:
            self.chat.gap(f"run {run.id}: what the model was given is in a form that is not known")
        else:
            self._hear(messages or [], scope, run, answers)
        self._offered(run)
        if not answers:
            if run.error is not None and not is_pause(run.error):
                self._keep("failed_requests", {**_told(run), "error": head_of(run.error)})
            else:
                self.chat.gap(
                    f"calls: run {run.id}: what the model answered is in no form that is known"
                    if run.outputs
                    else f"run {run.id}: the model's answer was not recorded"
                )
        for answer in answers:
            self._speak(answer, scope, run)

    def _hear(self, messages: list[Any], scope: _Scope, run: Run, answers: list[Entry]) -> None:
        """Takes what is new in what a model was given; mostly it is what the last one was, and more."""
        count = len(scope.before)
        grown = bool(count) and messages[:count] == scope.before
        scope.before = list(messages)
        if not grown:
            scope.seen, scope.goes_on = Counter(), False
        found, strange = entries(messages[count:] if grown else messages)
        for value in strange:
            self.chat.gap(f"run {run.id}: a message in a form that is not known")
            self._keep("unread_messages", value)
        if (grown_on := _later(found, answers, scope)) is not None:
            found, scope.before = found[:grown_on], []
        self._absorb(found, scope)

    def _speak(self, entry: Entry, scope: _Scope, run: Run | None) -> None:
        chat, top = self.chat, scope.call_id is None
        entry = _with_ids(entry, run.id if run is not None else chat.id, chat.request + 1)
        begin = len(chat.steps)
        langchain.fill(chat, [("$", entry)], {})
        self._acted = self._acted or top
        key = key_of(entry)
        scope.known[key] += 1
        scope.made[key] += 1
        if isinstance(entry.get("id"), str):
            scope.ids.add(entry["id"])
        for at in range(begin, len(chat.steps)):
            step = chat.steps[at]
            if isinstance(step, ToolCall):
                if scope.call_id is not None:
                    chat.steps[at] = step = replace(step, parent=scope.call_id)
                scope.asked.append(
                    Asked(at, step.id or "", step.name, step.args, settled=step.result is not UNSET)
                )
            elif isinstance(step, Message) and run is not None and at == begin:
                chat.steps[at] = self._timed(step, run)

    def _timed(self, step: Message, run: Run) -> Message:
        outputs = run.outputs if isinstance(run.outputs, dict) else {}
        stated = plain(outputs.get("usage_metadata") or run.metadata.get("usage_metadata"))
        raw = stated if isinstance(stated, dict) else {}
        usage = step.usage or langchain.usage(raw)
        cost = _number(raw.get("total_cost"), run.cost)
        if cost is not None:
            usage = replace(usage or Usage(), cost=cost)
        model = step.model or run.metadata.get("ls_model_name")
        if isinstance(model, str) and model not in self.models:
            self.models.append(model)
        events = plain(run.events)
        tokens = (
            [one for one in events if isinstance(one, dict)] if isinstance(events, list) else []
        )
        first = next((one.get("time") for one in tokens if one.get("name") == "new_token"), None)
        node = run.metadata.get("langgraph_node")
        return replace(
            step,
            usage=usage,
            model=model if isinstance(model, str) else None,
            agent=step.agent or (node if isinstance(node, str) else None),
            started=run.started,
            ended=run.ended,
            first_token=seconds_of(first),
        )

    def _offered(self, run: Run) -> None:
        held = run.extra.get("invocation_params")
        for where in (held, run.inputs):
            if isinstance(where, dict) and where.get("tools"):
                self.tools.update(catalogue(plain(where["tools"])) or {})

    # Tools.

    def _tool_began(self, run: Run, scope: _Scope) -> Asked:
        id = call_id_of(run)
        args = args_of(run)
        call = call_for(scope.asked, id, run.name, args)
        if call is None:
            made = ToolCall(
                run.name,
                args,
                id=id or run.id,
                turn=self.chat.turn,
                parent=scope.call_id,
                extensions={"asked_by": "code"},
            )
            call = Asked(len(self.chat.steps), id or run.id, run.name, args)
            self.chat.steps.append(made)
            scope.asked.append(call)
            self._acted = self._acted or scope.call_id is None
        call.runs += 1
        return call

    def _tool_ended(self, run: Run, call: Asked) -> None:
        node = run.metadata.get("langgraph_node")
        more: dict[str, Any] = {
            "started": run.started,
            "ended": run.ended,
            "node": node if isinstance(node, str) else None,
            "attempts": call.runs if call.runs > 1 else None,
        }
        result: Any = UNSET
        error = None
        if is_handoff(run.error):
            result = None
        elif run.error is not None and not is_pause(run.error):
            error = head_of(run.error)
        elif run.error is None and (run.outputs is not None or run.ended is not None):
            result, error = gave(plain(run.outputs), call.id)
        if result is UNSET and error is None:
            self.chat.steps[call.at] = replace(self.chat.steps[call.at], **more)
        else:
            self._settle(call, result, error, **more)

    def _settle(self, call: Asked, result: Any, error: str | None, **more: Any) -> None:
        self.chat.steps[call.at] = replace(
            self.chat.steps[call.at],
            result=result,
            error=error,
            executed=True,
            answered=self.chat.request + 1,
            **more,
        )
        call.settled = True

    def _visit(self, run: Run) -> None:
        step = run.metadata.get("langgraph_step")
        failed = run.error is not None and not is_pause(run.error) and not is_handoff(run.error)
        self.chat.node_visit(
            run.name,
            step=step if isinstance(step, int) else None,
            started=run.started,
            ended=run.ended,
            error=head_of(run.error or "") if failed else None,
        )

    def _keep(self, what: str, value: Any) -> None:
        self.chat.extensions.setdefault(what, []).append(value)


def _later(found: list[Entry], answers: list[Entry], scope: _Scope) -> int | None:
    """Where in what a model was given its own answer stands, and all that came after; mostly nowhere.

    In a process, a run holds the very list that the code goes on to append to.
    """
    if not answers:
        return None
    key = key_of(answers[0])
    at = [index for index, entry in enumerate(found) if key_of(entry) == key]
    nth = scope.known[key] - scope.seen[key]
    return at[nth] if 0 <= nth < len(at) else None


def _told(run: Run) -> dict[str, Any]:
    return {"name": run.name, "inputs": plain(run.inputs), "outputs": plain(run.outputs)}


def _with_ids(entry: Entry, run_id: str, request: int) -> Entry:
    """The message with an id for each of its calls, so that results can be joined to them."""
    for key in ("tool_calls", "invalid_tool_calls"):
        calls = entry.get(key)
        if isinstance(calls, list) and any(not call.get("id") for call in calls_of({key: calls})):
            named = [
                {**call, "id": call.get("id") or f"{run_id}:{request}.{at}"}
                if isinstance(call, dict)
                else call
                for at, call in enumerate(calls)
            ]
            entry = {**entry, key: named}
    return entry


def _number(*values: Any) -> float | None:
    for value in values:
        if value is None:
            continue
        try:
            return float(value)
        except (TypeError, ValueError):
            continue
    return None

"""From a tree of runs to the steps of a trace.

Calls come from what the models asked for. The runs of tools are joined to them by id (by order and
arguments where there are none), and what has no run is filled from the tools' messages: a call of
a tool that does not exist leaves no run at all. A tool that no model asked for was called by the
code around it, and is a request of its own.

Messages that a model was given and that nobody said in this trace (few-shot examples, what went
before in the thread, a prompt that code wrote) are no steps: they stand in `extensions["context"]`.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from passhat.errors import TraceError
from passhat.recordings.conversation import Conversation
from passhat.recordings.tools import catalogue
from passhat.trace import Interrupt, Message, NodeVisit
from passhat_langsmith.attachments import attachments_of
from passhat_langsmith.errors import head_of, is_handoff, is_pause
from passhat_langsmith.heard import beside_messages, given, question
from passhat_langsmith.history import History, Scope
from passhat_langsmith.joining import Calls
from passhat_langsmith.measures import timed
from passhat_langsmith.messages import Entry, entries, key_of
from passhat_langsmith.pauses import Pause, pauses_of, resumed_with, stated_pauses
from passhat_langsmith.plain import plain
from passhat_langsmith.runs import Run
from passhat_langsmith.said import reply, said
from passhat_langsmith.toolruns import Asked
from passhat_langsmith.traced import Traced
from passhat_langsmith.trees import is_visit

_TOLD = frozenset({"messages", "__interrupt__"})


class Walk:
    """Walks the trees of one attempt, root by root, and builds its trace.

    Args:
        id: The trace's id.
        traced: What the runs of all of them tell of tools.
    """

    def __init__(self, id: str, traced: Traced) -> None:
        self.chat = Conversation(id, source="langsmith")
        self.tools = traced.offered
        self.models: list[str] = []
        self._at = id
        self._offering: Any = None
        self._top = Scope()
        self._traced = traced
        self._history = History(self.chat, traced)
        self._calls = Calls(self._history, traced)
        self._paused: dict[str, Pause] = {}

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
        self._history.acted = self._history.asked = False
        self._history.prefilled = 0
        self._begin(root)
        requests = self.chat.request
        todo: list[tuple[Run, Scope, tuple[Asked, Scope] | None]] = [(root, self._top, None)]
        while todo:
            run, scope, left = todo.pop()
            self._at = run.id
            if left is not None:
                call, inside = left
                self._history.leave(inside, scope)
                self._calls.ended(run, call, scope)
                continue
            inner = scope
            if not run.kind:
                self.chat.gap(f"calls: run {run.id}: its kind was not recorded; it may be a call")
            if run.files:
                self._attached(run)
            for what in run.elsewhere:
                self.chat.gap(
                    f"calls: run {run.id}: its {what} are stored apart ({what}_s3_urls), not in what "
                    "was read; read it with LangSmith's client"
                )
            if run.error is not None and scope.call_id is None:
                self._paused |= {one.id or repr(one.value): one for one in pauses_of(run)}
            if run.kind == "tool":
                call = self._calls.began(run, scope)
                if not run.children:
                    self._calls.ended(run, call, scope)
                    continue
                inner = Scope(call.id)
                todo.append((run, scope, (call, inner)))
            elif run.kind == "llm":
                self._model(run, scope)
                continue  # A model within a model is the same request, told twice.
            elif run.kind == "retriever":
                self._history.keep("retrievals", _told(run))
            elif run is not root:
                self._resume(run)
                if is_visit(run):
                    self._visit(run)
            todo += [(child, inner, None) for child in reversed(run.children)]
        self._at = root.id
        self._end(root, untold=self.chat.request == requests)

    def finish(self) -> Conversation:
        """The trace that was built, once all trees were added."""
        self._history.leave(self._top, None)
        return self.chat

    # The root.

    def _begin(self, root: Run) -> None:
        inputs = root.inputs
        if root.kind in ("llm", "tool"):
            return
        begun = bool(self.chat.steps)
        if self._resume(root):
            self._history.keep("inputs", plain(inputs))
            if not begun:
                self.chat.gap(
                    f"calls: run {root.id} goes on from a run that is not here, and what was asked "
                    "and done before is not known; give to_trace the runs of the whole thread"
                )
            return
        messages = given(inputs)
        if messages is not None:
            found, strange = entries(messages)
            self._unread(root, strange)
            self._top.start_over()
            last = max((at for at, one in enumerate(found) if one["type"] == "human"), default=-1)
            self._history.absorb(found[:last] if last >= 0 else found, self._top, words=True)
            if last >= 0:
                self._history.say(found[last], self._top)
                for entry in found[last + 1 :]:
                    self._history.context(entry, key_of(entry), self._top)
            self._history.asked = last >= 0
            self._history.prefilled = len(found) - 1 - last
        elif (text := question(inputs)) is not None:
            self._history.say({"type": "human", "content": text}, self._top)
            self._history.asked = True
        if inputs and (rest := beside_messages(inputs)):
            self._history.keep("inputs", plain(rest))

    def _end(self, root: Run, *, untold: bool) -> None:
        outputs = root.outputs
        held = outputs.get("messages") if isinstance(outputs, dict) else None
        if root.kind in ("llm", "tool"):
            return
        told = isinstance(held, list | tuple)
        if told:
            found, strange = entries(held)
            self._unread(root, strange, calls=untold)
            self._top.start_over()
            begin = len(self.chat.steps)
            answer = self._history.absorb(found, self._top, untold=untold, ending=True)
            if untold:
                self._calls.join_told(self._top, begin)
            elif answer is not None:
                self._answer(*answer)
        else:
            self._answer(reply(outputs))
        if outputs:
            known = _TOLD if told else ()
            if rest := {key: one for key, one in outputs.items() if key not in known}:
                self._history.keep("outputs", plain(rest))
        if isinstance(outputs, dict) and outputs.get("__interrupt__"):
            self._paused = {repr(one): one for one in stated_pauses(outputs["__interrupt__"])}
        self._pause()

    def _unread(self, root: Run, strange: list[Any], *, calls: bool = False) -> None:
        """Keeps what is no message that is known, and says so; of calls, where nothing else tells."""
        for value in strange:
            self._history.keep("unread_messages", value)
        if strange:
            what = "calls: " if calls else ""
            self.chat.gap(f"{what}run {root.id}: a message in a form that is not known")

    def _answer(self, text: str | None, agent: str | None = None) -> None:
        """Adds what the agent gave as its answer, where that is not what its model said last."""
        if text is None:
            return
        words = [step for step in self.chat.steps if isinstance(step, Message)]
        if words and words[-1].role == "assistant" and words[-1].text.strip() == text.strip():
            return
        self.chat.steps.append(Message("assistant", text, agent=agent, turn=self.chat.turn))

    # Pauses.

    def _resume(self, run: Run) -> bool:
        """Answers what waits, where a run is the one that goes on; says whether it is."""
        answer = resumed_with(run.inputs)
        if answer is UNSET:
            return False
        self._pause()
        waiting = {step.id for step in self.chat.steps if isinstance(step, Interrupt)}
        if isinstance(answer, dict) and answer and answer.keys() <= waiting:
            for id, one in answer.items():
                self.chat.resume(one, id=id)
        else:
            self.chat.resume(answer)
        return True

    def _pause(self) -> None:
        """Adds the pauses that runs ended in, once all that ran beside them is known."""
        waiting = tuple(one.id for one in self._top.asked if not one.settled)
        if self._paused:
            self._traced.waited.update(waiting)
        for one in self._paused.values():
            self.chat.interrupt(one.value, id=one.id, pending=waiting)
        self._paused = {}

    # Models.

    def _model(self, run: Run, scope: Scope) -> None:
        answers = said(run.outputs)
        messages = given(run.inputs)
        if messages is None and run.inputs:
            self.chat.gap(f"run {run.id}: what the model was given is in a form that is not known")
        else:
            if answers and not run.inputs and "inputs" not in run.elsewhere:
                self.chat.gap(f"results: run {run.id}: what the model was given was not recorded")
            self._history.hear(messages or [], scope, run.id, answers)
        self._offered(run)
        if not answers:
            if run.error is not None and not is_pause(run.error):
                self._history.keep("failed_requests", {**_told(run), "error": head_of(run.error)})
            else:
                self.chat.gap(
                    f"calls: run {run.id}: what the model answered is in no form that is known"
                    if run.outputs
                    else f"calls: run {run.id}: the model's answer was not recorded"
                )
        for answer in answers:
            self._speak(answer, scope, run)

    def _speak(self, answer: Entry, scope: Scope, run: Run) -> None:
        at = self._history.speak(answer, scope, run.id)
        step = self.chat.steps[at]
        if isinstance(step, Message):
            self.chat.steps[at] = step = timed(step, run)
            if step.model is not None and step.model not in self.models:
                self.models.append(step.model)
        self._history.seen_by(run, scope)

    def _offered(self, run: Run) -> None:
        held = run.extra.get("invocation_params")
        inputs = run.inputs if isinstance(run.inputs, dict) else {}
        for where in (held, inputs, plain(inputs.get("config"))):
            if isinstance(where, dict) and where.get("tools") and where["tools"] != self._offering:
                self._offering = where["tools"]  # Mostly they are the same each time.
                self.tools.update(catalogue(plain(where["tools"])) or {})

    def _attached(self, run: Run) -> None:
        found, gaps = attachments_of(run)
        for one in found:
            self._history.keep("attachments", one)
        for gap in gaps:
            self.chat.gap(gap)

    def _visit(self, run: Run) -> None:
        step = run.metadata.get("langgraph_step")
        failed = run.error is not None and not is_pause(run.error) and not is_handoff(run.error)
        self.chat.steps.append(
            NodeVisit(
                run.name,
                step=step if isinstance(step, int) else None,
                started=run.started,
                ended=run.ended,
                error=head_of(run.error or "") if failed else None,
                turn=self.chat.turn,
            )
        )


def _told(run: Run) -> dict[str, Any]:
    return {"name": run.name, "inputs": plain(run.inputs), "outputs": plain(run.outputs)}

"""What is new in the histories that models, and agents, were given.

Each request comes with all that was said before it. What of that this trace has told already is
known by its id, or by what it says; the rest is new: the words of a user, what tools answered, and
what stood before the trace began, which is context.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from passhat.recordings.conversation import Conversation, outcome
from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.shapes import word
from passhat.trace import ToolCall
from passhat_langsmith.messages import Entry, entries, key_of, with_ids
from passhat_langsmith.plain import plain
from passhat_langsmith.runs import Run
from passhat_langsmith.toolruns import Asked, AskedCalls, beside
from passhat_langsmith.traced import Traced
from passhat_langsmith.trees import ended_before


@dataclass
class Scope:
    """Whose requests these are: the agent's, or those made inside one call.

    Args:
        call_id: The call; None for the agent.
        asked: The calls that were asked for.
        unseen: Those of them whose results no request could see yet.
        known: How often each message was told.
        ids: The ids of messages that were told.
        made: The answers that were made here.
        before: What the last model was given.
        seen: How often each message stands in what the model is given.
        goes_on: Whether that holds answers which were made here.
    """

    call_id: str | None = None
    asked: AskedCalls = field(default_factory=AskedCalls)
    unseen: list[Asked] = field(default_factory=list)
    known: defaultdict[Any, int] = field(default_factory=lambda: defaultdict(int))
    ids: set[str] = field(default_factory=set)
    made: set[Any] = field(default_factory=set)
    before: list[Any] = field(default_factory=list)
    seen: dict[Any, int] = field(default_factory=dict)
    goes_on: bool = False

    def start_over(self) -> None:
        """Says that the next history is read from its beginning, whatever was read before."""
        self.before, self.seen, self.goes_on = [], {}, False


class History:
    """What was said so far, and by whom.

    Args:
        chat: The trace that is built.
        traced: What the runs tell of tools.

    Attributes:
        asked: Whether a user has asked something of the run that is walked.
        acted: Whether an agent has done something in it.
        prefilled: How many messages it was given behind the user's last.
    """

    def __init__(self, chat: Conversation, traced: Traced) -> None:
        self.chat = chat
        self.asked = self.acted = False
        self.prefilled = 0
        self._traced = traced

    def absorb(
        self,
        found: list[Entry],
        scope: Scope,
        *,
        keys: list[Any] | None = None,
        words: bool = False,
        untold: bool = False,
        ending: bool = False,
    ) -> tuple[str, str | None] | None:
        """Takes from a history what is new in it.

        Args:
            found: The history.
            scope: Whose it is.
            keys: What tells each of its messages from others, where that is known already.
            words: Whether it is what the agent was given, so that a user's words in it are new.
            untold: Whether no model's run tells of the agent's answers, so that those in the
                history after the user's last words are all there is.
            ending: Whether it is what the agent gave in the end.

        Returns:
            The last message's words, and who said them, where it is an answer that no model gave: the
            code of a graph can write one itself.
        """
        seen, after = scope.seen, -1
        if untold:
            after = self._asked_in(found, scope)
        fresh = after + self.prefilled if untold and self.asked else len(found)
        for at, (entry, key) in enumerate(zip(found, keys or map(key_of, found), strict=False)):
            id, kind = entry.get("id"), entry["type"]
            times = seen[key] = seen.get(key, 0) + 1
            known = isinstance(id, str) and id in scope.ids
            if kind == "ai" and (key in scope.made or known):
                scope.goes_on = True
                for call in scope.unseen:  # Who was given the question was given the answer.
                    call.told = call.told or (type(key[1]) is tuple and call.id in key[1])
            if known or (times <= scope.known.get(key, 0) and at <= fresh):
                continue  # What follows a new question is new, whatever was said before.
            if kind == "tool":
                self.tool_said(entry, key, scope)
            elif scope.call_id is None and kind == "human":
                is_new = words or scope.goes_on or (untold and at >= after)
                if is_new or not (self.asked or self.acted):
                    self.say(entry, scope)
                else:
                    self.context(entry, key, scope)
            elif scope.call_id is None and kind == "system":
                self.say(entry, scope)
            elif kind == "ai" and untold and at > after:
                self.speak(entry, scope, self.chat.id)
                scope.unseen = []  # One after the other: what stands before it, it saw.
            elif kind == "ai" and ending and at == len(found) - 1 and isinstance(key[1], str):
                scope.known[key] += 1
                return key[1], word(entry, "name") or None
            else:
                self.context(entry, key, scope)
        return None

    def _asked_in(self, found: list[Entry], scope: Scope) -> int:
        """Where in a history the question stands: the last one that was told; else the last one."""
        humans = [at for at, one in enumerate(found) if one["type"] == "human"]
        told = [at for at in humans if key_of(found[at]) in scope.known]
        return next(reversed(told or humans), -1)

    def say(self, entry: Entry, scope: Scope) -> None:
        """Adds the words of a user, or of the system."""
        scope.known[key_of(entry)] += 1
        if isinstance(entry.get("id"), str):
            scope.ids.add(entry["id"])
        langchain.fill(self.chat, [("$", plain(entry))], {})

    def context(self, entry: Entry, key: Any, scope: Scope) -> None:
        """Keeps what stood there before."""
        scope.known[key] += 1
        self.keep("context", plain(entry))

    def tool_said(self, entry: Entry, key: Any, scope: Scope) -> None:
        """Joins a tool's message to the call that it answers, where no run of the tool did."""
        scope.known[key] += 1
        id, name = entry.get("tool_call_id"), entry.get("name")
        if id is not None:
            waiting = scope.asked.with_id(id)
        else:
            waiting = [one for one in scope.asked if not one.told and name in (None, one.name)][:1]
        for one in waiting:
            one.told = True
        opened = next((one for one in waiting if not one.settled), None)
        if opened is not None:
            gave = outcome(plain(entry.get("content")), entry.get("status") == "error")
            ran = getattr(self.chat.steps[opened.at], "executed", None)
            if ran is None:
                ran = self._traced.ran(opened.id, opened.name, entry)
            self.settle(opened, scope, gave, executed=ran, extensions=beside(entry))
        elif not waiting:
            self.keep("context", plain(entry))

    def hear(self, messages: list[Any], scope: Scope, run_id: str, answers: list[Entry]) -> None:
        """Takes what is new in what a model was given; mostly it is what the last one was, and more."""
        count = len(scope.before)
        grown = bool(count) and messages[:count] == scope.before
        if not grown:
            scope.start_over()
        scope.before = messages
        found, strange = entries(messages[count:] if grown else messages)
        for value in strange:
            self.chat.gap(f"run {run_id}: a message in a form that is not known")
            self.keep("unread_messages", value)
        keys = [key_of(entry) for entry in found]
        if (grown_on := _later(keys, answers, scope)) is not None:
            found, scope.before = found[:grown_on], []
        self.absorb(found, scope, keys=keys)

    def speak(self, entry: Entry, scope: Scope, run_id: str) -> int:
        """Adds an answer of a model and what it asks for; gives the place of its message."""
        chat, top = self.chat, scope.call_id is None
        key = key_of(entry)  # As histories have it, which know of no ids that are made here.
        entry = with_ids(plain(entry), run_id, chat.request + 1)
        begin = len(chat.steps)
        langchain.fill(chat, [("$", entry)], {})
        self.acted = self.acted or top
        scope.known[key] += 1
        scope.made.add(key)
        if isinstance(entry.get("id"), str):
            scope.ids.add(entry["id"])
        for at in range(begin, len(chat.steps)):
            step = chat.steps[at]
            if isinstance(step, ToolCall):
                if scope.call_id is not None:
                    chat.steps[at] = step = replace(step, parent=scope.call_id)
                scope.asked.add(
                    Asked(at, step.id or "", step.name, step.args, settled=step.result is not UNSET)
                )
        return begin

    def settle(
        self,
        call: Asked,
        scope: Scope,
        gave: tuple[Any, str | None],
        *,
        executed: bool | None = True,
        extensions: dict[str, Any],
        **more: Any,
    ) -> None:
        """Gives a call its result, or its error; as if the next request could see it."""
        step = self.chat.steps[call.at]
        result, error = gave
        self.chat.steps[call.at] = replace(
            step,
            result=result,
            error=error,
            executed=executed,
            answered=self.chat.request + 1,
            extensions={**step.extensions, **extensions} if extensions else step.extensions,
            **more,
        )
        call.settled = True
        scope.unseen.append(call)

    def seen_by(self, run: Run, scope: Scope) -> None:
        """Says of the calls whose results a request was the first to see that it was that one.

        It saw what it was given as a tool's message, and what had ended when it began: side by side
        with it, another branch may have gone on.

        Args:
            run: The run of the request that was told last.
            scope: Whose it is.
        """
        late: list[Asked] = []
        for call in scope.unseen:
            if call.told or call.run is None or ended_before(call.run, run):
                self._answer(call, self.chat.request)
            else:
                late.append(call)
        scope.unseen = late

    def leave(self, scope: Scope, outer: Scope | None) -> None:
        """Says of what no request of a scope saw that the next one around it could."""
        for call in scope.unseen:
            self._answer(call, self.chat.request + 1)
        if outer is not None:
            outer.unseen += scope.unseen
        scope.unseen = []

    def _answer(self, call: Asked, request: int) -> None:
        step = self.chat.steps[call.at]
        assert isinstance(step, ToolCall)
        if step.answered != request:
            self.chat.steps[call.at] = replace(step, answered=request)

    def keep(self, what: str, value: Any) -> None:
        """Keeps what has no place among the steps."""
        self.chat.extensions.setdefault(what, []).append(value)


def _later(keys: list[Any], answers: list[Entry], scope: Scope) -> int | None:
    """Where in what a model was given its own answer stands, and all that came after; mostly nowhere.

    In a process, a run holds the very list that the code goes on to append to.
    """
    if not answers:
        return None
    key = key_of(answers[0])
    if key not in keys:
        return None
    at = [index for index, one in enumerate(keys) if one == key]
    nth = scope.known.get(key, 0) - scope.seen.get(key, 0)
    return at[nth] if 0 <= nth < len(at) else None

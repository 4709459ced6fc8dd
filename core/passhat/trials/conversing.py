"""A conversation of an agent with the user of a case: who speaks, how often, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from passhat.case import Case
from passhat.errors import TraceError, UsageError
from passhat.surroundings import Scenario
from passhat.trials.awaiting import awaited, waited_for
from passhat.trials.logbook import Logbook
from passhat.trials.threads import in_thread
from passhat.trials.users import Player, opening_of, spoken

_ASYNCHRONOUS = "this user is asynchronous: await `user.areply(text)`"


class UserTooLate(Exception):
    """That the time of a trial was over while its user was asked: that is no failure of the agent."""

    def __str__(self) -> str:
        return "it had not answered when the time of the trial was over"


class Conversation:
    """What an agent has of its user: the words so far, and a way to say the next ones.

        for said in user:          # until the user says no more
            user.reply(answer(said))

    or, by hand: `user.opening`, then `user.reply(text)`, which gives what the user says to it, or
    None where the conversation is over.

    Attributes:
        before: The messages of the case that come before the conversation: a prompt, a history.
        messages: What was said since: `{"role", "content"}`, in order.
        over: Whether the user says no more.
        capped: Whether it ended because the user had no more messages left, which is a failure.
        failure: What the user's own player raised; that is no failure of the agent.
        waiting: Whether the user is asked, and has not answered.
    """

    def __init__(self, player: Player, case: Case, log: Logbook, *, capped: bool) -> None:
        self._player = player
        self._log = log
        self._left = Scenario.of(case.scenario).max_turns if capped else None
        self._case = case
        self.before = opening_of(case.first_input)[0]
        self.messages: list[dict[str, str]] = []
        self.over = False
        self.capped = False
        self.failure: Exception | None = None
        self.waiting = False

    @property
    def opening(self) -> str:
        """What the user says first."""
        if not self.messages:
            self._next()
        if not self.messages:
            raise UsageError(f"the user of case {self._case.id!r} says nothing")
        return self.messages[0]["content"]

    async def open(self) -> str:
        """What the user says first, awaited."""
        if not self.messages:
            await self._anext()
        return self.opening

    def reply(self, text: str) -> str | None:
        """What the user says to a message of the agent; None where the conversation is over."""
        return self._next() if self._answering(text) else None

    async def areply(self, text: str) -> str | None:
        """What the user says to a message of the agent, awaited."""
        return await self._anext() if self._answering(text) else None

    def __iter__(self) -> Iterator[str]:
        said: str | None = self.opening
        while said is not None:
            heard = len(self.messages)
            yield said
            if len(self.messages) == heard and not self.over:
                raise TraceError("the agent did not answer: call `user.reply(text)` in the loop")
            last = self.messages[-1]
            said = last["content"] if last["role"] == "user" else None

    def _answering(self, text: str) -> bool:
        """Notes what the agent says, and tells whether the user is still there."""
        if not isinstance(text, str):
            raise TraceError(f"an agent says a text to its user, not {text!r:.100}")
        if not self.messages:
            raise TraceError("the user speaks first: read `user.opening`")
        if self.over:
            return False
        self.messages.append({"role": "assistant", "content": text})
        self._log.say("assistant", text)
        return True

    def _next(self) -> str | None:
        with self._noting_failure():
            said = waited_for(self._player(self._told()), _ASYNCHRONOUS)
        return self._heard(said)

    async def _anext(self) -> str | None:
        with self._noting_failure():
            # It may ask a model and wait for it, which must not hold up the other trials.
            said = await awaited(await in_thread(self._player, self._told()))
        return self._heard(said)

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        """Within it the user speaks: what it raises ends the conversation, and is not the agent's."""
        self.waiting = True
        try:
            yield
        except Exception as error:
            self.waiting = False
            self.failure, self.over = error, True
            raise
        self.waiting = False

    def _told(self) -> list[dict[str, str]]:
        return [dict(message) for message in self.messages]

    def _heard(self, value: Any) -> str | None:
        said = spoken(value)
        if said is None:
            self.over = True
            return None
        if self._left is not None and self._left <= 0:
            self.over = self.capped = True
            return None
        if self._left is not None:
            self._left -= 1
        self.messages.append({"role": "user", "content": said})
        self._log.say("user", said)
        return said

"""Which messages were told already: by their ids, or by what they say where they have none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from passhat_langgraph.messages import Entry, likeness


@dataclass
class Told:
    """The messages that were told so far; asking whether one is new takes it for told.

    >>> told = Told()
    >>> [told.is_new_message({"type": "ai", "id": "1"}, passed_on=False) for _ in range(2)]
    [True, False]
    """

    _ids: set[str] = field(default_factory=set)
    _unnamed: Counter[bytes] = field(default_factory=Counter)
    _answered: set[tuple[str, bytes]] = field(default_factory=set)

    def know(self, entries: list[Entry]) -> None:
        """Takes messages for told."""
        self._ids.update(entry["id"] for entry in entries if isinstance(entry.get("id"), str))

    def knows(self, entry: Entry) -> bool:
        """Whether a message of that id was told."""
        id = entry.get("id")
        return isinstance(id, str) and id in self._ids

    def is_new_message(self, entry: Entry, *, passed_on: bool) -> bool:
        """Whether a message was not told yet.

        Args:
            entry: The message, which is no tool's result.
            passed_on: Whether it may be one told before, to which the state gave an id since:
                nodes pass on whole conversations, and a message by itself is a new one.
        """
        id, like = entry.get("id"), likeness(entry)
        if not isinstance(id, str):
            self._unnamed[like] += 1
            return True
        if id in self._ids:
            return False
        self._ids.add(id)
        if passed_on and entry.get("type") != "remove" and self._unnamed[like] > 0:
            self._unnamed[like] -= 1
            return False
        return True

    def is_new_result(self, entry: Entry, waiting: bool) -> bool:
        """Whether a result was not told yet; ids of calls may come again, where models count them.

        Args:
            entry: The result.
            waiting: Whether a call of its id has no result yet.
        """
        id = entry.get("id")
        if isinstance(id, str):
            if id in self._ids:
                return False
            self._ids.add(id)
        answer = (str(entry.get("tool_call_id")), likeness(entry))
        known = answer in self._answered
        self._answered.add(answer)
        return waiting or not known

"""The calls that still wait for their results, found by id or by name in constant time."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from passhat.trace.steps import ToolCall

_FEW = 8
"""Among how many calls it is quicker to look than to index them."""


@dataclass
class OpenCalls:
    """The calls of a trace under construction that have no result yet, by their positions.

    A result may name its call by id, by the tool's name, or not at all. Among several calls that
    fit it is the first one of the latest request that has one: ids and names come again in later
    requests, and a call that was never answered must not take the answer of a later one.

    >>> waiting = OpenCalls()
    >>> waiting.add(4, ToolCall("lookup", id="c1", request=0))
    >>> waiting.add(7, ToolCall("lookup", request=1))
    >>> waiting.take(None, "lookup"), waiting.take("c1", None), waiting.take("c1", None)
    (7, 4, None)
    """

    _new: list[tuple[int, ToolCall]] = field(default_factory=list)
    _waiting: dict[int, str] = field(default_factory=dict)
    _shared: bool = False
    _by: defaultdict[Any, list[tuple[int | None, deque[int]]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, at: int, call: ToolCall) -> None:
        """Takes up the call that stands at a position."""
        self._new.append((at, call))  # Indexed when an answer asks; for many a call none does.

    def _index(self, at: int, call: ToolCall) -> None:
        self._waiting[at] = call.name
        bare = (("bare", call.name), "bare") if call.id is None else ()
        for key in (("name", call.name), "any", *bare):
            self._file(key, call, at)
        if call.id is not None:
            alike = self._file(("id", call.id), call, at)
            if len(alike) > 1:
                self._tell_apart(alike, call)

    def _file(self, key: Any, call: ToolCall, at: int) -> deque[int]:
        """Files a call under a key, and gives those of its request that stand there."""
        requests = self._by[key]
        if not requests or requests[-1][0] != call.request:
            requests.append((call.request, deque()))
        requests[-1][1].append(at)
        return requests[-1][1]

    def _tell_apart(self, alike: deque[int], call: ToolCall) -> None:
        """Files the calls of a request that share an id by their names too."""
        self._shared = True
        for at in alike if len(alike) == 2 else (alike[-1],):
            if at in self._waiting:
                self._file(("id", call.id, self._waiting[at]), call, at)

    def take(self, call_id: str | None, name: str | None) -> int | None:
        """The position of the call that a result answers, which waits no longer; None if none does.

        Of several calls of the latest request that bear its id it is the one of its name, if there is
        one. A result with an id that no call bears goes to a call without an id.
        """
        if call_id is not None and (found := self._just_asked(call_id)) is not None:
            return found
        for at, call in self._new:
            self._index(at, call)
        self._new.clear()
        if call_id is not None:
            found = self._named(call_id, name) if self._shared else None
            if found is None:
                found = self._first(("id", call_id))
            if found is None:
                found = self._first("bare" if name is None else ("bare", name))
        else:
            found = self._first("any" if name is None else ("name", name))
        if found is not None:
            del self._waiting[found]
        return found

    def _just_asked(self, call_id: str) -> int | None:
        """The one call of that id, where it is among a few that were just added, as most are."""
        if len(self._new) > _FEW or ("id", call_id) in self._by:
            return None
        alike = [index for index, (_, call) in enumerate(self._new) if call.id == call_id]
        return self._new.pop(alike[0])[0] if len(alike) == 1 else None

    def _named(self, call_id: str, name: str | None) -> int | None:
        """That call of a name among several calls of the latest request that share an id."""
        key = ("id", call_id, name)
        if name is None or key not in self._by:
            return None
        latest = self._latest(("id", call_id))
        named = self._latest(key)
        if latest is None or named is None or latest[0] != named[0]:
            return None
        return named[1].popleft()

    def _first(self, key: Any) -> int | None:
        latest = self._latest(key)
        return None if latest is None else latest[1].popleft()

    def _latest(self, key: Any) -> tuple[int | None, deque[int]] | None:
        """The latest request that has calls under a key that wait, the first of them in front."""
        requests = self._by.get(key, [])
        while requests:
            calls = requests[-1][1]
            while calls:
                if calls[0] in self._waiting:
                    return requests[-1]
                calls.popleft()
            requests.pop()
        return None

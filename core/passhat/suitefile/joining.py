"""Joining traces to cases: which case a recorded attempt is an attempt at, and which attempt it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.trace import Trace

How: TypeAlias = Literal["case_id", "case_key", "case", "input", "unmatched"]
_Said: TypeAlias = tuple[tuple[str, str], ...]
"""Messages as compared: role and text, white space around it gone."""


class Joined(Struct, frozen=True):
    """The case of a trace.

    Args:
        case: The case; None where the trace joins none.
        how: By its `case_id`, by a `case_key` of its metadata, by the `case` that was named for
            all, by its first `input`; or `unmatched`.
        reason: Why it is unmatched.
        trial: Which attempt at the case it is, counted from 0.
    """

    case: Case | None
    how: How
    reason: str = ""
    trial: int = 0


class Joiner:
    """Joins traces to the cases of a suite, one after the other, and numbers the attempts.

    A trace that says which attempt it is keeps its number; the others take the numbers that are
    free, in the order in which they come.

    Args:
        suite: The suite; None joins nothing, and numbers attempts by the ids that traces state.
        case_key: The key of a trace's metadata that holds the case's id.
        case: The id of the case of all traces that do not state one of the suite's.

    Raises:
        UsageError: The suite has no such case, or two of one id.

    >>> from passhat.trace import Message
    >>> joiner = Joiner(Suite("s", [Case("a", "Hi"), Case("b", "Bye")]))
    >>> [joiner.join(Trace(id, steps=(Message("user", "Bye "),))).trial for id in ("t", "u")]
    [0, 1]
    """

    def __init__(
        self, suite: Suite | None, case_key: str | None = None, case: str | None = None
    ) -> None:
        if suite is not None and len(suite.by_id) < len(suite.cases):
            name, _ = Counter(one.id for one in suite.cases).most_common(1)[0]
            raise UsageError(f"two cases are called {name!r}: their runs could not be told apart")
        self._suite = suite
        self._case_key = case_key
        self._named = _named(suite, case) if case is not None else None
        self._by_input = _by_input(suite) if suite is not None else {}
        self._lengths = sorted({len(said) for said in self._by_input}, reverse=True)
        self._taken: dict[str | None, set[int]] = {}
        self._next: dict[str | None, int] = {}

    def join(self, trace: Trace) -> Joined:
        """The case of a trace, and which attempt at it the trace is."""
        case, how, reason = self._case(trace)
        name = case.id if case is not None else stated_case(trace, self._case_key)
        return Joined(case, how, reason, self._number(name, trace.trial))

    def _number(self, name: str | None, stated: int | None) -> int:
        free = self._next.get(name, 0)
        taken = self._taken.setdefault(name, set())
        if stated is not None:
            if stated >= free:  # Those below are not given again.
                taken.add(stated)
            return stated
        while free in taken:
            taken.discard(free)
            free += 1
        self._next[name] = free + 1
        return free

    def _case(self, trace: Trace) -> tuple[Case | None, How, str]:
        if self._suite is None:
            return None, "unmatched", "there is no suite to join it to"
        name = stated_case(trace, self._case_key)
        if name is not None and name in self._suite.by_id:
            how: How = "case_id" if _keyed(trace, self._case_key) is None else "case_key"
            return self._suite.by_id[name], how, ""
        if self._named is not None:
            return self._named, "case", ""
        found = self._same_input(trace)
        if len(found) == 1:
            return found[0], "input", ""
        return None, "unmatched", self._why(name, found, trace)

    def _same_input(self, trace: Trace) -> list[Case]:
        """The cases whose input the trace begins with, by the longest one."""
        said = _messages_of(trace)
        for length in self._lengths:
            if length <= len(said) and said[:length] in self._by_input:
                return self._by_input[said[:length]]
        return []

    def _why(self, name: str | None, found: list[Case], trace: Trace) -> str:
        assert self._suite is not None
        if name is None:
            key = f"no {self._case_key} in its metadata and " if self._case_key else ""
            stated = f"{key}no case_id"
        else:
            near = get_close_matches(name, self._suite.by_id, 3)
            hint = f" (nearest: {', '.join(near)})" if near else ""
            stated = f"the suite has no case {name!r}{hint}"
        if found:
            ids = ", ".join(case.id for case in found[:5])
            return f"{stated}, and several cases have its first input: {ids}"
        if not _messages_of(trace):
            return f"{stated}, and it has no user message to join it by"
        return f"{stated}, and no case has its first input"


def join(
    trace: Trace, suite: Suite | None, case_key: str | None = None, case: str | None = None
) -> Joined:
    """The case of one trace; to join many, keep a `Joiner`, which also numbers the attempts.

    Args:
        trace: The trace.
        suite: The suite.
        case_key: The key of the trace's metadata that holds the case's id.
        case: The id of the case to take where the trace does not state one of the suite's.

    Raises:
        UsageError: The suite has no such case.

    >>> join(Trace("t", case_id="refnd"), Suite("s", [Case("refund")])).reason
    "the suite has no case 'refnd' (nearest: refund), and it has no user message to join it by"
    """
    return Joiner(suite, case_key, case).join(trace)


def _named(suite: Suite | None, name: str) -> Case:
    known = suite.by_id if suite is not None else {}
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f", did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"the suite has no case {name!r}{hint}")
    return known[name]


def stated_case(trace: Trace, case_key: str | None) -> str | None:
    """The id of its case that a trace states, numbers as text.

    Args:
        trace: The trace.
        case_key: The key of its metadata that holds it; `id` is the trace's own, which some
            recordings share among all attempts at a case.

    >>> stated_case(Trace("t", case_id="c"), None), stated_case(Trace("t", case_id="c"), "id")
    ('c', 't')
    """
    value = _keyed(trace, case_key)
    if value is None:
        value = trace.case_id
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return str(value)


def _keyed(trace: Trace, case_key: str | None) -> Any:
    if case_key is None:
        return None
    return trace.metadata.get(case_key, trace.id if case_key == "id" else None)


def _by_input(suite: Suite) -> dict[_Said, list[Case]]:
    found: dict[_Said, list[Case]] = {}
    for case in suite.cases:
        said = tuple(_messages_in(case.first_input))
        if said:
            found.setdefault(said, []).append(case)
    return found


def _messages_of(trace: Trace) -> _Said:
    """What was said in a trace from the first user message on."""
    said = [
        (message.role, message.text.strip())
        for message in trace.messages
        if message.role != "system" and message.text.strip()
    ]
    first = next((index for index, (role, _) in enumerate(said) if role == "user"), len(said))
    return tuple(said[first:])


def _messages_in(given: Any) -> Iterator[tuple[str, str]]:
    """What a case's input says: a text, messages, `{messages: ...}`, or a mapping of one text."""
    if isinstance(given, Mapping):
        inner = given.get("messages")
        if inner is None and len(given) == 1:
            inner = next(iter(given.values()))
        given = inner
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    for message in given if isinstance(given, list | tuple) else ():
        if not isinstance(message, Mapping):
            return
        role = _ROLES.get(str(message.get("role")), message.get("role"))
        text = _text_of(message.get("content"))
        if role in ("user", "assistant") and text:
            yield role, text


_ROLES = {"human": "user", "ai": "assistant", "model": "assistant"}


def _text_of(content: Any) -> str:
    """The text of a message's content: text, or the texts of its parts."""
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list | tuple):
        return ""
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
    return "".join(text for text in texts if isinstance(text, str)).strip()

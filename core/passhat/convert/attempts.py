"""Recorded runs that are attempts at one task, though they name no case that they share."""

from __future__ import annotations

from typing import NamedTuple

from passhat.case import Case
from passhat.trace import Trace


class _Run(NamedTuple):
    case: str
    named: bool
    said: tuple[str, ...]


class Attempts:
    """Tells which of the cases that were made of runs are of one task.

    These are the runs that were asked the same from the first word to the last. One case takes all
    of them, as a trace joins a case by its first input where that one alone has it; two would take
    none of the next runs.

    >>> from passhat.suitefile import case_from_trace
    >>> from passhat.trace import Message
    >>> attempts = Attempts()
    >>> for id, said in (("t", "Hi"), ("u", "Hi "), ("v", "Bye")):
    ...     run = Trace(id, steps=(Message("user", said),))
    ...     attempts.take(run, case_from_trace(run))
    >>> attempts.same()
    {'u': 't'}
    """

    def __init__(self) -> None:
        self._asked: dict[str, list[_Run]] = {}

    def take(self, trace: Trace, case: Case) -> None:
        """Takes a run, and the case that was made of it."""
        said = tuple(m.text.strip() for m in trace.messages if m.role == "user" and m.text.strip())
        if said and isinstance(case.first_input, str) and case.first_input.strip() == said[0]:
            named = trace.case_id not in (None, trace.id)
            self._asked.setdefault(said[0], []).append(_Run(case.id, named, said))

    def same(self) -> dict[str, str]:
        """The ids of cases that are of the task of another one, with the id of that one."""
        found: dict[str, str] = {}
        for runs in self._asked.values():
            named = [run for run in runs if run.named]
            if len(named) > 1 or any(run.said != runs[0].said for run in runs):
                continue
            kept = (named or runs)[0].case
            found.update((run.case, kept) for run in runs if run.case != kept)
        return found

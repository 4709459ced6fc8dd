"""What a door is: a way by which a verdict comes to a user, in a framework's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from passhat.adapter import Adapter
from passhat.case import Case, Suite
from passhat.result import Trial, results_of
from passhat.trace import Trace

CASE = "case"
"""The key of the verdict on all that a case expects."""


class Attempt(NamedTuple):
    """A recorded run with the case that it is an attempt at."""

    trace: Trace
    case: Case


@dataclass(frozen=True, slots=True)
class Told:
    """What a door tells of one check.

    Attributes:
        key: The check, or `case` for all that the case expects.
        status: A status of ours.
        score: The score; None where it tells none.
        reason: The reason, as the door words it.
        tables: The alignment of calls, where it belongs to the reason.
    """

    key: str
    status: str
    score: float | None
    reason: str = ""
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a door says of one attempt.

    Attributes:
        told: What it tells of the case and of each required check; empty where it judged nothing.
        why_not: Why it judged nothing.
        seen: The trace as the door handed it to the checks, where that is not the trace itself.
    """

    told: tuple[Told, ...] = ()
    why_not: str = ""
    seen: Trace | None = None


@runtime_checkable
class Door(Protocol):
    """A way by which verdicts come to a user.

    Attributes:
        name: What it is called: `langsmith`, `adk`, `pytest`.
        about: By what the runs are judged, in a few words.
        requires: The distributions that it needs.
        kind: `ours` where our checks judge; `theirs` where the framework's own evaluator does.
        not_carried: What it cannot carry, each in a sentence.
    """

    name: str
    about: str
    requires: tuple[str, ...]
    kind: Literal["ours", "theirs"]
    not_carried: tuple[str, ...]

    def verdicts(self, suite: Suite, attempts: Sequence[Attempt]) -> Sequence[Verdict]:
        """A verdict for each attempt, in their order; no connection is made."""
        ...

    def carries(self, told: Told) -> Told:
        """What the door tells where `passhat.grade` says this: a score rounded, a text cut."""
        ...


@runtime_checkable
class DoorAdapter(Adapter, Protocol):
    """An adapter whose framework judges runs by our checks, or by evaluators of its own."""

    def doors(self, suite: Suite) -> Sequence[Door]:
        """The doors for a suite: those of our checks, then evaluators that the suite names."""
        ...


@dataclass(slots=True)
class BrokenDoor:
    """In place of the doors of an adapter that could not say which it has."""

    name: str
    error: Exception
    about: str = "its adapter broke"
    requires: tuple[str, ...] = ()
    kind: Literal["ours", "theirs"] = "ours"
    not_carried: tuple[str, ...] = ()

    def verdicts(self, suite: Suite, attempts: Sequence[Attempt]) -> Sequence[Verdict]:
        """None: it raises what the adapter raised."""
        raise self.error

    def carries(self, told: Told) -> Told:
        """All of it."""
        return told


def told_of(trial: Trial) -> tuple[Told, ...]:
    """What a trial says, as the doors tell it: the case first, then each check it requires.

    >>> from passhat import Case, ToolCall, Trace, grade
    >>> trial = grade(Trace("t", steps=(ToolCall("g"),)), Case("a", expected_calls=["f"]))
    >>> [(one.key, one.status) for one in told_of(trial)]
    [('case', 'failed'), ('trajectory', 'failed')]
    """
    singles = [one for one in results_of(trial) if one.required and one.key != CASE]
    checks = tuple(
        Told(
            one.key,
            one.status,
            one.score,
            one.reason,
            (str(one.evidence["alignment"]),)
            if one.status == "failed" and "alignment" in one.evidence
            else (),
        )
        for one in singles
    )
    tables = tuple(table for one in checks for table in one.tables)
    whole = Told(CASE, trial.status, trial.score, trial.reason, tables)
    return (whole, *checks)

"""What came after an error: whether the run got over it, how often it tried, how much failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from msgspec import UNSET

from passhat.case import Case
from passhat.checks.reading import (
    NOTHING_DONE,
    Nested,
    acted,
    could_react,
    tool_catalogue,
    trajectory,
)
from passhat.checks.wording import named, nearest, sentences
from passhat.errors import UsageError
from passhat.grading.protocol import CheckBase
from passhat.match.writing import write_value
from passhat.result import CheckResult
from passhat.trace import ToolCall, Trace


@dataclass(slots=True)
class Episode:
    """An error, and what was done about it: from a failed call to the next success that ends it.

    Attributes:
        tool: The tool whose call failed.
        first: The index of the failed call.
        call: That call.
        retries: How many more calls of the tool were made until it ended, that which ended it among
            them.
        ended: The index of the call that succeeded; None where none did.
    """

    tool: str
    first: int
    call: ToolCall
    retries: int = 0
    ended: int | None = None


def episodes(calls: Iterable[ToolCall], stand_ins: Mapping[str, Iterable[str]]) -> list[Episode]:
    """The errors of a run, each with what came of it.

    A failed call opens an episode, unless its tool has one open already; a successful call of the
    tool, or of one that stands in for it, ends it, however much later. What was asked for together
    with the failed call is no retry, and ends nothing.
    """
    found: list[Episode] = []
    open_: dict[str, Episode] = {}
    for index, call in enumerate(calls):
        episode = open_.get(call.name)
        if episode is not None and could_react(call, episode.call):
            episode.retries += 1
        if call.failed and episode is None:
            open_[call.name] = Episode(call.name, index, call)
            found.append(open_[call.name])
        elif call.succeeded and open_:
            over = [
                tool
                for tool, error in open_.items()
                if call.name in (tool, *stand_ins.get(tool, ())) and could_react(call, error.call)
            ]
            for tool in over:
                open_.pop(tool).ended = index
    return found


@dataclass(frozen=True, slots=True)
class Recovered(CheckBase):
    """The share of errors that the run got over.

    An error is an episode: from a failed call to the next successful call of the same tool, however
    much later and with whatever arguments, but asked for once the failure could be seen; failures in
    between belong to it. A call of a tool that does not exist is got over by a success of the tool
    whose name is most like it. An episode without such a success is not got over, even if the answer
    deals with it rightly. Without a failed call there was nothing to get over.

    Args:
        stand_ins: Tools whose success counts for another's: `{search: [lookup]}`.
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "recovered"
    needs: ClassVar[tuple[str, ...]] = ("calls", "results")
    stand_ins: dict[str, tuple[str, ...]] = field(default_factory=dict)
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        calls = trajectory(trace, case, self.nested)
        if not any(call.failed for call in calls):
            return self.nothing("no call failed, so there was nothing to get over")
        found = episodes(calls, self._stand_ins(calls, tool_catalogue(trace, case)))
        stuck = [episode for episode in found if episode.ended is None]
        return self.rate(
            len(found) - len(stuck),
            len(found),
            sentences(
                [
                    f"{e.tool} (call {e.first}) failed for good: {write_value(e.call.error or '')}"
                    for e in stuck
                ]
            ),
            episodes=_entries(found),
        )

    def _stand_ins(
        self, calls: Iterable[ToolCall], catalogue: Mapping[str, Any]
    ) -> dict[str, tuple[str, ...]]:
        stand_ins = dict(self.stand_ins)
        if catalogue:
            for name in {call.name for call in calls if call.name not in catalogue}:
                like = nearest(name, catalogue)
                stand_ins[name] = (*stand_ins.get(name, ()), *((like,) if like else ()))
        return stand_ins


def _entries(found: list[Episode]) -> list[dict[str, Any]]:
    return [
        {
            "index": episode.first,
            "name": episode.tool,
            "error": episode.call.error or "",
            "retries": episode.retries,
            "recovered": episode.ended,
        }
        for episode in found
    ]


@dataclass(frozen=True, slots=True)
class RetryBudget(CheckBase):
    """No error was met with more retries than allowed.

    A retry is a call of a tool that had failed and has not succeeded since, with the same arguments
    or others. Calls that were asked for together are no retries of each other.

    Args:
        most: The most retries after one error.
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "retry_budget"
    needs: ClassVar[tuple[str, ...]] = ("calls", "results")
    most: int = 3
    nested: Nested | None = None

    def __post_init__(self) -> None:
        if self.most < 0:
            raise UsageError(f"retry_budget: most is 0 or more, not {self.most}")

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether none was; the score is 1 or 0."""
        if not acted(trace):
            return self.nothing(NOTHING_DONE)
        found = episodes(trajectory(trace, case, self.nested), {})
        over = [episode for episode in found if episode.retries > self.most]
        said = [f"{e.tool} was retried {e.retries} times, over {self.most}" for e in over]
        return self.verdict(not over, sentences(said), episodes=_entries(found))


@dataclass(frozen=True, slots=True)
class ErrorRate(CheckBase):
    """The share of calls that failed, of those that ran and whose outcome is known; 0 is best.

    Calls that never ran (`executed` is false: a tool that does not exist, a declined approval) are
    in neither number, nor are calls without an answer.

    Args:
        nested: Instead of the case's `nested`.
    """

    key: ClassVar[str] = "error_rate"
    needs: ClassVar[tuple[str, ...]] = ("calls", "results")
    lower_is_better: ClassVar[bool] = True
    nested: Nested | None = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        calls = trajectory(trace, case, self.nested)
        if not calls:
            return self.rate(0, 0) if acted(trace) else self.nothing(NOTHING_DONE)
        known = [
            (index, call)
            for index, call in enumerate(calls)
            if call.executed is not False and (call.error is not None or call.result is not UNSET)
        ]
        if not known:
            return self.nothing("no call has an outcome that is known")
        failed = [(index, call) for index, call in known if call.error is not None]
        return self.rate(
            len(failed),
            len(known),
            sentences(
                [f"{call.name} (call {i}) failed: {write_value(call.error)}" for i, call in failed]
            ),
            calls=[{**named(index, call), "error": call.error} for index, call in failed],
        )

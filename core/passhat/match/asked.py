"""What a trajectory is matched against, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from passhat.case import ExpectedCall, ExpectedEntry
from passhat.match.calls import slots_of
from passhat.match.expectations import Expectation, expectations
from passhat.match.pairing import Side
from passhat.match.plain import packed_args
from passhat.trace import ToolCall
from passhat.trace.derived import derived
from passhat.values.equality import packed


class Asked(Struct, frozen=True, dict=True):
    """What a trajectory is matched against, and how; the comparisons are prepared when needed.

    Attributes:
        entries: The expected calls; a tuple inside is a group.
        match: How arguments compare where an expected call does not say.
        tools: The tools' JSON Schemas.
        optional: Tools whose calls never count against the run.
        counts: False compares as sets.
        fold: Whether a failed attempt that was followed up is no extra.
        forbidden: Calls that must not be made, and so are never folded.
        ordered: Whether calls asked for together have the order in which they stand.
    """

    entries: tuple[ExpectedEntry, ...]
    match: Any = None
    tools: Mapping[str, Mapping[str, Any]] | None = None
    optional: frozenset[str] = frozenset()
    counts: bool = True
    fold: bool = True
    forbidden: tuple[ExpectedCall, ...] = ()
    ordered: bool = False

    def slots(self, calls: tuple[ToolCall, ...]) -> Sequence[int]:
        """The slot of each call made: calls that have no order among themselves share one."""
        return range(len(calls)) if self.ordered else slots_of(calls)

    @derived
    def ready(self) -> tuple[Expectation, ...]:
        """The expected calls made ready to compare, repeats dropped where they do not count."""
        ready = expectations(self.entries, self.match, self.tools)
        return ready if self.counts else _once_each(ready)

    @derived
    def barred(self) -> tuple[Expectation, ...]:
        """The forbidden calls made ready to compare."""
        return expectations(self.forbidden, self.match, self.tools)

    def folds(self, call: ToolCall) -> bool:
        """Whether a call may be a failed attempt that a later one follows up."""
        return (
            self.fold
            and call.error is not None
            and not any(bar.call.name == call.name and bar.accepts(call) for bar in self.barred)
        )

    @derived
    def plain(self) -> bool:
        """Whether all expected calls compare exactly and there are no groups."""
        if self.match is not None or not self.counts:
            return False
        for entry in self.entries:
            if type(entry) is not ExpectedCall or entry.match or entry.extra_args == "forbid":
                return False
        return True

    @derived
    def names(self) -> list[str]:
        """The tools of the expected calls, in order."""
        return [call.name for call in self.expected]

    @derived
    def requires(self) -> bool:
        """Whether any of the expected calls has to be made."""
        return not all(call.optional for call in self.expected)

    @derived
    def packed(self) -> bytes:
        """The arguments of all expected calls packed as one; empty where there is no such thing.

        Where a call states none, no actual calls are the same to the byte.
        """
        return packed([call.args for call in self.expected]) if self.plain else b""

    @derived
    def wants(self) -> tuple[bytes | None, ...]:
        """The packed arguments of the expected calls, for those that compare exactly."""
        return tuple([packed_args(call) for call in self.expected])

    @derived
    def side(self) -> Side:
        """What pairing knows of the expected calls: their groups, counted from 0 without gaps."""
        expected = self.expected
        groups: Sequence[int] = range(len(expected))
        if not self.plain:
            numbers = {group: at for at, group in enumerate(sorted({r.group for r in self.ready}))}
            groups = [numbers[item.group] for item in self.ready]
        return Side(groups, [not call.optional for call in expected], [True] * len(expected))

    @derived
    def expected(self) -> tuple[ExpectedCall, ...]:
        """The expected calls, groups flattened."""
        if self.plain:
            return self.entries  # type: ignore[return-value]
        return tuple(item.call for item in self.ready)


def _once_each(ready: tuple[Expectation, ...]) -> tuple[Expectation, ...]:
    """The expectations without repeats, for comparing as sets."""
    seen = set()
    kept = []
    for item in ready:
        key = (item.call.name, item.call.optional, item.signature())
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return tuple(kept)

"""What matching found: the pairs, and all that follows from them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Struct

from passhat.case import ExpectedCall, Mode
from passhat.match.asked import Asked
from passhat.match.edges import Edges
from passhat.match.expectations import Expectation
from passhat.match.nearness import nearest
from passhat.match.pairing import TIES_UP_TO, Pair
from passhat.match.terms import Difference
from passhat.trace import ToolCall
from passhat.trace.derived import derived
from passhat.values import ABSENT
from passhat.values.equality import packed

if TYPE_CHECKING:
    from passhat.match.alignment import Alignment


@dataclass(frozen=True, slots=True)
class Near:
    """A left-over actual call beside a left-over expected call of the same tool.

    Attributes:
        actual: The index of the actual call.
        expected: The index of the expected call.
        right: How many of the expected arguments match.
        of: How many arguments are expected.
        differences: Those that do not match, and those that may not be there.
    """

    actual: int
    expected: int
    right: int
    of: int
    differences: tuple[Difference, ...]


class Match(Struct, frozen=True, dict=True):
    """How the actual calls relate to the expected ones.

    Attributes:
        mode: The mode that was asked for.
        ok: Whether it holds.
        actual: The actual calls, in order.
        expected: The expected calls, groups flattened, in order.
        pairs: Which actual call stands for which expected one, in the order of the expected calls.
        ordered: Whether the pairs keep the order, as far as there is one.
        asked: What was compared, and how.
        rows: For each expected call, the actual calls that satisfy it; empty where pairing did
            not need them.
    """

    mode: Mode
    ok: bool
    actual: tuple[ToolCall, ...]
    expected: tuple[ExpectedCall, ...]
    pairs: tuple[Pair, ...]
    ordered: bool
    asked: Asked
    rows: Edges

    @property
    def promised(self) -> bool:
        """Whether the pairs are the best by every preference.

        Beyond 200 calls only the most required and most optional calls are promised.
        """
        return len(self.actual) + len(self.expected) <= TIES_UP_TO

    @derived
    def missing(self) -> tuple[ExpectedCall, ...]:
        """The required calls that no actual call stands for."""
        return tuple([self.expected[index] for index in self.missing_at])

    @derived
    def missing_at(self) -> tuple[int, ...]:
        """The indexes of the missing calls among the expected ones."""
        if len(self.pairs) == len(self.expected):
            return ()
        have = {index for _, index in self.pairs}
        return tuple(
            [
                index
                for index, call in enumerate(self.expected)
                if index not in have and not call.optional
            ]
        )

    @derived
    def extra(self) -> tuple[ToolCall, ...]:
        """The actual calls that stand for nothing and are excused by nothing."""
        return tuple([self.actual[index] for index in self.extra_at])

    @property
    def extra_at(self) -> tuple[int, ...]:
        """The indexes of the extra calls among the actual ones."""
        return self._left_over["extra"]

    @property
    def absorbed(self) -> tuple[int, ...]:
        """The indexes of unmatched calls that an optional tool's name excuses."""
        return self._left_over["absorbed"]

    @property
    def retries(self) -> tuple[int, ...]:
        """The indexes of failed attempts that a matched call of the same tool followed up."""
        return self._left_over["retry"]

    @property
    def repeats(self) -> tuple[int, ...]:
        """The indexes of repeats of an expected call, where `counts=False` excuses them."""
        return self._left_over["repeat"]

    @derived
    def _left_over(self) -> dict[str, tuple[int, ...]]:
        if len(self.pairs) == len(self.actual):
            return _NONE_LEFT
        matched = {pair.actual for pair in self.pairs}
        found: dict[str, list[int]] = {kind: [] for kind in _NONE_LEFT}
        asked = self.asked
        again: set[int] = set() if asked.counts else {c for row in self.rows for c in row}
        later: set[tuple[int, str]] = set()
        for index in range(len(self.actual) - 1, -1, -1):
            call = self.actual[index]
            if index in matched:
                later.add((call.turn, call.name))
            elif call.name in asked.optional:
                found["absorbed"].append(index)
            elif (call.turn, call.name) in later and asked.folds(call):
                found["retry"].append(index)
            elif index in again:
                found["repeat"].append(index)
                later.add((call.turn, call.name))
            else:
                found["extra"].append(index)
        return {kind: tuple(reversed(indexes)) for kind, indexes in found.items()}

    @derived
    def near(self) -> tuple[Near, ...]:
        """The left-over calls paired by tool and share of equal arguments, best pairs first."""
        if not self.missing_at or not self.extra_at:
            return ()
        by_tool: dict[str, tuple[list[int], list[int]]] = {}
        for index in self.missing_at:
            by_tool.setdefault(self.expected[index].name, ([], []))[0].append(index)
        for index in self.extra_at:
            if (name := self.actual[index].name) in by_tool:
                by_tool[name][1].append(index)
        found = []
        for wanted, calls in by_tool.values():
            if not calls:
                continue
            ready = self.asked.ready
            chosen = nearest([ready[at] for at in wanted], [self.actual[at] for at in calls])
            for expected, column in zip(wanted, chosen, strict=True):
                if column >= 0:
                    found.append(_near(ready[expected], self.actual, calls[column], expected))
        return tuple(sorted(found, key=lambda near: near.expected))

    @derived
    def moved(self) -> tuple[Pair, ...]:
        """The pairs out of order: the fewest whose removal leaves the rest in order."""
        if self.ordered:
            return ()
        ready, slots = self.asked.ready, self.asked.slots(self.actual)
        kept = _longest_in_order([(ready[e].group, slots[a]) for a, e in self.pairs])
        return tuple(pair for at, pair in enumerate(self.pairs) if at not in kept)

    @derived
    def to_the_byte(self) -> bool:
        """Whether all matched calls have to the byte the arguments of what they stand for."""
        made = [self.actual[at] for at, _ in self.pairs]
        sound = [call.args for call in made if call.args_error is None]
        if len(sound) < len(made):
            return False
        return packed(sound) == packed([self.expected[at].args for _, at in self.pairs]) != b""

    @derived
    def _counted(self) -> tuple[int, int, int]:
        """Pairs with required calls, actual calls that count, required calls."""
        optional = sum(call.optional for call in self.expected)
        pairs = sum(not self.expected[pair.expected].optional for pair in self.pairs)
        return pairs, pairs + len(self.extra_at), len(self.expected) - optional

    @property
    def precision(self) -> float:
        """The share of the calls made that were expected, 0..1; optional calls and retries apart.

        1 where no call counts and none was required.
        """
        pairs, made, required = self._counted
        return pairs / made if made else float(not required)

    @property
    def recall(self) -> float:
        """The share of the required calls that were made, 0..1; 1 where none was required."""
        pairs, _, required = self._counted
        return pairs / required if required else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 0..1."""
        pairs, made, required = self._counted
        return 2 * pairs / (made + required) if made + required else 1.0

    @derived
    def reason(self) -> str:
        """Why the mode does not hold, in a sentence; empty where it does."""
        if self.ok:
            return ""
        from passhat.match.alignment import explain_match

        return explain_match(self)

    def alignment(self) -> Alignment:
        """Expected against actual, side by side, as data that prints as text."""
        from passhat.match.alignment import align

        return align(self)

    def __str__(self) -> str:
        from passhat.match.sidebyside import text_of_match

        head = f"{self.mode}: {'holds' if self.ok else self.reason}"
        return f"{head}\n{text_of_match(self)}"


_NONE_LEFT: dict[str, tuple[int, ...]] = {"extra": (), "absorbed": (), "retry": (), "repeat": ()}


def _longest_in_order(points: list[tuple[int, int]]) -> set[int]:
    """The indexes of a longest run of (group, slot) pairs in which no two cross."""
    order = sorted(range(len(points)), key=lambda at: points[at])
    ends: list[int] = []
    tails: list[int] = []
    before: dict[int, int] = {}
    for index in order:
        slot = points[index][1]
        at = bisect_right(ends, slot)
        before[index] = tails[at - 1] if at else -1
        ends[at : at + 1] = [slot]
        tails[at : at + 1] = [index]
    kept = set()
    index = tails[-1] if tails else -1
    while index >= 0:
        kept.add(index)
        index = before[index]
    return kept


def _near(item: Expectation, calls: Sequence[ToolCall], actual: int, expected: int) -> Near:
    call = calls[actual]
    if call.args_error is not None:
        return Near(actual, expected, 0, len(item.terms), ())
    differences = item.differences(call)
    wrong = [difference for difference in differences if difference.expected is not ABSENT]
    return Near(actual, expected, len(item.terms) - len(wrong), len(item.terms), differences)

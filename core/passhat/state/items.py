"""The items of two lists that are no tables: what each is worth, and what turns one into another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from passhat.state.equality import CONTAINERS, Sameness, Tolerance, surely_equal
from passhat.state.lists import MOST_CELLS, NOTHING_SHARED, shortest_edit, unmatched
from passhat.state.paths import Facing
from passhat.state.patterns import States
from passhat.values import ABSENT

ListMode: TypeAlias = Literal["align", "position", "set"]
LIST_MODES: tuple[ListMode, ...] = ("align", "position", "set")


@dataclass(frozen=True, slots=True)
class Items:
    """The items of one list that are not ignored, each with its position and its key.

    Attributes:
        values: The items.
        positions: Where each stands in its list.
        states: How far the patterns have come at each.
        keys: What each is but for what is ignored in it.
    """

    values: list[Any] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    states: list[States] = field(default_factory=list)
    keys: list[Hashable] = field(default_factory=list)

    @classmethod
    def of(cls, items: Sequence[Any], first: int, states: States, sameness: Sameness) -> Items:
        """The items of a part of a list that begins at position `first`."""
        found = cls()
        for position, value in enumerate(items, first):
            below = sameness.patterns.after(states, position)
            if not sameness.ignored(below):
                found.values.append(value)
                found.positions.append(position)
                found.states.append(below)
                found.keys.append(sameness.key(value, below))
        return found


def differing_items(
    before: Sequence[Any],
    after: Sequence[Any],
    sameness: Sameness,
    states: States,
    mode: ListMode,
    *,
    sure: bool,
) -> tuple[list[Facing], str | None]:
    """The items of two lists that may differ, and why there may be a shorter way to say it, if so.

    Args:
        before: The list before.
        after: The list after.
        sameness: When two values are the same.
        states: How far the patterns have come at the lists.
        mode: How the lists compare.
        sure: Whether to look first if two items are surely equal.

    Raises:
        TooDeepError: An item is too deep to compare as a whole.
    """
    if mode == "position":
        return by_position(before, after, sure=sure), None
    first, last = equal_ends(before, after) if sure and mode == "align" else (0, 0)
    old, new = (
        Items.of(side[first : len(side) - last], first, states, sameness)
        for side in (before, after)
    )
    if mode == "set":
        gone, came = left_over(old, new, sameness)
        return [
            *(Facing(old.positions[i], old.values[i], ABSENT) for i in gone),
            *(Facing(new.positions[j], ABSENT, new.values[j]) for j in came),
        ], None
    edits, shortest = shortest_edit(old.keys, new.keys, Turning(old, new, sameness))
    found = [
        Facing(
            old.positions[i] if i is not None else new.positions[j or 0],
            old.values[i] if i is not None else ABSENT,
            new.values[j] if j is not None else ABSENT,
        )
        for i, j in edits
    ]
    return found, None if shortest else _TOO_LONG


_TOO_LONG = "the lists are too long and too unlike to find the shortest edit; a short one is given"


def by_position(before: Sequence[Any], after: Sequence[Any], *, sure: bool) -> list[Facing]:
    """The items of two lists that may differ, the first facing the first, and so on."""
    both = min(len(before), len(after))
    return [
        *(
            Facing(at, old, new)
            for at, (old, new) in enumerate(zip(before, after, strict=False))
            if old is not new and not (sure and surely_equal(old, new))
        ),
        *(Facing(at, before[at], ABSENT) for at in range(both, len(before))),
        *(Facing(at, ABSENT, after[at]) for at in range(both, len(after))),
    ]


def equal_ends(before: Sequence[Any], after: Sequence[Any]) -> tuple[int, int]:
    """How many items are surely equal at the beginning of two lists, and how many at the end."""
    most = min(len(before), len(after))
    first = 0
    while first < most and _same(before[first], after[first]):
        first += 1
    last = 0
    while last < most - first and _same(before[-1 - last], after[-1 - last]):
        last += 1
    return first, last


def _same(a: Any, b: Any) -> bool:
    return a is b or surely_equal(a, b)


@dataclass(slots=True)
class Turning:
    """What it costs to turn an item of one list into one of another, remembered.

    Equal items cost nothing, a value of another kind 1, and so does a scalar; two mappings or two
    lists cost the share of their parts that differ, up to `NOTHING_SHARED`.
    """

    old: Items
    new: Items
    sameness: Sameness
    _costs: dict[tuple[int, int], float] = field(default_factory=dict)
    _fields: dict[tuple[int, int], dict[Hashable, Hashable]] = field(default_factory=dict)
    _counts: dict[tuple[int, int], Counter[Hashable]] = field(default_factory=dict)

    def __call__(self, i: int, j: int) -> float:
        """The cost for the items at these places."""
        if self.old.keys[i] == self.new.keys[j]:
            return 0.0
        a, b = self.old.values[i], self.new.values[j]
        if not isinstance(a, CONTAINERS) and not isinstance(b, CONTAINERS):
            return 0.0 if self._near(i, j) else 1.0
        cost = self._costs.get((i, j))
        if cost is None:
            cost = self._costs[i, j] = self._of_containers(i, j)
        return cost

    def _near(self, i: int, j: int) -> bool:
        if self.sameness.tolerance is None:
            return False
        return self.sameness.close(self.old.values[i], self.new.values[j], self.old.states[i])

    def _of_containers(self, i: int, j: int) -> float:
        if self._near(i, j):
            return 0.0
        a, b = self.old.values[i], self.new.values[j]
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            old, new = self._fields_of(0, i, a), self._fields_of(1, j, b)
            equal = sum(name in new and key == new[name] for name, key in old.items())
            parts = len(old.keys() | new.keys())
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            equal = (self._count_of(0, i, a) & self._count_of(1, j, b)).total()
            parts = max(len(a), len(b))
        else:
            return 1.0
        # Lists of the same parts in another order are not the same, and cost as if one differed.
        differing = max(1, parts - equal)
        # With one part that differs it is shorter to change that, though nothing else is shared.
        return min(NOTHING_SHARED * differing / parts, float(differing))

    def _fields_of(self, side: int, at: int, value: Mapping[Any, Any]) -> dict[Hashable, Hashable]:
        if (side, at) not in self._fields:
            states = (self.old, self.new)[side].states[at]
            self._fields[side, at] = self.sameness.fields(value, states)
        return self._fields[side, at]

    def _count_of(self, side: int, at: int, value: Sequence[Any]) -> Counter[Hashable]:
        if (side, at) not in self._counts:
            states = (self.old, self.new)[side].states[at]
            self._counts[side, at] = Counter(Items.of(value, 0, states, self.sameness).keys)
        return self._counts[side, at]


def left_over(old: Items, new: Items, sameness: Sameness) -> tuple[list[int], list[int]]:
    """The places of the items that have no equal in the other list, each counting once.

    Numbers that are left are then joined from the smallest on, where the tolerance allows; mappings
    and lists with the first that is the same within it.
    """
    gone, came = unmatched(old.keys, new.keys)
    if sameness.tolerance is not None:
        near = _near_numbers(
            [(old.values[at], at) for at in gone],
            [(new.values[at], at) for at in came],
            sameness.tolerance,
        )
        if len(gone) * len(came) <= MOST_CELLS:
            near |= _near_containers(old, new, gone, came, sameness)
        joined, joining = {i for i, _ in near}, {j for _, j in near}
        gone = [at for at in gone if at not in joined]
        came = [at for at in came if at not in joining]
    return gone, came


def _near_containers(
    old: Items, new: Items, gone: list[int], came: list[int], sameness: Sameness
) -> set[tuple[int, int]]:
    near: set[tuple[int, int]] = set()
    free = [at for at in came if isinstance(new.values[at], CONTAINERS)]
    for at in gone:
        if isinstance(old.values[at], CONTAINERS):
            for other in free:
                if sameness.close(old.values[at], new.values[other], old.states[at]):
                    near.add((at, other))
                    free.remove(other)
                    break
    return near


def _near_numbers(
    old: list[tuple[Any, int]], new: list[tuple[Any, int]], tolerance: Tolerance
) -> set[tuple[int, int]]:
    olds, news = (
        sorted(entry for entry in side if type(entry[0]) in (int, float)) for side in (old, new)
    )
    near: set[tuple[int, int]] = set()
    i = j = 0
    while i < len(olds) and j < len(news):
        (a, at), (b, other) = olds[i], news[j]
        if tolerance.allows(a, b):
            near.add((at, other))
            i, j = i + 1, j + 1
        elif a < b:
            i += 1
        else:
            j += 1
    return near

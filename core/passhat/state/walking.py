"""The walk down two states at once, without recursion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

from passhat.errors import InputError, Place
from passhat.state.changes import Change
from passhat.state.equality import (
    CONTAINERS,
    Sameness,
    TooDeepError,
    doubtful,
    refuse_cycles,
    surely_equal,
)
from passhat.state.items import ListMode, by_position, differing_items
from passhat.state.paths import Facing, Record, Step, Steps, path_text
from passhat.state.patterns import States
from passhat.state.rowkeys import Columns, all_mappings, is_table
from passhat.state.tables import DeclaredKey, differing_rows
from passhat.values import ABSENT
from passhat.values.equality import by_name

_SURE_DEPTH = 8
"""How deep parts are compared as a whole before they are walked: each level costs one reading."""

_SUSPECT_DEPTH = 200
"""The depth from which on a value is looked at for cycles."""


class _Where(NamedTuple):
    """Where a pair stands: the step to it, and where that step begins."""

    parent: _Where | None
    step: Step


class Pair(NamedTuple):
    """Two values that stand in the same place, and may differ."""

    before: Any
    after: Any
    place: _Where | None
    states: States
    depth: int
    by_position: bool = False
    """Whether lists from here on go by position, since they lie in one that is too deep."""

    @property
    def holds_rows(self) -> bool:
        """Whether lists of mappings in this place are tables: the state, or an entry of it."""
        at = self.place
        return at is None or (at.parent is None and not isinstance(at.step, int))

    def steps(self, *further: Step) -> Steps:
        """The way to the pair, and further steps."""
        steps: list[Step] = list(reversed(further))
        place = self.place
        while place is not None:
            steps.append(place.step)
            place = place.parent
        return tuple(reversed(steps))


_Part: TypeAlias = "Pair | Change"


@dataclass
class Walk:
    """One walk down two states.

    Args:
        sameness: When two values are the same.
        lists: How lists compare.
        known: The keys that databases declare, by table.
        gaps: What could not be compared as well as it should.
    """

    sameness: Sameness
    lists: ListMode
    known: Mapping[str, Columns]
    gaps: dict[str, None] = field(default_factory=dict)

    def over(self, before: Any, after: Any) -> list[Change]:
        """The changes, in the order of the state before.

        Raises:
            InputError: A declared key is missing in a row or stands twice, or a value lies in
                itself.
        """
        found: list[Change] = []
        start = self.sameness.patterns.start
        whole = Pair(before, after, None, start, 0)
        todo: list[_Part] = [] if self.sameness.ignored(start) else [whole]
        suspicious = False
        while todo:
            part = todo.pop()
            if isinstance(part, Change):
                found.append(part)
                continue
            if part.depth > _SUSPECT_DEPTH and not suspicious:
                suspicious = True
                refuse_cycles(before, "the state before")
                refuse_cycles(after, "the state after")
            todo.extend(reversed(self._parts(part)))
        return found

    def _parts(self, pair: Pair) -> list[_Part]:
        """What differs in a pair: changes, and smaller pairs to look at."""
        before, after = pair.before, pair.after
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            return self._below(pair, _mappings(pair))
        if isinstance(before, list | tuple) and isinstance(after, list | tuple):
            return self._below(*self._lists(pair))
        either = isinstance(before, CONTAINERS) or isinstance(after, CONTAINERS)
        if not either and self.sameness.leaves(before, after):
            return []
        return [Change(pair.steps(), "changed", before, after)]

    def _below(self, pair: Pair, differing: Iterable[Facing]) -> list[_Part]:
        """What there is to look at one step down, but for what is ignored."""
        parts: list[_Part] = []
        for step, before, after in differing:
            states = self.sameness.patterns.after(pair.states, step)
            if self.sameness.ignored(states):
                continue
            if before is ABSENT:
                parts.append(Change(pair.steps(step), "added", after=after))
            elif after is ABSENT:
                parts.append(Change(pair.steps(step), "removed", before=before))
            else:
                place = _Where(pair.place, step)
                parts.append(
                    pair._replace(
                        before=before, after=after, place=place, states=states, depth=pair.depth + 1
                    )
                )
        return parts

    def _lists(self, pair: Pair) -> tuple[Pair, list[Facing]]:
        """The items that may differ, under the pair as it is to be looked at from here on."""
        before, after = pair.before, pair.after
        at = self.sameness.patterns.at(pair.states)
        declared = next((item for item in at if isinstance(item, DeclaredKey)), None)
        table = is_table(before) and is_table(after)
        if declared is not None and declared.named and not table:
            raise InputError(
                "its key is declared, and not all of its rows are mappings",
                Place(path=path_text(pair.steps())),
            )
        sure = pair.depth < _SURE_DEPTH
        if pair.by_position:
            return pair, by_position(before, after, sure=sure)
        try:
            if table and (declared is not None or pair.holds_rows):
                name = path_text(pair.steps())
                key = declared or (self.known.get(name) if pair.depth == 1 else None)
                found, gap = differing_rows(name, before, after, self.sameness, pair.states, key)
            else:
                found, gap = differing_items(
                    before, after, self.sameness, pair.states, self.lists, sure=sure
                )
        except TooDeepError:
            gap = "it is nested too deep to align; lists in it were compared item by item"
            pair = pair._replace(by_position=True)
            found = by_position(before, after, sure=sure)
        if gap:
            self.gaps[f"{path_text(pair.steps())}: {gap}"] = None
        return pair, found


def _mappings(pair: Pair) -> list[Facing]:
    """The entries of two mappings that may differ."""
    before, after = pair.before, pair.after
    if pair.depth == 1 and all_mappings(before.values()) and all_mappings(after.values()):
        return _documents(before, after)
    found: list[Facing] = []
    sure = pair.depth < _SURE_DEPTH
    olds, news = by_name(before), by_name(after)
    for name, key, old in zip(before, olds, before.values(), strict=True):
        new = news.get(key, ABSENT)
        if old is not new and not (sure and surely_equal(old, new)):
            found.append(Facing(str(name), old, new))
    came = zip(after, news, after.values(), strict=True)
    found += [Facing(str(name), ABSENT, new) for name, key, new in came if key not in olds]
    return [_as_tables(entry) for entry in found] if pair.depth == 0 else found


def _documents(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> list[Facing]:
    """The documents of two mappings that may differ, by their ids."""
    ids, documents = list(before), list(before.values())
    olds, news = by_name(before), by_name(after)
    facing = list(map(news.get, olds, repeat(ABSENT)))
    found = [
        Facing(Record((ids[at],)), documents[at], facing[at]) for at in doubtful(documents, facing)
    ]
    came = zip(after, news, after.values(), strict=True)
    found += [Facing(Record((name,)), ABSENT, new) for name, key, new in came if key not in olds]
    return found


def _as_tables(entry: Facing) -> Facing:
    """An entry of a state; a table that is not there faces one without records."""
    step, before, after = entry
    if before is ABSENT:
        return Facing(step, _empty_like(after), after)
    if after is ABSENT:
        return Facing(step, before, _empty_like(before))
    return entry


def _empty_like(value: Any) -> Any:
    """The table without its records; `ABSENT` for what is no table, or has none."""
    if value and is_table(value):
        return []
    return {} if value and isinstance(value, Mapping) and all_mappings(value.values()) else ABSENT

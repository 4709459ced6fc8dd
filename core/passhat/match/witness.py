"""Whether a mode holds between the calls made and those expected, and the pairs that show it."""

from __future__ import annotations

from collections.abc import Sequence

from passhat.case import MODES, Mode
from passhat.errors import UsageError
from passhat.match.asked import Asked
from passhat.match.edges import Edges, edges
from passhat.match.found import Match
from passhat.match.ordering import in_order
from passhat.match.pairing import TIES_UP_TO, Pair, Side, pair_up
from passhat.match.plain import plain_edges
from passhat.match.straight import equal_pairs, straight_pairs
from passhat.trace import ToolCall
from passhat.trace.derived import kept
from passhat.values.equality import packed_each


def witnessed(calls: tuple[ToolCall, ...], asked: Asked, mode: Mode) -> Match:
    """How the calls that were made relate to what was asked.

    Args:
        calls: The calls made.
        asked: The calls expected, and how they compare.
        mode: The relation that has to hold.

    Raises:
        UsageError: There is no such mode, or a matcher is none.
        NotEvaluated: A matcher needs a judge that was not given.
    """
    if mode not in MODES:
        raise UsageError(f"{mode!r} is no mode: there are {', '.join(MODES)}")
    expected = asked.expected
    straight = equal_pairs(calls, asked) if asked.counts else None
    haves: list[bytes] = []
    if straight is None:
        haves = packed_each([call.args for call in calls]) if asked.plain else []
        straight = straight_pairs(calls, asked, mode, haves) if asked.counts else None
    if straight is not None:
        return Match(mode, True, calls, expected, straight, True, asked, [])
    found = plain_edges(calls, expected, asked.wants, haves) if asked.plain else None
    rows, to_the_byte = (edges(calls, asked.ready), False) if found is None else found
    here, there = asked.side, None
    pairs, ordered = _forced(rows), True
    insists = mode not in ("in_order", "superset")
    due = _due(calls, asked) if insists or pairs is None else set()
    if not asked.counts:
        due -= {column for row in rows for column in row}
    if pairs is None:
        there = Side(
            asked.slots(calls),
            [index in due for index in range(len(calls))],
            [call.error is None for call in calls],
        )
        pairs = pair_up(rows, here, there)
        ordered = _keeps_order(pairs, here.places, there.places)
    required = [here.first[index] for _, index in pairs]
    all_expected = sum(required) == sum(here.first)
    all_actual = not insists or due.issubset([index for index, _ in pairs])
    ok = (all_expected or mode == "subset") and all_actual
    if ok and there is not None and not ordered and mode in ("exact", "in_order"):
        path = _in_order_with_optional(rows, here, there, mode)
        ok = path is not None
        if path is not None:
            pairs, ordered = pair_up(path, here, there), True
    match = Match(mode, ok, calls, expected, tuple(pairs), ordered, asked, rows)
    if to_the_byte:
        kept(match)["to_the_byte"] = True
    return match


def _forced(rows: Edges) -> list[Pair] | None:
    """The pairs, where no expected call has a choice and they keep the order of both sides."""
    pairs: list[Pair] = []
    last = -1
    for row, columns in enumerate(rows):
        if columns:
            if len(columns) > 1 or columns[0] <= last:
                return None
            last = columns[0]
            pairs.append(_new_pair(Pair, (last, row)))
    return pairs


_new_pair = tuple.__new__
"""`Pair._make` without a call of Python for each."""


def _due(calls: tuple[ToolCall, ...], asked: Asked) -> set[int]:
    """The actual calls that a mode which insists on all of them has to match.

    Not those of optional tools, nor failed attempts that a later call of the same tool in the same
    turn follows up: if that one is matched they are retries, and if it is not, it fails the mode.
    """
    if not asked.optional and not [1 for call in calls if call.error is not None]:
        return set(range(len(calls)))
    due = set()
    later: set[tuple[int, str]] = set()
    for index in range(len(calls) - 1, -1, -1):
        call = calls[index]
        if call.name in asked.optional:
            continue
        if not ((call.turn, call.name) in later and asked.folds(call)):
            due.add(index)
        later.add((call.turn, call.name))
    return due


def _in_order_with_optional(rows: Edges, here: Side, there: Side, mode: Mode) -> Edges | None:
    """The edges of an ordered witness that has room for as many optional calls as were found."""
    required = [index for index, first in enumerate(here.first) if first]
    must = [index for index, first in enumerate(there.first) if first] if mode == "exact" else []
    path = in_order(rows, here.places, there.places, required, must)
    if path is None:
        return None
    if len(here.places) + len(there.places) <= TIES_UP_TO:
        for index, first in enumerate(here.first):
            if not first and rows[index]:
                wider = in_order(rows, here.places, there.places, [*required, index], must)
                if wider is not None:
                    required.append(index)
                    path = wider
    return path


def _keeps_order(pairs: Sequence[Pair], groups: Sequence[int], slots: Sequence[int]) -> bool:
    """Whether no two pairs cross; pairs come in the order of their groups."""
    taken = [slots[pair.actual] for pair in pairs]
    if taken == sorted(taken):
        return True
    reached = -1
    group, highest = -1, -1
    for pair in pairs:
        if groups[pair.expected] != group:
            group = groups[pair.expected]
            reached = highest
        slot = slots[pair.actual]
        if slot < reached:
            return False
        highest = max(highest, slot)
    return True

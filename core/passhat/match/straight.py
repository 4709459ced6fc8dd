"""Runs that went as expected, from left to right: their pairs are found without looking for any."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from passhat.case import Mode
from passhat.match.asked import Asked
from passhat.match.pairing import Pair
from passhat.match.plain import accepts_plainly
from passhat.trace import ToolCall
from passhat.values.equality import packed


def equal_pairs(calls: tuple[ToolCall, ...], asked: Asked) -> tuple[Pair, ...] | None:
    """The pairs, where each call is to the byte the one that is expected in its place."""
    if len(calls) != len(asked.expected):
        return None
    sound = [call.name for call in calls if call.error is None and call.args_error is None]
    if sound == asked.names and packed([call.args for call in calls]) == asked.packed != b"":
        return _diagonal(len(calls))
    return None


def straight_pairs(
    calls: tuple[ToolCall, ...], asked: Asked, mode: Mode, haves: Sequence[bytes]
) -> tuple[Pair, ...] | None:
    """The pairs, where taking each expected call's first match from left to right gives them all.

    Then no pairing is better: all are matched, in order, as early as can be; provided that no
    matched call failed, that no unmatched one has to be matched, and that none was passed over
    that another call of its request came before.

    Args:
        calls: The calls made.
        asked: The calls expected, and how they compare.
        mode: The relation that has to hold.
        haves: The arguments of each call, packed, where all compare exactly.
    """
    taken: list[int] = []
    at, count = 0, len(calls)
    spare = count - len(asked.expected)
    if spare < 0:
        return None
    left = iter([call.name for call in calls])
    if not all(name in left for name in asked.names):
        return None
    plain = asked.plain
    wants, ready = (asked.wants, ()) if plain else ((), asked.ready)
    optional = asked.optional
    both = mode not in ("superset", "in_order")
    for index, wanted in enumerate(asked.expected):
        name = wanted.name
        while True:  # As many calls are left as are expected, and some to spare.
            call = calls[at]
            if call.name == name and (
                accepts_plainly(wanted, wants[index], call, haves[at])
                if plain
                else ready[index].accepts(call)
            ):
                break
            if not spare or (both and call.name not in optional):
                return None
            spare -= 1
            at += 1
        if call.error is not None:
            return None
        taken.append(at)
        at += 1
    if len(taken) < count and not both and _parallel(calls):
        return None
    if both and at < count and any(call.name not in optional for call in calls[at:]):
        return None
    return _diagonal(at) if at == len(taken) else tuple(map(Pair, taken, range(len(taken))))


def _diagonal(count: int) -> tuple[Pair, ...]:
    if count <= len(_DIAGONAL):
        return _DIAGONAL[:count]
    return tuple(map(Pair, range(count), range(count)))


_DIAGONAL = tuple(Pair(index, index) for index in range(200))
"""The pairs of calls that match one by one, made once."""


def _parallel(calls: tuple[ToolCall, ...]) -> bool:
    """Whether two calls in a row were asked for in one request."""
    return any(
        call.request is not None and call.request == after.request
        for call, after in pairwise(calls)
    )

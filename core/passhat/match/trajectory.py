"""Matching a trajectory: the calls an attempt made against the calls it was expected to make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from passhat.case import MODES, Case, Mode, expected_calls
from passhat.errors import UsageError
from passhat.match.asked import Asked
from passhat.match.calls import as_calls
from passhat.match.edges import Edges, edges
from passhat.match.found import Match
from passhat.match.ordering import in_order
from passhat.match.pairing import TIES_UP_TO, Pair, Side, pair_up
from passhat.match.plain import accepts_plainly, plain_edges
from passhat.trace import ToolCall, Trace
from passhat.trace.derived import kept
from passhat.values.equality import packed


def match_trajectory(
    actual: Iterable[Any],
    expected: Iterable[Any],
    mode: Mode = "superset",
    *,
    match: Any = None,
    optional: Iterable[str] | None = (),
    counts: bool = True,
    retries: str = "fold",
    parallel: str = "free",
    tools: Mapping[str, Mapping[str, Any]] | None = None,
) -> Match:
    """How the calls that were made relate to the calls that were expected.

    Args:
        actual: The calls made: ToolCalls, names, or mappings with `name` and `args`. Calls without
            a request are one call a request.
        expected: The calls expected, in the same forms or as ExpectedCalls; a list inside the list
            is a group that has no order.
        mode: `exact` (all of both, in order), `in_order` (all expected, in order), `unordered` (all
            of both), `superset` (all expected) or `subset` (all actual).
        match: How arguments compare where an expected call does not say: `{tool: {arg: matcher}}`,
            a matcher for all, or `"auto"` to go by the tools' JSON Schemas.
        optional: Tools whose calls never count against the run.
        counts: False compares as sets: a repeat of an expected call is no extra.
        retries: `fold` takes a failed attempt that a matched call followed up for no extra; `count`
            counts it.
        parallel: `free` gives calls of one request no order; `ordered` that in which they stand.
        tools: The tools' JSON Schemas, by name.

    Raises:
        UsageError: The mode, a call or a matcher is none.
        NotEvaluated: A matcher needs a judge that was not given.

    >>> match = match_trajectory(["lookup", "refund", "email"], ["lookup", "refund"], "in_order")
    >>> match.ok, match.precision, match.recall
    (True, 0.6666666666666666, 1.0)
    """
    asked = Asked(
        expected_calls(expected),
        match,
        tools,
        frozenset(optional or ()),
        counts,
        _folding(retries),
        ordered=_ordering(parallel),
    )
    return _matched(as_calls(actual), asked, mode)


def match_case(
    trace: Trace,
    case: Case,
    *,
    mode: Mode | None = None,
    counts: bool | None = None,
    retries: str | None = None,
    parallel: str | None = None,
    nested: str | None = None,
) -> Match:
    """How the calls of a trace relate to those that a case expects.

    Remembered with the trace, so that the checks of one trace share it.

    Args:
        trace: What happened.
        case: What was expected: its calls, mode, matchers, optional tools, and how it counts.
        mode: Instead of the case's mode.
        counts: Instead of the case's `counts`.
        retries: Instead of the case's `retries`.
        parallel: Instead of the case's `parallel`.
        nested: Instead of the case's `nested`.

    Raises:
        UsageError: The case states no expected calls, or has a matcher that is none.
        NotEvaluated: A matcher needs a judge that was not given.
    """
    if case.expected_calls is None:
        raise UsageError(f"case {case.id!r} states no expected_calls")
    wanted = (
        mode or case.effective_mode,
        case.counts is not False if counts is None else counts,
        retries or case.retries or "fold",
        nested or case.nested or "exclude",
        parallel or case.parallel or "free",
    )
    held: dict[Any, tuple[Case, Match]] = kept(trace).setdefault("_matches", {})
    known = held.get((id(case), wanted))
    if known is not None:
        return known[1]
    calls = trace.all_calls if wanted[3] == "include" else trace.calls
    found = _matched(calls, _asked(trace, case, *wanted[1:3], wanted[4]), wanted[0])
    held[id(case), wanted] = (case, found)
    return found


def _asked(trace: Trace, case: Case, counts: bool, retries: str, parallel: str) -> Asked:
    """What a case asks for, remembered with it unless the trace has the say on the tools."""

    def asked(tools: Mapping[str, Any] | None) -> Asked:
        return Asked(
            case.expected_calls or (),
            case.match,
            tools,
            frozenset(case.optional_calls or ()),
            counts,
            _folding(retries),
            case.forbidden_calls or (),
            _ordering(parallel),
        )

    if case.tools is None and trace.tools:
        return asked(trace.tools)
    held: dict[Any, Asked] = kept(case).setdefault("_asked", {})
    known = held.get((counts, retries, parallel))
    if known is None:
        known = held[counts, retries, parallel] = asked(case.tools)
    return known


def _folding(retries: str) -> bool:
    if retries not in ("fold", "count"):
        raise UsageError(f"retries is fold or count, not {retries!r}")
    return retries == "fold"


def _ordering(parallel: str) -> bool:
    if parallel not in ("free", "ordered"):
        raise UsageError(f"parallel is free or ordered, not {parallel!r}")
    return parallel == "ordered"


def _matched(calls: tuple[ToolCall, ...], asked: Asked, mode: Mode) -> Match:
    if mode not in MODES:
        raise UsageError(f"{mode!r} is no mode: there are {', '.join(MODES)}")
    expected = asked.expected
    if asked.counts:
        straight = _straight(calls, asked, mode)
        if straight is not None:
            return Match(mode, True, calls, expected, straight, True, asked, [])
    rows = plain_edges(calls, expected, asked.wants) if asked.plain else None
    if rows is None:
        rows = edges(calls, asked.ready)
    due = _due(calls, asked)
    if not asked.counts:
        due -= {column for row in rows for column in row}
    here, there = asked.side, None
    pairs, ordered = _forced(rows), True
    if pairs is None:
        there = Side(
            asked.slots(calls),
            [index in due for index in range(len(calls))],
            [call.error is None for call in calls],
        )
        pairs = pair_up(rows, here, there)
        ordered = _keeps_order(pairs, here.places, there.places)
    all_expected = sum(here.first[pair.expected] for pair in pairs) == sum(here.first)
    all_actual = due.issubset([pair.actual for pair in pairs])
    ok = (all_expected or mode == "subset") and (all_actual or mode in ("in_order", "superset"))
    if ok and there is not None and not ordered and mode in ("exact", "in_order"):
        path = _in_order_with_optional(rows, here, there, mode)
        ok = path is not None
        if path is not None:
            pairs, ordered = pair_up(path, here, there), True
    return Match(mode, ok, calls, expected, tuple(pairs), ordered, asked, rows)


def _straight(calls: tuple[ToolCall, ...], asked: Asked, mode: Mode) -> tuple[Pair, ...] | None:
    """The pairs, where taking each expected call's first match from left to right gives them all.

    Then no pairing is better: all are matched, in order, as early as can be; provided that no
    matched call failed, that no unmatched one has to be matched, and that none was passed over
    that another call of its request came before.
    """
    taken: list[int] = []
    at, count = 0, len(calls)
    if count < len(asked.expected):
        return None
    if count == len(asked.expected) and _one_by_one(calls, asked):
        return _diagonal(count)
    left = iter([call.name for call in calls])
    if not all(name in left for name in asked.names):
        return None
    plain = asked.plain
    wants, ready = (asked.wants, ()) if plain else ((), asked.ready)
    optional = asked.optional
    both = mode not in ("superset", "in_order")
    for index, wanted in enumerate(asked.expected):
        name = wanted.name
        while at < count:
            call = calls[at]
            if call.name == name and (
                accepts_plainly(wanted, wants[index], call) if plain else ready[index].accepts(call)
            ):
                break
            if both and call.name not in optional:
                return None
            at += 1
        else:
            return None
        if call.error is not None:
            return None
        taken.append(at)
        at += 1
    if len(taken) < count and not both and _parallel(calls):
        return None
    if both and at < count and any(call.name not in optional for call in calls[at:]):
        return None
    return _diagonal(at) if at == len(taken) else tuple(map(Pair, taken, range(len(taken))))


def _forced(rows: Edges) -> list[Pair] | None:
    """The pairs, where no expected call has a choice and they keep the order of both sides."""
    pairs: list[Pair] = []
    last = -1
    for row, columns in enumerate(rows):
        if columns:
            if len(columns) > 1 or columns[0] <= last:
                return None
            last = columns[0]
            pairs.append(Pair(last, row))
    return pairs


def _one_by_one(calls: tuple[ToolCall, ...], asked: Asked) -> bool:
    """Whether each call is to the byte the one that is expected in its place, and none failed."""
    return (
        [call.name for call in calls] == asked.names
        and not [1 for call in calls if call.error is not None or call.args_error is not None]
        and asked.packed != b""
        and packed([call.args for call in calls]) == asked.packed
    )


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

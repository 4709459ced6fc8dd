"""Matching a trajectory: the calls an attempt made against the calls it was expected to make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from passhat.case import MODES, Case, ExpectedCall, ExpectedEntry, Mode, expected_calls
from passhat.errors import UsageError
from passhat.match.assignment import assignment
from passhat.match.edges import (
    Difference,
    Edges,
    Expectation,
    accepts_plainly,
    edges,
    expectations,
)
from passhat.match.ordering import in_order
from passhat.match.pairing import TIES_UP_TO, Pair, Side, pair_up
from passhat.trace import ToolCall, Trace

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


class Asked(Struct, frozen=True, dict=True):
    """What a trajectory is matched against, and how; the comparisons are prepared when needed.

    Attributes:
        entries: The expected calls; a tuple inside is a group.
        match: How arguments compare where an expected call does not say.
        tools: The tools' JSON Schemas.
        optional: Tools whose calls never count against the run.
        counts: False compares as sets.
        fold: Whether a failed attempt that was followed up is no extra.
    """

    entries: tuple[ExpectedEntry, ...]
    match: Any = None
    tools: Mapping[str, Mapping[str, Any]] | None = None
    optional: frozenset[str] = frozenset()
    counts: bool = True
    fold: bool = True

    @cached_property
    def ready(self) -> tuple[Expectation, ...]:
        """The expected calls made ready to compare, repeats dropped where they do not count."""
        ready = expectations(self.entries, self.match, self.tools)
        return ready if self.counts else _once_each(ready)

    @cached_property
    def plain(self) -> bool:
        """Whether all expected calls compare exactly and there are no groups."""
        if self.match is not None or not self.counts:
            return False
        for entry in self.entries:
            if type(entry) is not ExpectedCall or entry.match or entry.extra_args == "forbid":
                return False
        return True

    @cached_property
    def expected(self) -> tuple[ExpectedCall, ...]:
        """The expected calls, groups flattened."""
        if self.plain:
            return self.entries  # type: ignore[return-value]
        return tuple(item.call for item in self.ready)


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

    @cached_property
    def missing(self) -> tuple[ExpectedCall, ...]:
        """The required calls that no actual call stands for."""
        return tuple(self.expected[index] for index in self.missing_at)

    @cached_property
    def missing_at(self) -> tuple[int, ...]:
        """The indexes of the missing calls among the expected ones."""
        have = {pair.expected for pair in self.pairs}
        return tuple(
            index
            for index, call in enumerate(self.expected)
            if index not in have and not call.optional
        )

    @cached_property
    def extra(self) -> tuple[ToolCall, ...]:
        """The actual calls that stand for nothing and are excused by nothing."""
        return tuple(self.actual[index] for index in self.extra_at)

    @cached_property
    def extra_at(self) -> tuple[int, ...]:
        """The indexes of the extra calls among the actual ones."""
        return self._left_over["extra"]

    @cached_property
    def absorbed(self) -> tuple[int, ...]:
        """The indexes of unmatched calls that an optional tool's name excuses."""
        return self._left_over["absorbed"]

    @cached_property
    def retries(self) -> tuple[int, ...]:
        """The indexes of failed attempts that a matched call of the same tool followed up."""
        return self._left_over["retry"]

    @cached_property
    def repeats(self) -> tuple[int, ...]:
        """The indexes of repeats of an expected call, where `counts=False` excuses them."""
        return self._left_over["repeat"]

    @cached_property
    def _left_over(self) -> dict[str, tuple[int, ...]]:
        matched = {pair.actual for pair in self.pairs}
        found: dict[str, list[int]] = {"extra": [], "absorbed": [], "retry": [], "repeat": []}
        if len(matched) == len(self.actual):
            return dict.fromkeys(found, ())
        asked = self.asked
        again: set[int] = set() if asked.counts else {c for row in self.rows for c in row}
        later: set[tuple[int, str]] = set()
        for index in range(len(self.actual) - 1, -1, -1):
            call = self.actual[index]
            if index in matched:
                later.add((call.turn, call.name))
            elif call.name in asked.optional:
                found["absorbed"].append(index)
            elif asked.fold and call.failed and (call.turn, call.name) in later:
                found["retry"].append(index)
            elif index in again:
                found["repeat"].append(index)
                later.add((call.turn, call.name))
            else:
                found["extra"].append(index)
        return {kind: tuple(reversed(indexes)) for kind, indexes in found.items()}

    @cached_property
    def near(self) -> tuple[Near, ...]:
        """The left-over calls paired by tool and share of equal arguments, best pairs first."""
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
            table = [[_near(ready[e], self.actual[a], a, e) for a in calls] for e in wanted]
            shares = [
                [1 + (near.right * 1_000_000 // near.of if near.of else 0) for near in line]
                for line in table
            ]
            for line, column in zip(table, assignment(shares), strict=True):
                if column >= 0:
                    found.append(line[column])
        return tuple(sorted(found, key=lambda near: near.expected))

    @cached_property
    def moved(self) -> tuple[Pair, ...]:
        """The pairs out of order: the fewest whose removal leaves the rest in order."""
        if self.ordered:
            return ()
        ready, slots = self.asked.ready, slots_of(self.actual)
        kept = set(_longest_in_order([(ready[e].group, slots[a]) for a, e in self.pairs]))
        return tuple(pair for at, pair in enumerate(self.pairs) if at not in kept)

    @cached_property
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

    @cached_property
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
        head = f"{self.mode}: {'holds' if self.ok else self.reason}"
        return f"{head}\n{self.alignment()}"


def match_trajectory(
    actual: Iterable[Any],
    expected: Iterable[Any],
    mode: Mode = "superset",
    *,
    match: Any = None,
    optional: Iterable[str] = (),
    counts: bool = True,
    retries: str = "fold",
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
        tools: The tools' JSON Schemas, by name.

    Raises:
        UsageError: The mode, a call or a matcher is none.
        NotEvaluated: A matcher needs a judge that was not given.

    >>> match = match_trajectory(["lookup", "refund", "email"], ["lookup", "refund"], "in_order")
    >>> match.ok, match.precision, match.recall
    (True, 0.6666666666666666, 1.0)
    """
    asked = Asked(
        expected_calls(expected), match, tools, frozenset(optional), counts, _folding(retries)
    )
    return _matched(as_calls(actual), asked, mode)


def match_case(
    trace: Trace,
    case: Case,
    *,
    mode: Mode | None = None,
    counts: bool | None = None,
    retries: str | None = None,
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
    )
    held: dict[Any, tuple[Case, Match]] = trace.__dict__.setdefault("_matches", {})
    known = held.get((id(case), wanted))
    if known is not None:
        return known[1]
    calls = trace.all_calls if wanted[3] == "include" else trace.calls
    found = _matched(calls, _asked(trace, case, wanted[1], wanted[2]), wanted[0])
    held[id(case), wanted] = (case, found)
    return found


def _asked(trace: Trace, case: Case, counts: bool, retries: str) -> Asked:
    """What a case asks for, remembered with it unless the trace has the say on the tools."""
    entries, optional = case.expected_calls or (), frozenset(case.optional_calls or ())
    if case.tools is None and trace.tools:
        return Asked(entries, case.match, trace.tools, optional, counts, _folding(retries))
    held: dict[Any, Asked] = case.__dict__.setdefault("_asked", {})
    asked = held.get((counts, retries))
    if asked is None:
        asked = Asked(entries, case.match, case.tools, optional, counts, _folding(retries))
        held[counts, retries] = asked
    return asked


def _folding(retries: str) -> bool:
    if retries not in ("fold", "count"):
        raise UsageError(f"retries is fold or count, not {retries!r}")
    return retries == "fold"


_CALL_KEYS = frozenset(ToolCall.__struct_fields__)


def as_calls(calls: Iterable[Any]) -> tuple[ToolCall, ...]:
    """ToolCalls from ToolCalls, names, expected calls, or mappings with `name` and `args`.

    Raises:
        UsageError: An entry is none of these.

    >>> as_calls(["a", {"name": "b", "args": {"x": 1}}])
    (ToolCall(name='a'), ToolCall(name='b', args={'x': 1}))
    """
    return tuple([call if type(call) is ToolCall else _as_call(call) for call in calls])


def _as_call(call: Any) -> ToolCall:
    if isinstance(call, str):
        return ToolCall(call)
    if isinstance(call, Mapping):
        unknown = call.keys() - _CALL_KEYS
        if unknown or not isinstance(call.get("name"), str):
            what = f"has no {min(unknown)!r}" if unknown else "needs a name"
            raise UsageError(f"a call {what}: a call is a name, or a mapping with name and args")
        fields = dict(call)
        args = fields.pop("args", None)
        return _with_args(fields.pop("name"), args, fields)
    if isinstance(getattr(call, "name", None), str):
        return _with_args(call.name, getattr(call, "args", None), {})
    raise UsageError(f"a call is a name, or a mapping with name and args, not {call!r}")


def _with_args(name: str, args: Any, fields: dict[str, Any]) -> ToolCall:
    if args is None:
        return ToolCall(name, **fields)
    if isinstance(args, Mapping):
        return ToolCall(name, dict(args), **fields)
    return ToolCall(name, **{"args_error": str(args), **fields})


def _matched(calls: tuple[ToolCall, ...], asked: Asked, mode: Mode) -> Match:
    if mode not in MODES:
        raise UsageError(f"{mode!r} is no mode: there are {', '.join(MODES)}")
    expected = asked.expected
    if asked.counts:
        straight = _straight(calls, asked, mode)
        if straight is not None:
            return Match(mode, True, calls, expected, straight, True, asked, [])
    ready = asked.ready
    rows = edges(calls, ready)
    due = _due(calls, asked.optional, asked.fold)
    if not asked.counts:
        due -= {column for row in rows for column in row}
    here = Side(_dense(ready), [not call.optional for call in expected], [True] * len(expected))
    there = Side(
        slots_of(calls),
        [index in due for index in range(len(calls))],
        [not call.failed for call in calls],
    )
    pairs = pair_up(rows, here, there)
    ordered = _keeps_order(pairs, here.places, there.places)
    all_expected = sum(here.first[pair.expected] for pair in pairs) == sum(here.first)
    all_actual = sum(there.first[pair.actual] for pair in pairs) == len(due)
    ok = (all_expected or mode == "subset") and (all_actual or mode in ("in_order", "superset"))
    if ok and not ordered and mode in ("exact", "in_order"):
        path = _in_order_with_optional(rows, here, there, mode)
        ok = path is not None
        if path is not None:
            pairs, ordered = pair_up(path, here, there), True
    return Match(mode, ok, calls, expected, tuple(pairs), ordered, asked, rows)


def _dense(ready: tuple[Expectation, ...]) -> list[int]:
    """The groups of the expectations, counted from 0 without gaps."""
    numbers = {group: number for number, group in enumerate(sorted({r.group for r in ready}))}
    return [numbers[item.group] for item in ready]


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


def slots_of(calls: tuple[ToolCall, ...]) -> tuple[int, ...]:
    """The slot of each call: calls of one request share it."""
    slots = []
    slot, last = -1, None
    for call in calls:
        if call.request is None or call.request != last:
            slot += 1
            last = call.request
        slots.append(slot)
    return tuple(slots)


def _straight(calls: tuple[ToolCall, ...], asked: Asked, mode: Mode) -> tuple[Pair, ...] | None:
    """The pairs, where taking each expected call's first match from left to right gives them all.

    Then no pairing is better: all are matched, in order, as early as can be; provided that no
    matched call failed, and no unmatched one has to be matched.
    """
    taken: list[int] = []
    at, count = 0, len(calls)
    ready = None if asked.plain else asked.ready
    optional = asked.optional
    both = mode not in ("superset", "in_order")
    for index, wanted in enumerate(asked.expected):
        name = wanted.name
        while at < count:
            call = calls[at]
            if call.name == name and (
                accepts_plainly(wanted, call) if ready is None else ready[index].accepts(call)
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
    if both and at < count and any(call.name not in optional for call in calls[at:]):
        return None
    return tuple(map(Pair, taken, range(len(taken))))


def _due(calls: tuple[ToolCall, ...], optional: frozenset[str], fold: bool) -> set[int]:
    """The actual calls that a mode which insists on all of them has to match.

    Not those of optional tools, nor failed attempts that a later call of the same tool in the same
    turn follows up: if that one is matched they are retries, and if it is not, it fails the mode.
    """
    due = set()
    later: set[tuple[int, str]] = set()
    for index in range(len(calls) - 1, -1, -1):
        call = calls[index]
        if call.name in optional:
            continue
        if not (fold and call.failed and (call.turn, call.name) in later):
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


def _longest_in_order(points: list[tuple[int, int]]) -> list[int]:
    """The indexes of a longest run of (group, slot) pairs in which no two cross, in O(n²)."""
    order = sorted(range(len(points)), key=lambda at: points[at])
    length: list[int] = []
    before: list[int] = []
    for at, index in enumerate(order):
        best, link = 1, -1
        for earlier in range(at):
            if points[order[earlier]][1] <= points[index][1] and length[earlier] + 1 > best:
                best, link = length[earlier] + 1, earlier
        length.append(best)
        before.append(link)
    if not order:
        return []
    at = max(range(len(order)), key=lambda place: (length[place], -place))
    kept = []
    while at >= 0:
        kept.append(order[at])
        at = before[at]
    return kept


def _near(item: Expectation, call: ToolCall, actual: int, expected: int) -> Near:
    differences = item.differences(call) if call.args_error is None else ()
    of = item.constraints
    if call.args_error is not None:
        return Near(actual, expected, 0, of, ())
    wrong = sum(
        1 for difference in differences if item.allowed is None or difference.arg in item.allowed
    )
    return Near(actual, expected, of - wrong, of, differences)

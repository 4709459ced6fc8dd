"""Matching a trajectory: the calls an attempt made against the calls it was expected to make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from passhat.case import Case, ExpectedCall, Mode, expected_calls
from passhat.errors import UsageError
from passhat.match.asked import Asked
from passhat.match.calls import as_calls
from passhat.match.found import Match
from passhat.match.witness import witnessed
from passhat.trace import ToolCall, Trace
from passhat.trace.derived import kept
from passhat.values import NotEvaluated


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
    asked = None
    if not (match or tools or optional) and (counts, retries, parallel) == (True, "fold", "free"):
        asked = _asked_before(expected)
    if asked is None:
        asked = Asked(
            expected_calls(expected),
            match,
            tools,
            frozenset(optional or ()),
            counts,
            _folding(retries),
            ordered=_ordering(parallel),
        )
    return witnessed(as_calls(actual), asked, mode)


def _asked_before(expected: Iterable[Any]) -> Asked | None:
    """What expected calls ask for by themselves; remembered with the first of them.

    So that what many runs are matched against is made ready once. None where they are not yet
    typed, and so are others each time.
    """
    if type(expected) is not tuple or not expected or type(expected[0]) is not ExpectedCall:
        return None
    held = kept(expected[0])
    known: Asked | None = held.get("_asked_alone")
    if known is None or known.entries is not expected:
        if expected_calls(expected) is not expected:
            return None
        known = held["_asked_alone"] = Asked(expected)
    return known


def calls_with_inside(trace: Trace) -> tuple[ToolCall, ...]:
    """All calls, those that were made inside others too.

    Raises:
        NotEvaluated: The trace says in its `gaps` that it does not know what was called there.
    """
    unseen = next((gap for gap in trace.gaps if gap.startswith("calls inside:")), None)
    if unseen is not None:
        raise NotEvaluated(unseen)
    return trace.all_calls


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
        NotEvaluated: A matcher needs a judge that was not given, or what was called inside calls is
            not recorded.
    """
    if case.expected_calls is None:
        raise UsageError(f"case {case.id!r} states no expected_calls")
    mode = mode or case.effective_mode
    nested = nested or case.nested or "exclude"
    counting = (
        case.counts is not False if counts is None else counts,
        retries or case.retries or "fold",
        parallel or case.parallel or "free",
    )
    key = (id(case), mode, nested, counting)
    held: dict[Any, tuple[Case, Match]] = kept(trace).setdefault("_matches", {})
    known = held.get(key)
    if known is not None:
        return known[1]
    calls = calls_with_inside(trace) if nested == "include" else trace.calls
    found = witnessed(calls, _asked(trace, case, *counting), mode)
    held[key] = (case, found)
    return found


def _asked(trace: Trace, case: Case, counts: bool, retries: str, parallel: str) -> Asked:
    """What a case asks for, remembered with it unless the trace has the say on the tools."""
    offered = trace.tools if case.tools is None else None
    held: dict[Any, Asked] = {} if offered else kept(case).setdefault("_asked", {})
    known = held.get((counts, retries, parallel))
    if known is None:
        known = held[counts, retries, parallel] = Asked(
            case.expected_calls or (),
            case.match,
            offered or case.tools,
            frozenset(case.optional_calls or ()),
            counts,
            _folding(retries),
            case.forbidden_calls or (),
            _ordering(parallel),
        )
    return known


def _folding(retries: str) -> bool:
    if retries not in ("fold", "count"):
        raise UsageError(f"retries is fold or count, not {retries!r}")
    return retries == "fold"


def _ordering(parallel: str) -> bool:
    if parallel not in ("free", "ordered"):
        raise UsageError(f"parallel is free or ordered, not {parallel!r}")
    return parallel == "ordered"

"""What a check needs, and why it is not at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeAlias

from msgspec import UNSET

from passhat.case import Case
from passhat.errors import UsageError
from passhat.trace import Trace

Look: TypeAlias = Callable[[Trace, Case], str | None]
"""Tells why a part of a trace is not at hand; None if it is."""


def _calls(trace: Trace, case: Case) -> str | None:
    return None if trace.steps else "the trace has no steps: nothing was observed"


def _results(trace: Trace, case: Case) -> str | None:
    return None  # Only a gap tells that they are missing.


def _response(trace: Trace, case: Case) -> str | None:
    return None if trace.messages else "the trace has no messages"


def _nodes(trace: Trace, case: Case) -> str | None:
    return None if trace.nodes else "the trace has no node visits"


def _usage(trace: Trace, case: Case) -> str | None:
    return "the trace has no usage" if trace.total_usage is None else None


def _initial_state(trace: Trace, case: Case) -> str | None:
    return "the trace has no initial state" if trace.initial_state is UNSET else None


def _final_state(trace: Trace, case: Case) -> str | None:
    return "the trace has no final state" if trace.final_state is UNSET else None


def _tools(trace: Trace, case: Case) -> str | None:
    if case.tools is None and trace.tools is None:
        return "no tool catalogue: neither the suite nor the trace says which tools there are"
    return None


_PARTS: dict[str, Look] = {
    "calls": _calls,
    "results": _results,
    "response": _response,
    "nodes": _nodes,
    "usage": _usage,
    "initial_state": _initial_state,
    "final_state": _final_state,
    "tools": _tools,
}
"""The parts of a trace that may be missing, with the reason where they are."""

NEEDS = frozenset({*_PARTS, *Case.__struct_fields__})
"""The words that a check's `needs` may use: parts of a trace, or keys of a case."""


def checked_needs(key: str, needs: Iterable[str]) -> None:
    """Makes sure that the needs of a check are words that are known.

    Raises:
        UsageError: One is not; the nearest one is named.
    """
    for need in needs:
        if need not in NEEDS:
            near = get_close_matches(str(need), sorted(NEEDS), 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(_PARTS))}"
            raise UsageError(f"check {key!r} cannot need {need!r}, {hint}")


def lacking(needs: Iterable[str], trace: Trace, case: Case) -> str | None:
    """Why something of what is needed is not at hand; None if all is.

    A part of the trace is missing, the trace itself says in its `gaps` that it could not be
    recovered (a sentence that begins with the need's word and a colon), or the case states no
    such key.

    >>> lacking(("calls",), Trace("t", gaps=("calls: one checkpoint was kept",)), Case("c"))
    'calls: one checkpoint was kept'
    >>> lacking(("expected_calls",), Trace("t"), Case("c"))
    'the case states no expected_calls'
    """
    for need in needs:
        if trace.gaps and (gap := gap_in(trace, need)):
            return gap
        part = _PARTS.get(need)
        if part is not None:
            if why := part(trace, case):
                return why
        elif getattr(case, need) is None:
            return f"the case states no {need}"
    return None


def looked_at(needs: Iterable[str], case: Case) -> tuple[Look, ...] | None:
    """What `lacking` looks at in a trace without gaps; None where the case itself lacks something."""
    looks = []
    for need in needs:
        if need in _PARTS:
            looks.append(_PARTS[need])
        elif getattr(case, need) is None:
            return None
    return tuple(look for look in looks if look is not _results)


def gap_in(trace: Trace, need: str) -> str | None:
    """The sentence in which the trace says that this could not be recovered, if it does."""
    if not trace.gaps:
        return None
    return next((gap for gap in trace.gaps if gap.startswith(f"{need}:")), None)

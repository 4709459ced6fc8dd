"""What callers pass as calls, brought into one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from passhat.errors import UsageError
from passhat.match.dialects.dialect import ABSENT, Calls, PlainCall, Trajectory


def plain_call(call: Any) -> PlainCall:
    """The call that a name, a mapping with `name` and `args`, or an object with these stands for.

    Arguments that did not parse (`args_error`) stay the text that the model wrote.

    Raises:
        UsageError: It is none of these.

    >>> plain_call("lookup")
    PlainCall(name='lookup', args=ABSENT, error=None)
    >>> plain_call({"name": "lookup", "args": {"id": 7}})
    PlainCall(name='lookup', args={'id': 7}, error=None)
    """
    if isinstance(call, PlainCall):
        return call
    if isinstance(call, str):
        return PlainCall(call)
    if isinstance(call, Mapping):
        name, args = call.get("name"), call.get("args", ABSENT)
        error = call.get("error")
    else:
        name, args = getattr(call, "name", None), getattr(call, "args", None)
        text = getattr(call, "args_error", None)
        args = text if text is not None else ABSENT if args is None else args
        error = getattr(call, "error", None)
    if not isinstance(name, str):
        raise UsageError(f"a call is a name or has a name and arguments, not {call!r}")
    return PlainCall(name, args, error)


def trajectories(actual: Any, expected: Any) -> tuple[Trajectory, Trajectory]:
    """Both sides in one form.

    Args:
        actual: Calls, or a list of calls for each message or turn (None for one without calls), or
            a `Trajectory`.
        expected: Likewise. An empty list is read as the other side is: no groups where that has
            groups, else one group without calls.

    Raises:
        UsageError: Calls and lists of calls are mixed, or something is no call.

    >>> trajectories(["a", "b"], [])[1]
    Trajectory(groups=((),), grouped=False)
    >>> trajectories([["a"], ["b"]], [])[1]
    Trajectory(groups=(), grouped=True)
    """
    sides = (_side(actual, "actual"), _side(expected, "expected"))
    grouped = any(side.grouped for side in sides if side is not None)
    empty = Trajectory((), grouped=True) if grouped else Trajectory(((),), grouped=False)
    return sides[0] or empty, sides[1] or empty


def _side(calls: Any, side: str) -> Trajectory | None:
    """One side as its caller wrote it; None where it is empty, and so says nothing of groups."""
    if isinstance(calls, Trajectory):
        return calls
    if isinstance(calls, str | Mapping) or not isinstance(calls, Sequence):
        raise UsageError(f"{side} must be a list of calls, not {calls!r}")
    if not calls:
        return None
    groups = [item for item in calls if item is None or _is_list(item)]
    if not groups:
        return Trajectory((_calls(calls),), grouped=False)
    if len(groups) < len(calls):
        raise UsageError(f"{side} mixes calls and lists of calls: group all of them, or none")
    return Trajectory(tuple(_calls(group or ()) for group in groups), grouped=True)


def _is_list(item: Any) -> bool:
    return isinstance(item, Sequence) and not isinstance(item, str)


def _calls(items: Sequence[Any]) -> Calls:
    return tuple(map(plain_call, items))

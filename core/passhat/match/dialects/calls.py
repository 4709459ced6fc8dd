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
    PlainCall(name='lookup', args=ABSENT)
    >>> plain_call({"name": "lookup", "args": {"id": 7}})
    PlainCall(name='lookup', args={'id': 7})
    """
    if isinstance(call, PlainCall):
        return call
    if isinstance(call, str):
        return PlainCall(call)
    if isinstance(call, Mapping):
        name, args = call.get("name"), call.get("args", ABSENT)
    else:
        name, args = getattr(call, "name", None), getattr(call, "args", None)
        text = getattr(call, "args_error", None)
        args = text if text is not None else ABSENT if args is None else args
    if not isinstance(name, str):
        raise UsageError(f"a call is a name or has a name and arguments, not {call!r}")
    return PlainCall(name, args)


def trajectories(
    actual: Sequence[Any], expected: Sequence[Any], grouped: bool | None
) -> tuple[Trajectory, Trajectory]:
    """Both sides in one form.

    Args:
        actual: Calls, or lists of calls; None as a list is one without calls.
        expected: Likewise.
        grouped: Whether they are lists of lists; None goes by what is in them, where an empty list
            on one side is read as the other side is.

    Raises:
        UsageError: Calls and lists of calls are mixed, or something is no call.
    """
    sides = (_items(actual, "actual"), _items(expected, "expected"))
    seen = [_is_grouped(items) for items in sides]
    if grouped is None:
        grouped = any(seen)
    first, second = (_trajectory(items, grouped) for items in sides)
    return first, second


def _items(calls: Sequence[Any], side: str) -> list[Any]:
    if isinstance(calls, str | Mapping) or not isinstance(calls, Sequence):
        raise UsageError(f"{side} must be a list of calls, not {calls!r}")
    return list(calls)


def _is_group(item: Any) -> bool:
    return item is None or (isinstance(item, Sequence) and not isinstance(item, str))


def _is_grouped(items: list[Any]) -> bool:
    groups = sum(map(_is_group, items))
    if groups not in (0, len(items)):
        raise UsageError("calls and lists of calls are mixed: group all of them, or none")
    return groups > 0


def _trajectory(items: list[Any], grouped: bool) -> Trajectory:
    if not grouped:
        return Trajectory((_calls(items),), grouped=False)
    if items and not _is_grouped(items):
        return Trajectory((_calls(items),), grouped=True)
    return Trajectory(tuple(_calls(item or ()) for item in items), grouped=True)


def _calls(items: Sequence[Any]) -> Calls:
    return tuple(map(plain_call, items))

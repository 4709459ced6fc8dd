"""The actual calls of a match: what people write made into ToolCalls, and their slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from passhat.errors import UsageError
from passhat.trace import ToolCall

_CALL_KEYS = frozenset(ToolCall.__struct_fields__)
_TYPED = {ToolCall}


def as_calls(calls: Iterable[Any]) -> tuple[ToolCall, ...]:
    """ToolCalls from ToolCalls, names, expected calls, or mappings with `name` and `args`.

    A lone name or mapping is one call.

    Raises:
        UsageError: An entry is none of these.

    >>> as_calls(["a", {"name": "b", "args": {"x": 1}}])
    (ToolCall(name='a'), ToolCall(name='b', args={'x': 1}))
    """
    if type(calls) is tuple and _TYPED.issuperset(map(type, calls)):
        return calls
    if isinstance(calls, str | Mapping):
        return (_as_call(calls),)
    if not isinstance(calls, Iterable):
        raise UsageError(f"calls are a list of names, mappings or ToolCalls, not {calls!r}")
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

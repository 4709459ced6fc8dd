"""Live values as JSON has them: in a process, runs hold messages, commands, UUIDs and dates."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, TypeGuard
from uuid import UUID

from passhat.errors import TraceError
from passhat.jsontext import MAX_DEPTH

_ROWS = (list, tuple, set, frozenset)
_SHALLOW = 32
_LEAVES = frozenset({str, bool, int, type(None)})
_TEXT = frozenset({str})
_NO_MAPPINGS = _LEAVES | {list}


def is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a value is a mapping; of JSON, without the slow question to an abstract class."""
    kind = type(value)
    return kind is dict or (kind not in _NO_MAPPINGS and isinstance(value, Mapping))


def plain(value: Any) -> Any:
    """A copy of a value as JSON has it, sharing nothing mutable with it.

    Models (whatever has `model_dump`) and dataclasses become their fields; what JSON has no form
    for becomes its `repr`, or the name of its class where it has none, since a run must be told even
    where it holds a lock or a socket.

    Raises:
        TraceError: It is nested too deep, or within itself.

    >>> plain({"at": UUID(int=1), "cost": Decimal("0.5"), "more": (1, {2})})
    {'at': '00000000-0000-0000-0000-000000000001', 'cost': 0.5, 'more': [1, [2]]}
    """
    if type(value) in _LEAVES:
        return value
    if type(value) is dict or type(value) is list:
        try:
            return _copied(value, 0)
        except _OddError:
            pass  # Not JSON all through, or deep: the way that takes everything.
    root: list[Any] = [None]
    todo: list[tuple[Any, Any, Any, int]] = [(root, 0, value, 0)]
    while todo:
        owner, key, item, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise TraceError(f"a value nested deeper than {MAX_DEPTH} levels")
        if type(item) in _LEAVES:
            owner[key] = item
        elif type(item) is dict or isinstance(item, Mapping):
            made: dict[str, Any] = {}
            owner[key] = made
            for name, inner in item.items():
                if type(inner) in _LEAVES:
                    made[str(name)] = inner
                else:
                    made[str(name)] = None  # Keeps its place.
                    todo.append((made, str(name), inner, depth + 1))
        elif isinstance(item, _ROWS):
            row = owner[key] = [None] * len(item)
            todo += [(row, at, inner, depth + 1) for at, inner in enumerate(item)]
        elif isinstance(item, float | Decimal):
            owner[key] = float(item) if isfinite(item) else repr(float(item))
        elif (fields := _fields(item)) is not None:
            todo.append((owner, key, fields, depth + 1))
        else:
            owner[key] = _text(item)
    return root[0]


class _OddError(Exception):
    """A value that is no shallow JSON."""


def _copied(value: Any, depth: int) -> Any:
    """A copy of JSON that is nested a few levels, which is what most of a run is."""
    if depth > _SHALLOW:
        raise _OddError
    if type(value) is dict:
        if not _TEXT.issuperset(map(type, value)):
            raise _OddError
        made = value.copy()
        if not _LEAVES.issuperset(map(type, value.values())):
            for name, inner in value.items():
                if type(inner) not in _LEAVES:
                    made[name] = _copied(inner, depth + 1)
        return made
    if type(value) is list:
        return [one if type(one) in _LEAVES else _copied(one, depth + 1) for one in value]
    if type(value) is float and isfinite(value):
        return value
    raise _OddError


def _fields(item: Any) -> Any:
    """The fields of a model or a dataclass, or the value of an enum; None for anything else."""
    if isinstance(item, type):
        return None
    if callable(getattr(type(item), "model_dump", None)):  # Of a mock, everything can be called.
        return item.model_dump()
    if dataclasses.is_dataclass(item):
        return {one.name: getattr(item, one.name) for one in dataclasses.fields(item)}
    return item.value if isinstance(item, Enum) else None


def _text(item: Any) -> str:
    if isinstance(item, str | UUID):
        return str(item)
    if isinstance(item, date):
        return item.isoformat()
    try:
        return repr(item)
    except Exception:  # What cannot be shown is named.
        return f"<{type(item).__name__}>"

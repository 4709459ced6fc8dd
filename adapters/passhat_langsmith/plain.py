"""Live values as JSON has them: in a process, runs hold messages, commands, UUIDs and dates."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any
from uuid import UUID

from passhat.errors import TraceError
from passhat.jsontext import MAX_DEPTH

_ROWS = (list, tuple, set, frozenset)
_LEAVES = frozenset({str, bool, int, type(None)})


def plain(value: Any) -> Any:
    """A copy of a value as JSON has it, sharing nothing mutable with it.

    Models (whatever has `model_dump`) and dataclasses become their fields; what JSON has no form
    for becomes its `repr`, since a run must be told even where it holds a lock or a socket.

    Raises:
        TraceError: It is nested too deep, or within itself.

    >>> plain({"at": UUID(int=1), "cost": Decimal("0.5"), "more": (1, {2})})
    {'at': '00000000-0000-0000-0000-000000000001', 'cost': 0.5, 'more': [1, [2]]}
    """
    if type(value) in _LEAVES:
        return value
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


def _fields(item: Any) -> Any:
    """The fields of a model or a dataclass, or the value of an enum; None for anything else."""
    if isinstance(item, type):
        return None
    if callable(dump := getattr(item, "model_dump", None)):
        return dump()
    if dataclasses.is_dataclass(item):
        return {one.name: getattr(item, one.name) for one in dataclasses.fields(item)}
    return item.value if isinstance(item, Enum) else None


def _text(item: Any) -> str:
    if isinstance(item, str | UUID):
        return str(item)
    return item.isoformat() if isinstance(item, date) else repr(item)

"""What a database or a live state holds, as JSON."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any
from uuid import UUID

from passhat.errors import InputError, Place
from passhat.state.rowkeys import Row

MOST_BYTES = 64 * 1024
"""How many bytes a blob may have to be held as a whole; of a longer one its digest is held."""
_MOST_DIGITS = 4_300
"""Of a whole number; a larger one (1E+1000000) stays the text that wrote it."""

_PLAIN = frozenset({str, int, bool, type(None)})
_PLAIN_OR_FLOAT = _PLAIN | {float}


@dataclass
class Cells:
    """Turns values into JSON, and counts what it could not hold as a whole.

    Args:
        other: What is made of a value of a kind unknown here; `str` for what drivers give.
    """

    other: Callable[[Any], Any] = str
    _digested: Counter[str] = field(default_factory=Counter)

    def rows(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Row]:
        """The rows of a table as mappings of JSON values."""
        made: list[Row] = []
        for row in rows:
            kinds = set(map(type, row))
            if kinds <= _PLAIN or (
                kinds <= _PLAIN_OR_FLOAT and isfinite(sum(c for c in row if type(c) is float))
            ):
                made.append(dict(zip(columns, row, strict=True)))
            else:
                cells = zip(columns, row, strict=True)
                made.append({name: self.value(cell, f"{table}.{name}") for name, cell in cells})
        return made

    def value(self, value: Any, place: str) -> Any:
        """A value as JSON, sharing nothing with it: numbers as numbers, dates as ISO text, bytes tagged.

        Args:
            value: The value; what lies in it is turned too, however deep. It has no cycle.
            place: Where it stands, for errors and gaps.

        Raises:
            InputError: A mapping has two keys that are one as text.
        """
        root: list[Any] = [None]
        todo: list[tuple[Any, Any, Any, str]] = [(root, 0, value, place)]
        while todo:
            owner, key, item, where = todo.pop()
            inner = _opened(item)
            if isinstance(inner, Mapping):
                made = owner[key] = {str(name): None for name in inner}
                if len(made) < len(inner):
                    raise InputError("two keys are the same as text", Place(path=where))
                todo += [(made, str(name), part, where) for name, part in inner.items()]
            elif isinstance(inner, list):
                owner[key] = [None] * len(inner)
                todo += [(owner[key], at, part, where) for at, part in enumerate(inner)]
            else:
                owner[key] = self._leaf(inner, where)
        return root[0]

    def gaps(self) -> list[str]:
        """What was not held as a whole, a sentence for each place."""
        return [
            f"{place}: {count} blob{'' if count == 1 else 's'} over {MOST_BYTES >> 10} KiB "
            "held as SHA-256 and size"
            for place, count in self._digested.items()
        ]

    def _leaf(self, value: Any, place: str) -> Any:
        if type(value) in _PLAIN:
            return value
        if isinstance(value, float):
            return value if isfinite(value) else {"$float": _name_of(value)}
        if isinstance(value, bytes | bytearray | memoryview):
            return self._bytes(bytes(value), place)
        if isinstance(value, Decimal):
            return _decimal(value)
        if isinstance(value, datetime | date | time):
            return value.isoformat()
        if isinstance(value, timedelta):
            return {"$seconds": value.total_seconds()}
        if isinstance(value, str | int):
            return str(value) if isinstance(value, str) else int(value)
        if isinstance(value, UUID):
            return str(value)
        return self.other(value)

    def _bytes(self, data: bytes, place: str) -> dict[str, Any]:
        if len(data) <= MOST_BYTES:
            return {"$bytes": base64.b64encode(data).decode()}
        self._digested[place] += 1
        return {"$bytes": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}}


def _opened(value: Any) -> Any:
    """What a value holds, as a mapping or a list; itself if it holds nothing."""
    if type(value) in _PLAIN_OR_FLOAT:
        return value
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, type):
        return value
    if callable(getattr(value, "model_dump", None)):
        return dumped(value)
    if is_dataclass(value):
        return {item.name: getattr(value, item.name) for item in fields(value)}
    return value


def dumped(model: Any) -> Any:
    """What a model says it holds, as JSON.

    Raises:
        InputError: It cannot say: a part of it is no JSON, or lies in itself.
    """
    try:
        return model.model_dump(mode="json")
    except Exception as error:  # Its fields and serializers are anybody's.
        said = f"a {type(model).__name__} is not to be had as JSON: {type(error).__name__}: {error}"
        raise InputError(said, Place()) from error


def _decimal(value: Decimal) -> Any:
    """The number, if it is a whole one or a float holds it to the last digit; else its text."""
    if not value.is_finite():
        return {"$float": _name_of(float(value)) if not value.is_snan() else "NaN"}
    if value.adjusted() < _MOST_DIGITS and value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else str(value)


def _name_of(number: float) -> str:
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"

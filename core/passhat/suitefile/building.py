"""Building a document's value, part by part, as a reader or a walk over a value in memory meets them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import UNSET

from passhat.errors import Place
from passhat.jsontext import exact_copy
from passhat.suitefile.document import Document, Steps

MAX_DEPTH = 100
MAX_DIGITS = 4_000

_SURROGATE = re.compile("[\ud800-\udfff]")
_HALF = "half a surrogate pair is no text"
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"

_Way: TypeAlias = "tuple[_Way, str | int] | None"
"""The way to a part, the last step first: no more than a look back at what it stands in."""


class Builder:
    """Puts a document's value together from its parts in the order they are written.

    Args:
        document: The document to fill; its lines and faults are noted in it.
        root: The way to the value being built, where it is a part of a larger one.
    """

    def __init__(self, document: Document, root: Steps = ()) -> None:
        self.document = document
        self.value: Any = None
        self.way: list[str | int] = list(root)
        self._lines = document.lines
        self._open: list[dict[str, Any] | list[Any]] = []
        self._key: str | None = None
        self._dropped = False

    @property
    def depth(self) -> int:
        """How many mappings and lists are open."""
        return len(self._open)

    @property
    def in_mapping(self) -> bool:
        """Whether what is open is a mapping."""
        return bool(self._open) and isinstance(self._open[-1], dict)

    @property
    def wants_key(self) -> bool:
        """Whether the next part is a key."""
        return self.in_mapping and self._key is None

    def begin(self, container: dict[str, Any] | list[Any], line: int | None) -> Steps:
        """Opens a mapping or a list, and gives the way to it.

        Raises:
            SuiteError: It is nested too deep.
        """
        if len(self._open) >= MAX_DEPTH:
            raise self.document.stop(_TOO_DEEP, line)
        steps = self._put(container, line)
        self._open.append(container)
        self.way.append("" if isinstance(container, dict) else -1)
        return steps

    def end(self) -> None:
        """Closes what was opened last."""
        self._open.pop()
        self.way.pop()
        self._key = None

    def key(self, name: str, line: int | None) -> None:
        """Names the next part of the open mapping."""
        here = self._open[-1]
        steps = (*self.way[:-1], name)
        self._key, self._dropped = name, name in here
        if self._dropped:
            first = self._lines.get(steps)
            where = f" (first on line {first})" if first is not None else ""
            self.document.fault(steps, f"the key stands twice{where}; keep one", line)
        elif line is not None:
            self._lines[steps] = line
        if _SURROGATE.search(name):
            self.document.spoil(steps, _HALF)

    def scalar(self, value: Any, line: int | None) -> Steps:
        """Adds text, a number, a boolean or null, and gives the way to it."""
        steps = self._put(value, line)
        if isinstance(value, str) and _SURROGATE.search(value):
            self.document.spoil(steps, _HALF, line)
        return steps

    def _put(self, value: Any, line: int | None) -> Steps:
        here = self._open[-1] if self._open else None
        if isinstance(here, dict):
            assert self._key is not None
            if not self._dropped:
                here[self._key] = value
            self.way[-1] = self._key
            self._key = None
            return tuple(self.way)
        if here is None:
            self.value = value
        else:
            here.append(value)
            self.way[-1] = len(here) - 1
        steps = tuple(self.way)
        if line is not None:
            self._lines.setdefault(steps, line)
        return steps


def in_memory(value: Any, place: Place | None = None) -> Document:
    """A document of a Python value, all of it copied.

    What is no JSON value is noted as a fault.

    Raises:
        SuiteError: It is nested too deep.
    """
    place = place or Place()
    folder = Path(place.file).parent if place.file is not None else None
    document = Document(place.file, folder)
    if place.line is not None:
        document.lines[()] = place.line
    document.value = exact_copy(value, depth=MAX_DEPTH)
    if document.value is UNSET:
        _copy(value, document)
    return document


def _copy(value: Any, document: Document) -> None:
    """Copies a value that need be no JSON into a document, part by part."""
    root: list[Any] = [None]
    todo: list[tuple[Any, Any, Any, _Way, int]] = [(root, 0, value, None, 0)]
    while todo:
        owner, at, item, way, depth = todo.pop()
        owner[at] = item
        if isinstance(at, str) and not at.isascii() and _SURROGATE.search(at):
            document.spoil(_steps(way), _HALF)
        if isinstance(item, str):
            if not item.isascii() and _SURROGATE.search(item):
                document.spoil(_steps(way), _HALF)
        elif isinstance(item, dict | list | tuple | Mapping):
            if depth >= MAX_DEPTH:
                raise document.stop(_TOO_DEEP)
            inner: Any = [None] * len(item) if isinstance(item, list | tuple) else {}
            owner[at] = inner
            for key, part in _parts(document, way, item):
                todo.append((inner, key, part, (way, key), depth + 1))
        else:
            why = not_json(item)
            if why:
                owner[at] = None
                document.spoil(_steps(way), why)
    document.value = root[0]


def _parts(document: Document, way: _Way, item: Any) -> Iterator[tuple[str | int, Any]]:
    """The parts of a mapping or a list, the last first."""
    if isinstance(item, list | tuple):
        yield from reversed([*enumerate(item)])
        return
    for key in reversed(list(item)):
        if isinstance(key, str):
            yield key, item[key]
        else:
            document.fault(_steps(way), f"a key is text, not {key!r}")


def _steps(way: _Way) -> Steps:
    steps: list[str | int] = []
    while way is not None:
        way, step = way
        steps.append(step)
    return tuple(reversed(steps))


def not_json(item: Any) -> str | None:
    """Why a value that is no mapping and no list has no place in JSON, or None."""
    if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
        return f"JSON has no {item}"
    if isinstance(item, int) and item.bit_length() > MAX_DIGITS * 3:
        return "an integer of thousands of digits"
    if item is None or isinstance(item, str | int | float):
        return None
    return f"{type(item).__name__} {item!r} is no JSON value"

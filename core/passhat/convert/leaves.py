"""The leaves of a recorded value: where each stands, and numbers by which it is known elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from passhat.convert.unread import spelt
from passhat.errors import InputError
from passhat.jsontext import decode
from passhat.values import canonical

_DEEPEST = 12
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_EPOCH = 100_000_000
_JOINT = "\x1f"


@dataclass
class Paths:
    """How often a leaf stands at each path, whatever its place in a list and however keys are spelt.

    Attributes:
        found: For each path the number of its leaves.
        telling: The same of those that are not null and not empty.
    """

    found: Counter[str] = field(default_factory=Counter)
    telling: Counter[str] = field(default_factory=Counter)

    def take(self, value: Any) -> None:
        """Adds the leaves of a value."""
        for path, item in leaves(value):
            self.found[path] += 1
            if not is_empty(item):
                self.telling[path] += 1


def leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """The leaves of a value with their paths, without their places in lists."""
    todo: list[tuple[str, int, Any]] = [("$", 0, value)]
    while todo:
        path, deep, item = todo.pop()
        if isinstance(item, Mapping) and item:
            if deep < _DEEPEST:
                todo += [
                    (f"{path}{_JOINT}{_key(str(k))}", deep + 1, held) for k, held in item.items()
                ]
            else:
                todo += [(path, deep, held) for held in item.values()]
        elif isinstance(item, list | tuple) and item:
            todo += [(path, deep, held) for held in item]
        else:
            yield path, item


def placed(value: Any, at: str) -> Iterator[tuple[str, str, str, Any]]:
    """The leaves of a value: the last key, the place, the path and what stands there."""
    todo: list[tuple[str, str, str, int, Any]] = [("", at, "$", 0, value)]
    while todo:
        key, place, path, deep, item = todo.pop()
        if isinstance(item, Mapping) and item:
            inner: list[tuple[str, str, str, int, Any]] = []
            for name, held in item.items():
                under = f"{path}{_JOINT}{_key(str(name))}" if deep < _DEEPEST else path
                inner.append((str(name), f"{place}.{name}", under, deep + 1, held))
            todo += reversed(inner)
        elif isinstance(item, list | tuple) and item:
            inner = [(key, f"{place}[{n}]", path, deep, held) for n, held in enumerate(item)]
            todo += reversed(inner)
        else:
            yield key, place, path, item


@lru_cache(maxsize=4096)
def _key(key: str) -> str:
    return spelt(key)


def last_key(path: str) -> str:
    """The key at the end of a path, as all keys in paths are spelt."""
    return path.rpartition(_JOINT)[2]


def is_empty(value: Any) -> bool:
    """Whether a leaf says nothing."""
    return value is None or value == "" or (isinstance(value, list | dict) and not value)


def keyed_numbers(path: str, held: Any) -> tuple[int, ...]:
    """Numbers for a value under its last key, its last two and its last three."""
    if isinstance(held, str) and held[:1] in ("{", "["):
        with suppress(InputError):
            held = decode(held.encode("utf-8", "surrogatepass"))  # JSON as text, however it is set.
    value = str(canonical(held))
    keys = path.split(_JOINT)[1:][-3:] or [""]
    return tuple(hash((*keys[at:], value)) for at in reversed(range(len(keys))))


def text_number(text: str) -> int:
    """A number for a text, whatever its key."""
    return hash(("", text))


def is_time(held: Any) -> bool:
    """Whether a value may be a time, which can be spelt in many ways."""
    if isinstance(held, str):
        return _DATE.match(held) is not None
    return isinstance(held, int | float) and held > _EPOCH

"""The parts of JSON values by their paths, and which of them are not the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from passhat.values.equality import json_equal


def parts_of(value: Any, depth: int | None = None) -> tuple[str, ...]:
    """The paths of what a mapping or a list holds: of its leaves, or down to a depth.

    >>> parts_of({"a": {"b": 1, "c": [2]}})
    ('a.b', 'a.c[0]')
    >>> parts_of({"a": {"b": 1}}, depth=1), parts_of(5)
    (('a',), ())
    """
    return tuple(path for path, _ in leaves(value, depth) if path)


def leaves(value: Any, depth: int | None = None) -> Iterator[tuple[str, Any]]:
    """The leaves of a value with their paths, in order; an empty mapping or list is a leaf."""
    todo: list[tuple[str, Any, int]] = [("", value, 0)]
    while todo:
        path, item, level = todo.pop()
        if isinstance(item, Struct):
            item = {
                name: held
                for name in item.__struct_fields__
                if (held := getattr(item, name)) not in (None, (), {})
            }
        inner: list[tuple[str, Any, int]] = []
        if depth is None or level < depth:
            if isinstance(item, Mapping):
                joint = "." if path else ""
                inner = [(f"{path}{joint}{key}", held, level + 1) for key, held in item.items()]
            elif isinstance(item, list | tuple):
                inner = [(f"{path}[{at}]", held, level + 1) for at, held in enumerate(item)]
        if inner:
            todo += reversed(inner)
        else:
            yield path, item


def changed_parts(old: Any, new: Any) -> tuple[str, ...]:
    """The paths at which two values are not the same; nothing where they differ as a whole.

    >>> changed_parts({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 1, "b": {"c": 2}})
    ('b.d',)
    """
    found: list[str] = []
    todo: list[tuple[str, Any, Any]] = [("", plain(old), plain(new))]
    while todo:
        path, one, other = todo.pop()
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            joint = "." if path else ""
            for key in one.keys() | other.keys():
                at = f"{path}{joint}{key}"
                if key not in one or key not in other:
                    gone = one.get(key, other.get(key))
                    found += [_under(at, part) for part in parts_of(gone)] or [at]
                else:
                    todo.append((at, one[key], other[key]))
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            todo += [
                (f"{path}[{at}]", a, b) for at, (a, b) in enumerate(zip(one, other, strict=True))
            ]
        elif path and not json_equal(one, other):
            found.append(path)
    return tuple(sorted(found))


def _under(path: str, part: str) -> str:
    return path + part if part.startswith("[") else f"{path}.{part}"


def plain(value: Any) -> Any:
    """A value with its structs and tuples as JSON has them."""
    return msgspec.to_builtins(value, str_keys=True)


def with_texts(value: Any, change: Callable[[str], Any]) -> Any:
    """A copy of a JSON value, however deep, with what a function makes of each of its texts.

    >>> with_texts({"a": ["x", 1]}, str.upper)
    {'a': ['X', 1]}
    """
    root: list[Any] = [value]
    todo: list[tuple[Any, Any]] = [(root, 0)]
    while todo:
        owner, key = todo.pop()
        item = owner[key]
        if isinstance(item, str):
            owner[key] = change(item)
        elif isinstance(item, Mapping):
            owner[key] = twin = dict(item)
            todo += [(twin, name) for name in twin]
        elif isinstance(item, list | tuple):
            owner[key] = twins = list(item)
            todo += [(twins, index) for index in range(len(twins))]
    return root[0]

"""The scalars in a JSON value, with their paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from passhat.provenance.places import Node


def scalars(value: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The scalars in a JSON value with their paths, in order, however deep.

    >>> list(scalars({"a": [1, {"b": 2}]}))
    [(('a', 0), 1), (('a', 1, 'b'), 2)]
    """
    return ((keys_of(node), item) for node, item in leaves(value))


def leaves(value: Any) -> Iterator[tuple[Node, Any]]:
    """The scalars in a JSON value with their places, in order, however deep."""
    todo: list[tuple[Node, Any]] = [(None, value)]
    while todo:
        node, item = todo.pop()
        kind = type(item)
        if kind is str or kind is int or kind is float:
            yield node, item
        elif kind is dict or isinstance(item, Mapping):
            todo += reversed([((node, key), inner) for key, inner in item.items()])
        elif isinstance(item, list | tuple):
            todo += reversed([((node, at), inner) for at, inner in enumerate(item)])
        else:
            yield node, item


def keys_of(node: Node) -> tuple[Any, ...]:
    """The keys and indexes on the way to a place."""
    keys = []
    while node is not None:
        node, key = node
        keys.append(key)
    return tuple(reversed(keys))

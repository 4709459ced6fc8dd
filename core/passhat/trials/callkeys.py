"""What tells one call from another: the tool and its arguments, as JSON has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def call_key(tool: str, args: Mapping[str, Any]) -> bytes:
    """A key that two calls share if they are the same; whatever a model wrote has one.

    >>> call_key("get", {"id": 1}) == call_key("get", {"id": 1.0})
    True
    >>> call_key("get", {"id": True}) == call_key("get", {"id": 1})
    False
    """
    return json.dumps([tool, _whole(args)], sort_keys=True, default=repr).encode()


def _whole(value: Any) -> Any:
    """The value with its whole numbers as such: 1 and 1.0 are one argument."""
    root = [value]
    todo: list[tuple[Any, Any]] = [(root, 0)]
    while todo:
        owner, key = todo.pop()
        item = owner[key]
        if isinstance(item, float) and item.is_integer():
            owner[key] = int(item)
        elif isinstance(item, Mapping):
            owner[key] = made = {str(name): inner for name, inner in item.items()}
            todo += [(made, name) for name in made]
        elif isinstance(item, list | tuple):
            owner[key] = listed = list(item)
            todo += [(listed, at) for at in range(len(listed))]
    return root[0]

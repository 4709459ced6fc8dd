"""Places in a JSON value."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, TypeAlias

Node: TypeAlias = "tuple[Any, Any] | None"
"""A place in a JSON value: the place of what holds it, and the key or index in that; None is `$`."""

_SHORT = 64


def path_of(node: Node) -> str:
    """A place as a JSON path.

    >>> path_of((((None, "flights"), 0), "date"))
    '$.flights[0].date'
    """
    if node is not None and node[0] is None and type(node[1]) is str and len(node[1]) < _SHORT:
        return f"${_short_key(node[1])}"
    parts: list[str] = []
    while node is not None:
        node, key = node
        if isinstance(key, int):
            parts.append(f"[{key}]")
        else:
            name = str(key)
            parts.append(_short_key(name) if len(name) < _SHORT else _key_in_path(name))
    parts.append("$")
    parts.reverse()
    return "".join(parts)


def _key_in_path(key: str) -> str:
    return f".{key}" if key.isidentifier() else f"[{json.dumps(key)}]"


_short_key = lru_cache(maxsize=4096)(_key_in_path)

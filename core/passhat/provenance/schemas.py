"""The part of a tool's JSON Schema that speaks of one value, and the constants it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from passhat.values import json_equal

_MOST_PARTS = 50


def parts_for(schema: Any, path: tuple[Any, ...]) -> list[Mapping[str, Any]]:
    """The parts of a schema that speak of the value at a path: alternatives and references too.

    >>> parts_for({"properties": {"a": {"items": {"enum": ["x"]}}}}, ("a", 0))
    [{'enum': ['x']}]
    """
    here = list(_alternatives(schema, schema))
    for key in path:
        below: list[Mapping[str, Any]] = []
        for part in here:
            for inner in _inner(part, key):
                below += _alternatives(inner, schema)
        here = below[:_MOST_PARTS]
        if not here:
            break
    return here


def _inner(part: Mapping[str, Any], key: Any) -> Iterator[Any]:
    if isinstance(key, int):
        yield part.get("items")
        return
    properties = part.get("properties")
    if isinstance(properties, Mapping) and key in properties:
        yield properties[key]
    else:
        yield part.get("additionalProperties")


def _alternatives(schema: Any, root: Any) -> Iterator[Mapping[str, Any]]:
    """The schema, and those it refers to or is one of; each once."""
    todo, seen = [schema], set[int]()
    while todo and len(seen) < _MOST_PARTS:
        part = todo.pop()
        if not isinstance(part, Mapping) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        for word in ("anyOf", "oneOf", "allOf"):
            inner = part.get(word)
            if isinstance(inner, list | tuple):
                todo += inner
        reference = part.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            todo.append(_referred(root, reference))


def _referred(root: Any, reference: str) -> Any:
    found = root
    for word in reference[2:].split("/"):
        found = found.get(word) if isinstance(found, Mapping) else None
    return found


def is_constant(value: Any, parts: list[Mapping[str, Any]]) -> bool:
    """Whether the schema itself names the value: an enum, a default or a const.

    >>> is_constant("low", [{"enum": ["low", "high"]}]), is_constant(1, [{"default": 1}])
    (True, True)
    """
    for part in parts:
        enum = part.get("enum")
        if isinstance(enum, list | tuple) and any(json_equal(value, one) for one in enum):
            return True
        if any(word in part and json_equal(value, part[word]) for word in ("default", "const")):
            return True
    return False


def merged(parts: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What the parts say together, the first having the say."""
    found: dict[str, Any] = {}
    for part in reversed(parts):
        found.update(part)
    return found

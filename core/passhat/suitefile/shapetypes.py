"""A shape as a type of msgspec's, which tells at once whether a value has it, but not all that is wrong.

What the type accepts has the shape; of what it refuses nothing is known (a `2.0` is a whole number to
JSON Schema, and none here), so that is for `shape_faults` to say, which takes a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta

from passhat.suitefile.shapeparts import Schema

_SAID = frozenset({"$schema", "$defs", "title", "description"})
_KINDS: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
    "array": list,
    "object": dict,
}
_LIMITS: dict[str, dict[str, str]] = {
    "string": {"minLength": "min_length"},
    "integer": {"minimum": "ge", "maximum": "le"},
    "number": {"minimum": "ge", "maximum": "le"},
    "boolean": {},
    "null": {},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
    "object": {"minProperties": "min_length"},
}
_PARTS: dict[str, frozenset[str]] = {
    "array": frozenset({"items", "prefixItems"}),
    "object": frozenset({"properties", "additionalProperties", "required", "anyOf", "oneOf"}),
}
_LITERAL: Any = Literal
_ANNOTATED: Any = Annotated


def type_of_shape(shape: Schema) -> Any:
    """The type of all values that have a shape, or of most of them.

    Args:
        shape: JSON Schema in the few words that our own shapes are written in.

    Raises:
        NotImplementedError: It says something that no type here says.

    >>> counted = type_of_shape({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}})
    >>> has_type({"n": 3, "m": None}, counted), has_type({"n": "3"}, counted)
    (True, False)
    """
    return _Types(shape.get("$defs", {})).of(shape)


def has_type(value: Any, type: Any) -> bool:
    """Whether a JSON value is of a type."""
    try:
        msgspec.convert(value, type)
    except (msgspec.ValidationError, UnicodeError):
        return False
    return True


class _Types:
    def __init__(self, shapes: Mapping[str, Schema]) -> None:
        self.shapes = shapes
        self.named: dict[str, Any] = {}

    def of(self, shape: Schema) -> Any:
        words = shape.keys() - _SAID
        if not words:
            return Any
        if words == {"$ref"}:
            return self._named(shape["$ref"].removeprefix("#/$defs/"))
        if words == {"const"}:
            return _LITERAL[shape["const"]]
        if "enum" in words and words <= {"enum", "type"}:
            return _LITERAL[tuple(shape["enum"])]
        if words == {"anyOf"}:
            return reduce(or_, map(self.of, shape["anyOf"]))
        if "type" not in words:
            raise _unknown(words)
        kinds = [shape["type"]] if isinstance(shape["type"], str) else shape["type"]
        known = {"type"}.union(*((*_LIMITS[kind], *_PARTS.get(kind, ())) for kind in kinds))
        if not words <= known:
            raise _unknown(words - known)
        return reduce(or_, (self._of_kind(kind, shape) for kind in kinds))

    def _named(self, name: str) -> Any:
        if name not in self.named:
            self.named[name] = self.of(self.shapes[name])
        return self.named[name]

    def _of_kind(self, kind: str, shape: Schema) -> Any:
        if kind == "object" and shape.keys() & {"properties", "required", "anyOf", "oneOf"}:
            return self._mapping(shape)
        if kind == "array" and "prefixItems" in shape:
            return self._row(shape)
        made = _KINDS[kind]
        if kind == "array":
            made = made[self.of(shape.get("items", {}))]
        elif kind == "object":
            made = made[str, self.of(shape.get("additionalProperties", {}))]
        limits = {word: shape[said] for said, word in _LIMITS[kind].items() if said in shape}
        return _ANNOTATED[made, Meta(**limits)] if limits else made

    def _mapping(self, shape: Schema) -> Any:
        """A struct: a field for every key that the shape names."""
        closed = shape.get("additionalProperties") is False
        if not closed and shape.keys() & {"additionalProperties", "minProperties"}:
            raise _unknown({"additionalProperties", "minProperties"})
        held = {
            word: [name for branch in shape.get(word, ()) for name in _required_alone(branch)]
            for word in ("anyOf", "oneOf")
        }
        required = shape.get("required", ())
        shapes = {
            **dict.fromkeys((*required, *held["anyOf"], *held["oneOf"]), Schema()),
            **shape.get("properties", {}),
        }
        return msgspec.defstruct(
            "Mapping",
            [
                (name, self.of(part)) if name in required else (name, self.of(part), UNSET)
                for name, part in shapes.items()
            ],
            namespace=_counting(shape.get("minProperties", 0), tuple(shapes), held),
            kw_only=True,
            forbid_unknown_fields=closed,
            gc=False,
        )

    def _row(self, shape: Schema) -> Any:
        """A struct that is written as a list: a field for each item."""
        parts, least = shape["prefixItems"], shape.get("minItems", 0)
        if shape.get("maxItems") != len(parts) or "items" in shape:
            raise _unknown({"prefixItems"})
        kinds = [(f"item_{at}", self.of(part)) for at, part in enumerate(parts)]
        return msgspec.defstruct(
            "Row",
            [*kinds[:least], *((name, kind, UNSET) for name, kind in kinds[least:])],
            array_like=True,
            forbid_unknown_fields=True,
            gc=False,
        )


def _required_alone(branch: Schema) -> list[str]:
    if branch.keys() != {"required"} or len(branch["required"]) != 1:
        raise _unknown(branch.keys())
    names: list[str] = branch["required"]
    return names


def _counting(least: int, names: tuple[str, ...], held: dict[str, list[str]]) -> dict[str, Any]:
    """What makes a struct count the keys that it was given, where its shape asks for that."""
    some, one = held["anyOf"], held["oneOf"]
    if not (least or some or one):
        return {}

    def count(struct: Any) -> None:
        given = {name for name in names if getattr(struct, name) is not UNSET}
        if (
            len(given) < least
            or (some and given.isdisjoint(some))
            or (one and len(given.intersection(one)) != 1)
        ):
            raise ValueError  # Which `convert` makes a ValidationError.

    return {"__post_init__": count}


def _unknown(words: Any) -> NotImplementedError:
    return NotImplementedError(f"no type for a shape that says {', '.join(sorted(words))}")

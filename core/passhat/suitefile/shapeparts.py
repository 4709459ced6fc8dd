"""The parts that shapes of files are made of, as JSON Schema."""

from __future__ import annotations

from typing import Any

from passhat.case import MODES

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NAME: Schema = {"type": "string", "minLength": 1}
NAMES: Schema = {"type": "array", "items": NAME}
ANY: Schema = {}
MAPPING: Schema = {"type": "object"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
MODE: Schema = {"enum": list(MODES)}
BOUND: Schema = {"type": "number", "minimum": 0}
TEXTS: Schema = {"anyOf": [TEXT, {"type": "array", "items": TEXT, "minItems": 1}]}
TEXT_OR_NUMBER: Schema = {"type": ["string", "number"]}
INCLUDED: Schema = {
    "anyOf": [TEXT_OR_NUMBER, {"type": "array", "items": TEXT_OR_NUMBER, "minItems": 1}]
}


def closed(properties: Schema, *required: str, **more: Any) -> Schema:
    """A mapping with these keys and no others."""
    shape = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return {**shape, "required": list(required)} if required else shape


def said(description: str, schema: Schema) -> Schema:
    """A shape with what it is for."""
    return {"description": description, **schema}

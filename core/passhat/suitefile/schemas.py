"""JSON Schemas of the files that passhat reads and writes."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

import msgspec

from passhat.errors import UsageError
from passhat.reliability.summary import SUMMARY_SCHEMA, Summary
from passhat.result import RESULT_SCHEMA, Trial
from passhat.suitefile.shape import DRAFT, SUITE_SHAPE
from passhat.trace import TRACE_SCHEMA, Trace

KINDS = ("trace", "suite", "result", "summary")
_STRUCTS: dict[str, tuple[str, type[msgspec.Struct]]] = {
    "trace": (TRACE_SCHEMA, Trace),
    "result": (RESULT_SCHEMA, Trial),
    "summary": (SUMMARY_SCHEMA, Summary),
}
_ATTRIBUTE = re.compile(r"^ {4}(\w+): ((?:.|\n {8})*)", re.MULTILINE)


def json_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a file; of a line of it, where it is JSONL.

    Args:
        kind: `trace`, `suite`, `result` or `summary`.

    Raises:
        UsageError: There is no such kind.

    >>> json_schema("result")["title"]
    'passhat.result/1'
    """
    if kind == "suite":
        return deepcopy(SUITE_SHAPE)
    if kind not in _STRUCTS:
        raise UsageError(f"there is no schema of {kind!r}; there are {', '.join(KINDS)}")
    return struct_schema(*_STRUCTS[kind])


def struct_schema(title: str, struct: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a struct's file form, described as its docstring does.

    Args:
        title: The name of the form, which its key `schema` holds.
        struct: The struct.
    """
    _, found = msgspec.json.schema_components((struct,), ref_template="#/$defs/{name}")
    parts: dict[str, dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(found))
    for part in parts.values():
        _describe(part)
    root = parts.pop(struct.__name__)
    root["properties"] = {"schema": {"const": title}, **root["properties"]}
    return {"$schema": DRAFT, **root, "title": title, "$defs": parts}


def _describe(part: dict[str, Any]) -> None:
    """Gives each property the sentence that the class's docstring has for it."""
    head, _, told = part.get("description", "").partition("\n\nAttributes:\n")
    part["description"] = head.partition("\n\n>>>")[0]
    for name, sentence in _ATTRIBUTE.findall(told):
        if name in part["properties"]:
            described = {"description": " ".join(sentence.split())}
            part["properties"][name] = described | part["properties"][name]

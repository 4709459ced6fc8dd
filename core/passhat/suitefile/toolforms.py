"""Tool catalogues as people write them: schemas by name, names, or tool objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from passhat.errors import UsageError
from passhat.suitefile.document import Document, Steps
from passhat.suitefile.rowshapes import Notes
from passhat.values.schemas import can_judge, schema_faults

_PARAMETERS = ("parameters", "input_schema", "inputSchema")
_TOLD = frozenset({"name", "description", *_PARAMETERS})


def tool_schemas(document: Document, steps: Steps, value: Any, notes: Notes) -> dict[str, Any]:
    """The tools that a value lists: name to JSON Schema of the arguments.

    A tool's description becomes that of its schema, where the schema has none. What is wrong is
    noted as a fault.

    Args:
        document: The document the value stands in.
        steps: The way to it.
        value: `{name: schema}`, or a list of names and of tool objects (`{name, parameters}`, with
            `input_schema` or `inputSchema` for `parameters`, alone or under `function`).
        notes: What was in a tool object and has no place.
    """
    found: dict[str, Any] = {}
    entries = _of_mapping(value) if isinstance(value, dict) else _of_list(value, notes)
    for way, name, schema in entries:
        here = (*steps, *way)
        if not isinstance(name, str) or not name:
            document.fault(here, "a tool needs a name")
        elif name in found:
            document.fault(here, f"the tool {name!r} stands twice; keep one")
        else:
            found[name] = schema
            why = _fault(schema)
            if why:
                document.fault(here, why)
    return found


def _of_mapping(value: Mapping[str, Any]) -> Iterator[tuple[Steps, Any, Any]]:
    for name, schema in value.items():
        if isinstance(schema, dict) and not {"type", "properties"} & schema.keys():
            key = _parameters_key(schema)
            if key is not None:
                yield (name,), name, _described(schema[key], schema)
                continue
        yield (name,), name, {} if schema is None else schema


def _of_list(value: list[Any], notes: Notes) -> Iterator[tuple[Steps, Any, Any]]:
    for index, entry in enumerate(value):
        if isinstance(entry, str):
            yield (index,), entry, {}
            continue
        inner = entry.get("function")
        tool = inner if isinstance(inner, dict) else entry
        key = _parameters_key(tool)
        name = tool.get("name")
        extra = sorted(tool.keys() - _TOLD - {"type"})
        if extra:
            notes.say(f"tool {name}", "lost", f"has no place here: {', '.join(extra)}")
        yield (index,), name, _described(tool[key] if key else {}, tool)


def _parameters_key(tool: Mapping[str, Any]) -> str | None:
    return next((key for key in _PARAMETERS if isinstance(tool.get(key), dict)), None)


def _described(schema: dict[str, Any], tool: Mapping[str, Any]) -> dict[str, Any]:
    description = tool.get("description")
    if isinstance(description, str) and "description" not in schema:
        return {"description": description, **schema}
    return schema


def _fault(schema: Any) -> str | None:
    """Why a schema cannot judge arguments, or None."""
    if can_judge(schema):
        return None
    parts = [part for part in _parts(schema) if isinstance(part, dict)]
    references = [part["$ref"] for part in parts if isinstance(part.get("$ref"), str)]
    if not any("$id" in part for part in parts[1:]):
        for reference in references:
            if not _leads_somewhere(schema, reference):
                return (
                    f"not a JSON Schema: $ref {reference!r} leads nowhere; only references inside "
                    "the schema (#/...) are followed"
                )
    try:
        schema_faults({}, schema)
    except UsageError as error:
        return error.message
    return None


def _parts(value: Any) -> Iterator[Any]:
    """The value and all that is in it."""
    todo = [value]
    while todo:
        part = todo.pop()
        yield part
        if isinstance(part, list):
            todo.extend(part)
        elif isinstance(part, dict):
            todo.extend(part.values())


def _leads_somewhere(schema: Any, reference: str) -> bool:
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resource = DRAFT202012.create_resource(schema)
    try:
        Registry().resolver_with_root(resource).lookup(reference)
    except (Unresolvable, TypeError, ValueError):
        return False
    return True

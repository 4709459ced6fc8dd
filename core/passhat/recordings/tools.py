"""Tool catalogues: name to JSON Schema of the arguments, from the form of any vendor."""

from __future__ import annotations

from typing import Any

from passhat.jsontext import decode_text_result

_SCHEMA_KEYS = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
)
_DECLARATIONS = ("functionDeclarations", "function_declarations")


def catalogue(tools: Any) -> dict[str, dict[str, Any]] | None:
    """The catalogue that a `tools` value states, None where it is none.

    It may be given as its JSON text. It reads OpenAI's form (flat or under `function`), Anthropic's,
    Gemini's declarations, and a plain mapping of name to schema. A tool the provider runs itself is
    known by its type, with no schema. A tool's description is kept as that of its schema.

    >>> catalogue([{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}])
    {'f': {'type': 'object'}}
    >>> catalogue([{"name": "g", "description": "Gets.", "input_schema": {}}, {"type": "web_search"}])
    {'g': {'description': 'Gets.'}, 'web_search': {}}
    """
    if isinstance(tools, str):
        tools = decode_text_result(tools)
    if isinstance(tools, dict):
        plain = all(isinstance(schema, dict) for schema in tools.values())
        return tools if plain and not any(key in tools for key in _DECLARATIONS) else None
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        return None
    found: dict[str, dict[str, Any]] = {}
    for tool in tools:
        declared = next((tool[key] for key in _DECLARATIONS if tool.get(key)), None)
        inner = tool.get("function") or tool.get("custom")
        if isinstance(declared, list):
            more = catalogue(declared)
            if more is None:
                return None
            found.update({name: _json_schema(schema) for name, schema in more.items()})
        elif isinstance(inner, dict) and isinstance(inner.get("name"), str):
            found[inner["name"]] = _described(inner)
        elif isinstance(tool.get("name"), str):
            found[tool["name"]] = _described(tool)
        elif isinstance(tool.get("type"), str):
            found[tool["type"]] = {}
        elif all(isinstance(settings, dict) for settings in tool.values()):
            found.update({name: {} for name in tool})
        else:  # Such as the records of what was called.
            return None
    return found


def _described(tool: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = next(
        (tool[key] for key in _SCHEMA_KEYS if isinstance(tool.get(key), dict)), {}
    )
    about = tool.get("description")
    return {"description": about, **schema} if isinstance(about, str) and about else dict(schema)


def _json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A Gemini schema as JSON Schema: its types are written in capitals, its null as `nullable`."""
    root: list[Any] = [schema]
    todo: list[tuple[Any, Any, Any]] = [(root, 0, schema)]
    while todo:
        owner, key, item = todo.pop()
        if isinstance(item, list):
            owner[key] = list(item)
            todo += [(owner[key], at, inner) for at, inner in enumerate(item)]
        elif isinstance(item, dict):
            made = owner[key] = dict(item)
            kind = item.get("type")
            if isinstance(kind, str) and kind.isupper():
                made["type"] = kind.lower()
                if made.pop("nullable", None) is True:
                    made["type"] = [kind.lower(), "null"]
            todo += [(made, name, inner) for name, inner in made.items() if name != "enum"]
    return root[0]  # type: ignore[no-any-return]


def openai_tools(tools: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A catalogue in OpenAI's form."""
    return [
        {"type": "function", "function": {"name": name, "parameters": schema}}
        for name, schema in tools.items()
    ]


def anthropic_tools(tools: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A catalogue in Anthropic's form."""
    return [{"name": name, "input_schema": schema} for name, schema in tools.items()]


def gemini_tools(tools: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A catalogue in Gemini's form."""
    declared = [{"name": name, "parametersJsonSchema": schema} for name, schema in tools.items()]
    return [{"functionDeclarations": declared}]

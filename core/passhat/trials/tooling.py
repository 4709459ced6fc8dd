"""A tool of a sandbox: a function with the JSON Schema of its arguments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from passhat.errors import UsageError
from passhat.state.replaying import takes_state
from passhat.values.schemas import schema_faults


@dataclass(frozen=True)
class Tool:
    """A tool of a sandbox.

    Attributes:
        name: Its name.
        function: What it does; None where its answers come from elsewhere.
        schema: The JSON Schema of its arguments.
        description: What it is for.
    """

    name: str
    function: Callable[..., Any] | None
    schema: dict[str, Any]
    description: str = ""

    @property
    def takes_state(self) -> bool:
        """Whether the world's state is its first argument."""
        return self.function is not None and takes_state(self.function)

    def faults(self, args: Mapping[str, Any]) -> list[str]:
        """What is wrong with arguments, by the schema."""
        return schema_faults(dict(args), self.schema)


def tools_of(stated: Any) -> dict[str, Tool]:
    """The tools by name.

    Args:
        stated: A mapping of names to functions, JSON Schemas or tools; or a list of functions and of
            tool objects (`{name, description, parameters}`, alone or under `function`).

    Raises:
        UsageError: It is none of these.

    >>> def look_up(order: str, full: bool = False) -> dict:
    ...     "The order of that id."
    >>> tool = tools_of([look_up])["look_up"]
    >>> tool.schema["required"], tool.schema["properties"]["full"]["default"], tool.description
    (['order'], False, 'The order of that id.')
    """
    if isinstance(stated, Mapping):
        return {str(name): _tool(str(name), value) for name, value in stated.items()}
    if not isinstance(stated, Iterable) or isinstance(stated, str):
        raise UsageError(f"tools are a mapping or a list of functions, not {stated!r}")
    found: dict[str, Tool] = {}
    for entry in stated:
        tool = _listed(entry)
        if tool.name in found:
            raise UsageError(f"there are two tools {tool.name!r}")
        found[tool.name] = tool
    return found


def _listed(entry: Any) -> Tool:
    if isinstance(entry, Tool):
        return entry
    if isinstance(entry, Mapping):
        inner = entry.get("function")
        told = inner if isinstance(inner, Mapping) else entry
        name = told.get("name")
        if not isinstance(name, str):
            raise UsageError(f"a tool object needs a name: {entry!r:.200}")
        return _tool(name, told)
    name = getattr(entry, "__name__", None)
    if not callable(entry) or not isinstance(name, str) or name == "<lambda>":
        raise UsageError(f"a tool in a list is a function with a name, not {entry!r:.200}")
    return _tool(name, entry)


_PARAMETERS = ("parameters", "input_schema", "inputSchema")


def _tool(name: str, value: Any) -> Tool:
    if isinstance(value, Tool):
        return value
    if value is None:
        return Tool(name, None, {})
    if callable(value):
        return Tool(name, value, schema_of(value), described(value))
    if isinstance(value, Mapping):
        inner = next(
            (value[key] for key in _PARAMETERS if isinstance(value.get(key), Mapping)), None
        )
        schema = dict(inner if inner is not None else value)
        if inner is None and "name" in value and "type" not in value:
            schema = {}
        schema_faults({}, schema)
        return Tool(name, None, schema, str(value.get("description") or ""))
    raise UsageError(f"the tool {name} is a function or a JSON Schema, not {value!r:.200}")


def described(function: Callable[..., Any]) -> str:
    """What a function's docstring says before its sections."""
    text = inspect.getdoc(function) or ""
    return re.split(r"\n\s*\n(?:Args|Arguments|Returns|Raises|Yields|Example)", text)[0].strip()


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The JSON Schema of a function's arguments, by its annotations and the `Args:` of its docstring.

    The parameter `state` that comes first is no argument of the tool.

    >>> schema_of(lambda state, order: None)
    {'type': 'object', 'properties': {'order': {}}, 'required': ['order'], 'additionalProperties': False}
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return {"type": "object"}
    if takes_state(function):
        parameters = parameters[1:]
    try:
        hints = get_type_hints(function)
    except Exception:  # Annotations may name what is there for type checkers alone.
        hints = {}
    told = _told_args(inspect.getdoc(function) or "")
    properties: dict[str, Any] = {}
    required: list[str] = []
    definitions: dict[str, Any] = {}
    opened = False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            opened = True
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise UsageError(
                f"{getattr(function, '__name__', function)}: {parameter.name} takes no name; tools "
                "are called with names"
            )
        said = _schema_of_type(hints.get(parameter.name), definitions)
        if parameter.name in told:
            said = {"description": told[parameter.name], **said}
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif _is_json(parameter.default):
            said = {**said, "default": parameter.default}
        properties[parameter.name] = said
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if not opened:
        schema["additionalProperties"] = False
    if definitions:
        schema["$defs"] = definitions
    return schema


def _schema_of_type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint is None or hint is Any:
        return {}
    try:
        (found,), named = msgspec.json.schema_components((hint,), ref_template="#/$defs/{name}")
    except (TypeError, RecursionError):  # A type that msgspec does not know says nothing here.
        return {}
    definitions.update(named)
    return dict(found)


def _is_json(value: Any) -> bool:
    try:
        msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return value is None or isinstance(value, str | int | float | bool | list | dict | tuple)


def _told_args(doc: str) -> dict[str, str]:
    found = re.search(r"^Arg(?:ument)?s:\n((?:[ \t]+.*\n?|\n)+)", doc, re.MULTILINE)
    if found is None:
        return {}
    told: dict[str, list[str]] = {}
    own = ""
    indent: int | None = None
    for line in found[1].splitlines():
        depth = len(line) - len(line.lstrip())
        indent = depth if indent is None and line.strip() else indent
        entry = re.match(r"\s*\*{0,2}(\w+)(?: \([^)]*\))?:\s*(.*)", line)
        if entry is not None and depth == indent:
            own = entry[1]
            told[own] = [entry[2]]
        elif own and line.strip():
            told[own].append(line.strip())
    return {name: " ".join(lines).strip() for name, lines in told.items()}

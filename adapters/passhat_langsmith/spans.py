"""Runs that OpenTelemetry made: what a model and a tool were given and gave stands in attributes.

Read are the conventions for generative AI (`gen_ai.input.messages`, whose messages have parts), the
numbered attributes of OpenLLMetry (`gen_ai.prompt.0.content`) and of OpenInference
(`llm.input_messages.0.message.content`), what OpenLLMetry says of tools (`traceloop.entity.input`), and
what LangSmith's own exporter writes (`gen_ai.prompt`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from passhat_langsmith.plain import plain

Json = dict[str, Any]
_PREFIXES = ("gen_ai.", "llm.", "openinference.", "traceloop.")
_KINDS = {
    **dict.fromkeys(("chat", "completion", "text_completion", "generate_content", "LLM"), "llm"),
    **dict.fromkeys(("execute_tool", "TOOL", "tool"), "tool"),
    **dict.fromkeys(("retrieval", "RETRIEVER"), "retriever"),
}
_SAYS_KIND = (
    *("gen_ai.operation.name", "openinference.span.kind"),
    *("traceloop.span.kind", "llm.request.type"),
)
_METADATA = "langsmith.metadata."
"""Before the keys of a run's metadata, where LangSmith's own exporter wrote the span."""
_SYSTEM = "gen_ai.system_instructions"
_GIVEN = ("gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages", "input.value")
_GAVE = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages", "output.value")
_ARGUMENTS = (
    *("gen_ai.tool.call.arguments", "input.value", "traceloop.entity.input"),
    "gen_ai.prompt",
)
_RESULT = ("gen_ai.tool.call.result", "output.value", "traceloop.entity.output")
_TOO_MANY = 10_000


class Span(NamedTuple):
    """What the attributes of a span say of a run."""

    kind: str
    name: str
    inputs: Json
    outputs: Json | None
    metadata: Json
    extra: Json


def has_attributes(
    metadata: Mapping[str, Any], inputs: Mapping[str, Any] | None, outputs: Mapping[str, Any] | None
) -> bool:
    """Whether any of what a run holds is an attribute of a span; asked of every run, so it is quick.

    >>> has_attributes({"ls_model_name": "m"}, {"question": "hi"}, None)
    False
    """
    keys = [*metadata, *(inputs or ()), *(outputs or ())]
    try:
        dotted = "." in "\n".join(keys)
    except TypeError:
        dotted = True
    return dotted and any(str(key).startswith(_PREFIXES) for key in keys)


def span_of(
    kind: str,
    name: str,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    metadata: Mapping[str, Any],
) -> Span:
    """A run as its attributes tell it.

    >>> attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup",
    ...     "gen_ai.tool.call.arguments": '{"id": 1}', "gen_ai.tool.call.result": '"found"'}
    >>> span_of("chain", "execute_tool lookup", {}, {}, attributes)[:4]
    ('tool', 'lookup', {'id': 1}, {'output': 'found'})
    """
    told: Json = {
        str(key): value for one in (metadata, inputs, outputs) for key, value in one.items()
    }
    kind = _KINDS.get(str(_first(told, *_SAYS_KIND)), kind) if kind == "chain" else kind
    about: Json = {str(key).removeprefix(_METADATA): one for key, one in metadata.items()}
    model = told.get("gen_ai.response.model") or told.get("gen_ai.request.model")
    if model or (model := told.get("llm.model_name")):
        about.setdefault("ls_model_name", model)
    extra: Json = {}
    if kind == "tool":
        given = _arguments(_first(told, *_ARGUMENTS))
        gave = _result(_first(told, *_RESULT))
        if gave is None and isinstance(held := _parsed(told.get("gen_ai.completion")), dict):
            gave = held["output"] if held.keys() == {"output"} else held
        if (id := told.get("gen_ai.tool.call.id")) is not None:
            extra["tool_call_id"] = id
        return Span(
            kind,
            str(_first(told, "gen_ai.tool.name", "tool.name", "traceloop.entity.name") or name),
            given if isinstance(given, dict) else _kept(inputs),
            {"output": gave} if gave is not None else _kept(outputs) or None,
            about,
            extra,
        )
    given = _with_system(_said(told, _GIVEN, inputs), _parsed(told.get(_SYSTEM)))
    gave = _said(told, _GAVE, outputs)
    if tools := _parsed(_first(told, "gen_ai.tool.definitions", "tools")) or _schemas(told):
        extra["invocation_params"] = {"tools": tools}
    if gave is not None and (usage := _usage(told)):
        gave = {**gave, "usage_metadata": usage}
    return Span(kind, name, given or _kept(inputs), gave or _kept(outputs) or None, about, extra)


def _first(told: Json, *keys: str) -> Any:
    return next((told[key] for key in keys if told.get(key) is not None), None)


def _kept(held: Mapping[str, Any]) -> Json:
    """What a run holds beside attributes."""
    return {key: value for key, value in held.items() if not str(key).startswith(_PREFIXES)}


def _parsed(value: Any) -> Any:
    """A value that may be written as JSON in a text."""
    if not isinstance(value, str):
        return plain(value)
    try:
        return json.loads(value)
    except ValueError:
        return value


def _arguments(value: Any) -> Any:
    """What a tool was given, without what OpenLLMetry puts around it."""
    held = _parsed(value)
    if not isinstance(held, dict):
        return held
    if "input_str" in held and isinstance(held.get("inputs"), dict):  # Of a tool of LangChain's.
        return held["inputs"]
    return held["kwargs"] if held.keys() == {"args", "kwargs"} else held


def _result(value: Any) -> Any:
    """What a tool gave, without what OpenLLMetry puts around it."""
    held = _parsed(value)
    wrapped = isinstance(held, dict) and held.keys() == {"output", "kwargs"}
    return held["output"] if wrapped else held


def _schemas(told: Json) -> list[Any]:
    """The tools that OpenInference numbers."""
    held = {
        key.removeprefix("llm.tools."): one for key, one in told.items() if "json_schema" in key
    }
    numbered = {key.partition(".")[0]: _parsed(one) for key, one in held.items()}
    return _rows(numbered)


def _said(told: Json, keys: tuple[str, ...], held: Mapping[str, Any]) -> Json | None:
    """What a model was given or gave, as `messages` or as the object that was written."""
    stated = _parsed(held.get("messages"))
    if isinstance(stated, list):
        return {"messages": stated}
    for key in keys:
        value = _parsed(told.get(key))
        if isinstance(value, list):
            return {"messages": value}
        if isinstance(value, dict):
            return value
        found = _numbered(told, key)
        if any(one["content"] or one.get("tool_calls") for one in found):
            return {"messages": found}  # A role alone leaves the rest to `output.value`.
        if isinstance(value, str):
            return {"input" if keys is _GIVEN else "output": value}
    return None


def _with_system(given: Json | None, parts: Any) -> Json | None:
    """What a model was given, behind the instructions that the conventions tell apart from it."""
    if not parts or not isinstance(parts, list) or not all(isinstance(one, dict) for one in parts):
        return given
    held = given or {}
    rest = held.get("messages")
    system = {"role": "system", "parts": parts}
    return {**held, "messages": [system, *(rest if isinstance(rest, list) else [])]}


def _numbered(told: Json, prefix: str) -> list[Json]:
    """Messages of numbered attributes: `<prefix>.0.role`, `<prefix>.0.tool_calls.1.name`."""
    root: Json = {}
    start = f"{prefix}."
    for key, value in told.items():
        if not key.startswith(start):
            continue
        at: Any = root
        *path, last = key.removeprefix(start).split(".")
        for part in path:
            inner = at.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            at = inner
        else:
            at[last] = plain(value)
    found = _rows(root)
    return [_message(one) for one in found if isinstance(one, dict)]


def _rows(held: Json) -> list[Any]:
    numbers = sorted((key for key in held if key.isdecimal()), key=int)[:_TOO_MANY]
    return [held[key] for key in numbers]


def _message(row: Json) -> Json:
    held = row["message"] if isinstance(row.get("message"), dict) else row
    made = {"role": held.get("role", "user"), "content": held.get("content") or ""}
    if (id := held.get("tool_call_id")) is not None:
        made |= {"role": "tool", "tool_call_id": id}
    calls = held.get("tool_calls")
    if isinstance(calls, dict):
        made["tool_calls"] = [_call(one) for one in _rows(calls) if isinstance(one, dict)]
    return made


def _call(row: Json) -> Json:
    held = row["tool_call"] if isinstance(row.get("tool_call"), dict) else row
    function = held["function"] if isinstance(held.get("function"), dict) else held
    return {
        "type": "tool_call",
        "id": held.get("id"),
        "name": function.get("name"),
        "args": function.get("arguments"),
    }


_DETAILS = {
    ("input_token_details", "cache_read"): (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "llm.token_count.prompt_details.cache_read",
    ),
    ("output_token_details", "reasoning"): (
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "llm.token_count.completion_details.reasoning",
    ),
}


def _usage(told: Json) -> Json:
    names = (("input_tokens", "prompt"), ("output_tokens", "completion"))
    found = {
        name: _first(
            told, f"gen_ai.usage.{name}", f"gen_ai.usage.{old}_tokens", f"llm.token_count.{old}"
        )
        for name, old in names
    }
    usage: Json = {key: value for key, value in found.items() if isinstance(value, int)}
    for (where, what), keys in _DETAILS.items():
        if isinstance(counted := _first(told, *keys), int):
            usage[where] = {what: counted}
    return usage

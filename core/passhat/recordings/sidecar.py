"""What stands beside a conversation in its row: ids, scores, tags, tools, states."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import FieldInfo
from msgspec.structs import fields as struct_fields

from passhat.failing import outcome_of_text
from passhat.recordings.bodies import error_fields
from passhat.recordings.shapes import number
from passhat.recordings.tools import catalogue
from passhat.trace import Trace, Usage

_TYPES = {
    item.name: item.type
    for item in struct_fields(Trace)
    if item.name not in ("steps", "source", "tools", "scores", "usage", "metadata")
}
_TEXT_IDS = ("id", "case_id")
_OTHER_IDS = ("trace_id", "run_id")
_SCORES = ("reward", "score")
_USAGE = ("usage", "usageMetadata", "usage_metadata")


def trace_fields(
    row: dict[str, Any], known: Collection[str], usage_of: Callable[[Any], Usage | None]
) -> dict[str, Any]:
    """The fields of a trace that a row states beside the conversation.

    The keys are those of a trace (`id, case_id, trial, scores, tags, metadata, tools, ...`), with
    `trace_id` or `run_id` for an id where there is no `id`, `reward` and `score` for a score and
    `model` for a pin. How a run ended whose row has an `error` and no `outcome`, the error's words
    say, as they do of an exception. Other keys, and values that do not fit, go to the metadata.

    Args:
        row: The row.
        known: The keys that the format reads itself.
        usage_of: Reads the format's own way to state usage.

    >>> trace_fields({"messages": [], "trial": 2, "reward": 1, "user": "ann"}, ["messages"], Usage)
    {'trial': 2, 'scores': {'reward': 1.0}, 'metadata': {'user': 'ann'}}
    """
    found: dict[str, Any] = {}
    scores: dict[str, float] = {}
    pins: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for key, value in row.items():
        if key in known or value is None:
            continue
        if key in _TEXT_IDS and type(value) is int:
            found[key] = str(value)
        elif key in _TYPES and (fit := _fitting(value, _TYPES[key])) is not _MISFIT:
            found[key] = fit
        elif key == "tools" and (tools := catalogue(value)) is not None:
            found["tools"] = tools
        elif key in _USAGE and (usage := _usage(value, usage_of)) is not None:
            found["usage"] = usage
        elif key in _SCORES and (score := number(value)) is not None:
            scores[key] = score
        elif key == "scores" and isinstance(value, dict):
            good = {name: number(item) for name, item in value.items()}
            scores.update({name: item for name, item in good.items() if item is not None})
            bad = {name: value[name] for name, item in good.items() if item is None}
            if bad:
                rest["scores"] = bad
        elif key == "model" and isinstance(value, str):
            pins["model"] = value
        elif key != "metadata" or not isinstance(value, dict):
            rest[key] = value
            if key == "error" and isinstance(value, dict) and value:
                found = error_fields(value) | found
    if isinstance(row.get("metadata"), dict):
        rest.update(row["metadata"])
    if "id" not in found:
        _take_other_id(found, rest)
    for name, values in (("scores", scores), ("metadata", rest)):
        if values:
            found[name] = values
    if pins:
        found["pins"] = {**pins, **found.get("pins", {})}
    if found.get("error") is not None and "outcome" not in found:
        found["outcome"] = outcome_of_text(found["error"])
    return found


def _take_other_id(found: dict[str, Any], rest: dict[str, Any]) -> None:
    """Makes an id of what others call one, if the row has it."""
    for key in _OTHER_IDS:
        value = rest.get(key)
        if type(value) in (str, int) and value != "":
            found["id"] = str(rest.pop(key))
            return


class _Misfit:
    pass


_MISFIT = _Misfit()


def _fitting(value: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return _MISFIT


def _usage(value: Any, usage_of: Callable[[Any], Usage | None]) -> Usage | None:
    fit = _fitting(value, Usage)
    return fit if isinstance(fit, Usage) and value else usage_of(value)


def row_of(trace: Trace) -> dict[str, Any]:
    """All of a trace but its steps, its tools and its source, as the keys of a row."""
    row: dict[str, Any] = {
        item.name: value
        for item in fields_of(Trace)
        if item.name not in ("steps", "source", "tools")
        and (value := getattr(trace, item.name)) != default_of(item)
    }
    if trace.usage is not None:
        row["usage"] = msgspec.to_builtins(trace.usage)
    return row


@cache
def fields_of(kind: type) -> tuple[FieldInfo, ...]:
    """The fields of a struct, which msgspec finds anew, at some cost, each time it is asked."""
    return struct_fields(kind)


def default_of(item: FieldInfo) -> Any:
    """The value that a field of a struct has where none is given."""
    return item.default_factory() if callable(item.default_factory) else item.default

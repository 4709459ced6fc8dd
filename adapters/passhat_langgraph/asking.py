"""The calls that nodes ask for, in whatever form: messages, their JSON, and what holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias

from langgraph.types import Command, Send
from pydantic import BaseModel

from passhat_langgraph.messages import calls_sent

_Told: TypeAlias = tuple[str, str, str]
"""Which it is, a call, a copy of one or an answer; its id; and the name of a call."""

_UNNAMED = "call "
_REPEATED = ("tool_use", "tool_call", "function_call")
_WRAPPED = ("toolUse", "functionCall", "function_call", "toolResult", "functionResponse")
_PARTS = {
    "tool_use": ("call", "id"),
    "tool_call": ("call", "id"),
    "function_call": ("call", "call_id"),
    "toolUse": ("call", "toolUseId"),
    "functionCall": ("call", "id"),
    "tool_result": ("answer", "tool_use_id"),
    "function_call_output": ("answer", "call_id"),
    "toolResult": ("answer", "toolUseId"),
    "functionResponse": ("answer", "id"),
}
"""Parts of messages that ask for a call or answer one, each with the key of its id."""


def take_calls(pending: dict[str, str], outputs: Any) -> None:
    """Adds the calls that a node asks for to those that wait, and takes away the answered ones.

    Args:
        pending: The names of the calls that wait, by id; one that has no id is numbered.
        outputs: What the node gives.
    """
    _take(pending, _told(outputs))


def _take(
    pending: dict[str, str],
    told: Iterable[_Told],
    asked: AbstractSet[tuple[str, str]] = frozenset(),
) -> None:
    """Takes what is told; of the calls that messages ask for, a copy beside them tells nothing."""
    for kind, id, name in told:
        if kind == "copy" and (id, name) in asked:
            continue
        if kind in ("call", "copy"):
            pending[id or f"{_UNNAMED}{len(pending)} {name}"] = name
        elif id in pending:
            del pending[id]
        elif not id or id == "None":
            without = next((key for key in pending if key.startswith(_UNNAMED)), None)
            pending.pop(without or "", None)


def id_of(key: str) -> str | None:
    """The id of a call that waits under a key of `take_calls`; None where it has none."""
    return None if key.startswith(_UNNAMED) else key


def open_calls(state: Any) -> dict[str, str]:
    """The calls with which a state ends: asked for, not answered, and nobody spoke since."""
    pending: dict[str, str] = {}
    items = [(item, tuple(_told([item]))) for item in _items(state)]
    asked = {(id, name) for _, told in items for kind, id, name in told if kind == "call" and id}
    seen: set[tuple[str, tuple[_Told, ...]]] = set()
    for item, told in items:
        kind = _get(item, "type")
        if kind == "human" or _get(item, "role") in ("user", "human"):
            pending.clear()
        elif kind == "ai" and told and (id := _text(item, "id")):
            if (id, told) in seen:
                continue  # The same message, in another channel.
            seen.add((id, told))
        _take(pending, told, asked)
    return pending


def _told(outputs: Any) -> Iterator[_Told]:
    """The calls and the answers in what a node gives, in order: which, its id, a call's name.

    A call that stands by itself, in no message, may be a copy of one in a message.
    """
    for item in _items(outputs):
        for call in _listed(item):
            yield "call", _text(call, "id"), _text(_get(call, "function") or call, "name")
        kind, content = _get(item, "type"), _get(item, "content") or _get(item, "parts")
        if kind == "tool" or _get(item, "role") == "tool":
            yield "answer", _text(item, "tool_call_id"), ""
        elif kind == "AgentAction":
            yield "call", _text(item, "tool_call_id"), _text(item, "tool")
        elif kind in _PARTS:
            for which, id, name in _part(item):
                yield "copy" if which == "call" else which, id, name
        for part in content if isinstance(content, list) else ():
            if _listed(item) and _get(part, "type") in _REPEATED:
                continue  # The block of a call that the message lists.
            yield from _part(part)


def _listed(item: Any) -> list[Any]:
    """The calls that a message lists, those included whose arguments are no JSON."""
    more = _get(item, "additional_kwargs") or {}
    found = [*(_get(item, "tool_calls") or ()), *(_get(item, "invalid_tool_calls") or ())]
    found = found or list(_get(more, "tool_calls") or ())
    older = _get(item, "function_call") or _get(more, "function_call")
    return found or ([older] if older else [])


def _part(part: Any) -> Iterator[_Told]:
    """The call or the answer in a part of a message, as the providers write them."""
    kinds = [(str(_get(part, "type")), part), *((key, _get(part, key)) for key in _WRAPPED)]
    for kind, held in kinds:
        if held is not None and kind in _PARTS:
            which, key = _PARTS[kind]
            yield which, _text(held, key), _text(held, "name")


def _items(outputs: Any) -> Iterator[Any]:
    """Whatever may be a message among what a node gives, in order; each thing once."""
    todo: list[Any] = [outputs]
    seen: dict[int, Any] = {}  # With the things themselves, that none gets the id of another.
    while todo:
        item = todo.pop()
        if item is None or isinstance(item, str | bytes | int | float) or id(item) in seen:
            continue
        seen[id(item)] = item
        if isinstance(item, Command):
            goto = item.goto if isinstance(item.goto, list | tuple) else [item.goto]
            todo += [*reversed(goto), item.update]
        elif isinstance(item, Send):
            todo += reversed(calls_sent(item.arg))
        elif _is_pair(item):
            yield {"role": "user" if item[0] == "human" else item[0], "content": item[1]}
        elif isinstance(item, list | tuple):
            todo += reversed(item)
        elif _is_said(item):
            yield item
        elif isinstance(item, dict):
            todo += reversed([_with_words(key, value) for key, value in item.items()])
        elif isinstance(item, BaseModel):
            todo += reversed(vars(item).values())
        elif is_dataclass(item):
            todo += [getattr(item, one.name, None) for one in reversed(fields(item))]


def _with_words(channel: Any, value: Any) -> Any:
    """What a channel is given; a text among messages is what the user says."""
    if not (isinstance(channel, str) and channel.endswith("messages")):
        return value
    if isinstance(value, str):
        return {"role": "user", "content": value}
    texts = isinstance(value, list) and any(isinstance(one, str) for one in value)
    return [_with_words(channel, one) for one in value] if texts else value


def _is_said(item: Any) -> bool:
    """Whether it is a message or a call; a state may have a `type` or a `role` of its own."""
    kind = _get(item, "type")
    if kind == "AgentAction" or kind in _PARTS:
        return True
    told = _get(item, "role") or kind
    said = _get(item, "content") is not None or _get(item, "parts") is not None
    return isinstance(told, str) and (said or bool(_listed(item)))


def _is_pair(item: Any) -> bool:
    """Whether it is a role with what it says."""
    pair = isinstance(item, list | tuple) and len(item) == 2
    return pair and all(isinstance(part, str) for part in item)


def _get(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, dict) else getattr(item, key, None)


def _text(item: Any, key: str) -> str:
    value = _get(item, key)
    return "" if value is None else str(value)

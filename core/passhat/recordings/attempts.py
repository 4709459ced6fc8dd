"""Where one recorded attempt ends and the next begins, in a file or in a value in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from passhat.errors import InputError, Place
from passhat.jsontext import Item, items, jsonable
from passhat.jsontext.files import STANDARD

_FEW = 5
_CONVERSATIONS = (
    *("conversation_id", "session_id", "thread_id", "chat_id", "dialogue_id", "episode_id"),
    *("conversationId", "sessionId", "threadId", "chatId", "case_id", "task_id"),
)
"""Keys by which an entry may say of which conversation it is."""
_ANY_CONVERSATION = frozenset(_CONVERSATIONS)
_LISTS = ("runs", "traces", "conversations")
"""Keys of an object around the attempts of a whole file."""


class Attempt(Struct, frozen=True):
    """One recorded attempt, not yet read.

    Args:
        id: A name for it, should it have none of its own.
        value: Its JSON value, made for it alone.
        place: Where it stands.
    """

    id: str
    value: Any
    place: Place


def attempts(
    source: Any, is_entry: Callable[[Any], bool], key: str = "messages"
) -> Iterator[Attempt | InputError]:
    """The attempts of a file (a path, `-` for standard input) or of a value in memory.

    A file holds one conversation where its items are the entries of one; else every line, or every
    element of its list, is an attempt. So is every element of `{"runs": [...]}`.

    Args:
        source: The path, or messages, rows or models in memory.
        is_entry: Whether a value is an entry of a conversation.
        key: The key under which a row has its conversation.

    Raises:
        InputError: The file cannot be opened.
    """
    if isinstance(source, str | Path):
        name = "stdin" if str(source) == STANDARD else Path(source).name
        found = items(source)
    else:
        name = "trace"
        found = iter(_in_memory(source))
    head = list(islice(found, _FEW))
    if any(isinstance(item, Item) and is_entry(item.value) for item in head):
        yield _as_one(name, chain(head, found), key)
        return
    for item in chain(head, found):
        if isinstance(item, InputError):
            yield item
        else:
            for value, place in _each(item, key):
                yield Attempt(_name(name, place), value, place)


def runs_in(value: Any, key: str) -> tuple[str, list[Any]] | None:
    """The list of attempts that an object wraps, with its key; None where it wraps none.

    >>> runs_in({"runs": [{"messages": []}], "model": "m"}, "messages")
    ('runs', [{'messages': []}])
    >>> runs_in({"messages": [], "runs": []}, "messages") is None
    True
    """
    if not isinstance(value, dict) or key in value:
        return None
    for name in _LISTS:
        held = value.get(name)
        if isinstance(held, list) and all(isinstance(item, dict | list) for item in held):
            return name, held
    return None


def _each(item: Item, key: str) -> Iterator[tuple[Any, Place]]:
    """The attempts of an item: itself, or those it wraps, each with what stands around them."""
    wrapped = runs_in(item.value, key)
    if wrapped is None:
        yield item.value, item.place
        return
    name, runs = wrapped
    around = {other: value for other, value in item.value.items() if other != name}
    at = item.place
    for index, run in enumerate(runs):
        row = run if isinstance(run, dict) or not around else {key: run}
        if around and isinstance(row.get("metadata", {}), dict):
            row = {**row, "metadata": {**jsonable(around), **row.get("metadata", {})}}
        yield row, Place(at.file, at.line, f"{at.path or '$'}.{name}[{index}]")


def _in_memory(source: Any) -> list[Item]:
    value = jsonable(source)
    if isinstance(value, list):
        return [Item(item, Place(path=f"$[{at}]"), True) for at, item in enumerate(value)]
    return [Item(value, Place())]


def _as_one(name: str, found: Iterator[Item | InputError], key: str) -> Attempt | InputError:
    entries: list[Any] = []
    file = None
    for item in found:
        if isinstance(item, InputError):
            return item
        file = item.place.file
        entries.append(item.value)
    by = _told_apart(entries)
    if by is None:
        return Attempt(name, entries, Place(file))
    group = f"group_by(.{by})[] | {{id: .[0].{by}, {key}: .}}"
    return InputError(
        f"these are entries of several conversations, told apart by {by!r}; write one a line: "
        f"jq -c -s '{group}' for lines, without -s for a list",
        Place(file),
    )


def _told_apart(entries: list[Any]) -> str | None:
    """The key by which entries say that they belong to more than one conversation."""
    telling = [
        entry
        for entry in entries
        if isinstance(entry, dict) and not _ANY_CONVERSATION.isdisjoint(entry)
    ]
    for key in _CONVERSATIONS if telling else ():
        told = [value for entry in telling if (value := entry.get(key)) is not None]
        if any(value != told[0] for value in told[1:]):
            return key
    return None


def _name(name: str, place: Place) -> str:
    if place.path:
        return f"{name}{place.path[1:]}"
    return name if place.line is None else f"{name}:{place.line}"

"""Where one recorded attempt ends and the next begins, in a file or in a value in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from passhat.errors import InputError, Place
from passhat.jsontext import Item, items, jsonable
from passhat.jsontext.files import STANDARD

_FEW = 5


@dataclass(frozen=True, slots=True)
class Attempt:
    """One recorded attempt, not yet read.

    Args:
        id: A name for it, should it have none of its own.
        value: Its JSON value, made for it alone.
        place: Where it stands.
    """

    id: str
    value: Any
    place: Place


def attempts(source: Any, is_entry: Callable[[Any], bool]) -> Iterator[Attempt | InputError]:
    """The attempts of a file (a path, `-` for standard input) or of a value in memory.

    A file holds one conversation where its items are the entries of one; else every line, or every
    element of its list, is an attempt.

    Args:
        source: The path, or messages, rows or models in memory.
        is_entry: Whether a value is an entry of a conversation.

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
        yield _as_one(name, chain(head, found))
        return
    for item in chain(head, found):
        if isinstance(item, InputError):
            yield item
        else:
            yield Attempt(_name(name, item), item.value, item.place)


def _in_memory(source: Any) -> list[Item]:
    value = jsonable(source)
    if isinstance(value, list):
        return [Item(item, Place(path=f"$[{at}]"), True) for at, item in enumerate(value)]
    return [Item(value, Place())]


def _as_one(name: str, found: Iterator[Item | InputError]) -> Attempt | InputError:
    entries: list[Any] = []
    file = None
    for item in found:
        if isinstance(item, InputError):
            return item
        file = item.place.file
        entries.append(item.value)
    return Attempt(name, entries, Place(file))


def _name(name: str, item: Item) -> str:
    if item.place.path:
        return f"{name}{item.place.path[1:]}"
    return name if item.place.line is None else f"{name}:{item.place.line}"

"""What the beginning of a file looks like, in few words or in outline."""

from __future__ import annotations

import json
from typing import Any

from passhat.errors import InputError
from passhat.jsontext import decode, first_values

MOST_KEYS, MOST_SHOWN = 24, 8
"""How many keys of an object are looked at, and how many are told."""
_LONGEST_KEY = 40
_EMPTY_LISTS = ([b"[]"], [b"[", b"]"])
_KINDS: dict[type, str] = {str: "a text", bool: "a boolean", list: "a list", type(None): "a null"}


def beginning(head: bytes) -> str:
    """What a file begins with, in a few words.

    >>> beginning(b'{"dialog": [], "task": 1}'), beginning(b"Dear team,")
    ("it begins with an object that has 'dialog', 'task'", 'it holds no JSON object')
    >>> beginning(b"[ ]")
    'it is an empty list'
    """
    values = first_values(head)
    if not values:
        return "it is an empty list" if head.split() in _EMPTY_LISTS else _no_values(head)
    first = values[0]
    where = ""
    if isinstance(first, list):
        if not first:
            return "it begins with an empty list"
        first, where = first[0], "a list, and that with "
    if not isinstance(first, dict):
        return f"it begins with {where}{_KINDS.get(type(first), 'a number')}"
    keys = [
        repr(key) if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]!r}..." for key in first
    ]
    shown = ", ".join(keys[:MOST_SHOWN]) + (", ..." if len(keys) > MOST_SHOWN else "")
    return f"it begins with {where}an object that has {shown or 'no keys'}"


def _no_values(head: bytes) -> str:
    """What is said of a beginning that holds no value."""
    if head.lstrip()[:1] in (b"[", b"{"):
        try:
            decode(head)
        except InputError as error:
            if "too early" not in error.message:  # That may be where the beginning was cut off.
                return f"it begins like JSON, but is {error}"
    return "it holds no JSON object"


def outline(value: Any) -> bytes:
    """The JSON of a value without what makes it long: enough to tell what it is.

    >>> outline({"messages": [{"role": "user", "content": "x" * 500}] * 9})[:40]
    b'{"messages": [{"role": "user", "content"'
    """
    return json.dumps(_cut(value, _DEPTH)).encode()


def _cut(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return value[:_LONGEST]
    if isinstance(value, dict):
        kept = list(value.items())[: MOST_KEYS if depth else 0]
        return {key: _cut(item, depth - 1) for key, item in kept}
    if isinstance(value, list):
        return [_cut(item, depth - 1) for item in value[: _MOST_ITEMS if depth else 0]]
    return value


_DEPTH, _LONGEST, _MOST_ITEMS = 9, 200, 8

"""The shapes that recordings are made of, and the errors where a value has another one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from passhat.errors import Place, TraceError

Entry: TypeAlias = tuple[str, dict[str, Any]]
"""One entry of a conversation, with the path it stands at."""

_KINDS = {str: "text", bool: "a boolean", type(None): "null", list: "a list", dict: "an object"}


def kind_of(value: Any) -> str:
    """What a JSON value is, as people say it.

    >>> kind_of([]), kind_of(1.5), kind_of(None)
    ('a list', 'a number', 'null')
    """
    return _KINDS.get(type(value), "a number")


def wrong(what: str, value: Any, path: str) -> TraceError:
    """The error of a value that has another shape: `what` says which it should have.

    >>> print(wrong("a message is an object", 3, "$.messages[1]"))
    $.messages[1]: a message is an object, not a number
    """
    return TraceError(f"{what}, not {kind_of(value)}", Place(path=path))


def objects(value: Any, path: str, what: str) -> list[Entry]:
    """The objects of a list, each with its path; a null in place of the list is an empty one.

    Raises:
        TraceError: It is no list, or something in it is no object.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong(f"{what} are a list", value, path)
    for at, item in enumerate(value):
        if not isinstance(item, dict):
            raise wrong(f"each of the {what} is an object", item, f"{path}[{at}]")
    return [(f"{path}[{at}]", item) for at, item in enumerate(value)]


def text(holder: Mapping[str, Any], key: str, path: str) -> str | None:
    """The text under a key, None where there is none.

    Raises:
        TraceError: Something else stands there.
    """
    value = holder.get(key)
    if value is None or isinstance(value, str):
        return value
    raise wrong(f"{key} is text", value, f"{path}.{key}")


def identity(holder: Mapping[str, Any], key: str, path: str) -> str | None:
    """The id under a key as text, None where there is none or an empty one.

    Raises:
        TraceError: What stands there is neither text nor a whole number.
    """
    value = holder.get(key)
    if value is None or isinstance(value, str):
        return value or None
    if type(value) is int:
        return str(value)
    raise wrong(f"{key} is text", value, f"{path}.{key}")


def word(holder: Any, key: str) -> str:
    """The word under a key, such as a role or a type; empty where there is none.

    >>> word({"type": "text"}, "type"), word({"type": 5}, "type"), word(None, "type")
    ('text', '', '')
    """
    value = holder.get(key) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else ""


def mapping(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key, an empty one where there is none."""
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def listing(holder: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects of the list under a key, none where there is no such list."""
    value = holder.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def leftover(holder: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """What an object says under other keys than the known ones; nulls and empties say nothing.

    >>> leftover({"role": "user", "name": "Ann", "audio": None, "annotations": []}, {"role"})
    {'name': 'Ann'}
    """
    return {
        key: value
        for key, value in holder.items()
        if key not in known and value is not None and value != [] and value != {}
    }


def count(holder: Any, *ways: str) -> int | None:
    """The first whole number that stands under one of the ways (keys, joined by dots).

    >>> count({"details": {"cached": 0}}, "cached", "details.cached"), count({"n": True}, "n")
    (0, None)
    """
    for way in ways:
        value = holder
        for key in way.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if type(value) is int and value >= 0:
            return value
    return None


def number(value: Any) -> float | None:
    """A number as a float, None for what is none or lies beyond all measure; true is 1."""
    return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else None

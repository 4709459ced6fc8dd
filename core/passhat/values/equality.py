"""Equality of JSON values: `1` is `1.0`, `True` is not `1`, `"1"` is not `1`, null is not absent."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import msgspec

_pack = msgspec.msgpack.Encoder().encode
_SCALARS = frozenset({str, int, float, bool, type(None)})
_DEEP = 64


def packed(value: Any) -> bytes:
    r"""The value in MessagePack; empty where it cannot be packed.

    >>> packed({"a": 1}), packed({"a": object})
    (b'\x81\xa1a\x01', b'')
    """
    try:
        return _pack(value)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return b""


def packed_each(values: list[Any]) -> list[bytes]:
    r"""The values in MessagePack, each by itself; empty where one cannot be packed.

    >>> packed_each([1, object])
    [b'\x01', b'']
    """
    try:
        return [_pack(value) for value in values]
    except (TypeError, ValueError, RecursionError, OverflowError):
        return [packed(value) for value in values]


def packed_alike(a: Any, b: Any) -> bool:
    """Whether two values are the same to the byte when packed, which is a quick yes and no more.

    MessagePack tells apart what JSON values tell apart; values that differ here may still be equal
    (1 and 1.0, keys in another order).

    >>> packed_alike({"a": [1, True]}, {"a": [1, True]}), packed_alike([1], [True])
    (True, False)
    """
    try:
        return _pack(a) == _pack(b)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return False


def json_equal(a: Any, b: Any) -> bool:
    """Whether two values are the same JSON value.

    Numbers compare by value whatever their type, booleans are no numbers, tuples are lists, the
    order of keys is no matter, and a NaN is itself.

    >>> json_equal({"n": 1, "x": None}, {"x": None, "n": 1.0})
    True
    >>> json_equal(1, True), json_equal("1", 1), json_equal({"x": None}, {})
    (False, False, False)
    """
    if type(a) is type(b) and type(a) in _SCALARS:
        return bool(a == b) or (a != a and b != b)
    if type(a) is type(b) and packed_alike(a, b):
        return True
    pairs = [(a, b)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, bool) or isinstance(b, bool):
            if a is not b:
                return False
        elif isinstance(a, Mapping):
            if not isinstance(b, Mapping) or len(a) != len(b):
                return False
            named, others = by_name(a), by_name(b)
            for key, value in named.items():
                if key not in others:
                    return False
                pairs.append((value, others[key]))
        elif isinstance(a, list | tuple):
            if not isinstance(b, list | tuple) or len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif isinstance(b, Mapping | list | tuple) or not (a == b or (a != a and b != b)):
            return False
    return True


def by_name(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The entries of a mapping by what tells its keys apart as JSON values: `True` is not `1`.

    A mapping whose keys are all text, as those of JSON are, is given as it is.

    >>> by_name({1.0: "a"}) == by_name({1: "a"}), by_name({True: "a"}) == by_name({1: "a"})
    (True, False)
    """
    if set(map(type, value)) <= _TEXT:
        return value
    found = {canonical(key): item for key, item in value.items()}
    # Only keys that are NaN can fall together; each stays one of its own, equal to no other.
    return found if len(found) == len(value) else value


_TEXT = frozenset({str})


class _Truth:
    """Stands for a boolean in a key, apart from the numbers 0 and 1."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


_TRUE, _FALSE, _NAN = _Truth("true"), _Truth("false"), _Truth("nan")


def canonical(value: Any) -> Hashable:
    """A hashable key of a JSON value: two keys are equal if and only if `json_equal` holds.

    Keys are for use within one process; a value that is no JSON stands for itself where it can be
    hashed, and for its identity where it cannot.

    >>> canonical({"a": [1, True]}) == canonical({"a": [1.0, True]})
    True
    >>> canonical(True) == canonical(1)
    False
    """
    return _key(value, 0)


def _key(value: Any, depth: int) -> Hashable:
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value  # type: ignore[no-any-return]
    if kind is bool:
        return _TRUE if value else _FALSE
    if kind is float:
        return value if value == value else _NAN
    if depth > _DEEP:
        return _text(value)
    if kind is dict or isinstance(value, Mapping):
        return frozenset(
            [
                (name if type(name) is str else _key(name, depth), _key(item, depth + 1))
                for name, item in value.items()
            ]
        )
    if kind is list or isinstance(value, list | tuple):
        return tuple([_key(item, depth + 1) for item in value])
    return value if getattr(value, "__hash__", None) else (_Truth, id(value))


def _text(value: Any) -> str:
    """A key as text, without recursion, for what lies deeper than the interpreter likes."""
    out: list[str] = []
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, _Truth):
            out.append(item.name)
        elif isinstance(item, Mapping):
            todo.append(_Truth("}"))
            for name in sorted(item, key=repr, reverse=True):
                todo += [item[name], _Truth(repr(name))]
            out.append("{")
        elif isinstance(item, list | tuple):
            todo.append(_Truth("]"))
            todo.extend(reversed(item))
            out.append("[")
        elif isinstance(item, float) and item.is_integer():
            out.append(repr(int(item)))
        else:
            out.append(repr(item))
    return "\x00" + " ".join(out)

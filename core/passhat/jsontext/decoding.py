"""Decodes one JSON text: with msgspec where it is clean, else with a patient second reader."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec
from msgspec import UNSET

from passhat.errors import InputError, Place
from passhat.jsontext.structure import deeper_than

MAX_DEPTH = 200
"""How deep a value may be nested. Deeper ones are refused, so that nothing behind has to fear them."""

_fast = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_HALF = "half a character (a lone surrogate), which is no text"
_TOO_DEEP = "nested deeper than any recording needs"


def decode(data: bytes | str, place: Place | None = None, *, depth: int = MAX_DEPTH) -> Any:
    """The value of one JSON text.

    NaN, Infinity and numbers too large for a float are kept as `{"$float": "NaN"}`, integers too
    long to be read as `{"$int": "..."}`; a byte order mark is passed over; of a repeated key the
    last one counts.

    Args:
        data: The text; bytes are UTF-8.
        place: Where it stands, for the error.
        depth: How deep it may be nested.

    Raises:
        InputError: It is no JSON, no UTF-8, holds half a character (a lone surrogate), or is nested
            deeper than it may. The error names the line, and the column or the path.

    >>> decode(b'{"a": [1, NaN]}')
    {'a': [1, {'$float': 'NaN'}]}
    >>> decode(b'{"a": tru', Place("runs.jsonl", 7))
    Traceback (most recent call last):
    passhat.errors.InputError: runs.jsonl:7: not JSON: expecting value at column 7
    """
    try:
        value = _fast(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        value = _patient(data, place or Place())
    if too_deep(data, depth):
        raise InputError(_TOO_DEEP, place)
    return value


def too_deep(data: bytes | str, depth: int = MAX_DEPTH) -> bool:
    """Whether a JSON text is nested deeper than so many levels."""
    if isinstance(data, str):
        if data.count("[") + data.count("{") <= depth:
            return False
        data = data.encode(errors="surrogatepass")
    return deeper_than(data, depth)


def decode_text_result(text: str) -> Any:
    """What a tool's text says: the object or list it holds as JSON, else the text itself.

    Numbers, booleans and null stay text, since nobody can tell `5` the number from `5` the text.

    >>> decode_text_result('{"ok": true}'), decode_text_result('5'), decode_text_result('[sic]')
    ({'ok': True}, '5', '[sic]')
    """
    bare = text.strip()
    if bare[:1] + bare[-1:] not in ("{}", "[]"):
        return text
    try:
        return decode(bare)
    except InputError:
        return text


def jsonable(value: Any) -> Any:
    """A copy of a value in memory as JSON has it, sharing nothing with it.

    Mappings become dicts, tuples lists, members of an enum their values, models (whatever has
    `model_dump`) what they dump, NaN and the infinities `{"$float": ...}`.

    Raises:
        InputError: Something in it is no JSON value; the error names its path.

    >>> jsonable({"a": (1, float("inf"))})
    {'a': [1, {'$float': 'Infinity'}]}
    >>> jsonable({"a": [object]})
    Traceback (most recent call last):
    passhat.errors.InputError: $.a[0]: a type is no JSON value
    """
    copy = exact_copy(value)
    return _copied(value) if copy is UNSET else copy


def exact_copy(value: Any, *, depth: int = MAX_DEPTH) -> Any:
    """A copy of a value in memory that is JSON as it stands; `UNSET` for any other.

    Args:
        value: The value.
        depth: How deep it may be nested.

    >>> exact_copy({"a": [1]}), exact_copy({"a": (1,)}), exact_copy([[1]], depth=1)
    ({'a': [1]}, UNSET, UNSET)
    """
    try:
        data = _encode(value)
        copy = _fast(data)
        # What is the same when it is read back was JSON.
        return copy if copy == value and not too_deep(data, depth) else UNSET
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        return UNSET


def _copied(value: Any) -> Any:
    """A copy of a value that need be no JSON, part by part.

    Raises:
        InputError: Something in it is no JSON value; the error names its path.
    """
    root: list[Any] = [None]
    todo: list[tuple[Any, Any, Any, str, int]] = [(root, 0, value, "$", 0)]
    while todo:
        owner, key, item, path, depth = todo.pop()
        if depth > MAX_DEPTH:
            raise InputError(_TOO_DEEP, Place(path=path[:60]))
        if isinstance(item, Enum):
            todo.append((owner, key, item.value, path, depth + 1))
        elif item is None or isinstance(item, bool | int):
            owner[key] = item
        elif isinstance(item, str):
            if not item.isascii() and _SURROGATE.search(item):
                raise InputError(_HALF, Place(path=path))
            owner[key] = item
        elif isinstance(item, float):
            owner[key] = item if math.isfinite(item) else {"$float": _float_name(item)}
        elif isinstance(item, Mapping):
            if not all(isinstance(name, str) for name in item):
                raise InputError("a key that is no text", Place(path=path))
            made = owner[key] = dict.fromkeys(item)
            todo += [(made, k, inner, f"{path}.{k}", depth + 1) for k, inner in item.items()]
        elif isinstance(item, list | tuple):
            row = owner[key] = [None] * len(item)
            todo += [(row, at, inner, f"{path}[{at}]", depth + 1) for at, inner in enumerate(item)]
        elif callable(dump := getattr(item, "model_dump", None)) and not isinstance(item, type):
            todo.append((owner, key, dump(mode="json"), path, depth + 1))
        else:
            hint = (
                "; a model's model_dump(mode='json') has it as text" if type(item) is bytes else ""
            )
            raise InputError(f"a {type(item).__name__} is no JSON value{hint}", Place(path=path))
    return root[0]


def _float_name(number: float) -> str:
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"


def _patient(data: bytes | str, place: Place) -> Any:
    text = data if isinstance(data, str) else _utf8(data, place)
    try:
        value = _reader.decode(text)
    except json.JSONDecodeError as error:
        raise _not_json(error, place) from None
    except RecursionError:
        raise InputError(_TOO_DEEP, place) from None
    if _SURROGATE_ESCAPE.search(text):
        path = _half_character(value)
        if path is not None:
            raise InputError(
                _HALF,
                Place(place.file, place.line, _under(place.path, path)),
            )
    return value


def _utf8(data: bytes, place: Place) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise InputError(
            f"not UTF-8: byte 0x{data[error.start]:02x} at column {column}; save it as UTF-8",
            _lines_down(place, before.count(b"\n")),
        ) from None


def _not_json(error: json.JSONDecodeError, place: Place) -> InputError:
    cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
    what = "it ends too early (cut off?)" if cut else error.msg[:1].lower() + error.msg[1:]
    what = what.removesuffix(" at").removesuffix(" starting")
    return InputError(
        f"not JSON: {what} at column {error.colno}", _lines_down(place, error.lineno - 1)
    )


def _lines_down(place: Place, count: int) -> Place:
    if not count:
        return place
    return Place(place.file, (place.line or 1) + count, place.path)


def _half_character(value: Any) -> str | None:
    """The path of a text with a lone surrogate in it."""
    todo: list[tuple[str, Any]] = [("$", value)]
    while todo:
        path, item = todo.pop()
        if isinstance(item, str):
            if _SURROGATE.search(item):
                return path
        elif isinstance(item, dict):
            for key, inner in item.items():
                if _SURROGATE.search(key):
                    return path
                todo.append((f"{path}.{key}", inner))
        elif isinstance(item, list):
            todo += [(f"{path}[{at}]", inner) for at, inner in enumerate(item)]
    return None


def _under(base: str | None, path: str) -> str:
    return path if base is None else base + path[1:]


def _float(text: str) -> Any:
    number = float(text)
    return number if math.isfinite(number) else {"$float": text}


def _int(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return {"$int": text}


_reader = json.JSONDecoder(
    parse_float=_float, parse_int=_int, parse_constant=lambda name: {"$float": name}
)

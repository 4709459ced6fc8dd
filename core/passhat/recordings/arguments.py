"""The arguments of a call, as recordings write them: text, an object, or nothing."""

from __future__ import annotations

from typing import Any

import msgspec

from passhat.errors import InputError
from passhat.jsontext import decode

_encode = msgspec.json.Encoder().encode


def arguments(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The arguments as an object, and the raw text where they are none.

    Nothing at all (null, missing, `""`, the text `null`) is a call without arguments. What is JSON
    but no object (`[]`, `3`, `"x"`) did not come out as arguments; nor did an object that was
    encoded twice, since the tool would have been given a text.

    Args:
        raw: A JSON text, or what was already decoded from one.

    >>> arguments('{"id": "A1"}'), arguments(""), arguments('{"id": "A')
    (({'id': 'A1'}, None), ({}, None), ({}, '{"id": "A'))
    >>> arguments([1])
    ({}, '[1]')
    """
    if isinstance(raw, dict):
        return raw, None
    if raw is None:
        return {}, None
    if not isinstance(raw, str):
        return {}, _encode(raw).decode()
    if not raw.strip():
        return {}, None
    try:
        value = decode(raw)
    except InputError:
        return {}, raw
    if value is None:
        return {}, None
    return (value, None) if isinstance(value, dict) else ({}, raw)


def arguments_text(args: dict[str, Any], args_error: str | None) -> str:
    """The JSON text of a call's arguments, or the raw text that was none."""
    return _encode(args).decode() if args_error is None else args_error

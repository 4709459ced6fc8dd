"""What a model is told of a call: its answer, or its error, in words; and values as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from passhat.errors import InputError
from passhat.jsontext import jsonable
from passhat.trials.mocks import MockError
from passhat.trials.raised import (
    DeclinedError,
    HeldUpError,
    NotRecordedError,
    ToolError,
    UnknownToolError,
)


def read_args(given: Mapping[str, Any] | str | None) -> tuple[dict[str, Any], str | None]:
    """The arguments of a call, and the text that was none.

    >>> read_args('{"id": 1}'), read_args("{"), read_args(None)
    (({'id': 1}, None), ({}, '{'), ({}, None))
    """
    if given is None or given == "":
        return {}, None
    if isinstance(given, str):
        try:
            value = json.loads(given)
        except (ValueError, RecursionError):
            return {}, given
        return (value, None) if isinstance(value, dict) else ({}, given)
    return dict(given), None


def plain(value: Any) -> Any:
    """A value as JSON, sharing nothing with it; what is no JSON is its text.

    >>> plain({"when": {1}, "to": ("a", "b")}), plain([None, float("nan")])
    ({'when': [1], 'to': ['a', 'b']}, [None, {'$float': 'NaN'}])
    """
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        value = dump(mode="json")
    try:
        data = msgspec.json.encode(value, enc_hook=_worded)
        if b"null" in data:  # As which NaN and the infinities are written, too.
            return jsonable(msgspec.to_builtins(value, enc_hook=_worded, str_keys=True))
        return msgspec.json.decode(data)
    except (TypeError, ValueError, RecursionError, InputError):
        return repr(value)


def _worded(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else repr(value)


def text_of(value: Any) -> str:
    """An answer as a model is told it: text as it is, anything else as JSON.

    >>> text_of("sent"), text_of({"id": 1})
    ('sent', '{"id":1}')
    """
    return value if isinstance(value, str) else msgspec.json.encode(plain(value)).decode()


_QUIET = (
    ToolError,
    MockError,
    DeclinedError,
    HeldUpError,
    NotRecordedError,
    UnknownToolError,
)
"""Errors whose class says no more than their words."""


def told(error: BaseException) -> str:
    """An error as a model is told it: its kind, but where that says no more than its words.

    >>> told(ValueError("no order A1")), told(DeclinedError("the user declined"))
    ('ValueError: no order A1', 'the user declined')
    """
    words = str(error)
    if type(error) in _QUIET or (isinstance(error, ToolError) and words[:3].isdigit()):
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__

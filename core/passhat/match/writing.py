"""Calls, values and differences in writing: each on one line, long ones cut."""

from __future__ import annotations

import json
import reprlib
from json.encoder import encode_basestring
from typing import Any

from passhat.case import ExpectedCall
from passhat.match.terms import Difference
from passhat.trace.derived import remembered
from passhat.values import ABSENT

_PLAIN = 10**15
_LONGEST = 60
_write = json.JSONEncoder(ensure_ascii=False).encode


def write_call(name: str, args: dict[str, Any] | None) -> str:
    """A call as it is written in code, long values cut.

    >>> write_call("refund", {"order_id": "A1", "amount": 49.9})
    'refund(order_id="A1", amount=49.9)'
    >>> write_call("refund", None)
    'refund(...)'
    """
    name = on_one_line(name)
    if args is None:
        return f"{name}(...)"
    written = [f"{on_one_line(key)}={write_value(value)}" for key, value in args.items()]
    return f"{name}({', '.join(written)})"


def write_expected(call: ExpectedCall) -> str:
    """An expected call as it is written in code, which is remembered: a case is judged many times."""
    return remembered(call, "_written", lambda call: write_call(call.name, call.args))


def on_one_line(text: str) -> str:
    r"""The text without characters that would break or turn a line: these stand escaped.

    Names and errors are what a model or a tool wrote, and must not pass for rows of an alignment.

    >>> on_one_line("pay"), on_one_line("pay\n- refund()")
    ('pay', 'pay\\n- refund()')
    """
    if text.isprintable():
        return text
    return "".join(
        [one if one.isprintable() else one.encode("unicode_escape").decode() for one in text]
    )


def write_difference(difference: Difference) -> str:
    """A difference in words.

    >>> write_difference(Difference("amount", 49.9, 50))
    'amount: expected 49.9, got 50'
    """
    arg = on_one_line(difference.arg)
    if difference.expected is ABSENT:
        return f"{arg}: not allowed, got {write_value(difference.actual)}"
    if difference.actual is ABSENT:
        return f"{arg}: expected {write_value(difference.expected)}, missing"
    expected, actual = write_value(difference.expected), write_value(difference.actual)
    return f"{arg}: expected {expected}, got {actual}"


def write_value(value: Any) -> str:
    """A value as JSON, cut to 60 characters; matchers and the like by their names."""
    if type(value) is str:
        text = encode_basestring(value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    if type(value) is int and -_PLAIN < value < _PLAIN:
        return str(value)
    try:
        text = _write(value)
    except (TypeError, ValueError, RecursionError):
        text = _repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _repr(value: Any) -> str:
    """What is no JSON, or too deep for it, in the words of Python."""
    if not isinstance(value, dict | list | tuple | int):
        return repr(value)
    try:
        return reprlib.repr(value)
    except ValueError:  # A number with more digits than the interpreter writes out.
        return f"<{type(value).__name__}>"


def json_or_name(value: Any) -> Any:
    """The value itself where it is JSON; `"absent"`, or a matcher's name, where it is not."""
    if isinstance(value, str | int | float | bool | dict | list | tuple | None):
        return value
    return repr(value)

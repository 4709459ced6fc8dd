"""How reasons and evidence name things: calls, values, lists of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from passhat.match.writing import write_call, write_value
from passhat.trace import ToolCall
from passhat.wording import joined

_WIDTH = 160


def plain(value: Any) -> Any:
    """The value if it is JSON, else a text that shows it.

    >>> plain({"a": [1]}), plain(len)
    ({'a': [1]}, '<built-in function len>')
    """
    try:
        msgspec.json.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return write_value(value)
    return value


def written(call: ToolCall) -> str:
    """The call as one would write it, its arguments as they came where they did not parse.

    >>> written(ToolCall("refund", {"order_id": "A1", "amount": 50}))
    'refund(order_id="A1", amount=50)'
    """
    if call.args_error is not None:
        return f"{call.name}({write_value(call.args_error)})"
    return write_call(call.name, call.args)


def named(index: int, call: ToolCall) -> dict[str, Any]:
    """The call in evidence: its place in the trajectory and its tool."""
    return {"index": index, "name": call.name}


def in_quotes(text: str) -> str:
    """The text between quotation marks, shortened.

    >>> in_quotes("Done.")
    '"Done."'
    """
    return f'"{text}"' if len(text) <= _WIDTH else f'"{text[: _WIDTH - 1]}…"'


def sentences(parts: Sequence[str]) -> str:
    """The first of several findings in a row, and how many more there are.

    >>> sentences(["refund failed", "email failed"])
    'refund failed; email failed'
    """
    return joined(parts, by="; ")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like it, if one is.

    >>> nearest("issue_refnd", ["lookup", "issue_refund"])
    'issue_refund'
    """
    return next(iter(get_close_matches(word, list(known), 1)), None)

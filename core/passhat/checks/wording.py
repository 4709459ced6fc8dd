"""How reasons and evidence name things: calls, values, lists of names."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from passhat.trace import ToolCall

_WIDTH = 60


def plain(value: Any) -> Any:
    """The value if it is JSON, else a text that shows it.

    >>> plain({"a": [1]}), plain(len)
    ({'a': [1]}, '<built-in function len>')
    """
    return value if _json(value) is not None else _repr(value)


def shown(value: Any) -> str:
    """The value as short JSON text.

    >>> shown({"amount": 49.9}), shown("x" * 100)[-8:]
    ('{"amount":49.9}', 'xxxxxxx…')
    """
    text = _json(value) or _repr(value)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _json(value: Any) -> str | None:
    """The value as JSON text; None if it is no JSON."""
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None


def _repr(value: Any) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # A number with more digits than the interpreter writes out.
        return f"<{type(value).__name__}>"


def written(call: ToolCall) -> str:
    """The call as one would write it.

    >>> written(ToolCall("refund", {"order_id": "A1", "amount": 50}))
    'refund(order_id="A1", amount=50)'
    """
    if call.args_error is not None:
        return f"{call.name}({shown(call.args_error)})"
    return f"{call.name}({', '.join(f'{name}={shown(v)}' for name, v in call.args.items())})"


def named(index: int, call: ToolCall) -> dict[str, Any]:
    """The call in evidence: its place in the trajectory and its tool."""
    return {"index": index, "name": call.name}


def joined(parts: Sequence[str], most: int = 3, by: str = ", ") -> str:
    """The parts in a row, and how many more there are.

    >>> joined(["a", "b"]), joined(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    head = by.join(parts[:most])
    return head if len(parts) <= most else f"{head} and {len(parts) - most} more"


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

"""Eval sets whose cases are still text, so that each is decoded when it is read, and let go then.

A file decoded as a whole is ten times its size in memory, and to walk through that takes longer than
to decode it.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from msgspec import DecodeError, Raw
from msgspec.json import Decoder

from passhat.errors import InputError
from passhat.jsontext import MAX_DEPTH, decode

_members = Decoder(dict[str, Raw]).decode
_elements = Decoder(list[Raw]).decode
_CASES = "eval_cases"
_DEPTH = MAX_DEPTH - 2
"""How deep a case may be nested, which stands in a list in an object."""


def with_raw_cases(data: bytes, known: AbstractSet[str]) -> dict[str, Any] | None:
    """The eval set that a file holds, each of its cases as text; None for what is none, or is broken.

    Args:
        data: The file.
        known: The keys that an eval set may have here.
    """
    try:
        members = _members(data)
        if _CASES not in members or not members.keys() <= known:
            return None
        return {
            key: _elements(raw) if key == _CASES else decode(bytes(raw), depth=MAX_DEPTH - 1)
            for key, raw in members.items()
        }
    except (DecodeError, UnicodeError, RecursionError, InputError):
        return None


def decoded(case: Any) -> Any:
    """A case as a value, whether it is still text or not.

    Raises:
        InputError: It is no JSON, or is nested deeper than it may.
    """
    return decode(bytes(case), depth=_DEPTH) if type(case) is Raw else case

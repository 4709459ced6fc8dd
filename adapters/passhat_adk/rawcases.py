"""Eval sets whose cases are still text, so that each is decoded when it is read, and let go then.

A file decoded as a whole is ten times its size in memory, and to walk through that takes longer than
to decode it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from msgspec import UNSET, DecodeError, Raw, defstruct
from msgspec.json import Decoder

from passhat.jsontext import decode, too_deep

_CASES = "eval_cases"
_RAWS: Any = list[Raw]


def with_raw_cases(data: bytes, known: frozenset[str]) -> dict[str, Any] | None:
    """The eval set that a file holds, each of its cases as text; None for what is none, or is broken.

    Args:
        data: The file.
        known: The keys that an eval set may have here.
    """
    for decoder in _decoders(known):
        try:
            held = decoder(data)
        except (DecodeError, UnicodeError, RecursionError):
            continue
        if too_deep(data):
            return None
        members = {key: getattr(held, key) for key in held.__struct_fields__}
        return {key: item for key, item in members.items() if item is not UNSET}
    return None


@cache
def _decoders(known: frozenset[str]) -> list[Callable[[bytes], Any]]:
    """What decodes an eval set in either spelling, with the keys in snake case."""
    others: Any = [(key, Any, UNSET) for key in sorted(known - {_CASES})]
    kinds = [
        defstruct(
            "EvalSet",
            [*others, (_CASES, _RAWS)],
            rename=spelling,
            forbid_unknown_fields=True,
            kw_only=True,
            gc=False,
        )
        for spelling in (None, "camel")
    ]
    return [Decoder(kind).decode for kind in kinds]


def decoded(case: Any) -> Any:
    """A case as a value, whether it is still text or not.

    Raises:
        InputError: It is no JSON.
    """
    return decode(bytes(case)) if type(case) is Raw else case

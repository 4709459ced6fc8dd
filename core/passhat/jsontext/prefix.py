"""What a file begins with, judged by its first bytes alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from passhat.errors import InputError
from passhat.jsontext.decoding import decode
from passhat.jsontext.structure import completed

_FEW = 8


@lru_cache(maxsize=2)
def first_values(head: bytes) -> tuple[Any, ...]:
    r"""The first few values of a file: lines of JSONL, elements of a list, or the one value it is.

    What the bytes cut off is left out. Nothing is given for bytes that are no JSON. The values are
    shared between callers: look, do not touch.

    >>> first_values(b'{"id": 1}\n{"id": 2}\n{"id"')
    ({'id': 1}, {'id': 2})
    >>> first_values(b'[{"role": "user"}, {"role": "assis')
    ({'role': 'user'},)
    >>> first_values(b'broken\n{"id": 2}\n')
    ({'id': 2},)
    >>> first_values(b"PK\x03\x04")
    ()
    """
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]
    if len(lines) > 1:
        found = [value for value in map(_value, lines[:_FEW]) if isinstance(value, dict | list)]
        if found and (len(found) > 1 or lines[0].strip() not in (b"[", b"{", b"[{", b"[[")):
            return tuple(found)
    text, cut = completed(head.removeprefix(b"\xef\xbb\xbf"))
    value = _value(text)
    if cut:
        _drop_last(value)
    if isinstance(value, list):
        return tuple(value[:_FEW])
    return () if value is None else (value,)


def _drop_last(value: Any) -> None:
    """Takes away what the cut went through: the last of the outermost list that has several."""
    while isinstance(value, dict | list) and value:
        if isinstance(value, list) and len(value) > 1:
            value.pop()
            return
        value = value[0] if isinstance(value, list) else next(reversed(value.values()))


def _value(data: bytes) -> Any:
    try:
        return decode(data)
    except InputError:
        return None

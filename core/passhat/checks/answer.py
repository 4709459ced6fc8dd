"""What is read in an answer: its text in a plain form, the numbers in it, the JSON in it."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import msgspec

_QUOTES = str.maketrans({"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "−": "-"})
_NUMBER = re.compile(
    r"(?<![\w.])(?<!\w[-/:,])[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
    r"(?!\w|[-/:.,]\d)"
)
_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.S)


def plain_text(text: str, cased: bool = False, spaced: bool = False) -> str:
    """The text in one form of Unicode and quotes, without case and with single spaces.

    Args:
        text: The text.
        cased: Whether to keep upper and lower case.
        spaced: Whether to keep white space as it is.

    >>> plain_text(" It’s  DONE ")
    "it's done"
    """
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    if not cased:
        plain = plain.casefold()
    return plain if spaced else " ".join(plain.split())


def numbers_in(text: str) -> list[float]:
    """The numbers that a text holds, in order, as people write them.

    >>> numbers_in("Order A17 of 2024-05-20: $1,234.50, minus 5%, that is 1172.78.")
    [1234.5, 5.0, 1172.78]
    """
    return [float(found.replace(",", "").replace("−", "-")) for found in _NUMBER.findall(text)]


def json_in(text: str) -> tuple[Any] | None:
    r"""The JSON value that a text is, or holds in a code fence; alone in a tuple, as it may be null.

    >>> json_in('Here you are:\n```json\n{"ok": true}\n```')
    ({'ok': True},)
    >>> json_in("done") is None
    True
    """
    for part in (text, *_FENCE.findall(text)):
        try:
            return (msgspec.json.decode(part),)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            continue
    return None

"""Texts in the form in which they are compared, and their words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote

_EAST = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
SHORT = 64
"""Below so many characters the words of a text are remembered."""

_DIGIT = re.compile(r"\d")
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_ESCAPE = re.compile(r"\\+(?:[nrt/\"']|u([0-9a-fA-F]{4}))")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")
_TOKEN = re.compile(rf"[0-9a-z]+(?:_+[0-9a-z]+)*|[{_EAST}]|[^\W0-9a-z_{_EAST}]+")


def has_digit(text: str) -> bool:
    """Whether there is a digit in a text."""
    return _DIGIT.search(text) is not None


def plain_text(text: str) -> str:
    """The text in the form in which texts are compared: NFKC, without case, all digits Latin ones.

    >>> plain_text("Ａ１２ ١٢٣")
    'a12 123'
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.replace("№", "no ")).casefold()
    return _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), plain)


def unescaped(text: str) -> str:
    r"""The text as it was before it was written into JSON once more, or into a URL.

    >>> unescaped(r"ids:\nA1\u002d2"), unescaped("?id=W%2D12")
    ('ids: A1-2', '?id=W-12')
    """
    if "\\" in text:
        text = _ESCAPE.sub(_written_out, text)
    return unquote(text) if "%" in text and _PERCENT.search(text) else text


def _written_out(escape: re.Match[str]) -> str:
    """The character that an escape writes; a blank for a break, and for half a character."""
    char = " " if escape[1] is None else chr(int(escape[1], 16))
    return " " if "\ud800" <= char <= "\udfff" else char


def tokens(text: str) -> list[str]:
    """The words of a text, in the form in which they are compared.

    An underscore is part of a word, other marks are not; East Asian characters are words each.

    >>> tokens("Card credit_card_12, order #A-100")
    ['card', 'credit_card_12', 'order', 'a', '100']
    """
    return _TOKEN.findall(plain_text(text))


def words_of(text: str) -> Sequence[str]:
    """The words of a text, as `tokens` tells them; those of short texts are remembered."""
    return short_words(text)[0] if len(text) < SHORT else tokens(text)


def long_words(text: str) -> tuple[Sequence[str], bool]:
    """The words of a text, and whether it holds a digit."""
    return tokens(text), _DIGIT.search(text) is not None


@lru_cache(maxsize=16_384)
def short_words(text: str) -> tuple[tuple[str, ...], bool]:
    """The words of a short text, as keys and values that stand in many results are."""
    return tuple(tokens(text)), _DIGIT.search(text) is not None

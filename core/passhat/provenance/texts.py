"""Texts in the form in which they are compared, and their words."""

from __future__ import annotations

import re
import unicodedata

_EAST = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_DIGIT = re.compile(r"\d")
_TOKEN = re.compile(rf"[0-9a-z]+(?:_+[0-9a-z]+)*|[{_EAST}]|[^\W0-9a-z_{_EAST}]+")


def has_digit(text: str) -> bool:
    """Whether there is a digit in a text."""
    return _DIGIT.search(text) is not None


def plain_text(text: str) -> str:
    """The text in the form in which texts are compared: NFKC and without case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def tokens(text: str) -> list[str]:
    """The words of a text, in the form in which they are compared.

    An underscore is part of a word, other marks are not; East Asian characters are words each.

    >>> tokens("Card credit_card_12, order #A-100")
    ['card', 'credit_card_12', 'order', 'a', '100']
    """
    return _TOKEN.findall(plain_text(text))

"""ROUGE-1: the words that a text shares with a reference.

After C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries" (2004): the overlap of the
two bags of words, over the words of the text (precision), over those of the reference (recall), and
the harmonic mean of the two (F1).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from passhat.checks.porter import stem as porter_stem

Tokens: TypeAlias = Literal["unicode", "ascii", "whitespace"]

_ASCII_WORD = re.compile(r"[a-z0-9]+")
_SHORT = 3
_SINGLE = ((0x4E00, 0x9FFF), (0x3040, 0x30FF), (0xAC00, 0xD7AF))
"""Chinese, Japanese and Korean: each character is a word."""
_CLUSTERS = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
"""Thai, Lao, Burmese and Khmer: each consonant, with the marks that hang on it, is a word."""


class Rouge(NamedTuple):
    """How far a text shares its words with a reference.

    Attributes:
        overlap: The words that both have, each as often as both have it.
        given: The words of the text.
        wanted: The words of the reference.
    """

    overlap: int
    given: int
    wanted: int

    @property
    def precision(self) -> float:
        """The share of the text's words that the reference has, 0..1; 0 for an empty text."""
        return self.overlap / self.given if self.given else 0.0

    @property
    def recall(self) -> float:
        """The share of the reference's words that the text has, 0..1; 0 for an empty reference."""
        return self.overlap / self.wanted if self.wanted else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of the two, 0..1."""
        return 2 * self.overlap / (self.given + self.wanted) if self.overlap else 0.0


def rouge1(
    text: str, reference: str, tokenize: Callable[[str], list[str]], *, stem: bool = False
) -> Rouge:
    """How far a text shares its words with a reference.

    Args:
        text: The text to judge.
        reference: What it is compared with.
        tokenize: Splits a text into words.
        stem: Whether English words of more than three letters count by their stem.

    >>> rouge1("the cat sat", "the cat sat down", by_whitespace).f1
    0.8571428571428571
    """
    given, wanted = (_counted(tokenize(side), stem) for side in (text, reference))
    return Rouge((given & wanted).total(), given.total(), wanted.total())


def _counted(words: list[str], stem: bool) -> Counter[str]:
    if stem:
        words = [porter_stem(w) if len(w) > _SHORT and w.isascii() else w for w in words]
    return Counter(words)


def by_whitespace(text: str) -> list[str]:
    """What stands between white space, as it is written."""
    return text.split()


def ascii_words(text: str) -> list[str]:
    """The runs of a-z and 0-9, in lower case; what else there is parts them.

    >>> ascii_words("It's 49.90!")
    ['it', 's', '49', '90']
    """
    return _ASCII_WORD.findall(text.lower())


def unicode_words(text: str) -> list[str]:
    """The runs of letters and digits of any script, in lower case.

    Characters of scripts that write no spaces between words are words of their own.

    >>> unicode_words("Zürich 東京")
    ['zürich', '東', '京']
    """
    parts: list[str] = []
    for char in unicodedata.normalize("NFKC", text).lower():
        if _within(char, _SINGLE):
            parts.append(f" {char} ")
        elif unicodedata.category(char)[0] == "M":
            parts.append(char)
        elif _within(char, _CLUSTERS):
            parts.append(f" {char}")
        else:
            parts.append(char if char.isalnum() else " ")
    return "".join(parts).split()


def _within(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= ord(char) <= high for low, high in ranges)


TOKENIZERS: dict[Tokens, Callable[[str], list[str]]] = {
    "unicode": unicode_words,
    "ascii": ascii_words,
    "whitespace": by_whitespace,
}

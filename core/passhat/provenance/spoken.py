"""Codes, addresses and numbers as people say them: `M as in Mike, double two, oh five`."""

from __future__ import annotations

import re
import unicodedata
from typing import TypeAlias

from passhat.provenance.texts import tokens

Reading: TypeAlias = "tuple[int, str]"
"""How many words are read, and as what characters."""

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_LETTERS = frozenset({
    "alpha", "alfa", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india",
    "juliet", "juliett", "kilo", "lima", "mike", "november", "oscar", "papa", "quebec", "romeo",
    "sierra", "tango", "uniform", "victor", "whiskey", "whisky", "xray", "yankee", "zulu",
})  # fmt: skip
"""Words that stand for the letter they begin with."""

_NAMES = {
    "oh": "0o", "o": "0", "nought": "0", "nil": "0", "ay": "a", "eh": "a", "bee": "b", "be": "b",
    "cee": "c", "see": "c", "sea": "c", "dee": "d", "ef": "f", "eff": "f", "gee": "g", "aitch": "h",
    "eye": "i", "aye": "i", "jay": "j", "kay": "k", "el": "l", "ell": "l", "em": "m", "en": "n",
    "pee": "p", "pea": "p", "cue": "q", "queue": "q", "ar": "r", "arr": "r", "are": "r", "ess": "s",
    "tee": "t", "tea": "t", "you": "u", "vee": "v", "ex": "x", "why": "y", "wye": "y", "zee": "z",
    "zed": "z",
    "eins": "1", "zwei": "2", "zwo": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6",
    "sieben": "7", "acht": "8", "neun": "9", "null": "0",
    "un": "1", "deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "sept": "7", "huit": "8",
    "neuf": "9", "zéro": "0",
    "uno": "1", "dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6", "siete": "7",
    "ocho": "8", "nueve": "9", "cero": "0",
}  # fmt: skip
_TIMES = {"double": 2, "triple": 3, "treble": 3}
_MARKS = frozenset({
    "underscore", "dash", "hyphen", "minus", "slash", "hash",
    "pound", "plus", "comma", "colon", "space", "and", "then", "capital", "upper", "uppercase",
    "lower", "lowercase", "case", "letter", "letters", "digit", "digits",
})  # fmt: skip
_ADDRESS_MARKS = frozenset({"at", "dot", "point", "period"})
_TOLD_BY = frozenset({"as in", "for", "like"})
_HOSTS = frozenset({"gmail", "hotmail", "outlook", "yahoo", "icloud"})
_LONGEST_NUMBER = 10
_SPELT = {"ä": "ae", "ö": "oe", "ü": "ue"}
_UMLAUT = re.compile("[äöü]")
_TELLING = frozenset(
    {*_UNITS, *_TENS, *_LETTERS, *_NAMES, *_TIMES, *_MARKS, *_ADDRESS_MARKS, *_HOSTS}
)


class Spoken:
    """A text as it may be meant where somebody spells or dictates in it.

    Attributes:
        words: Its words.
        telling: Whether any of them may stand for something else than itself.
    """

    def __init__(self, text: str) -> None:
        self.words = [part for word in tokens(text) for part in word.split("_") if part]
        self.telling = any(word in _TELLING or not word.isascii() for word in self.words)
        self._readings: list[list[Reading]] | None = None
        self._starts: dict[str, list[int]] = {}

    def spells(self, joined: str, *, address: bool = False) -> bool:
        """Whether words in a row may be read as these letters and digits, in lower case.

        Args:
            joined: The letters and digits.
            address: Whether they are a mail address, in which `at` and `dot` are marks.

        >>> Spoken("It is M as in Mike, two, oh, double five").spells("m2055")
        True
        >>> Spoken("ann dot lee 42 at gmail dot com").spells("annlee42gmailcom", address=True)
        True
        >>> Spoken("order W twelve thirty-four").spells("w1234")
        True
        """
        if not self.telling or not joined:
            return False
        if self._readings is None:
            self._readings = [self._read(at) for at in range(len(self.words))]
            for at, readings in enumerate(self._readings):
                for first in {chars[0] for _, chars in readings}:
                    self._starts.setdefault(first, []).append(at)
        marks = _MARKS | _ADDRESS_MARKS if address else _MARKS
        return any(self._spells_from(at, joined, marks) for at in self._starts.get(joined[0], ()))

    def _spells_from(self, start: int, joined: str, marks: frozenset[str]) -> bool:
        """Whether the words from one on may be read so."""
        readings = self._readings or []
        words, todo, tried = self.words, [(start, 0)], set[tuple[int, int]]()
        while todo:
            at, done = todo.pop()
            if done == len(joined):
                return True
            if at >= len(words) or (at, done) in tried:
                continue
            tried.add((at, done))
            for used, chars in readings[at]:
                if joined.startswith(chars, done):
                    todo.append((at + used, done + len(chars)))
            if not done:
                continue
            if words[at] in marks:
                todo.append((at + 1, done))
            told = next((n for n in (1, 2) if " ".join(words[at : at + n]) in _TOLD_BY), 0)
            if told and at + told < len(words) and words[at + told][0] == joined[done - 1]:
                todo.append((at + told + 1, done))  # M as in Mike.
        return False

    def _read(self, at: int) -> list[Reading]:
        """The ways to read the word at a place, or it and those after it."""
        word = self.words[at]
        found = [(1, word)]
        if not word.isascii():
            found += [(1, spelt) for spelt in _without_marks(word)]
        if word in _LETTERS:
            found.append((1, word[0]))
        found += [(1, char) for char in _NAMES.get(word, "")]
        if word in _HOSTS:
            found.append((1, f"{word}com"))
        if word == "double" and self.words[at + 1 : at + 2] in (["u"], ["you"]):
            found.append((2, "w"))
        if word in _TIMES and at + 1 < len(self.words):
            single = [chars for used, chars in self._read_one(at + 1) if len(chars) == 1]
            found += [(2, chars * _TIMES[word]) for chars in single]
        found += _cardinals(self.words[at : at + _LONGEST_NUMBER])
        return found

    def _read_one(self, at: int) -> list[Reading]:
        return [] if self.words[at] in _TIMES else self._read(at)


def digits_of(word: str) -> str:
    """The digit that a word stands for; any other word as it is.

    >>> digits_of("seven"), digits_of("17")
    ('7', '17')
    """
    return str(_UNITS[word]) if word in _UNITS else word


def _without_marks(word: str) -> set[str]:
    """A word without the marks on its letters: `koeln` and `koln` for `köln`."""
    spelt = _UMLAUT.sub(lambda letter: _SPELT[letter[0]], word)
    return {_stripped(spelt), _stripped(word)} - {word, ""}


def _stripped(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word)
    return "".join(char for char in parts if not unicodedata.combining(char))


def _cardinals(words: list[str]) -> list[Reading]:
    """The numbers that the first words, one or more, write out: each with how many words it takes.

    >>> _cardinals("two hundred and five apples".split())
    [(1, '2'), (2, '200'), (4, '205')]
    """
    found: list[Reading] = []
    total = part = 0
    least = 1000  # What may follow must be less: `twenty` is followed by a unit, `hundred` by both.
    for used, word in enumerate(words, start=1):
        if word in _UNITS and _UNITS[word] < least and (_UNITS[word] or used == 1):
            part += _UNITS[word]
            least = 1
        elif word in _TENS and least >= 100:
            part += _TENS[word]
            least = 10
        elif word == "hundred" and 0 < part < 100:
            part *= 100
            least = 100
        elif word == "thousand" and part and not total:
            total, part, least = 1000 * part, 0, 1000
        elif word == "and" and least == 100:
            continue
        else:
            break
        found.append((used, str(total + part)))
    return found

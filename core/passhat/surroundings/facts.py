"""Facts that a user knows: when a message asks for one, and when one tells it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from passhat.values.reading import normal_text

_ASKING = re.compile(
    r"\?|\b(please|provide|tell me|give me|share|send me|let me know|confirm|need(ed)? (your|the|to know)|"
    r"may i have|what|which|who|when|where|enter|specify|verify)\b"
)
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]?")
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset([
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does", "for",
    "from", "had", "has", "have", "he", "her", "his", "i", "if", "in", "is", "it", "its", "me",
    "my", "no", "not", "of", "on", "or", "our", "she", "so", "that", "the", "their", "them",
    "they", "this", "to", "was", "we", "were", "will", "with", "would", "you", "your", "user",
    "customer", "who", "what", "when", "which", "there", "very", "just", "only", "also", "about",
    "into", "than", "then",
])  # fmt: skip
"""Words that say nothing of what a fact is about."""
_SAME = (
    frozenset({"id", "number", "no", "code", "reference", "ref", "identifier", "confirmation"}),
    frozenset({"email", "mail", "e"}),
    frozenset({"phone", "telephone", "mobile", "cell"}),
    frozenset({"zip", "postal", "postcode"}),
    frozenset({"name", "called"}),
    frozenset({"birth", "birthday", "born", "dob"}),
)
"""Words that ask for the same thing."""

_MOST_SHARED = 0.6


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return _WORD.findall(normal_text(text))


@dataclass(frozen=True)
class Fact:
    """Something the user knows.

    Attributes:
        name: What it is called: `order_id`; empty where it is told in words alone.
        value: What it is.
        ask: Patterns that ask for it; without them the words of its name, or its own, do.
        say: How the user tells it.

    >>> order = Fact("order_id", "A100")
    >>> order.told_by("It is a100."), order.asked_by("What is your order number?"), order.say
    (True, True, 'My order id is A100.')
    """

    name: str
    value: Any
    ask: tuple[str, ...] = ()
    said: str | None = None

    @cached_property
    def say(self) -> str:
        """How the user tells it."""
        if self.said is not None:
            return self.said
        if not self.name:
            return str(self.value)
        if isinstance(self.value, bool):
            return f"{spoken_name(self.name).capitalize()}: {'yes' if self.value else 'no'}."
        return f"My {spoken_name(self.name)} is {spoken_value(self.value)}."

    @cached_property
    def _key_words(self) -> frozenset[str]:
        source = self.name.replace("_", " ") if self.name else str(self.value)
        words = [word for word in words_of(source) if word not in _STOP]
        if self.name:
            return frozenset(words)
        return frozenset(word for word in words if len(word) > 2 and not _has_digit(word))

    @cached_property
    def _tokens(self) -> tuple[str, ...]:
        return tuple(words_of(spoken_value(self.value)))

    def asked_by(self, text: str) -> bool:
        """Whether a message of the agent asks for it."""
        if self.ask:
            return any(re.search(pattern, text, re.IGNORECASE) for pattern in self.ask)
        for sentence in _SENTENCE.findall(normal_text(text)):
            if not _ASKING.search(sentence):
                continue
            said = frozenset(words_of(sentence))
            if self.name and all(_names(word, said) for word in self._key_words):
                return bool(self._key_words)
            if not self.name and self._key_words & said:
                return True
        return False

    def told_by(self, text: str) -> bool:
        """Whether a message of the user tells it."""
        said = words_of(text)
        if self.name or len(self._tokens) <= 3:
            return bool(self._tokens) and _in_a_row(self._tokens, said)
        marks = [word for word in self._tokens if _has_digit(word)]
        if marks:
            return any(mark in said for mark in marks)
        wanted = self._key_words
        return bool(wanted) and len(wanted & set(said)) >= _MOST_SHARED * len(wanted)


def _names(word: str, said: frozenset[str]) -> bool:
    if word in said or f"{word}s" in said or word.removesuffix("s") in said:
        return True
    return any(word in same and not same.isdisjoint(said) for same in _SAME)


def _in_a_row(tokens: tuple[str, ...], said: list[str]) -> bool:
    width = len(tokens)
    if any(tuple(said[at : at + width]) == tokens for at in range(len(said) - width + 1)):
        return True
    whole = "".join(tokens)
    if len(whole) <= 3 or not _has_digit(whole):
        return False
    # An id may be spelt: "A 1 0 0", "A-100".
    for start in range(len(said)):
        spelt = ""
        for word in said[start:]:
            spelt += word
            if not whole.startswith(spelt):
                break
            if spelt == whole:
                return True
    return False


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def spoken_name(name: str) -> str:
    """The name of a fact as one says it: `order id`."""
    return name.replace("_", " ").strip()


def spoken_value(value: Any) -> str:
    """A value as one says it."""
    if isinstance(value, list | tuple):
        return ", ".join(map(spoken_value, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {spoken_value(item)}" for key, item in value.items())
    return str(value)

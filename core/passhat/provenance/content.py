"""Texts and JSON values in the forms in which values are looked up in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec

from passhat.provenance.days import Day, Shift, days_in, shifts_in, stated_today, times_in
from passhat.provenance.numerals import as_float, number_text, numbers_in, short_numbers
from passhat.provenance.places import Node
from passhat.provenance.talk import Talk
from passhat.provenance.texts import SHORT, long_words, short_words, tokens, unescaped

_DIGIT = re.compile(r"\d")
_HASH = re.compile(r"[0-9a-f]{16,}")
_SHORT_HASHES = range(7, 13)
MOST_JOINED = 9
"""As many groups as the longest account numbers are written in."""
LONGEST_JOINED = 40
_LONGEST_JOINED_TEXT = 100_000
_LONGEST_TALK = 20_000
PHONE_DIGITS = 9

Leaf: TypeAlias = "tuple[str | int | float, Node]"
"""A text or a number in a JSON value, and where it stands."""


class SeenNumber(NamedTuple):
    """A number in a content: as it was written, None where it was a JSON number, and where."""

    written: str | None
    node: Node


class Content:
    """What one source holds, indexed once.

    Attributes:
        texts: Its texts, keys of objects among them, with their places.
        leaf_numbers: Its JSON numbers, with their places.
        words: Each of its words, with the text or number where it stands alone, or else first.
        decoded: Whether it is a JSON object or list, so that places mean something.
    """

    def __init__(self, value: Any) -> None:
        read = decoded(value)
        self.decoded = type(read) is dict or isinstance(read, Mapping | list | tuple)
        self.texts: list[tuple[str, Node]] = []
        self.leaf_numbers: list[tuple[int | float, Node]] = []
        self._walk(read)
        self.texts += [
            (plain, node)
            for text, node in self.texts
            if ("\\" in text or "%" in text) and (plain := unescaped(text)) != text
        ]
        self.words: dict[str, Leaf] = {}
        self.digit_texts: list[tuple[str, Node]] = []
        words = self.words
        longer: list[tuple[Sequence[str], Leaf]] = []
        for item in self.texts:
            text = item[0]
            found, with_digit = short_words(text) if len(text) < SHORT else long_words(text)
            if len(found) != 1:
                longer.append((found, item))
            elif found[0] not in words:
                words[found[0]] = item
            if with_digit:
                self.digit_texts.append(item)
        for found, leaf in longer:
            for word in found:
                if word not in words:
                    words[word] = leaf
        for number, node in self.leaf_numbers:
            words.setdefault(number_text(number), (number, node))

    def _walk(self, value: Any) -> None:
        """Notes the texts, keys of objects (each once), and the numbers in a value, however deep."""
        texts, numbers = self.texts, self.leaf_numbers
        keys: set[Any] = set()
        todo: list[tuple[Any, Node]] = [(value, None)]
        while todo:
            item, node = todo.pop()
            below: Iterable[tuple[Any, Any]]
            if type(item) is list or isinstance(item, list | tuple):
                below = enumerate(item)
            elif type(item) is dict or isinstance(item, Mapping):
                below = item.items()
                for key in item:
                    if key not in keys:
                        keys.add(key)
                        if type(key) is str:
                            texts.append((key, (node, key)))
            else:
                self._take(item, node)
                continue
            nested = []
            for key, inner in below:
                kind = type(inner)
                if kind is str:
                    texts.append((inner, (node, key)))
                elif kind is int or kind is float:
                    numbers.append((inner, (node, key)))
                elif kind is dict or kind is list or isinstance(inner, Mapping | list | tuple):
                    nested.append((inner, (node, key)))
                else:
                    self._take(inner, (node, key))
            if nested:
                nested.reverse()
                todo += nested

    def _take(self, value: Any, node: Node) -> None:
        """Notes a scalar, where it is a text or a number."""
        if isinstance(value, str):
            self.texts.append((str(value), node))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.leaf_numbers.append((value, node))

    @cached_property
    def raw(self) -> str:
        """All its texts as they were written, a line each."""
        return "\n".join(text for text, _ in self.texts)

    @cached_property
    def raw_folded(self) -> str:
        """All its texts without case."""
        return self.raw.casefold()

    def as_written(self, word: str) -> str:
        """One of its words with the case it was written in, where that can be told.

        >>> Content("Order HAT-12a").as_written("12a"), Content({"id": "W12"}).as_written("w12")
        ('12a', 'W12')
        """
        at = self.raw_folded.find(word)
        same = at >= 0 and len(self.raw_folded) == len(self.raw)
        return self.raw[at : at + len(word)] if same else word

    @cached_property
    def phrases(self) -> str:
        """The words of its texts, each between blanks, a line for each text."""
        return "".join(f" {' '.join(tokens(text))} \n" for text, _ in self.texts)

    @cached_property
    def numbers(self) -> dict[float, SeenNumber]:
        """The numbers in it, JSON numbers and those written in texts, without their signs."""
        found: dict[float, SeenNumber] = {}
        for number, node in self.leaf_numbers:
            if (value := as_float(number)) is not None:
                found.setdefault(abs(value), SeenNumber(None, node))
        for text, node in self.digit_texts:
            written_in = short_numbers(text) if len(text) < SHORT else numbers_in(text)
            for value, written in written_in:
                found.setdefault(value, SeenNumber(written, node))
        return found

    @cached_property
    def sums(self) -> dict[float, Node]:
        """The sums of what the objects of a list hold under the same key, with the list's place."""
        columns: dict[tuple[int, Any], list[Any]] = {}
        for number, node in self.leaf_numbers:
            if node is not None and node[0] is not None and isinstance(node[0][1], int):
                rows = node[0][0]
                if (value := as_float(number)) is not None:
                    columns.setdefault((id(rows), node[1]), [rows]).append(value)
        found: dict[float, Node] = {}
        for rows, *column in columns.values():
            if len(column) > 1:
                found.setdefault(round(sum(column), 6), rows)
        return found

    @cached_property
    def joined(self) -> dict[str, Node]:
        """Words in a row written as one, where they hold a digit: `A 100` as `a100`."""
        found: dict[str, Node] = {}
        for text, node in self.digit_texts:
            words = tokens(text[:_LONGEST_JOINED_TEXT])
            coded = [_DIGIT.search(word) is not None for word in words]
            for start in range(len(words) - 1):
                run = words[start]
                with_digit = coded[start]
                for at in range(start + 1, min(start + MOST_JOINED, len(words))):
                    run += words[at]
                    with_digit = with_digit or coded[at]
                    if len(run) > LONGEST_JOINED:
                        break
                    if with_digit:
                        found.setdefault(run, node)
        return found

    @cached_property
    def endings(self) -> dict[str, Node]:
        """The last digits of long runs of digits, however they are set in groups: of phone numbers."""
        return {
            run[-PHONE_DIGITS:]: node
            for run, node in (*self.joined.items(), *self.coded)
            if len(run) >= PHONE_DIGITS and run.isdecimal()
        }

    @cached_property
    def parts(self) -> dict[str, Node]:
        """The parts of words between underscores, where they hold a digit: `7504069` of `card_7504069`."""
        found: dict[str, Node] = {}
        for word, node in self.coded:
            if "_" in word:
                for part in word.split("_"):
                    if len(part) > 2 and _DIGIT.search(part):
                        found.setdefault(part, node)
        return found

    @cached_property
    def bare(self) -> dict[str, Node]:
        """Its codes without their underscores: `mia_li_3668` as `miali3668`."""
        return {word.replace("_", ""): node for word, node in self.coded if "_" in word}

    @cached_property
    def unpadded(self) -> dict[str, Node]:
        """Its codes of digits alone without the zeros they begin with: `00123` as `123`."""
        coded = [(word, node) for word, node in self.coded if word[0] == "0" and word.isdecimal()]
        return {word.lstrip("0"): node for word, node in coded}

    @cached_property
    def talk(self) -> Talk:
        """Its texts as they may have been meant."""
        return Talk(self.raw[:_LONGEST_TALK])

    @cached_property
    def abbreviated(self) -> dict[str, Node]:
        """The beginnings of its long hashes, as long as people write them: `3fa91c2`."""
        hashes = [(word, node) for word, node in self.coded if _HASH.fullmatch(word)]
        return {word[:size]: node for word, node in hashes for size in _SHORT_HASHES}

    @cached_property
    def coded(self) -> list[tuple[str, Node]]:
        """Its words that hold a digit."""
        return [(word, leaf[1]) for word, leaf in self.words.items() if _DIGIT.search(word)]

    @cached_property
    def days(self) -> list[tuple[Day, Node]]:
        """The days that its texts name."""
        return [(day, node) for text, node in self.digit_texts for day in days_in(text)]

    @cached_property
    def days_of_months(self) -> dict[tuple[int, int], list[tuple[Day, Node]]]:
        """The days that its texts name with their months, by month and day of the month."""
        found: dict[tuple[int, int], list[tuple[Day, Node]]] = {}
        for day, node in self.days:
            if day.month is not None:
                found.setdefault((day.month, day.day), []).append((day, node))
        return found

    @cached_property
    def times(self) -> dict[tuple[int, int], Node]:
        """The times of day that its texts name, as hour and minute."""
        return {time: node for text, node in self.digit_texts for time in times_in(text)}

    @cached_property
    def shifts(self) -> tuple[Shift, ...]:
        """The words in it that lead from one day to another."""
        return tuple(shifts_in(self.raw[:_LONGEST_TALK]))

    @cached_property
    def today(self) -> date | None:
        """The day that it says is today."""
        return stated_today(self.raw)

    def phrase_at(self, phrase: str) -> tuple[bool, Node]:
        """Whether the words stand in a row in one of its texts, and where."""
        at = self.phrases.find(f" {phrase} ")
        if at < 0:
            return False, None
        return True, self.texts[self.phrases.count("\n", 0, at)][1]


@lru_cache(maxsize=64)
def prompt_content(text: str) -> Content:
    """The content of a prompt, which many runs share."""
    return Content(text)


def decoded(value: Any) -> Any:
    """The value of a text that is a JSON object or list; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return value
    return value

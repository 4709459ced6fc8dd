"""Identifiers that are put together of seen ones: `mia_li_3668/W123456`, `refund-W123456`, `INV-1042`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from passhat.provenance.identifiers import name_parts, names_codes
from passhat.provenance.seen import Hit, Passage, Seen

_CHUNK = re.compile(r"\w+")
_NUMBERED = re.compile(r"([a-zA-Z]{1,10})[-_# ]*(0*)([1-9]\d{0,14})")
_WORDS = r"((?:[^\W\d_]+\W{1,3}){1,3})"
_PERSON = frozenset({"user", "username", "login", "email", "name", "person", "customer"})
_MARKED = re.compile(r"[./:]")
_LONGEST_ABBREVIATION = 4
_BETWEEN_ITEMS = re.compile(r"[,;|]")
_BETWEEN = r"\W{1,3}(?:(?:numbers?|no|nr|num|id|ids|is|code|was)\W{1,3}){0,3}0*"
_MOST_PIECES = 16
_MOST_PASSAGES = 50
_LONGEST_TALK = 20_000
_SHORTEST_CODE = 4
_SHORTEST_NUMBER = 5


def put_together(value: str, step: int, seen: Seen, name: str = "") -> list[Hit]:
    """Where the pieces of an identifier stand, if it is put together of seen codes and plain words.

    Every piece with a digit must stand alone somewhere, one of them at least being long enough for
    that not to be chance: a new number behind a seen prefix (`card_7434`) is none.

    >>> from passhat.provenance.gathering import seen_in
    >>> from passhat.testing import trace_of, user
    >>> seen = seen_in(trace_of(user("I am mia_li_3668, the order is W12345.")))
    >>> len(put_together("mia_li_3668/W12345", 9, seen)), put_together("mia_li_7/W12345", 9, seen)
    (2, [])
    """
    items = [item.strip(" \"'[]") for item in _BETWEEN_ITEMS.split(value)]
    if 1 < len(items) <= _MOST_PIECES:
        places = [seen.find(item, step)[:1] for item in items]
        if all(places):
            return [hit for place in places for hit in place]
    if "@" in value:
        return []
    if not any(map(str.isdigit, value)):
        return _of_words(value, name, step, seen)
    chunks = _CHUNK.findall(value)
    if sum(chunk.count("_") + 1 for chunk in chunks) > _MOST_PIECES:
        return []
    found: list[Hit] = []
    sure = False
    for chunk in chunks:
        parts = chunk.split("_")
        at = 0
        while at < len(parts):
            if not parts[at]:
                at += 1
                continue
            for end in range(len(parts), at, -1):
                piece = "_".join(parts[at:end])
                hits = seen.find(piece, step)[:1] if any(map(str.isdigit, piece)) else []
                if hits:
                    found += hits
                    sure = sure or _is_telling(piece)
                    break
            else:
                end = at + 1
                if not (parts[at].isalpha() or parts[at].strip("0") == ""):
                    return []
            at = end
    return found if sure and len(chunks) + value.count("_") > 1 else []


def _of_words(value: str, name: str, step: int, seen: Seen) -> list[Hit]:
    """Where the words of a path stand, each by itself: `analytics.events`, `acme/website`."""
    pieces = _MARKED.split(value)
    if not 1 < len(pieces) <= _MOST_PIECES or not _PERSON.isdisjoint(name_parts(name)):
        return []
    places = [seen.find(piece, step)[:1] if piece else [] for piece in pieces]
    return [hit for place in places for hit in place] if all(places) else []


def _is_telling(piece: str) -> bool:
    """Whether a piece is a code that hardly stands somewhere by chance."""
    return len(piece) >= (_SHORTEST_NUMBER if piece.isdigit() else _SHORTEST_CODE)


def numbered(value: str, name: str, told: Sequence[Passage], *, known: bool) -> list[Hit]:
    """Where the user told the number of an identifier that has letters before it.

    The number must be said to be that of such a thing: `order 1042` for `ORD-1042`, and for `A1042`
    under `order_id`.

    Args:
        value: The identifier.
        name: The argument's name.
        told: The user's words before it.
        known: Whether results hold others of that shape, so that it should have been looked up: then
            the letters must begin the word for the thing.
    """
    read = _NUMBERED.fullmatch(value.strip())
    if read is None:
        return []
    letters, zeros, digits = read[1].lower(), read[2], read[3]
    if len(zeros + digits) < _SHORTEST_CODE - 1:
        return []
    beginnings = [
        (passage, start)
        for passage in told[:_MOST_PASSAGES]
        if digits in (start := passage.content.raw_folded[:_LONGEST_TALK])
    ]
    if not beginnings:
        return []
    nouns = [re.escape(letters) + "[a-z]*"] if len(letters) > 1 else []
    if not known:
        nouns += [part for part in name_parts(name) if part.isalpha()]
        nouns += names_codes()
    if not nouns:
        return []
    named = re.compile(rf"\b(?:{'|'.join(nouns)}){_BETWEEN}{digits}\b")
    found = [Hit(passage, None) for passage, start in beginnings if named.search(start)]
    if found or known or not 1 < len(letters) <= _LONGEST_ABBREVIATION or len(digits) < 3:
        return found
    before = re.compile(rf"{_WORDS}#?0*{digits}\b")
    return [
        Hit(passage, None)
        for passage, start in beginnings
        if (words := before.search(start)) and _abbreviates(letters, _CHUNK.findall(words[1]))
    ]


def _abbreviates(letters: str, words: list[str]) -> bool:
    """Whether letters are short for the last words: `lh` for `lufthansa`, `ba` for `british airways`."""
    for count in range(1, len(words) + 1):
        rest = iter("".join(words[-count:]))
        if words[-count][0] == letters[0] and all(letter in rest for letter in letters):
            return True
    return False

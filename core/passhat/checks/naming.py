"""The identifiers in a call, and those that a claim names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from passhat.checks.claims import Claim
from passhat.provenance.identifiers import is_identifier, name_parts, shape
from passhat.provenance.numerals import number_text
from passhat.provenance.scalars import scalars
from passhat.provenance.texts import plain_text, tokens

_STEM = 5
_LONGEST_RESULT = 20_000
_MOST_SCALARS = 2_000
_SEVERAL = re.compile(
    r"\b(?:both|all (?P<many>two|three|four|five|six|\d))\s+(?:of them\b|(?P<things>(?:[\w-]+\s+)?\w+s\b))"
)
_MANY = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_ALL_YOURS = re.compile(r"\ball (?:of )?your ((?:[\w-]+\s+){0,4}[\w-]+)")
_BARE = frozenset(
    {
        "the",
        "and",
        "for",
        "you",
        "your",
        "has",
        "have",
        "had",
        "been",
        "was",
        "were",
        "are",
        "with",
        "that",
        "this",
        "all",
        "now",
        "from",
        "not",
        "but",
        "our",
        "its",
        "their",
    }
    | {"id"}
)
"""Words that tell of no thing."""
_GENERAL = frozenset({"class", "of", "the", "own", "current", "existing"})
_COMPOUND = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"
    r"|(?<![\w-])(?!\d{4}-\d\d-\d\d\b|\d{1,2}-\w+\b(?!-))(?=[\w-]*\d)[A-Za-z]{0,6}\d{0,15}(?:-(?:[A-Za-z]{1,4}\b|\w*\d\w*)){1,6}(?![\w-])"
)
_AS_WRITTEN = re.compile(rf"{_COMPOUND.pattern}|\w+")
_CODED = re.compile(r"\d")
_CODE = re.compile(r"(?=\w*\d)(?=\w*[a-z])\w{4,}")


def ids_of(args: Mapping[str, Any]) -> dict[str, set[str]]:
    """The identifiers in the arguments of a call, by argument, in the form in which they are compared.

    >>> ids_of({"order_id": "T-200", "amount": 5})
    {'order_id': {'t200'}}
    """
    found: dict[str, set[str]] = {}
    for path, value in scalars(args):
        name = next((key for key in reversed(path) if isinstance(key, str)), "")
        if (
            isinstance(value, str | int)
            and not isinstance(value, bool)
            and is_identifier(name, value, {})
        ):
            words = words_in(value if isinstance(value, str) else number_text(value), alone=True)
            if len(words) == 1:
                found.setdefault(name, set()).add(words[0])
    return found


def words_in(text: str, *, alone: bool = False) -> list[str]:
    """The words of a text, mail addresses and ids with hyphens (`T-200`) as one word each.

    Args:
        text: The text.
        alone: Whether the parts of these are left out.
    """
    joined: list[str] = []
    rest: list[str] = []
    at = 0
    for found in _COMPOUND.finditer(text):
        rest += tokens(text[at : found.start()])
        rest.append(_one_word(found[0]))
        joined += tokens(found[0])
        at = found.end()
    rest += tokens(text[at:])
    return rest if alone else [*rest, *joined]


def _one_word(text: str) -> str:
    return plain_text(text) if "@" in text else "".join(tokens(text))


def as_written(value: str, claim: Claim) -> str:
    """An identifier that a claim names, as its sentence or its list writes it."""
    for line in (claim.sentence.text, *claim.sentence.items):
        for found in _AS_WRITTEN.finditer(line):
            if _one_word(found[0]) == value:
                return found[0]
    return value


def text_of(value: Any) -> str:
    """What is written in a JSON value, its keys too, in a row; only so much of it."""
    if isinstance(value, str):
        return value[:_LONGEST_RESULT]
    return " ".join(
        [f"{' '.join(map(str, path))} {item}" for path, item in _limited(scalars(value))]
    )[:_LONGEST_RESULT]


def _limited(items: Iterator[Any]) -> Iterator[Any]:
    for number, item in enumerate(items):
        if number > _MOST_SCALARS:
            return
        path, value = item
        if isinstance(value, int) and abs(value) > 10**40:
            continue
        yield path, value


def named_in(
    claim: Claim, ids: Mapping[str, set[str]], kinds: set[str], known: Shapes
) -> list[str]:
    """The things that a claim names, in its sentence or its list, of the kind that is acted on.

    Args:
        claim: The claim.
        ids: The identifiers in all calls, each with the arguments it stood under.
        kinds: The arguments that name what is acted on.
        known: The shapes and the lengths of what stood under these.
    """
    shapes, lengths = known
    lines = [claim.clause, *claim.sentence.items]
    nouns = stems(part for kind in kinds for part in name_parts(kind))
    spoken = alike(nouns, stems(tokens(lines[0])))
    found: dict[str, None] = {}
    before, row = "", False
    for word in (word for line in lines for word in words_in(line, alone=True)):
        stood_under = ids.get(word)
        noun, before = before, word
        row = row and (word == "and" or word.isdecimal())
        if stood_under is None:
            like = shape(word) in shapes and not word.isdecimal()
            counted = (
                word.isdecimal()
                and len(word) > 2
                and (bool(nouns & stems([noun])) or (row and len(word) in lengths))
            )
            if (
                (counted and "9" in shapes)
                or (like and _CODED.search(word) and len(word) in lengths)
                or (spoken and len(word) in lengths and _CODE.fullmatch(word))
            ):
                found[word] = None
        elif stood_under & kinds:
            found[word] = None
            row = True
    return list(found)


Shapes = tuple[set[str], set[int]]
"""The shapes of identifiers, and their lengths."""


def speaks_of_several(claim: Claim, kinds: set[str]) -> bool:
    """Whether a claim is of more than one of the things that are acted on: `the reservations`."""
    return not _plurals(kinds).isdisjoint(tokens(claim.subject))


def how_many(claim: Claim, kinds: set[str]) -> int:
    """How many things a claim counts of those acted on: `both orders`, `all three`; 0 for none."""
    plurals = _plurals(kinds)
    return max(
        (
            _MANY.get(found["many"] or "two") or int(found["many"])
            for found in _SEVERAL.finditer(claim.clause)
            if not found["things"] or found["things"].split()[-1] in plurals
        ),
        default=0,
    )


def all_of_yours(claim: Claim, kinds: set[str]) -> Iterator[set[str]]:
    """The words that tell which things are meant by "all your business reservations"."""
    plurals = _plurals(kinds)
    for found in _ALL_YOURS.finditer(claim.clause):
        words = tokens(found[1])
        ends = next((at for at, word in enumerate(words) if word in plurals), None)
        if ends is not None:
            yield set(words[:ends]) - _GENERAL


def _plurals(kinds: set[str]) -> set[str]:
    return {f"{part}s" for kind in kinds for part in name_parts(kind) if part != "id"}


def alike(nouns: set[str], spoken: set[str]) -> bool:
    """Whether one of the nouns is spoken of, perhaps in short: `bags` for `baggages`."""
    return any(noun.startswith(word) or word.startswith(noun) for noun in nouns for word in spoken)


def stems(words: Iterable[str]) -> set[str]:
    """The beginnings of words, so that their forms are one."""
    return {word[:_STEM].removesuffix("s") for word in words if len(word) > 2 and word not in _BARE}

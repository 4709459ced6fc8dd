"""What an agent says it called or looked up: the tools it names, and those it must have used."""

from __future__ import annotations

import re

from passhat.checks.claim_words import CALLING, LOOKING, NEGATED, OPEN

_NEAR = 80
_NAME = re.compile(r"[`'\"]?(?P<name>\w+(?:[.\-]\w+)*)[`'\"]?(?P<kind>\s+(?:tool|function|api)\b)?")
_RECORDS = re.compile(
    r"\b(?:system|systems|records?|database|account|order|orders|reservations?|bookings?|profile|"
    r"inventory|catalog(?:ue)?|calendar|website|web|internet|online|status|availability|flights?|"
    r"balance|payment|history|files?|documents?|logs?|inbox|stock|schedule|prices?)\b"
)
_GIVEN = re.compile(
    r"\b(?:you (?:provided|gave|shared|sent|mentioned)|your (?:message|request|question))\b"
)


def claimed_tool(sentence: str, known: dict[str, str], called: set[str]) -> str | None:
    """The tool that a sentence says was called and was not; empty text where it names none.

    Args:
        sentence: The sentence.
        known: The tools there are, by their names in lower case.
        called: The names, in lower case, of the tools that were called before.

    >>> claimed_tool("I called get_stock: none.", {"get_stock": "get_stock"}, set())
    'get_stock'
    """
    text = sentence.replace("’", "'").casefold()
    if text.rstrip().endswith("?"):
        return None
    for found in CALLING.finditer(text):
        name = _NAME.match(text, found.end())
        if name is None or _left_open(text, found.start()):
            continue
        word = name["name"]
        like_a_tool = "_" in word and name["kind"]
        if (word in known or like_a_tool) and word not in called:
            return known.get(word, word)
    if not called and (looked := _looked(text)) is not None:
        return "" if _RECORDS.search(looked) and not _GIVEN.search(looked) else None
    return None


def may_have_looked(sentence: str) -> bool:
    """Whether a sentence says that something was checked, be it with a tool or without.

    >>> may_have_looked("I have reviewed your request."), may_have_looked("I will check it.")
    (True, False)
    """
    text = sentence.replace("’", "'").casefold()
    return not text.rstrip().endswith("?") and _looked(text) is not None


def _looked(text: str) -> str | None:
    """What a text says was checked; None where it says of nothing that it was."""
    found = LOOKING.search(text)
    if found is None or _left_open(text, found.start()):
        return None
    return text[found.end() : found.end() + _NEAR]


def _left_open(text: str, start: int) -> bool:
    before = text[max(0, start - _NEAR) : start]
    return bool(NEGATED.search(before) or OPEN.search(before))

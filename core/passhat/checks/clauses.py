"""The clause around a verb, and whether its words let the verb stand as something that was done."""

from __future__ import annotations

import re

from passhat.checks.claim_words import BASES
from passhat.checks.deed_words import NOUNS, VERBS
from passhat.checks.no_claim_words import (
    CONDITIONAL,
    FINISHED_TELLING,
    FOUND_OUT,
    NEGATED,
    NOT_OURS,
    OPEN,
    OTHERS,
    OURS,
    PLACED,
    RAISED,
    SAID_OF_SELF,
    SOLD_OUT,
    TEXTUAL,
    THINKING,
    TOLD,
    TOLD_BEFORE,
)
from passhat.provenance.days import days_in

_WORD = re.compile(r"\w+")
CLAUSE_BREAK = re.compile(
    r"[;:(—–]|(?<!\d),|,(?!\d)|\s-\s|\b(?:but|however|and|so(?!-)|then|therefore)\b"
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|could|will|would|i|i'\w+|we|you|it|since|if|now)\b"
)
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_ON_A_WEEKDAY = re.compile(r"[^.;]*?\bon (?:last )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b")
_NEAR = 60
_OBJECT = 25
_CODE = r"#?(?=[\w-]*\d)\w[\w-]*"
_FURTHER = re.compile(
    r"\s*(?:,\s*and|,|and|&|as well as)\s+(?:the\s+)?(?:(?:orders?|tickets?|reservations?|bookings?|"
    r"invoices?|items?|number)\s+)?#?(?=[\w-]*\d)\w[\w-]*"
    r"(?=\s*(?:[.,;!?)]|$|(?:and|for|as|to|on|in|at|with|from|by)\b))"
    rf"|\s*\({_CODE}(?:(?:,\s*(?:and\s+)?|\s+(?:and|&)\s+){_CODE}){{0,20}}\)"
)
"""What goes on with a thing that has a number: `and A2`, `(A1, A2)`."""
_PREPOSITION = re.compile(r"\s(?:for|of|on|about|regarding|from)\s")
_NO_TEXT = frozenset(
    {
        "enrolled", "subscribed", "registered", "signed up", "ordered", "opened", "attached", "placed",
        "submitted", "filed", "logged", "raised", "posted", "published", "emailed", "mailed", "texted",
        "messaged", "forwarded", "notified",
    }
)  # fmt: skip
"""Verbs whose object never stands in the message itself: `enrolled you in a plan`."""
_TELLING = frozenset(
    {
        "notified",
        "informed",
        "alerted",
        "contacted",
        "messaged",
        "emailed",
        "texted",
        "let",
        "escalated",
    }
)
"""What is done to people: `I have notified our technicians` tells of no habit of the house."""
_READY = re.compile(r"\byou(?:'re| are)\s+(?:now |all )*set$")
"""What is set of nobody: `you're all set`."""
_BESIDES = re.compile(r"\b(?:instead of|rather than|not|unlike|like|duplicate of|copy of)\b")
_WRITTEN = frozenset({"written", "wrote", "rewritten", "rewrote"})


def is_open(text: str) -> bool:
    """Whether a sentence, without case, asks or is a condition as a whole."""
    return text.rstrip(" )\"'").endswith(("?", "？")) or CONDITIONAL.search(text) is not None


def asserts(text: str, found: re.Match[str]) -> bool:
    """Whether the words around a verb let it stand as something that was done."""
    breaks = [hit.end() for hit in CLAUSE_BREAK.finditer(text, 0, found.start())]
    start = max(breaks[-1] if breaks else 0, found.start() - 200)
    before = text[start : found.end()]
    whole = text[: found.end()]
    if NEGATED.search(before) or OPEN.search(before) or TOLD.search(before):
        return False
    if re.match(r"\W*(?:if|unless|whether)\b", text[found.end() : found.end() + _NEAR]):
        return False
    after = text[found.end() : found.end() + _NEAR]
    if OTHERS.search(after) or NOT_OURS.search(after):
        return False
    if OURS.search(after) and found["verb"] not in _TELLING:
        return False
    if found["verb"] == "set" and _READY.search(before):
        return False
    if found["verb"] == "booked" and SOLD_OUT.search(text, max(0, found.start("verb") - _NEAR)):
        return False
    if found["verb"] in ("ran", "run", "executed", "performed") and FOUND_OUT.search(after):
        return False
    if found["verb"] in ("made", "put") and SAID_OF_SELF.search(after):
        return False
    if found["verb"] == "raised" and RAISED.search(before):
        return False
    if found["verb"] in ("added", "cleared") and FINISHED_TELLING.search(after):
        return False
    common = BASES.get(found["verb"], found["verb"]) in VERBS or found["verb"] in _WRITTEN
    if common and THINKING.search(after):
        return False
    if TOLD_BEFORE.search(text, 0, found.start("verb")):
        return False
    # A list of what was not done, or is still to be done, goes on after `and`.
    lead = whole[max(0, start - _NEAR) : start]
    joined = re.search(r"\b(?:and|or)\s*$", lead) is not None
    if not joined or _has_subject(before):
        return True
    return not any(words.search(lead) for words in (OPEN, NEGATED, TOLD))


def _has_subject(clause: str) -> bool:
    """Whether a clause has a subject of its own: words before its verb."""
    return len(_WORD.findall(clause)) > 3


def may_tell(deed: str, verb: str, after: str) -> bool:
    """Whether a claim may speak of a text that the agent wrote, or of what was done on some day."""
    after = after[:_NEAR]
    may_be_text = verb in _WRITTEN or (deed in ("create", "add", "send") and verb not in _NO_TEXT)
    if may_be_text and TEXTUAL.match(after) and not PLACED.search(after):
        return True
    if re.search(r"\b(?:below|above)\b(?!\s+(?:\W?\d|the|your|my|our|its|an?)\b)", after):
        return True
    on_a_day = re.match(r"[^.;]*?\bon (.+)", after)
    if deed in ("pay", "refund", "send") and _ON_A_WEEKDAY.match(after):
        return True
    dated = deed in ("pay", "refund", "create", "send", "do") and on_a_day is not None
    return dated and on_a_day is not None and any(day.month for day in days_in(on_a_day[1]))


def clause_of(text: str, found: re.Match[str]) -> str:
    """The clause around a verb, with the parts of its subject that `and` and commas join."""
    asides = [hit.span() for hit in _ASIDE.finditer(text, 0, found.start())]
    breaks = [
        hit.span()
        for hit in CLAUSE_BREAK.finditer(text, 0, found.start())
        if not any(begin <= hit.start() < end for begin, end in asides)
    ]
    start = breaks[-1][1] if breaks else 0
    while breaks:
        at, _ = breaks.pop()
        before = breaks[-1][1] if breaks else 0
        joint = text[at:start].strip()[:3]
        if joint not in ("and", ",") and not joint.startswith(","):
            break
        if _FINITE.search(text, before, at):
            break
        start = before
    after = CLAUSE_BREAK.search(text, found.end())
    end = after.start() if after else len(text)
    while (further := _FURTHER.match(text, end)) is not None:
        end = further.end()
    besides = _BESIDES.search(text, found.end(), end)
    return text[start : besides.start() if besides else end]


def until_break(text: str) -> str:
    """What a text says in its first clause."""
    found = CLAUSE_BREAK.search(text)
    return text[: found.start()] if found else text


def noun_of(text: str, found: re.Match[str], clause: str, *, alone: bool = False) -> str | None:
    """The noun of what was done: `the refund` was processed; before the verb, or right after it.

    Args:
        text: The sentence.
        found: The verb.
        clause: Its clause.
        alone: Whether only what comes after the verb counts.
    """
    after = until_break(text[found.end() :])
    object_ = _PREPOSITION.split(after[:_OBJECT], maxsplit=1)[0]
    before = clause[: len(clause) - len(after)]
    for words in (object_,) if alone else (before, object_, text[: found.end()]):
        for word in _WORD.findall(words):
            if word in NOUNS:
                return str(word)
    return None

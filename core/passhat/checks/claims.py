"""What an agent says it did: the claims in its sentences to the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from passhat.checks.claim_words import (
    BASES,
    CONDITIONAL,
    ITEM_VERB,
    LEADING_IN,
    LEADS,
    NEGATED,
    NOT_OURS,
    OPEN,
    OTHERS,
    OURS,
    SAID_OF_SELF,
    TEXTUAL,
    THINKING,
    TOLD,
    TOLD_BEFORE,
    claiming,
    doubtful,
    going_on,
    telling_words,
)
from passhat.checks.deed_words import NOUNS, VERBS
from passhat.checks.spoken import Sentence, folded
from passhat.provenance.days import days_in

CLAUSE_BREAK = re.compile(
    r"[;:(—–]|(?<!\d),|,(?!\d)|\s-\s|\b(?:but|however|and|so|then|therefore)\b"
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|could|will|would|i|i'\w+|we|you|it|since|if)\b"
)
_NEAR = 60
_OBJECT = 25
_WORD = re.compile(r"\w+")
_ASKED_AFTER = re.compile(
    r"[,;—–]\s*(?:and\s+)?(?:is there|are there|would you|do you|can i|could i|shall i|should i|may i|"
    r"anything|what else|how else|will that|is that|was there)\b[^,;]*\?\W*$"
)
_ASKING = re.compile(
    r"^\W*(?:have|has|had|did|do|does|shall|should|would|could|can|is|are|was|were)\b"
)
_FURTHER = re.compile(
    r"\s*(?:,\s*and|,|and|&|as well as)\s+(?:the\s+)?(?:(?:orders?|tickets?|reservations?|bookings?|"
    r"invoices?|items?|number)\s+)?#?(?=[\w-]*\d)\w[\w-]*(?=\s*(?:[.,;!?)]|$|and\b|for\b|as\b|to\b))"
)
_ALREADY = re.compile(r"\balready\b")
_DO_SET = re.compile(r"(?:i|we)\s+set\b")
_PREPOSITION = re.compile(r"\s(?:for|of|on|about|regarding|from)\s")
_NO_TEXT = frozenset(
    {"enrolled", "subscribed", "registered", "signed up", "ordered", "opened", "attached", "placed"}
)
"""Verbs whose object never stands in the message itself: `enrolled you in a plan`."""
_NEWS = re.compile(r"^\W*(?:great|good|excellent|wonderful) news\b|^\W*(?:all (?:set|done)|done)\b")
_BESIDES = re.compile(r"\b(?:instead of|rather than|not|unlike|like|duplicate of|copy of)\b")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence says was done.

    Attributes:
        sentence: The sentence.
        deed: The kind of deed (`cancel`, `refund`, ...), or the tool that was named for it.
        verb: The word that tells of it.
        clause: The part of the sentence that tells of it.
        noun: The noun that tells of the deed, where the verb does not: `the refund` was processed.
        tool: The tool whose own words claim it; None where English verbs do.
        doubtful: Whether it may tell of how things are instead.
        passive: Whether the sentence does not say who did it: `it has been cancelled`.
        state: Whether it is told as a state, of what was asked for perhaps: `it is cancelled`.
    """

    sentence: Sentence
    deed: str
    verb: str
    clause: str
    noun: str | None = None
    tool: str | None = None
    doubtful: bool = False
    passive: bool = False
    state: bool = False

    @property
    def subject(self) -> str:
        """What the clause says before its verb."""
        return self.clause[: self.clause.find(self.verb)]


def claims_in(
    sentence: Sentence, more: frozenset[str] = frozenset(), bases: Mapping[str, str] | None = None
) -> Iterator[Claim]:
    """The claims that a sentence makes in English.

    Args:
        sentence: The sentence.
        more: Participles besides the common ones, of the verbs in the names of tools.
        bases: The verb of each of these.

    Questions, conditions, negations, the future, and reports of how things are make none.

    >>> def verbs(text): return [claim.verb for claim in claims_in(Sentence(text, 0))]
    >>> verbs("I have cancelled A1, and the refund has been processed.")
    ['cancelled', 'processed']
    >>> verbs("Shall I cancel?"), verbs("Once I have refunded it, you will see it.")
    ([], [])
    >>> verbs("It has not been cancelled."), verbs("Your plan will have been cancelled by then.")
    ([], ['cancelled'])
    """
    text = whole = folded(sentence)
    words = frozenset(_WORD.findall(text))
    if words.isdisjoint(telling_words(more)):
        return
    if not words.isdisjoint(LEADS):
        text = LEADING_IN.sub(",", text)
    if "?" in text:
        text = _ASKED_AFTER.sub(".", text)
    if is_open(text) or (text != whole and _ASKING.match(text)):
        return
    taken: set[int] = set()
    bases = bases or {}
    for form in claiming(more):
        for found in form.pattern.finditer(text) if form.may_be_in(words) else ():
            if found.start("verb") in taken or not _asserts(text, found):
                continue
            taken.add(found.start("verb"))
            claim = _claim(sentence, text, found, bases)
            yield claim
            if claim.doubtful:
                continue
            yield from _of_nouns(claim)
            yield from _of_items(claim)
            if (going := going_on(more).match(text, found.end())) is not None:
                taken.add(going.start("verb"))
                further = _claim(sentence, text, going, bases)
                if not claim.passive:  # It has an object of its own.
                    clause = _until_break(text[going.start("verb") :])
                    further = replace(further, clause=clause, passive=False)
                yield further
    for found in doubtful(more).finditer(text):
        if found.start("verb") not in taken and _asserts(text, found):
            plain = TOLD.search(text, 0, found.start()) is None
            news = plain and _NEWS.match(text) is not None
            yield replace(_claim(sentence, text, found, bases, doubtful=not news), state=plain)


def is_open(text: str) -> bool:
    """Whether a sentence, without case, asks or is a condition as a whole."""
    return text.rstrip(" )\"'").endswith(("?", "？")) or CONDITIONAL.search(text) is not None


def _of_nouns(claim: Claim) -> Iterator[Claim]:
    """The further claims of a sentence with several nouns: `upgrade and cancellation were completed`."""
    if claim.noun is None:
        return
    before = claim.subject
    deeds = {claim.deed}
    for word in _WORD.findall(before):
        if word in NOUNS and NOUNS[word] not in deeds:
            deeds.add(NOUNS[word])
            yield replace(claim, deed=NOUNS[word], noun=word)


def _of_items(claim: Claim) -> Iterator[Claim]:
    """The claims that the items of a list make, where they tell of deeds of their own."""
    for item in claim.sentence.items:
        text = item.casefold()
        found = ITEM_VERB.search(text)
        if found and not (NEGATED.search(text) or OPEN.search(text) or TOLD.search(text)):
            if any(form.pattern.search(text) for form in claiming()):
                continue  # The item is a claim as it stands.
            verb, noun = found["verb"], found["noun"]
            deed = VERBS.get(verb) or (NOUNS[noun] if noun else "update")
            told = verb or noun or "updated"
            yield Claim(Sentence(item, claim.sentence.step), deed, told, text, noun)


def _claim(
    sentence: Sentence,
    text: str,
    found: re.Match[str],
    bases: Mapping[str, str],
    *,
    doubtful: bool = False,
) -> Claim:
    clause = _clause(text, found)
    verb = found["verb"]
    known = VERBS.get(BASES.get(verb, verb)) or bases.get(verb)
    deed = "book" if verb == "confirmed" else known or "do"
    noun = _noun(text, found, clause) if deed in ("do", "send", "create") else None
    doubtful = doubtful or (verb == "made" and noun is None) or _DO_SET.match(found[0]) is not None
    deed = NOUNS[noun] if noun else deed
    after = text[found.end() : found.end() + _NEAR]
    doubtful = doubtful or _may_tell(deed, verb, after)
    passive = re.match(r"(?:i|we)\b", found[0]) is None
    doubtful = doubtful or (passive and _ALREADY.search(found[0]) is not None)
    return Claim(sentence, deed, verb, clause, noun, doubtful=doubtful, passive=passive)


def _may_tell(deed: str, verb: str, after: str) -> bool:
    """Whether a claim may speak of a text that the agent wrote, or of what was done on some day."""
    if deed in ("create", "add", "send") and verb not in _NO_TEXT and TEXTUAL.match(after):
        return True
    if re.search(r"\b(?:below|above)\b", after):
        return True
    on_a_day = re.match(r"[^.;]*?\bon (.+)", after)
    dated = deed in ("pay", "refund", "create", "send", "do") and on_a_day is not None
    return dated and on_a_day is not None and any(day.month for day in days_in(on_a_day[1]))


def _noun(text: str, found: re.Match[str], clause: str) -> str | None:
    """The noun of what was done: `the refund` was processed; before the verb, or right after it."""
    after = _until_break(text[found.end() :])
    object_ = _PREPOSITION.split(after[:_OBJECT], maxsplit=1)[0]
    for words in (clause[: len(clause) - len(after)], object_, text[: found.end()]):
        for word in _WORD.findall(words):
            if word in NOUNS:
                return str(word)
    return None


def _until_break(text: str) -> str:
    found = CLAUSE_BREAK.search(text)
    return text[: found.start()] if found else text


def _clause(text: str, found: re.Match[str]) -> str:
    """The clause around a verb, with the parts of its subject that `and` and commas join."""
    breaks = [hit.span() for hit in CLAUSE_BREAK.finditer(text, 0, found.start())]
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


def _asserts(text: str, found: re.Match[str]) -> bool:
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
    if OTHERS.search(after) or NOT_OURS.search(after) or OURS.search(after):
        return False
    if found["verb"] in ("made", "put") and SAID_OF_SELF.search(after):
        return False
    if THINKING.search(after) or TOLD_BEFORE.search(text, 0, found.start("verb")):
        return False
    # A list of what was not done, or is still to be done, goes on after `and`.
    lead = whole[max(0, start - _NEAR) : start]
    joined = re.search(r"\b(?:and|or)\s*$", lead) is not None
    return not (joined and (OPEN.search(lead) or NEGATED.search(lead)) and not _has_subject(before))


def _has_subject(clause: str) -> bool:
    """Whether a clause has a subject of its own: words before its verb."""
    return len(_WORD.findall(clause)) > 3

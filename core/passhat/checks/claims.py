"""What an agent says it did: the claims in its sentences to the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from passhat.checks.claim_words import (
    APART,
    BASES,
    HEADED,
    HEADLINE,
    ITEM_VERB,
    LEADING_IN,
    LEADS,
    LONE,
    NOW_SO,
    claiming,
    going_on,
    listed,
    of_states,
    telling_words,
)
from passhat.checks.clauses import asserts, clause_of, is_open, may_tell, noun_of, until_break
from passhat.checks.deed_words import NOUNS, VERBS
from passhat.checks.no_claim_words import FOUND, JOINED, NEGATED, OPEN, TOLD
from passhat.checks.spoken import Sentence, folded

_MOST_IN_A_ROW = 10
_MOST_VERBS = 60
"""How many verbs of a sentence are weighed: each looks at all that is before it."""
_WORD = re.compile(r"\w+")
_ASKED_AFTER = re.compile(
    r"[,;—–]\s*(?:and\s+)?(?:is there|are there|would you|do you|can i|could i|shall i|should i|may i|"
    r"anything|what else|how else|will that|is that|was there)\b[^,;]*\?\W*$"
)
_ASKING = re.compile(
    r"^\W*(?:have|has|had|did|do|does|shall|should|would|could|can|is|are|was|were)\b"
)
_ALREADY = re.compile(r"\balready\b")
_DO_SET = re.compile(r"(?:i|we)\s+set\b")
_DEEDS = {
    "confirmed": "book",
    "let": "send",
    "went out": "send",
    "has gone out": "send",
}
"""What these tell of in the forms in which they are a claim."""
_AS_IT_WAS = frozenset({"already", "that", "which", "who", "last", "latest", "previous", "current"})
_PARTS = frozenset({"on", "off", "back", "up", "down", "out"})
_BOOKING = re.compile(r"\s(?:a|an|the|your|this)\s(?:[\w-]+\s){0,2}?(?:reservation|appointment)\b")
_BOOKED = re.compile(r"\b(?:reservation|appointment|booking)\s+(?:has|have)\b")
_AROUND = re.compile(r"[^.;]{0,60}?\b(?:on hold|through|aside|back)\b")
"""What tells that `put` adds nothing: `put your plan on hold`, `put you through`."""
_LEFT = re.compile(
    r"\band left(?= (?:\w+ ){1,3}?(?:comment|note|message|review|reply|voicemail|rating|feedback)\b)"
)
"""What goes on with a deed that `left` tells of: `and left a note`."""
_INTO = re.compile(r"\s+(?:\w+\s+){0,3}?to\s+\W?(\w+)")
"""What a status was set to: `changed to cancelled`."""
_BY_HOW_MUCH = re.compile(r"[^.;]{0,60}?\b(?:by|from|to) \W?\d")
"""What tells that `raised` opens nothing: `raised the limit to 500`."""
_NEWS = re.compile(
    r"^\W*(?:great|good|excellent|wonderful) news\b|"
    r"^\W*(?:(?:you're|you are)\s+)?(?:all (?:set|done)|done)\b|^\W*(?:you're|you are) (?:set|in)\s*[:!.—–-]"
)


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
        headline: Whether it is told like a headline: `Timer set.`
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
    headline: bool = False

    @property
    def subject(self) -> str:
        """What the clause says before its verb."""
        return self.clause[: self.clause.find(self.verb)]

    @property
    def of_yours(self) -> bool:
        """Whether a state is told as news: `your account is unlocked`, `the demo is scheduled`."""
        words = self.subject.split()
        known = self.deed != "do" or self.verb in VERBS
        yours = words[:1] in (["your"], ["the"], ["you're"])
        return known and yours and _AS_IT_WAS.isdisjoint(words)

    @property
    def told(self) -> str:
        """What the clause says from its verb on."""
        return self.clause[self.clause.find(self.verb) :]


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
    if sentence.items and HEADED.match(text):
        yield from _listed(sentence, more, bases or {})
        return
    words = frozenset(_WORD.findall(text))
    if words.isdisjoint(telling_words(more)):
        return
    if not words.isdisjoint(LEADS):
        text = LEADING_IN.sub(",", text)
    if "left" in words:
        text = _LEFT.sub("and posted", text)
    if not words.isdisjoint(_PARTS):
        text = APART.sub(r"\g<verb> \g<part> \g<what>", text)
    if "?" in text:
        text = _ASKED_AFTER.sub(".", text)
    if is_open(text) or (text != whole and _ASKING.match(text)):
        return
    taken: set[int] = set()
    left = _MOST_VERBS
    told = _Told(sentence, text, bases or {}, more)
    for forms, claims_of in ((claiming(more), told.as_done), (of_states(more), told.as_state)):
        for form in forms:
            if not form.may_be_in(words):
                continue
            for found in form.pattern.finditer(text):
                if (left := left - 1) < 0:
                    return
                if found.start("verb") not in taken and asserts(text, found):
                    taken.add(found.start("verb"))
                    yield from claims_of(found, taken)


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence and what is known of it, for its claims."""

    sentence: Sentence
    text: str
    bases: Mapping[str, str]
    more: frozenset[str]

    def as_done(self, found: re.Match[str], taken: set[int]) -> Iterator[Claim]:
        """The claim that a verb makes, and those that go on from it."""
        claim = _claim(self.sentence, self.text, found, self.bases)
        yield claim
        if claim.doubtful:
            return
        yield from _of_nouns(claim)
        yield from _of_items(claim)
        further_on = going_on(self.more)
        at = found.end()
        for _ in range(_MOST_IN_A_ROW):
            if (going := further_on.match(self.text, at)) is None:
                return
            at = going.end()
            taken.add(going.start("verb"))
            own = not claim.passive
            further = _claim(self.sentence, self.text, going, self.bases, own=own)
            if claim.passive:
                yield further
                return
            # It has an object of its own.
            clause = until_break(self.text[going.start("verb") :])
            yield replace(further, clause=clause, passive=False)

    def as_state(self, found: re.Match[str], taken: set[int]) -> Iterator[Claim]:
        """The same, of what may tell how things are; after news it is a claim in any case."""
        plain = TOLD.search(self.text, 0, found.start()) is None
        after_news = self.sentence.led or _NEWS.match(self.text) is not None
        news = plain and after_news and found.re not in (HEADLINE, NOW_SO)
        claim = _claim(self.sentence, self.text, found, self.bases, doubtful=not news)
        told = may_tell(claim.deed, claim.verb, self.text[found.end() :])
        state = plain and not told and _ALREADY.search(claim.clause) is None
        yield replace(claim, state=state, headline=found.re is HEADLINE)
        if state and (going := going_on(self.more).match(self.text, found.end())) is not None:
            taken.add(going.start("verb"))
            further = _claim(self.sentence, self.text, going, self.bases, doubtful=not news)
            yield replace(further, state=True, passive=True)


def lone_claim(sentences: list[Sentence]) -> Iterator[Claim]:
    """The claim of a message that begins with one word: `Sent!`; `Done.` is one by itself alone.

    >>> [claim.deed for claim in lone_claim([Sentence("Sent!", 0), Sentence("Anything else?", 0)])]
    ['send']
    """
    text = folded(sentences[0])
    found = LONE.match(text)
    if found is not None and (found["verb"] not in ("done", "made") or len(sentences) == 1):
        yield replace(_claim(sentences[0], text, found, {}, doubtful=True), state=True)


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


def _listed(sentence: Sentence, more: frozenset[str], bases: Mapping[str, str]) -> Iterator[Claim]:
    """The claims of a list of deeds, each of which begins with what was done."""
    for item in sentence.items:
        text = item.casefold()
        found = listed(more).match(text)
        if found is None or any(form.pattern.search(text) for form in claiming(more)):
            continue  # The item is none, or a claim as it stands.
        if asserts(text, found) and not TOLD.search(text):
            line = Sentence(item, sentence.step)
            yield replace(_claim(line, text, found, bases, own=True), passive=False)


def _claim(
    sentence: Sentence,
    text: str,
    found: re.Match[str],
    bases: Mapping[str, str],
    *,
    doubtful: bool = False,
    own: bool = False,
) -> Claim:
    clause = clause_of(text, found)
    verb = found["verb"]
    known = VERBS.get(BASES.get(verb, verb)) or bases.get(verb)
    deed = _DEEDS.get(verb) or known or "do"
    if verb == "set" and text.startswith(" for ", found.end()):
        deed = "book"  # As in `your session is set for five`.
    if (into := _INTO.match(text, found.end())) is not None and "status" in clause:
        deed = VERBS.get(into[1], "do")
    if verb == "raised" and _BY_HOW_MUCH.match(text, found.end()):
        deed = "update"
    if verb == "put" and _AROUND.match(text, found.end()):
        deed = "do"
    made = verb == "made" and (
        _BOOKING.match(text, found.end()) is not None
        or _BOOKED.search(clause[: clause.find(verb)]) is not None
    )
    if made:
        deed = "book"
    told_by_noun = deed in ("do", "send", "create")
    noun = noun_of(text, found, clause, alone=own) if told_by_noun else None
    may_be_set = _DO_SET.match(found[0]) is not None
    doubtful = doubtful or (verb == "made" and noun is None and not made) or may_be_set
    deed = NOUNS[noun] if noun else deed
    doubtful = doubtful or may_tell(deed, verb, text[found.end() :])
    passive = re.match(r"(?:i|we)\b", found[0]) is None
    if passive and not doubtful:
        lead = FOUND.search(text, 0, found.start())
        going_on_with_it = lead and JOINED.search(text, lead.end(), found.start())
        doubtful = bool(going_on_with_it or _ALREADY.search(found[0]))
    return Claim(
        sentence, deed, verb, clause, noun, doubtful=doubtful, passive=passive, state=may_be_set
    )

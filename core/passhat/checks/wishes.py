"""What the user of a trace asked for, or agreed to when asked, before a claim was made."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from passhat.checks.claim_words import BASES, verb_forms
from passhat.checks.claims import Claim
from passhat.checks.consent import NO, YES, asks, said, word_pattern
from passhat.checks.deed_index import Deeds
from passhat.checks.deed_words import DOERS, NOUNLIKE, NOUNS, OUTCOMES, READERS, VERBS
from passhat.checks.naming import stems
from passhat.checks.spoken import sentences_of
from passhat.provenance.texts import tokens
from passhat.trace import Message

_YES, _NO = word_pattern(YES), word_pattern(NO)
_STEM = 4
_GO_AHEAD = frozenset({"proceed", "confirm", "ahead", "approve", "continue"})
_IS_IT = frozenset({"is", "was", "has", "have", "did", "are", "were", "why", "when", "who"})
_HOW_IT_IS = _IS_IT | frozenset({"does", "where", "what", "whats", "which", "how", "status", "any"})
_WILLING = frozenset({"can", "could", "may", "might", "would", "will", "want", "need"})
_FOLLOWING = frozenset({"notified", "informed", "alerted"})
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass
class Wish:
    """What the user said in a step, and what the agent had said before it.

    Attributes:
        text: The words of the user; empty where there are none.
        before: The last words of the agent before.
    """

    text: str
    before: str

    @cached_property
    def words(self) -> list[str]:
        """The words of the user."""
        return tokens(self.text.casefold())

    @cached_property
    def deeds(self) -> frozenset[str]:
        """The kinds of deeds that the words of the user name."""
        found = {VERBS.get(BASES.get(word, ""), word) for word in self.words} - {"do"}
        return frozenset(found | {"update"} if "move" in found else found)

    @cached_property
    def participles(self) -> frozenset[str]:
        """How the words of the user would sound if each were a verb, and done."""
        return frozenset(form for word in set(self.words) for form in verb_forms(word))

    @cached_property
    def questions(self) -> list[str]:
        """What the agent had asked, where the user agreed to it."""
        if said(self.text, _YES, _NO) is not True:
            return []
        return [s.text for s in sentences_of(self.before, 0) if asks(s.text)]

    @cached_property
    def spoken_of(self) -> set[str]:
        """What the user spoke of, or agreed to: the beginnings of words, and numbers."""
        own = "" if self.wonders else self.text
        return _spoken_of(f"{own} {self.before}" if self.questions else own)

    @cached_property
    def only_asks(self) -> bool:
        """Whether it is a question for how things are."""
        return self.text.rstrip().endswith("?") and not _IS_IT.isdisjoint(self.words[:1])

    @cached_property
    def wonders(self) -> bool:
        """Whether it may ask how things are, be it in short, and asks for nothing to be done."""
        words = self.words
        if not words or "please" in words or "you" in words[:3]:
            return False
        if words[0] in _HOW_IT_IS:
            return True
        for_a_look = words[0] in READERS or self.text.rstrip().endswith("?")
        return for_a_look and not any(
            word in _WILLING or (word in BASES and word not in NOUNLIKE) for word in words
        )


@dataclass
class Wishes:
    """What the user asked for, read once for each of the user's messages.

    Attributes:
        deeds: What was really done.
    """

    deeds: Deeds
    _read: dict[int, Wish] = field(default_factory=dict)

    def before(self, claim: Claim) -> Wish:
        """What the user had said last before a claim was made."""
        return self._at(self.deeds.turn_start(claim.sentence.step))

    def asked_for(self, claim: Claim) -> bool:
        """Whether the user had just asked for what is told as a state, or agreed to it."""
        wish = self.before(claim)
        if claim.verb == "now":
            return not wish.spoken_of.isdisjoint(_spoken_of(claim.told))
        headed = claim.headline and not wish.wonders
        if headed and not stems(tokens(claim.subject)).isdisjoint(stems(wish.words)):
            return True
        known = claim.deed != "do" or claim.verb in VERBS
        if known and _agreed(wish, claim):
            return True
        if wish.only_asks:
            return False
        if claim.verb in OUTCOMES:
            return not set(OUTCOMES[claim.verb].split()).isdisjoint(wish.words)
        asked = claim.deed in wish.deeds and claim.verb != "set"  # Which may be said of anything.
        named = asked or claim.verb in wish.participles
        return named or self._told_how_much(claim, wish)

    def agreed(self, claim: Claim, start: int) -> bool:
        """Whether the user had just agreed, in that step, to what is claimed: the agent asked for it."""
        return _agreed(self._at(start), claim)

    def answered(self, claim: Claim) -> bool:
        """Whether a claim may tell what was found: the user had asked how things are, and it was looked up."""
        if not claim.passive or not self.before(claim).wonders:
            return False
        step = claim.sentence.step
        start = self.deeds.turn_start(step)
        return self.deeds.reported.between(start, step) and not self.deeds.between(start, step)

    def followed(self, claim: Claim) -> bool:
        """Whether what was done in that turn may have brought it by itself: `Ann has been notified`."""
        if not claim.passive or claim.verb not in _FOLLOWING:
            return False
        step = claim.sentence.step
        done = self.deeds.between(self.deeds.turn_start(step), step)
        return bool(done) and not self.asked_for(claim)

    def _told_how_much(self, claim: Claim, wish: Wish) -> bool:
        """Whether a claim tells a number, after its verb, that the user had named."""
        if wish.wonders or not claim.subject.lstrip().startswith("your "):
            return False
        numbers = _numbers_in(claim.told).intersection(wish.words)
        return any(number not in self.deeds.ids for number in numbers)

    def _at(self, start: int) -> Wish:
        if start not in self._read:
            steps = self.deeds.trace.steps
            message = steps[start] if steps else None
            if isinstance(message, Message) and message.role == "user":
                self._read[start] = Wish(message.text, self._told_before(start))
            else:
                self._read[start] = Wish("", "")
        return self._read[start]

    def _told_before(self, start: int) -> str:
        for at in range(start - 1, -1, -1):
            step = self.deeds.trace.steps[at]
            if type(step) is Message and step.role == "assistant" and step.text:
                return step.text
        return ""


def _agreed(wish: Wish, claim: Claim) -> bool:
    return any(_speaks_of(claim, text) for text in wish.questions)


def _speaks_of(claim: Claim, question: str) -> bool:
    """Whether a question asks for what is claimed, or for a go-ahead to whatever was proposed."""
    words = tokens(question)
    stem = claim.verb[:_STEM]
    doers = DOERS.get(claim.deed, frozenset())
    return (
        not _GO_AHEAD.isdisjoint(words)
        or not doers.isdisjoint(words)
        or any(word.startswith(stem) or NOUNS.get(word) == claim.deed for word in words)
    )


def _spoken_of(text: str) -> set[str]:
    return stems(tokens(text.casefold())) | _numbers_in(text)


def _numbers_in(text: str) -> set[str]:
    return {number.replace(",", "") for number in _NUMBER.findall(text)}

"""What the user of a trace asked for, or agreed to when asked, before a claim was made."""

from __future__ import annotations

from dataclasses import dataclass, field

from passhat.checks.claim_words import BASES
from passhat.checks.claims import Claim
from passhat.checks.consent import NO, YES, asks, said, word_pattern
from passhat.checks.deed_index import Deeds
from passhat.checks.deed_words import DOERS, NOUNS, VERBS
from passhat.checks.spoken import sentences_of
from passhat.provenance.texts import tokens
from passhat.trace import Message

_YES, _NO = word_pattern(YES), word_pattern(NO)
_STEM = 4
_GO_AHEAD = frozenset({"proceed", "confirm", "ahead", "approve", "continue"})
_QUESTIONS = frozenset({"is", "was", "has", "have", "did", "are", "were", "why", "when", "who"})


@dataclass
class Wishes:
    """What the user asked for, read once for each of the user's messages.

    Attributes:
        deeds: What was really done.
    """

    deeds: Deeds
    _asked: dict[int, list[str]] = field(default_factory=dict)

    def asked_for(self, claim: Claim) -> bool:
        """Whether the user had just asked for what is told as a state, or agreed to it."""
        start = self.deeds.turn_start(claim.sentence.step)
        if self.agreed(claim, start):
            return True
        steps = self.deeds.trace.steps
        message = steps[start] if steps else None
        if not isinstance(message, Message) or message.role != "user":
            return False
        text = message.text.casefold()
        words = tokens(text)
        asking = text.rstrip().endswith("?") and words[:1] and words[0] in _QUESTIONS
        return not asking and any(
            VERBS.get(BASES.get(word, ""), word) == claim.deed for word in words
        )

    def agreed(self, claim: Claim, start: int) -> bool:
        """Whether the user had just agreed, in that step, to what is claimed: the agent asked for it."""
        if start not in self._asked:
            self._asked[start] = self._agreed_to(start)
        return any(_speaks_of(claim, text) for text in self._asked[start])

    def _agreed_to(self, start: int) -> list[str]:
        """What the agent had asked, where the user agreed to it in that step."""
        steps = self.deeds.trace.steps
        answer = steps[start] if steps else None
        if not isinstance(answer, Message) or said(answer.text, _YES, _NO) is not True:
            return []
        for at in range(start - 1, -1, -1):
            step = steps[at]
            if type(step) is Message and step.role == "assistant" and step.text:
                return [s.text for s in sentences_of(step.text, 0) if asks(s.text)]
        return []


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

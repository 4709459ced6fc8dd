"""What a refusal sounds like."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from passhat.values.reading import normal_text

DECLINING = (
    "i can't", "i cannot", "i can not", "i won't", "i will not", "i'm unable", "i am unable",
    "i'm not able", "i am not able", "i'm not allowed", "i am not allowed", "i'm not permitted",
    "i am not permitted", "i must decline", "i have to decline", "i need to decline",
    "i'm going to decline", "i'm afraid i can't", "we can't", "we cannot", "we're unable",
    "we are unable", "we won't", "not able to help", "not able to assist", "unable to help",
    "unable to assist", "can't help with", "cannot help with", "can't assist", "cannot assist",
    "is not possible", "isn't possible", "not something i can", "against our policy",
    "against the policy", "against my guidelines", "not allowed to", "not permitted to",
    "outside of what i can", "outside the scope", "beyond what i can",
)  # fmt: skip

_SIGNS = ("n't", "not", "unable", "declin", "against", "outside", "beyond")
"""One of these is in each of the phrases: most answers have none, and are soon looked through."""


def declines(answer: str, phrases: Iterable[str]) -> str | None:
    """The phrase by which an answer declines, if it does.

    >>> declines("I’m sorry, but I can’t do that.", DECLINING)
    "i can't"
    """
    text = _plain(answer)
    if phrases is DECLINING and not any(sign in text for sign in _SIGNS):
        return None
    for plain, phrase in _plain_phrases(tuple(phrases)):
        if plain in text:
            return phrase
    return None


def _plain(text: str) -> str:
    return " ".join(normal_text(text).replace("’", "'").split())


@lru_cache(maxsize=64)
def _plain_phrases(phrases: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple([(_plain(phrase), phrase) for phrase in phrases])

"""The seen value that a made-up one is most like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from passhat.provenance.seen import Hit, Seen
from passhat.provenance.texts import plain_text

_MOST_WORDS = 2_000
_SHORTLIST = 10
_SHORTEST = 3
_LONGEST = 100
_LIKE_ENOUGH = 0.6


@dataclass(slots=True)
class Effort:
    """How many words may still be looked at for one trace."""

    left: int = 120_000


def nearest_seen(value: str, seen: Seen, step: int, effort: Effort) -> tuple[str, Hit] | None:
    """The word seen before a step that is most like a value, as it was written, and where.

    Only so many words are looked at, the latest ones; and only so many for all of a trace.
    """
    wanted = plain_text(value)
    if not _SHORTEST <= len(wanted) <= _LONGEST or effort.left <= 0:
        return None
    near: dict[str, Hit] = {}
    alike: dict[str, Hit] = {}
    looked = 0
    for passage in seen.visible(step):
        for word, node in passage.content.coded[:_MOST_WORDS]:
            if word == wanted:
                continue  # Its own call's result repeats it.
            if abs(len(word) - len(wanted)) <= 2:
                near.setdefault(word, Hit(passage, node))
            elif word[:_SHORTEST] == wanted[:_SHORTEST]:
                alike.setdefault(word, Hit(passage, node))
        looked += min(len(passage.content.coded), _MOST_WORDS)
        if looked >= _MOST_WORDS:
            break
    effort.left -= looked
    candidates = {**alike, **near}
    ranked = sorted(candidates, key=lambda word: (-_common(word, wanted), word))
    best, likeness = None, _LIKE_ENOUGH
    for word in ranked[:_SHORTLIST]:
        ratio = SequenceMatcher(None, word, wanted, autojunk=False).ratio()
        if ratio > likeness:
            best, likeness = word, ratio
    if best is None:
        return None
    hit = candidates[best]
    found = re.search(re.escape(best), hit.passage.content.raw, re.IGNORECASE)
    return (found[0] if found else best), hit


def _common(a: str, b: str) -> int:
    """How many characters the two share at their places, from the front and from the back."""
    front = sum(x == y for x, y in zip(a, b, strict=False))
    back = sum(x == y for x, y in zip(reversed(a), reversed(b), strict=False))
    return max(front, back)

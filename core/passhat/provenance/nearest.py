"""The seen value that a made-up one is most like."""

from __future__ import annotations

from bisect import bisect_left, insort
from difflib import SequenceMatcher

from passhat.provenance.seen import Hit, Seen
from passhat.provenance.texts import plain_text, tokens

_MOST_WORDS = 20_000
_NEIGHBOURS = 2
_SHORTEST = 3
_LONGEST = 100
_LIKE_ENOUGH = 0.6
_LIKE_AT_ALL = 0.4
_FEW = 32


class Nearest:
    """Finds the seen word that is most like another, as the words come to be seen.

    Words that are alike begin or end alike, so that they are neighbours where the words are sorted,
    or sorted by their ends. So many words of a trace are kept, and the steps asked for never go back.

    Attributes:
        full: Whether words were left out.
    """

    def __init__(self, seen: Seen) -> None:
        self.full = False
        self._seen = seen
        self._arrivals = seen.arriving()
        self._places: dict[str, Hit] = {}
        self._forth: list[str] = []
        self._back: list[str] = []

    def to(self, value: str, step: int) -> tuple[str, Hit] | None:
        """The word seen before a step that is most like a value, as it was written, and where."""
        words = tokens(value[:_LONGEST])
        wanted = words[0] if len(words) == 1 else plain_text(value)  # The number of `#W124`.
        if not _SHORTEST <= len(wanted) <= _LONGEST:
            return None
        self._take(step)
        near = {word for word in _around(self._forth, wanted) if word != wanted}
        near |= {word[::-1] for word in _around(self._back, wanted[::-1]) if word[::-1] != wanted}
        if not near:
            return None
        likeness, best = max((_shared(word, wanted), word) for word in near)
        if _LIKE_AT_ALL < likeness <= _LIKE_ENOUGH:
            likeness = _likeness(best, wanted)
        if likeness <= _LIKE_ENOUGH:
            return None
        hit = self._places[best]
        return hit.passage.content.as_written(best), hit

    def _take(self, step: int) -> None:
        """Takes in the words that came to be seen up to a step."""
        new: list[str] = []
        for passage in self._arrivals.until(step):
            for word, node in passage.content.coded:
                if word not in self._places:
                    if len(self._places) >= _MOST_WORDS:
                        self.full = True
                        break
                    new.append(word)
                self._places[word] = Hit(passage, node)
        if len(new) > _FEW:
            self._forth = sorted([*self._forth, *new])
            self._back = sorted([*self._back, *(word[::-1] for word in new)])
        else:
            for word in new:
                insort(self._forth, word)
                insort(self._back, word[::-1])


def _around(words: list[str], wanted: str) -> list[str]:
    """The neighbours of a word in a sorted list."""
    at = bisect_left(words, wanted)
    return words[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1]


def _shared(word: str, wanted: str) -> float:
    """The share of both words that they begin and end with alike: 0 to 1."""
    short = min(len(word), len(wanted))
    front = next((at for at in range(short) if word[at] != wanted[at]), short)
    back = next(
        (at for at in range(short - front) if word[-1 - at] != wanted[-1 - at]), short - front
    )
    return 2 * (front + back) / (len(word) + len(wanted))


def _likeness(word: str, wanted: str) -> float:
    return SequenceMatcher(None, word, wanted, autojunk=False).ratio()

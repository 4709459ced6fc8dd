"""The seen value that a made-up one is most like."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from passhat.provenance.seen import Hit, Seen
from passhat.provenance.texts import plain_text, words_of

_MOST_WORDS = 20_000
_NEIGHBOURS = 2
_SHORTEST = 3
_LONGEST = 100
_LIKE_ENOUGH = 0.5
_REACH = 40
"""How many words are looked at, on each side, for neighbours that were seen by then."""


class Nearest:
    """Finds the seen word that is most like another.

    Words that are alike begin or end alike, so that they are neighbours where the words are sorted,
    or sorted by their ends. All words of a trace are sorted once, when the first is asked for; those
    that came later than the step that asks are passed over.

    Attributes:
        full: Whether words were left out.
    """

    def __init__(self, seen: Seen) -> None:
        self.full = False
        self._seen = seen
        self._places: dict[str, tuple[int, Hit]] = {}
        self._forth = _Sorted([], [])
        self._back = _Sorted([], [])

    def to(self, value: str, step: int) -> tuple[str, Hit] | None:
        """The word seen before a step that is most like a value, as it was written, and where."""
        words = words_of(value[:_LONGEST])
        wanted = words[0] if len(words) == 1 else plain_text(value)  # The number of `#W124`.
        if not _SHORTEST <= len(wanted) <= _LONGEST:
            return None
        if not self._places:
            self._sort()
        near = {*self._forth.around(wanted, step)}
        near.update([word[::-1] for word in self._back.around(wanted[::-1], step)])
        if not near:
            return None
        likeness, best = max((_shared(word, wanted), word) for word in near)
        if likeness <= _LIKE_ENOUGH:
            return None
        hit = self._places[best][1]
        return hit.passage.content.as_written(best), hit

    def _sort(self) -> None:
        """Sorts the words of the trace, each with where and when it could first be seen."""
        places = self._places
        for passage in self._seen.passages:
            opens = max(passage.available, passage.step + 1)
            for word, node in passage.content.coded:
                if word not in places or opens < places[word][0]:
                    if len(places) >= _MOST_WORDS:
                        self.full = True
                        break
                    places[word] = (opens, Hit(passage, node))
        self._forth = _Sorted.of({word: place[0] for word, place in places.items()})
        self._back = _Sorted.of({word[::-1]: place[0] for word, place in places.items()})


class _Sorted(NamedTuple):
    """Words in their order, and from which step on each could be seen."""

    words: list[str]
    opens: list[int]

    @classmethod
    def of(cls, opens: dict[str, int]) -> _Sorted:
        words = sorted(opens)
        return cls(words, [opens[word] for word in words])

    def around(self, wanted: str, step: int) -> list[str]:
        """The neighbours of a word that were seen, some on each side; not the word itself."""
        words, opens = self
        at = bisect_left(words, wanted)
        after = at + (words[at : at + 1] == [wanted])
        near: list[str] = []
        for side in (
            range(at - 1, max(-1, at - _REACH), -1),
            range(after, min(len(words), at + _REACH)),
        ):
            wanting = _NEIGHBOURS
            for index in side:
                if opens[index] <= step:
                    near.append(words[index])
                    wanting -= 1
                    if not wanting:
                        break
        return near


def _shared(word: str, wanted: str) -> float:
    """The share of both words that they begin and end with alike: 0 to 1."""
    short = min(len(word), len(wanted))
    front = back = 0
    while front < short and word[front] == wanted[front]:
        front += 1
    while back < short - front and word[-1 - back] == wanted[-1 - back]:
        back += 1
    return 2 * (front + back) / (len(word) + len(wanted))

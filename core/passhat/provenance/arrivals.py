"""What came to be seen newly, step after step."""

from __future__ import annotations

from collections.abc import Iterator

from passhat.provenance.seen import Passage, Seen


class Arrivals:
    """Tells, step after step, which passages could be seen newly."""

    def __init__(self, seen: Seen) -> None:
        opens = [(max(p.available, p.step + 1), at) for at, p in enumerate(seen.passages)]
        opens.sort(reverse=True)
        self._opens = opens
        self._passages = seen.passages

    def until(self, step: int) -> Iterator[Passage]:
        """The passages that could be seen at a step, and were not told before."""
        while self._opens and self._opens[-1][0] <= step:
            yield self._passages[self._opens.pop()[1]]

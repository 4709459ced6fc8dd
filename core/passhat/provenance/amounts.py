"""Where a number was told in words, or what it is reckoned from."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from passhat.provenance.arithmetic import MOST_IN_PAIRS, MOST_NUMBERS, Reckoner
from passhat.provenance.arrivals import Arrivals
from passhat.provenance.found import Effort, Found
from passhat.provenance.seen import Hit, Passage, Seen

_NUMBER_WORDS = {
    0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven",
    8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve", 15: "fifteen", 20: "twenty",
    30: "thirty", 40: "forty", 50: "fifty", 100: "hundred",
}  # fmt: skip


@dataclass(slots=True)
class Amounts:
    """Finds how numbers follow from what was seen; the steps asked for never go back.

    Attributes:
        seen: What was seen.
        effort: What the search may still cost.
        numbers: The numbers that could be seen so far, and what held each last.
        totals: The sums of columns, and where each stood.
        left_out: Whether numbers of a long result are not among them.
        arrivals: What brings them.
        reckoner: What follows from them.
    """

    seen: Seen
    effort: Effort
    numbers: dict[float, Passage] = field(default_factory=dict)
    totals: dict[float, Hit] = field(default_factory=dict)
    left_out: bool = False
    arrivals: Arrivals = field(init=False)
    reckoner: Reckoner = field(default_factory=Reckoner)

    def __post_init__(self) -> None:
        self.arrivals = Arrivals(self.seen)

    def found(self, value: float, step: int) -> Found | None:
        """Where a number was told in words, or what it is reckoned from."""
        if value in _NUMBER_WORDS:
            hits = self.seen.find(_NUMBER_WORDS[int(value)], step)
            if hits:
                return Found(hits, "number", values=(_NUMBER_WORDS[int(value)],))
        self._take(step)
        if (column := self.totals.get(round(value, 6))) is not None:
            return Found([column], "sum", "the sum of a column")
        if not value:
            return None
        if not self.effort.spend(1):
            return None
        way = self.reckoner.reckoned(value)
        if way is None:
            self.effort.bounded = self.left_out or len(self.numbers) > MOST_IN_PAIRS
            return None
        return Found([self._hit(term) for term in way.terms], way.how, way.written, way.terms)

    def _hit(self, number: float) -> Hit:
        """Where a number stood last."""
        passage = self.numbers[number]
        seen = passage.content.numbers.get(number)
        return Hit(passage, passage.content.sums[number] if seen is None else seen.node)

    def _take(self, step: int) -> None:
        """Takes in the numbers that came to be seen up to a step."""
        for passage in self.arrivals.until(step):
            content = passage.content
            found = dict.fromkeys(islice(content.numbers, MOST_NUMBERS), passage)
            for total, rows in content.sums.items():
                before = self.totals.get(total)
                if before is None or not before.passage.trusted:
                    self.totals[total] = Hit(passage, rows)
                if len(found) < 2 * MOST_NUMBERS:
                    found.setdefault(total, passage)
            self.left_out = self.left_out or len(content.numbers) > MOST_NUMBERS
            self.numbers |= found
            self.reckoner.see(reversed(found))

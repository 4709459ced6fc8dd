"""How a value follows from what was seen: as it stands, in another form, or by reckoning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from typing import Any, NamedTuple

from passhat.provenance.arithmetic import MOST_IN_PAIRS, MOST_NUMBERS, Reckoner
from passhat.provenance.content import PHONE_DIGITS, as_float, number_text, numbers_in
from passhat.provenance.days import Day, days_of, exact_days, time_of
from passhat.provenance.identifiers import name_parts
from passhat.provenance.seen import Arrivals, Hit, Passage, Seen
from passhat.provenance.texts import tokens

_NUMBER_WORDS = {
    0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven",
    8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve", 15: "fifteen", 20: "twenty",
    30: "thirty", 40: "forty", 50: "fifty", 100: "hundred",
}  # fmt: skip
_PHONE_WORDS = frozenset(
    {"phone", "mobile", "telephone", "tel", "fax", "cell", "contact", "number"}
)
_MOST_WORDS_APART = 4
_MOST_PASSAGES = 200
_DAYS_OF_A_MONTH = 32
_MOST_DAYS = 60
_MOST_EFFORT = 1_500
_EFFORT_OF_A_STEP = 12
_EFFORT_OF_A_DAY = 6
_EXACT = 2**53
_SHORTEST_SPELLED = 5
_LONGEST_SPELLED = 40


class Found(NamedTuple):
    """Where a value came from.

    Attributes:
        hits: The places.
        how: In what way it differs from what stands there; empty where it does not.
        note: The derivation in words.
        values: What stands at the places, where that is not the value.
    """

    hits: list[Hit]
    how: str = ""
    note: str = ""
    values: tuple[Any, ...] = ()


@dataclass(slots=True)
class Derivation:
    """Looks values up in what was seen.

    Attributes:
        seen: What was seen.
        bounded: Whether the last search for a sum left numbers out, or was not made.
        effort: How much of the search for sums the trace has left.
        given: The passages that were given from the start.
        said: The user's words, once they were asked for.
        numbers: The numbers that could be seen so far, the latest last.
        left_out: Whether numbers of a long result are not among them.
        arrivals: What brings them.
        reckoner: What follows from them, at the step `reckoned_at`.
    """

    seen: Seen
    bounded: bool = False
    effort: int = _MOST_EFFORT
    given: list[Passage] | None = None
    said: list[Passage] | None = None
    numbers: dict[float, Hit] = field(default_factory=dict)
    left_out: bool = False
    reckoner: Reckoner | None = None
    reckoned_at: int = -1
    arrivals: Arrivals = field(init=False)

    def __post_init__(self) -> None:
        self.arrivals = self.seen.arriving()

    def plainly(self, value: Any, step: int, *, identifier: bool = False) -> Found | None:
        """The value as it was seen, but perhaps for case, spacing and the marks of a number.

        Identifiers and integers too long for a float are compared digit by digit.
        """
        self.bounded = False
        if isinstance(value, str):
            return self._text(value, step)
        if isinstance(value, int) and (identifier or abs(value) >= _EXACT):
            return self._text(number_text(value), step) if value >= 0 else None
        number = as_float(value)
        if number is None:
            return None
        number = abs(number)
        hits = self.seen.lookup("numbers", number, step)
        plain = [hit for hit in hits if _is_plain(hit.passage.content.numbers[number].written)]
        if plain:
            return Found(plain)
        return Found(hits, "number") if hits else None

    def _text(self, value: str, step: int) -> Found | None:
        hits = self.seen.find(value, step)
        if not hits and "_" in value and not any(char.isdigit() for char in value):
            hits = self.seen.find(value.replace("_", " "), step)  # A word of a code: round_trip.
        if not hits:
            return None
        text = value.strip()
        exact = [hit for hit in hits if text in hit.passage.content.raw]
        if exact:
            return Found(exact)
        if text.isdecimal() and any(
            text in hit.passage.content.words for hit in hits
        ):  # A number where the value is text.
            return Found(hits)
        folded = text.casefold()
        alike = [hit for hit in hits if folded in hit.passage.content.raw_folded]
        return Found(alike, "case") if alike else Found(hits, "spacing")

    def otherwise(self, value: Any, name: str, step: int, *, identifier: bool) -> Found | None:
        """The value as it follows from what was seen.

        An identifier follows only from another way to write it: no reckoning, no putting together.
        """
        if isinstance(value, str):
            if self.is_moment(value):
                return self._moment(value, step)
            return (
                self._rewritten(value, name, step)
                or self._as_number(value, step, identifier=identifier)
                or (None if identifier else self._words_apart(value, step))
            )
        if identifier:
            written = number_text(value)
            return self._rewritten(written, name, step) if value >= 0 and written else None
        number = as_float(value)
        return None if number is None else self._number(abs(number), step)

    def is_moment(self, value: str) -> bool:
        """Whether a text writes a day or a time of day."""
        return bool(days_of(value)) or time_of(value) is not None

    def _moment(self, value: str, step: int) -> Found | None:
        if days := days_of(value):
            found = (self._day(day, step) for day in days)
            return next((way for way in found if way is not None), None)
        time = time_of(value)
        hits = [] if time is None else self.seen.lookup("times", time, step)
        return Found(hits, "time") if hits else None

    def _day(self, day: Day, step: int) -> Found | None:
        today = self._today(step)
        meant = exact_days(day, today)
        hits: list[Hit] = []
        written: list[str] = []
        dates = {(day.month or 1, day.day), *((moment.month, moment.day) for moment in meant)}
        for key in sorted(dates):
            for passage in (hit.passage for hit in self.seen.lookup("days_of_months", key, step)):
                for other, node in passage.content.days_of_months[key]:
                    if _same(day, other, meant, today):
                        hits.append(Hit(passage, node))
                        written.append(other.written)
                        break
        if hits:
            return Found(hits, "date", values=tuple(written))
        ways = (self._shifted(moment, today, step) for moment in meant)
        return next((found for found in ways if found is not None), None)

    def _today(self, step: int) -> date | None:
        """The day that what was given from the start says is today."""
        if self.given is None:
            self.given = [passage for passage in self.seen.passages if passage.kind == "given"]
        days = (passage.content.today for passage in self.given if passage.available <= step)
        return next(filter(None, days), None)

    def _shifted(self, moment: date, today: date | None, step: int) -> Found | None:
        """A day that somebody told by its distance from today, or from another day that was seen."""
        if self.effort <= 0:
            self.bounded = True
            return None
        self.effort -= _EFFORT_OF_A_DAY
        visible = list(islice(self.seen.visible(step), _MOST_PASSAGES))
        said = [passage for passage in visible if passage.kind == "said"]
        if today is not None:
            for passage in visible:
                prompt = passage.kind == "given" and passage.step >= 0
                for shift in () if prompt else passage.content.shifts:
                    if shift.leads(today, moment):
                        note = f"{shift.words}, today being {today}"
                        return Found([Hit(passage, None)], "date", note)
            for passage in said:
                for day, node in passage.content.days:
                    near = abs((moment - today).days) < _DAYS_OF_A_MONTH
                    if day.month is None and near and day.is_day(moment):
                        return Found([Hit(passage, node)], "date", values=(day.written,))
        asked = _days_of(said, today)
        bases = dict.fromkeys((*asked, *_days_of(visible, today)))
        for passage in said:
            for shift in passage.content.shifts:
                for base in bases:
                    if shift.leads(base, moment):
                        return Found([Hit(passage, None)], "date", f"{shift.words}, from {base}")
        if asked and min(asked) < moment < max(asked):
            hits = [Hit(passage, None) for passage in said]
            return Found(hits, "date", f"between {min(asked)} and {max(asked)}")
        return None

    def _rewritten(self, value: str, name: str, step: int) -> Found | None:
        """The value with other spacing and marks, as a phone number, or as a part of a longer one."""
        joined = "".join(tokens(value))
        if not any(char.isdigit() for char in joined):
            return None
        hits = self.seen.find(joined, step) if joined != value.casefold() else []
        hits = hits or self.seen.lookup("joined", joined, step) or self._spelled(joined, step)
        if hits:
            return Found(hits, "spacing")
        digits = "".join(char for char in value if char.isdigit())
        if len(digits) >= PHONE_DIGITS and not any(char.isalpha() for char in value):
            wants = not _PHONE_WORDS.isdisjoint(name_parts(name)) or value.strip()[:1] in "+("
            hits = self.seen.lookup("endings", digits[-PHONE_DIGITS:], step) if wants else []
            if hits:
                return Found(hits, "phone")
        hits = self.seen.lookup("parts", joined, step)
        return Found(hits, "part") if hits else None

    def _spelled(self, joined: str, step: int) -> list[Hit]:
        """Where the user wrote a code in many groups, or spelled it."""
        if not _SHORTEST_SPELLED <= len(joined) <= _LONGEST_SPELLED:
            return []
        if self.said is None:
            self.said = [p for p in self.seen.passages if p.kind == "said"][:_MOST_PASSAGES]
        visible = (p for p in self.said if p.available <= step)
        return [Hit(p, None) for p in visible if p.content.spells(joined)]

    def _as_number(self, value: str, step: int, *, identifier: bool) -> Found | None:
        """A text that writes a number, as the number."""
        if identifier:
            return self._without_zeros(value.strip(), step)
        numbers = list(numbers_in(value))
        if len(numbers) != 1 or any(char.isalpha() for char in value):
            return None
        if hits := self.seen.lookup("numbers", numbers[0][0], step):
            return Found(hits, "number")
        return self._number(numbers[0][0], step)

    def _without_zeros(self, digits: str, step: int) -> Found | None:
        """An identifier of digits alone, with zeros before it that were not seen."""
        plain = digits.lstrip("0")
        if not digits.isdecimal() or not plain or plain == digits:
            return None
        hits = self.seen.find(plain, step)
        return Found(hits, "number") if hits else None

    def _words_apart(self, value: str, step: int) -> Found | None:
        """A short text whose words all stand in one passage, though not in a row."""
        words = tokens(value)
        if not 1 < len(words) <= _MOST_WORDS_APART:
            return None
        hits = [
            Hit(passage, passage.content.words[words[0]])
            for passage in self.seen.holding(words, step)
        ]
        return Found(hits, "words") if hits else None

    def _number(self, value: float, step: int) -> Found | None:
        """A number told in words, counted, or reckoned from others."""
        if value in _NUMBER_WORDS:
            hits = self.seen.find(_NUMBER_WORDS[int(value)], step)
            if hits:
                return Found(hits, "number", values=(_NUMBER_WORDS[int(value)],))
        if hits := self.seen.lookup("sums", round(value, 6), step):
            return Found(hits, "sum", "the sum of a column")
        if not value:
            return None
        if self.effort <= 0:
            self.bounded = True
            return None
        self.effort -= 1
        numbers, reckoner = self._numbers_at(step)
        way = reckoner.reckoned(value)
        if way is None:
            self.bounded = self.left_out or len(numbers) > MOST_IN_PAIRS
            return None
        return Found([numbers[term] for term in way.terms], way.how, way.written, way.terms)

    def _numbers_at(self, step: int) -> tuple[dict[float, Hit], Reckoner]:
        """The numbers that could be seen at a step, and what follows from those seen last."""
        if self.reckoner is None or self.reckoned_at != step:
            self.effort -= _EFFORT_OF_A_STEP
            held = self.numbers
            for passage in self.arrivals.until(step):
                content = passage.content
                found = {
                    number: at.node for number, at in islice(content.numbers.items(), MOST_NUMBERS)
                }
                for total, rows in islice(content.sums.items(), MOST_NUMBERS):
                    found.setdefault(total, rows)
                self.left_out = self.left_out or len(content.numbers) > MOST_NUMBERS
                for number, node in reversed(found.items()):
                    held.pop(number, None)
                    held[number] = Hit(passage, node)
            pairs = None if self.reckoner is None else self.reckoner.pairs
            self.reckoner = Reckoner(reversed(held), pairs)
            self.reckoned_at = step
        return self.numbers, self.reckoner


def _is_plain(written: str | None) -> bool:
    """Whether a number was a JSON number, or written in digits alone."""
    return written is None or ("," not in written and written[-1:].isdigit())


def _days_of(passages: Iterable[Passage], today: date | None) -> list[date]:
    """The days, with their months, that passages name; only so many."""
    found: dict[date, None] = {}
    for passage in passages:
        for day, _ in passage.content.days:
            if day.month:
                found.update(dict.fromkeys(exact_days(day, today)[:1]))
            if len(found) > _MOST_DAYS:
                return list(found)
    return list(found)


def _same(day: Day, other: Day, meant: list[date], today: date | None) -> bool:
    """Whether two days, each perhaps without its year, may be the same."""
    if other.month is None:
        return False
    if day.year and other.year and day.year != other.year:
        return False
    if day.year and not other.year and today is not None and abs(day.year - today.year) > 1:
        return False
    if (day.month, day.day) == (other.month, other.day):
        return True
    return any(other.is_day(moment) for moment in meant)

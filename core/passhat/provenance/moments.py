"""Where a day or a time of day was told: written another way, or by its distance from another day."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import islice

from passhat.provenance.days import Day, days_of, exact_days, time_of
from passhat.provenance.found import Effort, Found
from passhat.provenance.seen import Hit, Passage, Seen

_MAY_BE = re.compile(
    r"\W*(?:\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)",
    re.IGNORECASE,
)
"""How every day and time of day begins, where it is written in ASCII."""

_MOST_PASSAGES = 200
_DAYS_OF_A_MONTH = 32
_MOST_DAYS = 60
_EFFORT_OF_A_DAY = 6


def is_moment(value: str) -> bool:
    """Whether a text writes a day or a time of day.

    >>> is_moment("May 20"), is_moment("3:30 pm"), is_moment("A100")
    (True, True, False)
    """
    if value.isascii() and not _MAY_BE.match(value):
        return False
    return bool(days_of(value)) or time_of(value) is not None


@dataclass(slots=True)
class Moments:
    """Looks days and times up in what was seen.

    Attributes:
        seen: What was seen.
        effort: What the search may still cost.
        given: The passages that were given from the start, once they were asked for.
    """

    seen: Seen
    effort: Effort
    given: list[Passage] | None = None

    def found(self, value: str, step: int) -> Found | None:
        """Where the day or the time that a text writes was told before a step."""
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
        if not self.effort.spend(_EFFORT_OF_A_DAY):
            return None
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

"""Days as people write them in running text, and days told relative to the stated today."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from passhat.provenance.texts import plain_text
from passhat.values.dates import read_date

_MONTH = (
    r"(?P<{0}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ORDINAL = r"(?:st|nd|rd|th)?"
_MENTION = re.compile(
    r"(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?!\d)"
    r"|(?<![\d/.-])(?P<a>\d{1,2})[-/.](?P<b>\d{1,2})[-/.](?P<y2>\d{4}|\d{2})(?!\d)"
    r"|(?<![\d/.-])(?P<a2>\d{1,2})/(?P<b2>\d{1,2})(?![\d/])"
    rf"|\b{_MONTH.format('m3')}\.?\s+(?:the\s+)?(?P<d3>\d{{1,2}}){_ORDINAL}(?:,?\s+(?P<y3>\d{{4}}))?\b"
    r"(?P<more>(?:\s*(?:,|-|–|/|and|or|to|through|until)\s*\d{1,2}(?:st|nd|rd|th)?(?![\d:]|\s+[a-z]))*)"
    rf"|\b(?P<d4>\d{{1,2}}){_ORDINAL}[\s-]+(?:of\s+)?{_MONTH.format('m4')}\b\.?(?:,?[\s-]+(?P<y4>\d{{4}}))?"
)
_DAY_ALONE = re.compile(r"\bthe\s+(\d{1,2})(?:st|nd|rd|th)\b|\b(\d{1,2})(?:st|nd|rd|th)\b")
_STATED = re.compile(
    r"\b(?:today|now|current|currently|date is|time is)\b.{0,60}", re.DOTALL | re.IGNORECASE
)
_OFFSETS = re.compile(
    r"\b(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten)[\s-]+(day|night|week|month|year)s?\b"
)
_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPANS = {"day": 1, "night": 1, "week": 7}
_WORDS = {
    "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2,
    "day before yesterday": -2, "next day": 1, "following day": 1, "day after": 1, "day before": -1,
    "previous day": -1, "day earlier": -1, "day later": 1, "next week": 7, "last week": -7,
}  # fmt: skip
_FORTNIGHT = 14
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = re.compile(
    r"\b(mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?\b"
)
_TIME = re.compile(
    r"\b(?P<h>\d{1,2})(?::(?P<m>\d{2}))?(?::(?P<s>\d{2}))?\s*(?P<half>[ap])\.?m\b"
    r"|(?<![\d:])(?P<h2>\d{1,2}):(?P<m2>\d{2})(?::(?P<s2>\d{2}))?(?![\d:])"
)


class Day(NamedTuple):
    """A day as it was written; the year, and the month, may be left open.

    Attributes:
        year: The year, None where it was not said.
        month: The month, None where only the day of the month was said.
        day: The day of the month.
        written: How it was written.
    """

    year: int | None
    month: int | None
    day: int
    written: str

    def is_day(self, day: date) -> bool:
        """Whether it may be that day."""
        return (
            self.day == day.day
            and self.month in (None, day.month)
            and self.year in (None, day.year)
        )


def days_in(text: str) -> Iterator[Day]:
    """The days that a text names.

    Where day and month may be either (`5/6/2024`), both readings are given.

    >>> [day[:3] for day in days_in("from May 20th to 22 May 2024, or 2024-06-01")]
    [(None, 5, 20), (2024, 5, 22), (2024, 6, 1)]
    """
    plain = plain_text(text)
    for found in _MENTION.finditer(plain):
        part = found.groupdict()
        written = found[0].strip()
        if part["y1"]:
            yield Day(int(part["y1"]), int(part["m1"]), int(part["d1"]), written)
        elif part["a"] or part["a2"]:
            first, second = int(part["a"] or part["a2"]), int(part["b"] or part["b2"])
            year = _year(part["y2"])
            for month, day in {(first, second), (second, first)}:
                if 1 <= month <= 12 and 1 <= day <= 31:
                    yield Day(year, month, day, written)
        elif part["m3"]:
            year, month = _year(part["y3"]), _month(part["m3"])
            yield Day(year, month, int(part["d3"]), written)
            for more in re.findall(r"\d{1,2}", part["more"] or ""):
                yield Day(year, month, int(more), written)
        else:
            yield Day(_year(part["y4"]), _month(part["m4"]), int(part["d4"]), written)
    for found in _DAY_ALONE.finditer(_MENTION.sub(" ", plain)):
        yield Day(None, None, int(found[1] or found[2]), found[0])


def _month(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _year(text: str | None) -> int | None:
    if text is None:
        return None
    return int(text) if len(text) == 4 else 2000 + int(text)


def days_of(text: str) -> list[Day]:
    """The day that a whole text writes, with or without its year or a time of day.

    Empty where it writes none; two where day and month may be either.

    >>> [day[:3] for day in days_of("May 20")], [day[:3] for day in days_of("2024-05-20T15:00:00")]
    ([(None, 5, 20)], [(2024, 5, 20)])
    >>> len(days_of("5/6/2024")), days_of("order 20")
    (2, [])
    """
    if not 4 <= len(text) <= 40 or not any(char.isdecimal() for char in text):
        return []
    found = []
    if (read := read_date(text)) is not None:
        found.append(Day(read.year, read.month, read.day, text))
    if _MENTION.fullmatch(plain_text(text).strip()):
        found += [day for day in days_in(text) if _possible(day)]
    return list({day[:3]: day for day in found}.values())


def _possible(day: Day) -> bool:
    return 1 <= (day.month or 1) <= 12 and 1 <= day.day <= 31


def stated_today(text: str) -> date | None:
    """The day that a text says is today.

    >>> stated_today("The current time is 2024-05-15 15:00:00 EST.")
    datetime.date(2024, 5, 15)
    """
    for said in _STATED.finditer(text):
        for day in days_in(said[0]):
            if day.year and day.month:
                return _date(day.year, day.month, day.day)
    return None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def exact_days(day: Day, today: date | None) -> list[date]:
    """The calendar days that may be meant; an open year is that of today, or the next one."""
    years = [day.year] if day.year else [today.year, today.year + 1] if today else []
    found = (_date(year, day.month or 1, day.day) for year in years if year)
    return [item for item in found if item is not None]


class Shift(NamedTuple):
    """Words that lead from one day to another.

    Attributes:
        words: The words.
        days: By how many days, forth or back; None where it is not told in days.
        exact: Whether forth and back are told apart by the words.
        upto: How many days more it may be: the days of a week.
        months: By how many months, forth or back; None where it is not told in months.
        weekday: The day of the week it leads to, 0 for Monday; None where it names none.
    """

    words: str
    days: int | None = None
    exact: bool = False
    upto: int = 0
    months: int | None = None
    weekday: int | None = None

    def leads(self, base: date, day: date) -> bool:
        """Whether it may lead from one day to the other.

        >>> Shift("friday", weekday=4).leads(date(2024, 5, 15), date(2024, 5, 17))
        True
        """
        away = (day - base).days
        if self.days is not None:
            off = (away if self.exact else abs(away)) - self.days
            return 0 <= off <= self.upto
        if self.months is not None:
            apart = (day.year - base.year) * 12 + day.month - base.month
            return abs(base.day - day.day) <= 1 and abs(apart) == self.months
        return abs(away) <= _FORTNIGHT and day.weekday() == self.weekday


def shifts_in(text: str) -> Iterator[Shift]:
    """The words of a text that lead from one day to another: `tomorrow`, `in 3 days`, `Friday`.

    >>> [shift.words for shift in shifts_in("Tomorrow, or next Friday; two days later at most.")]
    ['tomorrow', 'two days', 'friday']
    """
    plain = plain_text(text)
    for words, offset in _WORDS.items():
        if words in plain:
            yield Shift(words, offset, exact=True, upto=6 if "week" in words else 0)
    for found in _OFFSETS.finditer(plain):
        count = _count(found[1])
        if found[2] in _SPANS:
            yield Shift(found[0], count * _SPANS[found[2]])
        else:
            yield Shift(found[0], months=count * (12 if found[2] == "year" else 1))
    for found in _WEEKDAY.finditer(plain):
        yield Shift(found[0], weekday=_WEEKDAYS.index(found[1][:3]))


def _count(word: str) -> int:
    if word.isdecimal():
        return int(word)
    return _COUNTS.index(word) + 1 if word in _COUNTS else 1


def time_of(text: str) -> tuple[int, int] | None:
    """The hour and the minute that a whole text writes; else None.

    >>> time_of("3:30 pm"), time_of("15:30:00"), time_of("soon")
    ((15, 30), (15, 30), None)
    """
    found = _TIME.fullmatch(plain_text(text).strip())
    return _clock(found) if found else None


def times_in(text: str) -> Iterator[tuple[int, int]]:
    """The times of day that a text names, as hour and minute."""
    for found in _TIME.finditer(plain_text(text)):
        if (time := _clock(found)) is not None:
            yield time


def _clock(found: re.Match[str]) -> tuple[int, int] | None:
    if found["half"]:
        hour = int(found["h"]) % 12 + (12 if found["half"] == "p" else 0)
        minute = int(found["m"] or 0)
    else:
        hour, minute = int(found["h2"]), int(found["m2"])
    return (hour, minute) if hour < 25 and minute < 60 else None

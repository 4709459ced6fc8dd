"""Dates in the forms that people and models write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
            "aug august", "sep sept september", "oct october", "nov november", "dec december",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip

_WORDED = (
    re.compile(r"(?P<month>[a-z]+)\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})"),
    re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<month>[a-z]+)\.?,? (?P<year>\d{4})"),
    re.compile(r"(?P<day>\d{1,2})-(?P<month>[a-z]+)-(?P<year>\d{4})"),
)
_YEAR_FIRST = re.compile(r"(?P<year>\d{4})[/.](?P<month>\d{1,2})[/.](?P<day>\d{1,2})")
_YEAR_LAST = re.compile(r"(?P<a>\d{1,2})(?P<mark>[/.-])(?P<b>\d{1,2})[/.-](?P<year>\d{4})")
_WEEKDAY = re.compile(r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? ")


def same_date(a: Any, b: Any, *, day_first: bool = False) -> bool:
    """Whether two texts write the same instant, or the same day where one of them is only a day.

    A time without a zone is taken as UTC where the other has one.

    Args:
        a: Text in ISO 8601, `20 May 2024`, `May 20th, 2024`, `2024/5/20`, `20.5.2024`, `5/20/2024`.
        b: The other.
        day_first: How to read `05/06/2024`: the 5th of June if set, else the 6th of May.

    >>> same_date("20 May 2024", "2024-05-20T15:00:00"), same_date("2024-05-20", "soon")
    (True, False)
    """
    first, second = read_date(a, day_first=day_first), read_date(b, day_first=day_first)
    if first is None or second is None:
        return False
    if isinstance(first, datetime) and isinstance(second, datetime):
        if (first.tzinfo is None) != (second.tzinfo is None):
            first, second = (t if t.tzinfo else t.replace(tzinfo=UTC) for t in (first, second))
        return first == second
    return _day(first) == _day(second)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def read_date(text: Any, *, day_first: bool = False) -> date | None:
    """The `datetime` or, where there is no time of day, the `date` that a text writes; else None.

    >>> read_date("May 20th, 2024")
    datetime.date(2024, 5, 20)
    """
    if not isinstance(text, str):
        return None
    text = text.strip()
    if len(text) < 8 or len(text) > 40:
        return None
    try:
        return date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)
    except ValueError:
        pass
    plain = _WEEKDAY.sub("", " ".join(text.lower().split()))
    for pattern in _WORDED:
        if found := pattern.fullmatch(plain):
            named = _MONTHS.get(found["month"])
            return _date(found["year"], named, found["day"]) if named else None
    if found := _YEAR_FIRST.fullmatch(plain):
        return _date(found["year"], found["month"], found["day"])
    if found := _YEAR_LAST.fullmatch(plain):
        month, day = found["a"], found["b"]
        if day_first or found["mark"] == "." or int(month) > 12:
            month, day = day, month
        return _date(found["year"], month, day)
    return None


def _date(year: str, month: str | int, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None

"""Whether an answer tells its reader that something did not work."""

from __future__ import annotations

import re

from passhat.values.reading import normal_text

_FAILED = re.compile(
    r"\b(could ?n[o']t|could not|can ?n[o']t|cannot|unable|(was|were|am|is|are|been)(n't| not) able|"
    r"did(n't| not) (work|succeed|go through|respond|answer|complete)|not (yet )?(been )?(done|completed|processed|possible)|"
    r"fail(ed|s|ure|ures|ing)?|errors?|unsuccessful|unavailable|not available|(is|are|was|seems) down|"
    r"tim(ed|e|es|ing)[ -]?out|(a|the|some|technical|temporary) (problem|issue|difficult(y|ies))|problems? with|"
    r"issues? with|having (trouble|issues|problems|difficulties)|trouble|went wrong|try(ing)? again|retry later|"
    r"outage|incomplete|only (part|some)|partial(ly)?|out of date|outdated|stale|denied|not permitted|"
    r"not allowed|refused|rejected|no response|overloaded|too many requests|rate limit(ed)?|unreachable|"
    r"corrupt(ed)?|garbled|unreadable|no results?|nothing (was )?found|found (no|nothing))\b"
)
_NONE = re.compile(
    r"\b(no|without( any| an?)?|zero|never an?|free of) (errors?|problems?|issues?|trouble|failures?|difficult(y|ies)|hitch)\b|"
    r"\bdid(n't| not) fail\b|\bif (it|this|that|anything|there)\b[^.!?]*[.!?]|"
    r"\b(don't|do not) hesitate\b[^.!?]*"
)


def reports_failure(answer: str) -> str | None:
    """The words by which an answer tells that something did not work, if it does.

    >>> reports_failure("I'm sorry, the refund could not be made; please try again later.")
    'could not'
    >>> reports_failure("Your refund went through without any problem."), reports_failure("Done.")
    (None, None)
    """
    text = _NONE.sub(" ", normal_text(answer).replace("’", "'"))
    found = _FAILED.search(text)
    return None if found is None else found[0]

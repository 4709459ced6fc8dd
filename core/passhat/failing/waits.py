"""How long a server asked to wait before the next try."""

from __future__ import annotations

import re
from contextlib import suppress
from email.utils import parsedate_to_datetime
from math import inf
from typing import Any

from passhat.failing.outcomes import causes, message_of

_ASKED = re.compile(
    r"(?:retry[-_ ]?after|retry[-_ ]?delay|try again in|retry in)\W{0,5}(\d+(?:\.\d+)?)\s*(ms|m(?!s)|s)?",
    re.IGNORECASE,
)
_UNITS = {"ms": 0.001, "m": 60.0}


def retry_after(error: BaseException, *, now: float) -> float | None:
    """How many seconds a server asked to wait before the next try, None where it asked nothing.

    Args:
        error: The exception; its response's `Retry-After` (seconds or a date) is looked for along
            its causes, and then its words ("try again in 2s").
        now: The time, seconds since the Unix epoch.

    >>> class Refused(Exception):
    ...     headers = {"Retry-After": "7"}
    >>> retry_after(Refused(), now=0), retry_after(ValueError("try again in 20ms"), now=0)
    (7.0, 0.02)
    """
    for one in causes(error):
        asked = getattr(one, "retry_after", None)
        if isinstance(asked, int | float) and not isinstance(asked, bool) and asked >= 0:
            return float(asked)
        for owner in (getattr(one, "response", None), one):
            found = _of_headers(getattr(owner, "headers", None), now)
            if found is not None:
                return found
    texts = (f"{message_of(one)} {getattr(one, 'details', '')}" for one in causes(error))
    return next((found for text in texts if (found := retry_after_text(text)) is not None), None)


def retry_after_text(text: str) -> float | None:
    """How many seconds an error's words ask to wait, None where they ask nothing.

    >>> retry_after_text("429 ... 'retryDelay': '30s'"), retry_after_text("try later")
    (30.0, None)
    """
    found = _ASKED.search(text)
    if found is None:
        return None
    return float(found[1]) * _UNITS.get((found[2] or "s").lower(), 1.0)


def _of_headers(headers: Any, now: float) -> float | None:
    get = getattr(headers, "get", None)
    if get is None:
        return None
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0), ("Retry-After", 1.0)):
        value = get(name)
        if not isinstance(value, str | int | float):
            continue
        with suppress(ValueError):
            seconds = float(value) * unit
            return seconds if 0 <= seconds < inf else None
        with suppress(ValueError, TypeError):
            return max(0.0, parsedate_to_datetime(str(value)).timestamp() - now)
    return None

"""Requests that wait as long as the server asks, and try again where that can help."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TypeVar

from passhat.errors import PasshatError

Given = TypeVar("Given")

TRIES = 8
_CUTS = 3
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST = 60.0
"""Seconds between two tries where the server names none."""
_ABSENT = frozenset(
    {"ConnectionRefusedError", "NewConnectionError", "NameResolutionError", "gaierror"}
)
_CUT = ("Connection", "Timeout", "RemoteProtocol", "ReadError", "ChunkedEncoding")


def patiently(
    call: Callable[[], Given], what: str, *, sleep: Callable[[float], None] = time.sleep
) -> Given:
    """What a call to LangSmith gives, tried again while the server is busy or the line is cut.

    LangSmith's own client waits as it is told to for a few tries, and on its older versions not at
    all; here it is the time of `Retry-After` each time, and else twice as long from try to try.

    Args:
        call: The call. It must be one that can be made twice.
        what: What it does, for the message: "reading runs".
        sleep: Waits for seconds.

    Raises:
        PasshatError: It failed in a way that waiting does not mend, or too often.

    >>> patiently(lambda: 3, "counting")
    3
    """
    unguided = 0
    for number in range(TRIES):
        try:
            return call()
        except Exception as error:
            wait = wait_for(error, unguided)
            if wait is None or number == TRIES - 1:
                raise PasshatError(f"{what}: {told(error)}") from error
            unguided += _answer(error)[1] is None
        sleep(wait)
    raise AssertionError  # The last try either returned or raised.


def wait_for(error: BaseException, number: int) -> float | None:
    """The seconds to wait before the next try; None where another cannot help.

    Args:
        error: What the try ended in.
        number: After how many tries before it the server named no time either.

    >>> wait_for(ConnectionError(), 2), wait_for(ValueError(), 0)
    (4.0, None)
    """
    status, after = _answer(error)
    if status is None:
        if number >= _CUTS or is_absent(error):
            return None
        cut = any(sign in type(one).__name__ for one in _chain(error) for sign in _CUT)
        return min(2.0**number, _LONGEST) if cut else None
    if status not in _AGAIN:
        return None
    return after if after is not None else min(2.0**number, _LONGEST)


def is_absent(error: BaseException) -> bool:
    """Whether nobody listens where the client asks: LangSmith's client tried that for seconds already.

    >>> is_absent(ConnectionRefusedError()), is_absent(ConnectionResetError())
    (True, False)
    """
    held = [*_chain(error)]
    held += [reason for one in held for arg in one.args if (reason := getattr(arg, "reason", None))]
    return any(type(one).__name__ in _ABSENT for one in held)


def status_of(error: BaseException) -> int | None:
    """The status that the server answered with, where it did."""
    return _answer(error)[0]


def is_missing(error: BaseException) -> bool:
    """Whether the server, or its client, says that there is no such thing."""
    return status_of(error) == 404 or type(error).__name__ == "LangSmithNotFoundError"


def told(error: BaseException) -> str:
    """An error of the client's in a line, with what to do about the ones that have a remedy."""
    status = status_of(error)
    remedy = {
        401: "the key is not accepted; set LANGSMITH_API_KEY, or give a client",
        403: "the key may not do that",
        404: "there is no such thing in this workspace",
        429: "too many requests, after waiting as it asked",
    }
    if status in remedy:
        return f"LangSmith answers {status}: {remedy[status]}"
    if status is None and is_absent(error):
        return "nobody answers at the client's address; is LANGSMITH_ENDPOINT right, and the network there?"
    line = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {line}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = at.__cause__ or at.__context__


def _answer(error: BaseException) -> tuple[int | None, float | None]:
    """The status of the answer that an error comes from, and its `Retry-After` in seconds."""
    for one in _chain(error):
        response = getattr(one, "response", None)
        status = getattr(response, "status_code", None)
        if isinstance(status, int):
            return status, _after(getattr(response, "headers", {}).get("retry-after"))
    return None, None


def _after(stated: str | None) -> float | None:
    if stated is None:
        return None
    try:
        seconds = float(stated)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(stated).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if isfinite(seconds) else None

"""What ended a run: the agent itself, its limits, or the world around it.

An exception is known by the names of its classes, by a status that it carries, and by what it says
it was caused by (`raise ... from`): no client library need be installed. What is not clearly of the
surroundings is the agent's own, since what is left out of the count must not be a way to fail.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import inf
from typing import Any

from passhat.errors import UsageError
from passhat.trace import Outcome

_LIMITS = re.compile(
    r"RecursionError$|MaxTurnsExceeded$|CallsLimitExceededError$|UsageLimitExceeded$|"
    r"^TimeoutError$|^MemoryError$"
)
_SURROUNDINGS = re.compile(
    r"RateLimit|TooManyRequests|Quota|ResourceExhausted|Overloaded|ServerError|ServiceUnavailable|"
    r"BadGateway|GatewayTimeout|DeadlineExceeded|Connection(?!IdError)|"
    r"Connect(?:Error|Timeout)|(?:Read|Write|Pool|API)Timeout|RemoteProtocol|ClientConnector|"
    r"ServerDisconnected|RemoteDisconnected|IncompleteRead|ChunkedEncoding|^URLError$|gaierror|"
    r"^SSL\w*Error$|^RESOURCE_EXHAUSTED$|^UNAVAILABLE$|"
    r"^(?:httpx\w*|httpcore)\.(?:Read|Write|Close|Network|Transport)Error$"
)
_STATUS = re.compile(
    r"\b(?:RESOURCE_EXHAUSTED|UNAVAILABLE|DEADLINE_EXCEEDED)\b|"
    r"\b(?:status(?: code)?|error code|http(?: error)?)\W{0,3}(?:429|5\d\d)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^\W{0,3}(?:429|5\d\d)\b")
_OF_A_CLIENT = re.compile(
    r"(?:API|Http|HTTP|Client|Status|Server|Response)\w*(?:Error|Exception)?$"
)
_ERRNOS = frozenset(
    {
        *(errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE),
        *(errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.ETIMEDOUT),
    }
)
_CODES = frozenset({"insufficient_quota", "rate_limit_exceeded", "overloaded_error"})
_MOST_CAUSES = 50

INJECTED = "passhat_injected"
"""The attribute of an exception that was planted on purpose: not to cope with it is the agent's."""

Declared = type[BaseException] | str
"""An exception's class, or a regular expression to find in `ClassName: message`."""


@dataclass(frozen=True)
class FailureRules:
    """Whose fault an exception is, where the rules of this module do not know.

    Args:
        infrastructure: What is of the surroundings: classes of exceptions, or regular expressions
            to find in `ClassName: message`.
        agent: What is the agent's own; these are asked first.

    Raises:
        UsageError: A pattern is no regular expression.

    >>> rules = FailureRules(infrastructure=[r"^WarehouseDown"], agent=[KeyError])
    >>> class WarehouseDown(Exception): pass
    >>> rules.outcome_of(WarehouseDown("for the night")), outcome_of(WarehouseDown())
    ('infrastructure_error', 'agent_error')
    """

    infrastructure: tuple[Declared, ...] = ()
    agent: tuple[Declared, ...] = ()

    def __post_init__(self) -> None:
        for name in ("infrastructure", "agent"):
            declared = tuple(getattr(self, name))
            for item in declared:
                _check(item)
            object.__setattr__(self, name, declared)

    def outcome_of(self, error: BaseException) -> Outcome:
        """How a run ended that ended in this exception; see `outcome_of`."""
        chain = list(causes(error))
        declared = self._declared(chain, [_words(one) for one in chain])
        return declared or outcome_of(error)

    def outcome_of_text(self, text: str, known: Outcome) -> Outcome:
        """How a run ended, by an error in words and by what its recorder made of it."""
        return self._declared([], [text]) or known

    def _declared(self, errors: list[BaseException], words: list[str]) -> Outcome | None:
        if any(getattr(error, INJECTED, False) for error in errors):
            return "agent_error"
        outcomes: tuple[tuple[tuple[Declared, ...], Outcome], ...] = (
            (self.agent, "agent_error"),
            (self.infrastructure, "infrastructure_error"),
        )
        for declared, outcome in outcomes:
            for item in declared:
                if isinstance(item, str):
                    if any(re.search(item, text) for text in words):
                        return outcome
                elif any(isinstance(error, item) for error in errors):
                    return outcome
        return None


def _check(item: Declared) -> None:
    if isinstance(item, str):
        try:
            re.compile(item)
        except re.error as error:
            raise UsageError(f"{item!r} is no regular expression: {error}") from error
    elif not (isinstance(item, type) and issubclass(item, BaseException)):
        raise UsageError(f"{item!r} is no class of exceptions and no regular expression")


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {message_of(error)}"


def message_of(error: BaseException) -> str:
    """What an exception says, or that its own code breaks when it is asked.

    >>> message_of(ValueError("x"))
    'x'
    """
    try:
        return str(error)
    except Exception as worse:
        return f"(its message cannot be told: {type(worse).__name__})"


def causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it says it was caused by, the outermost first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < _MOST_CAUSES:
        seen.add(id(current))
        yield current
        reason = getattr(current, "reason", None)
        current = current.__cause__ or (reason if isinstance(reason, BaseException) else None)


def outcome_of(error: BaseException) -> Outcome:
    """How a run ended that ended in an exception.

    Of a group, all must be of the surroundings for the whole to be. A `TimeoutError` that names no
    connection is a limit: an agent that hangs must not be left out of its own count.

    Returns:
        `infrastructure_error` for a connection, a quota (429) or a server (5xx) that failed,
        `limit` for a limit of the agent's own, `agent_error` for everything else.

    >>> outcome_of(ConnectionResetError()), outcome_of(RecursionError()), outcome_of(KeyError("429"))
    ('infrastructure_error', 'limit', 'agent_error')
    """
    if isinstance(error, BaseExceptionGroup):
        found: list[Outcome] = [outcome_of(one) for one in error.exceptions[:_MOST_CAUSES]]
        return found[0] if len(set(found)) == 1 else "agent_error"
    chain = list(causes(error))
    if any(getattr(one, INJECTED, False) for one in chain):
        return "agent_error"
    for one in chain:
        outcome = _outcome_alone(one)
        if outcome != "agent_error":
            return outcome
    return "agent_error"


def _outcome_alone(error: BaseException) -> Outcome:
    if isinstance(error, SystemExit | KeyboardInterrupt):
        return "agent_error"
    if isinstance(error, OSError) and error.errno in _ERRNOS:
        return "infrastructure_error"
    status = status_of(error)
    if status is not None:
        return _of_status(status)
    code = getattr(error, "code", None)
    if isinstance(code, str) and code in _CODES:
        return "infrastructure_error"
    for kind in type(error).__mro__:
        if kind in (OSError, Exception, BaseException, object):
            break
        for name in (kind.__name__, f"{kind.__module__.partition('.')[0]}.{kind.__name__}"):
            if _LIMITS.search(name):
                return "limit"
            if _SURROUNDINGS.search(name):
                return "infrastructure_error"
    return outcome_of_words(type(error).__name__, message_of(error))


def _of_status(status: int) -> Outcome:
    return "infrastructure_error" if status in (408, 429) or status >= 500 else "agent_error"


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an exception of a client library carries, None where it has none.

    >>> class Refused(Exception):
    ...     status_code = 429
    >>> status_of(Refused()), status_of(ValueError())
    (429, None)
    """
    response = getattr(error, "response", None)
    for owner, name in (
        (error, "status_code"),
        (error, "http_status"),
        (error, "status"),
        (error, "code"),
        (response, "status_code"),
        (response, "status"),
    ):
        value = getattr(owner, name, None)
        if type(value) is int and 400 <= value <= 599:
            return value
    return None


def outcome_of_words(name: str | None, message: str | None) -> Outcome:
    """How a run ended, by the name of the exception's class (or an error's code) and its message.

    >>> outcome_of_words("ClientError", "429 RESOURCE_EXHAUSTED. {'error': ...}")
    'infrastructure_error'
    >>> outcome_of_words("ValueError", "order 429 is unknown"), outcome_of_words("SAFETY", None)
    ('agent_error', 'agent_error')
    """
    if name and _LIMITS.search(name):
        return "limit"
    if name and _SURROUNDINGS.search(name):
        return "infrastructure_error"
    if message and _STATUS.search(message):
        return "infrastructure_error"
    if message and _LEADING.search(message) and (not name or _OF_A_CLIENT.search(name)):
        return "infrastructure_error"
    return "agent_error"


def outcome_of_text(text: str) -> Outcome:
    """How a run ended, by its exception as Python writes one: `KeyError('x')` or `KeyError: x`.

    >>> outcome_of_text("RateLimitError('Error code: 429 - slow down')"), outcome_of_text("no")
    ('infrastructure_error', 'agent_error')
    """
    found = re.match(r"\s*(?:[\w.]+\.)?(\w+)(?:\((.*)\)\s*$|: (.*)|\((.*)|$)", text, re.DOTALL)
    if found is None:
        return outcome_of_words(None, text)
    return outcome_of_words(found[1], found[2] or found[3] or found[4] or "")


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

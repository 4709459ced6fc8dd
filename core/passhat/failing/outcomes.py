"""How a run ended that ended in an exception: by the agent, its limits, or the world around it."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

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

"""What ended a run: the agent itself, its limits, or the world around it."""

from __future__ import annotations

import re

from passhat.trace import Outcome

_LIMITS = frozenset({"LlmCallsLimitExceededError", "GraphRecursionError", "RecursionError"})
_SURROUNDINGS = re.compile(
    r"ResourceExhausted|RateLimit|TooManyRequests|Quota|ServerError|ServiceUnavailable|"
    r"BadGateway|GatewayTimeout|DeadlineExceeded|Overloaded|Connection(?!IdError)|ConnectError|"
    r"ConnectTimeout|ReadTimeout|WriteTimeout|PoolTimeout|RemoteProtocol|ClientConnector|"
    r"ServerDisconnected|gaierror|^TimeoutError$|^RESOURCE_EXHAUSTED$|^UNAVAILABLE$"
)
_STATUS = re.compile(
    r"^\s*(?:429|5\d\d)\b|\b(?:RESOURCE_EXHAUSTED|UNAVAILABLE|DEADLINE_EXCEEDED)\b|"
    r"\b(?:status(?: code)?|error code|http)\W{0,3}(?:429|5\d\d)\b",
    re.IGNORECASE,
)


def outcome_of(code: str | None, message: str | None) -> Outcome:
    """How a run ended that ended in an error.

    Args:
        code: The event's `error_code`: the class of the exception, or why the model stopped.
        message: The event's `error_message`.

    Returns:
        `infrastructure_error` for a connection, a quota (429) or a server (5xx) that failed,
        `limit` for a limit of the agent's own, `agent_error` for everything else.

    >>> outcome_of("ClientError", "429 RESOURCE_EXHAUSTED. {'error': ...}")
    'infrastructure_error'
    >>> outcome_of("ValueError", "order 429 is unknown"), outcome_of("SAFETY", None)
    ('agent_error', 'agent_error')
    """
    if code in _LIMITS:
        return "limit"
    if (code and _SURROUNDINGS.search(code)) or (message and _STATUS.search(message)):
        return "infrastructure_error"
    return "agent_error"


def error_text(code: str | None, message: str | None) -> str:
    """An error in one line.

    >>> error_text("ValueError", "bad")
    'ValueError: bad'
    """
    return ": ".join(part for part in (code, message) if part) or "an error without a message"

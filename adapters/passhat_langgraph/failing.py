"""What ended a run: the agent itself, its limits, or the world around it."""

from __future__ import annotations

import re

from passhat.trace import Outcome

_SURROUNDINGS = re.compile(
    r"RateLimit|TooManyRequests|ResourceExhausted|Overloaded|ServiceUnavailable|ServerError|"
    r"BadGateway|GatewayTimeout|DeadlineExceeded|Connect(?:ion)?(?:Error|Timeout|Refused|Reset)|"
    r"ReadTimeout|APITimeout|RemoteProtocolError"
)
_STATUS = re.compile(r"\b(?:status(?: code)?|error code|http)\W{0,3}(?:429|5\d\d)\b", re.I)


def outcome_of(error: str) -> Outcome:
    """How a run ended that ended in an error.

    Args:
        error: The exception as its `repr`: `RateLimitError('...')`.

    >>> outcome_of("ConnectError('refused')"), outcome_of("GraphRecursionError('25')")
    ('infrastructure_error', 'limit')
    >>> outcome_of("ValueError('order 429 is unknown')")
    'agent_error'
    """
    name = error.partition("(")[0]
    if name.endswith("RecursionError"):
        return "limit"
    if _SURROUNDINGS.search(name) or _STATUS.search(error):
        return "infrastructure_error"
    return "agent_error"

"""What ended a run, by the code and the message that ADK's events carry."""

from __future__ import annotations

from passhat.failing import outcome_of_words
from passhat.trace import Outcome


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
    return outcome_of_words(code, message)


def error_text(code: str | None, message: str | None) -> str:
    """An error in one line.

    >>> error_text("ValueError", "bad")
    'ValueError: bad'
    """
    return ": ".join(part for part in (code, message) if part) or "an error without a message"

"""What ended a run: the agent itself, its limits, or the world around it.

An exception is known by the names of its classes, by a status that it carries, and by what it says
it was caused by (`raise ... from`): no client library need be installed. What is not clearly of the
surroundings is the agent's own, since what is left out of the count must not be a way to fail.
"""

from passhat.failing.outcomes import (
    INJECTED,
    message_of,
    outcome_of,
    outcome_of_text,
    outcome_of_words,
)
from passhat.failing.rules import FailureRules
from passhat.failing.waits import retry_after, retry_after_text

__all__ = [
    "INJECTED",
    "FailureRules",
    "message_of",
    "outcome_of",
    "outcome_of_text",
    "outcome_of_words",
    "retry_after",
    "retry_after_text",
]

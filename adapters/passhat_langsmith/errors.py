"""The errors of runs: the exception apart from its traceback, and what kind of end it was."""

from __future__ import annotations

from passhat.failing import outcome_of_text
from passhat.trace import Outcome

_TRACEBACK = "Traceback (most recent call last)"
_STACK = "\n    at "
"""Before each line of a traceback of JavaScript's."""
_NONE = "NoneType: None"
"""What Python writes for the traceback of no exception: LangSmith's `aevaluate` asks too late."""
UNTOLD = "the run ended in an error, which is not told here"
"""Stands for the error where all there is of it is that a run's status is `error`."""
_PAUSES = ("GraphInterrupt(", "NodeInterrupt(", "GraphBubbleUp(")


def head_of(error: str) -> str:
    r"""What was raised, without the traceback that LangChain writes right behind it.

    >>> head_of("ValueError('x')Traceback (most recent call last):\n ...")
    "ValueError('x')"
    >>> head_of("Error: no order\n    at lookup (file:///app/index.js:3:9)\n    at ...")
    'Error: no order'
    """
    raised = error.split(_TRACEBACK)[0].split(_STACK)[0].strip()
    return raised.removesuffix(_NONE).strip() or error.strip()


def is_pause(error: str | None) -> bool:
    """Whether a run ended because LangGraph waits for somebody, which is no error."""
    return error is not None and error.lstrip().startswith(_PAUSES)


def is_handoff(error: str | None) -> bool:
    """Whether a run ended because LangGraph went on elsewhere, which is no error."""
    return error is not None and error.lstrip().startswith("ParentCommand(")


def outcome_of(error: str) -> Outcome:
    """How a run ended that ended in an error.

    Returns:
        `infrastructure_error` for a connection, a quota (429) or a server (5xx) that failed,
        `limit` for a limit of the agent's own, `agent_error` for everything else.

    >>> outcome_of("RateLimitError('Error code: 429 - slow down')"), outcome_of("KeyError('429')")
    ('infrastructure_error', 'agent_error')
    """
    return outcome_of_text(head_of(error))

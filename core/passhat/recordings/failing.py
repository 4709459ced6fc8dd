"""Calls that failed by the words of their answers, where the user says which words these are."""

from __future__ import annotations

import re

from msgspec import UNSET
from msgspec.structs import replace

from passhat.errors import UsageError
from passhat.recordings.conversation import value_text
from passhat.trace import Step, ToolCall, Trace


def compiled(text: str) -> re.Pattern[str]:
    """The regular expression that answers of failed calls match.

    Raises:
        UsageError: It is none.
    """
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(f"the error pattern {text!r} is no regular expression: {error}") from error


def with_errors(trace: Trace, pattern: re.Pattern[str]) -> Trace:
    """The trace in which each call whose answer matches has failed, with the answer as its error.

    Args:
        trace: What was recorded.
        pattern: Looked for in the answer's text, or in the JSON of an answer that is no text. A
            call that has an error keeps it.

    >>> run = Trace("t", steps=(ToolCall("lookup", result="ERR: gone"), ToolCall("lookup")))
    >>> [call.error for call in with_errors(run, compiled("^ERR")).calls]
    ['ERR: gone', None]
    """
    steps = tuple([with_error(step, pattern) for step in trace.steps])
    changed = any(new is not old for new, old in zip(steps, trace.steps, strict=True))
    return replace(trace, steps=steps) if changed else trace


def with_error(step: Step, pattern: re.Pattern[str]) -> Step:
    """The step; a call whose answer matches, as one that failed."""
    if type(step) is not ToolCall or step.error is not None or step.result is UNSET:
        return step
    text = value_text(step.result)
    if text is None or pattern.search(text) is None:
        return step
    return replace(step, error=text, result=UNSET)

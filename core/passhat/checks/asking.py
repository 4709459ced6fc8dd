"""Asking somebody else where rules cannot decide: a judge, given as a callable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.errors import UsageError

UNDECIDED = "undecided"
"""Who decided, where neither the rules nor a judge did."""


def asked(key: str, ask: Any, question: str, about: Mapping[str, Any]) -> bool | None:
    """What a judge answers; None where there is none, or it cannot tell.

    Args:
        key: The check that asks.
        ask: The judge: takes a question and what it is about (JSON), and says true, false, or None
            where it cannot tell.
        question: The question.
        about: What it is about.

    Raises:
        UsageError: The judge is no callable, or answers neither true, false nor null.

    >>> asked("claimed_action", lambda question, about: "done" in about["sentence"],
    ...       "Does it say so?", {"sentence": "It is done."})
    True
    """
    if ask is None:
        return None
    if not callable(ask):
        raise UsageError(f"{key}: ask is a callable (question, about) -> bool, not {ask!r}")
    answer = ask(question, about)
    if answer is not None and not isinstance(answer, bool):
        raise UsageError(
            f"{key}: the judge answered {answer!r}, which is neither true, false nor null"
        )
    return answer

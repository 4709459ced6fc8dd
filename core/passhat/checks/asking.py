"""Asking somebody else where rules cannot decide: a judge, given as a callable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from passhat.errors import UsageError

Ask: TypeAlias = Callable[[str, Mapping[str, Any]], bool | None]
"""A judge: takes a question and what it is about (JSON), and says yes, no, or that it cannot tell."""


def asked(key: str, ask: Any, question: str, about: Mapping[str, Any]) -> bool | None:
    """What a judge answers; None where there is none, or it cannot tell.

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

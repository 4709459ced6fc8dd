"""What cannot mean anything in a case's surroundings, and the words to say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from passhat.wording import nearest_or_all

Problem: TypeAlias = tuple[tuple[str | int, ...], str]
"""The way to what cannot mean anything, and why."""


def is_number(value: Any) -> bool:
    """Whether a value is a number, which no truth value is."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, which no truth value is."""
    return isinstance(value, int) and not isinstance(value, bool)


def near_to(word: Any, known: Iterable[str]) -> str:
    """What was likely meant by a word that is not known, else what there is."""
    return nearest_or_all(str(word).replace(" ", "_"), known)

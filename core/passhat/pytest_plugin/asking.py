"""What a marker asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from passhat.failing import FailureRules

MARKER = "passhat"
RAISED = pytest.StashKey[dict[str, list[BaseException]]]()
NUMBER = pytest.StashKey[int]()


@dataclass(frozen=True)
class Asked:
    """How a test is to be run, and what it is held to.

    Args:
        trials: How often it runs.
        k: Draws of pass^k, 1 to `trials`; None for all trials.
        at_least: What pass^k must reach, 0 to 1.
        confidence: None to hold pass^k itself to it; else its lower bound at this confidence,
            between 0.5 and 1.
        infrastructure: Exceptions of the surroundings besides those that are known: classes, or
            regular expressions to find in `ClassName: message`. Their trials do not count.

    Raises:
        ValueError: A number out of range.

    >>> Asked(trials=5, k=3).draws, Asked(trials=5).draws
    (3, 5)
    """

    trials: int = 5
    k: int | None = None
    at_least: float = 1.0
    confidence: float | None = None
    infrastructure: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for name, value in (("trials", self.trials), ("k", self.draws)):
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} is a whole number of 1 or more, not {value!r}")
        if self.draws > self.trials:
            raise ValueError(f"k={self.k} draws need as many trials, and there are {self.trials}")
        if not _within(self.at_least, 0, 1):
            raise ValueError(f"at_least is a share from 0 to 1, not {self.at_least!r}")
        if self.confidence is not None and not 0.5 < _number(self.confidence) < 1:
            raise ValueError(f"confidence is between 0.5 and 1, not {self.confidence!r}")

    @property
    def draws(self) -> int:
        """The k of pass^k."""
        return self.trials if self.k is None else self.k

    def rules(self) -> FailureRules:
        """What tells the surroundings' errors from the agent's own."""
        from passhat.failing import FailureRules

        return FailureRules(infrastructure=self.infrastructure)


_NAMES = tuple(field.name for field in fields(Asked))


def asked_of(item: pytest.Item, patterns: Sequence[str]) -> Asked | None:
    """What the markers of a test ask for, the closest first; None if it has none.

    Closest of all are those of its parameters, such as the trials that a case wants.

    Args:
        item: The test.
        patterns: Further regular expressions for errors of the surroundings.

    Raises:
        ValueError: They ask for what cannot be meant.
    """
    options: dict[str, Any] = {}
    found = False
    parameters = getattr(item, "callspec", None)
    own = [mark for mark in getattr(parameters, "marks", ()) if mark.name == MARKER]
    for marker in (*reversed(list(item.iter_markers(MARKER))), *own):
        found = True
        if marker.args:
            raise ValueError(f"give the marker {MARKER} its options by name: {', '.join(_NAMES)}")
        for name, value in marker.kwargs.items():
            if name not in _NAMES:
                raise ValueError(f"the marker {MARKER} has no {name!r}: {', '.join(_NAMES)}")
            options[name] = value
    if not found:
        return None
    declared = options.get("infrastructure", ())
    declared = (declared,) if isinstance(declared, str | type) else tuple(declared)
    asked = Asked(**{**options, "infrastructure": (*declared, *patterns)})
    from passhat.errors import UsageError

    try:
        asked.rules()
    except UsageError as error:
        raise ValueError(f"infrastructure: {error}") from error
    return asked


def _within(value: Any, low: float, high: float) -> bool:
    return low <= _number(value) <= high


def _number(value: Any) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if known else float("nan")

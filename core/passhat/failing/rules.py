"""Whose fault an exception is, where that is declared."""

from __future__ import annotations

import re
from dataclasses import dataclass

from passhat.errors import UsageError
from passhat.failing.outcomes import INJECTED, causes, message_of, outcome_of
from passhat.trace import Outcome

Declared = type[BaseException] | str
"""An exception's class, or a regular expression to find in `ClassName: message`."""


@dataclass(frozen=True)
class FailureRules:
    """Whose fault an exception is, where the rules of this room do not know.

    Args:
        infrastructure: What is of the surroundings: classes of exceptions, or regular expressions
            to find in `ClassName: message`.
        agent: What is the agent's own; these are asked first.

    Raises:
        UsageError: A pattern is no regular expression.

    >>> rules = FailureRules(infrastructure=[r"^WarehouseDown"], agent=[KeyError])
    >>> class WarehouseDown(Exception): pass
    >>> rules.outcome_of(WarehouseDown("for the night")), outcome_of(WarehouseDown())
    ('infrastructure_error', 'agent_error')
    """

    infrastructure: tuple[Declared, ...] = ()
    agent: tuple[Declared, ...] = ()

    def __post_init__(self) -> None:
        for name in ("infrastructure", "agent"):
            declared = tuple(getattr(self, name))
            for item in declared:
                _check(item)
            object.__setattr__(self, name, declared)

    def outcome_of(self, error: BaseException) -> Outcome:
        """How a run ended that ended in this exception; see `outcome_of`."""
        chain = list(causes(error))
        declared = self._declared(chain, [_words(one) for one in chain])
        return declared or outcome_of(error)

    def outcome_of_text(self, text: str, known: Outcome) -> Outcome:
        """How a run ended, by an error in words and by what its recorder made of it."""
        return self._declared([], [text]) or known

    def _declared(self, errors: list[BaseException], words: list[str]) -> Outcome | None:
        if any(getattr(error, INJECTED, False) for error in errors):
            return "agent_error"
        outcomes: tuple[tuple[tuple[Declared, ...], Outcome], ...] = (
            (self.agent, "agent_error"),
            (self.infrastructure, "infrastructure_error"),
        )
        for declared, outcome in outcomes:
            for item in declared:
                if isinstance(item, str):
                    if any(re.search(item, text) for text in words):
                        return outcome
                elif any(isinstance(error, item) for error in errors):
                    return outcome
        return None


def _check(item: Declared) -> None:
    if isinstance(item, str):
        try:
            re.compile(item)
        except re.error as error:
            raise UsageError(f"{item!r} is no regular expression: {error}") from error
    elif not (isinstance(item, type) and issubclass(item, BaseException)):
        raise UsageError(f"{item!r} is no class of exceptions and no regular expression")


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {message_of(error)}"

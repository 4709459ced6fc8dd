"""A case and its turns, taken together: all that states expectations, and the calls they expect."""

from __future__ import annotations

from passhat.case import Case, ExpectedCall, Turn, flat


def stages_of(case: Case) -> tuple[Case | Turn, ...]:
    """The case and its turns: all that states expectations."""
    return (case, *(case.turns or ()))


def calls_expected(case: Case) -> list[ExpectedCall]:
    """All calls that a case and its turns expect."""
    return [call for stage in stages_of(case) for call in flat(stage.expected_calls)]


def calls_required(case: Case) -> list[ExpectedCall]:
    """All calls that a case and its turns expect and cannot do without."""
    return [call for stage in stages_of(case) for call in required_alone(stage)]


def required_alone(stage: Case | Turn) -> list[ExpectedCall]:
    """The calls that a case without its turns, or one turn, expects and cannot do without."""
    return [call for call in flat(stage.expected_calls) if not call.optional]

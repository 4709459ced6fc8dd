"""Where a mode of a framework and the nearest of ours part, with runs that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from passhat.case import ExpectedEntry
from passhat.match.dialects.bfcl import BFCL, as_allowed
from passhat.match.dialects.calls import plain_call, trajectories
from passhat.match.dialects.dialect import Dialect, Mode, Question, Raises, Trajectory, Verdict
from passhat.match.dialects.limits import LIMITS
from passhat.match.dialects.ours import ours_holds
from passhat.match.dialects.reaching import reaching
from passhat.match.dialects.registry import answer, find_dialect, find_mode
from passhat.match.dialects.search import PLAIN_ARGS, smallest
from passhat.match.dialects.translating import translation


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which a mode differs from the nearest of ours, with a run that shows it.

    Attributes:
        limit: The limit of the translation it belongs to; empty for what makes it another mode.
        why: What is different, as the end of a sentence that begins with the framework's name.
        actual: The calls made; lists inside are calls asked for together.
        expected: The calls expected.
        theirs: What the framework answers.
        ours: Whether our mode holds.
    """

    limit: str
    why: str
    actual: Sequence[Any]
    expected: Sequence[Any]
    theirs: Verdict
    ours: bool

    @property
    def size(self) -> tuple[int, int]:
        """How many calls the run has, and how many arguments."""
        calls = [call for side in trajectories(self.actual, self.expected) for call in side.calls]
        return len(calls), sum(len(c.args) for c in calls if isinstance(c.args, Mapping))

    def __str__(self) -> str:
        return (
            f"actual {calls_text(self.actual)}, expected {calls_text(self.expected)}: "
            f"theirs {self.theirs}, ours {self.ours}"
        )


@cache
def differences(dialect: str, mode: str, args: str = "exact") -> tuple[Difference, ...]:
    """All ways in which a mode differs from the nearest of ours.

    What makes it another mode comes first, with the smallest run outside the limits, found by
    trying all of them in order of size; then the limits, each with a run of its own.

    Args:
        dialect: The framework, with its version or without.
        mode: One of its modes.
        args: How arguments compare.

    Raises:
        UsageError: There is no such dialect, mode or argument mode.
    """
    theirs = find_dialect(dialect)
    asked = find_mode(theirs, mode, args)
    found = translation(theirs, mode, args)

    def differ(actual: Any, expected: Any) -> bool:
        return parted(
            theirs_on(theirs, asked, args, actual, expected),
            ours_holds(found.nearest, actual, expected),
        )

    shown: list[tuple[str, str, tuple[Any, Any]]] = []
    if not found.same:
        within = [LIMITS[name].covers for name in found.but]
        outside = smallest(
            lambda a, e: not any(covers(a, e) for covers in within) and differ(a, e), PLAIN_ARGS
        )
        if outside is not None:
            shown.append(("", found.why, outside))
    for name in found.but:
        limit = LIMITS[name]
        shown.append((name, limit.why, next(run for run in limit.examples if differ(*run))))
    return tuple(
        Difference(
            name,
            why,
            actual,
            expected,
            theirs_on(theirs, asked, args, actual, expected),
            ours_holds(found.nearest, actual, expected),
        )
        for name, why, (actual, expected) in shown
    )


def shown_on(
    dialect: str, mode: str, args: str, limit: str, entries: Sequence[ExpectedEntry]
) -> Difference:
    """How a mode differs from the nearest of ours within a limit, on a call of a case where it can.

    Args:
        dialect: The framework, with its version or without.
        mode: One of its modes.
        args: How arguments compare.
        limit: A limit of its translation.
        entries: The calls that the case expects.

    Raises:
        UsageError: There is no such dialect, mode or argument mode.

    >>> from passhat.case import ExpectedCall
    >>> print(shown_on("adk", "exact", "exact", "booleans", [ExpectedCall("pay", {"now": 1})]))
    actual [pay(now=True)], expected [pay(now=1)]: theirs 1.0, ours False
    """
    general = next(one for one in differences(dialect, mode, args) if one.limit == limit)
    own = reaching(limit, entries)
    if own is None:
        return general
    theirs = find_dialect(dialect)
    answers = (
        theirs_on(theirs, find_mode(theirs, mode, args), args, *own),
        ours_holds(translation(theirs, mode, args).nearest, *own),
    )
    return Difference(limit, general.why, *own, *answers) if parted(*answers) else general


def theirs_on(
    dialect: Dialect,
    mode: Mode,
    args: str,
    actual: Any,
    expected: Any,
    lists: Literal["message", "turn"] = "message",
) -> Verdict:
    """What a framework answers on a run with plain arguments; to `bfcl` each is the only one allowed.

    Lists of calls inside are messages, or turns; a mode that does not go by these sees all calls as
    one list.
    """
    made, wanted = trajectories(actual, expected)
    if dialect is BFCL:
        wanted = as_allowed(wanted)
    if mode.scope != lists:
        made, wanted = (Trajectory((side.calls,), grouped=False) for side in (made, wanted))
    return answer(mode, Question(made, wanted, args))


def parted(theirs: Verdict, ours: bool) -> bool:
    """Whether an answer and ours are not the same: only true, or the full score, is a yes."""
    return isinstance(theirs, Raises) or (theirs == 1) is not ours


def calls_text(calls: Sequence[Any]) -> str:
    """Calls as a person writes them.

    >>> calls_text([{"name": "a", "args": {"x": 1}}, ["b", {"name": "c", "args": {}}]])
    '[a(x=1), [b, c()]]'
    """
    return f"[{', '.join(calls_text(c) if isinstance(c, list) else _call_text(c) for c in calls)}]"


def _call_text(call: Any) -> str:
    plain = plain_call(call)
    text = plain.name
    if isinstance(plain.args, Mapping):
        text += f"({', '.join(f'{key}={value!r}' for key, value in plain.args.items())})"
    elif plain.given:
        text += f"({plain.args})"
    return f"{text} failed" if plain.error is not None else text

"""The kinds of runs on which modes part that otherwise mean the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

PlainCalls: TypeAlias = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Limit:
    """A kind of runs on which two modes part that otherwise mean the same.

    Attributes:
        why: What the framework does there, as the end of a sentence that begins with its name.
        covers: Whether a run of plain calls, one after the other, is of this kind.
        examples: Runs of this kind; wherever the limit is named, the two differ on one of them.
            Lists of calls inside are calls asked for together.
        act: What makes the two the same, where something does.
    """

    why: str
    covers: Callable[[PlainCalls, PlainCalls], bool]
    examples: tuple[tuple[Any, Any], ...]
    act: str = ""

    @property
    def told(self) -> str:
        """What the framework does there, and what makes the two the same."""
        return f"{self.why} ({self.act})" if self.act else self.why


def _call(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args}


def _never(actual: PlainCalls, expected: PlainCalls) -> bool:
    return False


def _has_booleans(actual: PlainCalls, expected: PlainCalls) -> bool:
    todo: list[Any] = [call["args"] for call in actual + expected]
    for value in todo:
        if isinstance(value, bool):
            return True
        if isinstance(value, Mapping):
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
    return False


def _nothing_expected(actual: PlainCalls, expected: PlainCalls) -> bool:
    return not expected


def _nothing_to_score(actual: PlainCalls, expected: PlainCalls) -> bool:
    return not actual or not expected


def _not_one_each(actual: PlainCalls, expected: PlainCalls) -> bool:
    return len(actual) != 1 or len(expected) != 1


LIMITS: Final[Mapping[str, Limit]] = {
    "booleans": Limit(
        "compares as Python does, where True equals 1 and False equals 0; to us they differ",
        _has_booleans,
        (([_call("a", x=True)], [_call("a", x=1)]),),
        "a match of one_of: [true, 1], or [false, 0], takes both",
    ),
    "parallel calls": Limit(
        "goes message by message, so that calls asked for together are not those calls asked for "
        "one by one; to us they may as well be",
        _never,
        (([["a", "b"]], [["a"], ["b"]]),),
    ),
    "no arguments": Limit(
        "keeps a call without arguments (None) apart from one with none ({}); to us they are one",
        _never,
        ((["a"], [_call("a")]),),
        "where every call has args, {} at least, they part nowhere",
    ),
    "unreadable arguments": Limit(
        "raises where arguments are no JSON object; to us such a call matches by name alone, or "
        "not at all",
        _never,
        (([{"name": "a", "args": "{"}], ["a"]),),
    ),
    "nothing expected": Limit(
        "scores 0 where nothing is expected; to us the mode says what that means",
        _nothing_expected,
        ((["a"], []), ([], [])),
    ),
    "nothing to score": Limit(
        "gives no score where there is nothing to divide by",
        _nothing_to_score,
        (([], []),),
    ),
    "one call": Limit(
        "looks at one call, and takes any other number for wrong or does not look at the rest",
        _not_one_each,
        (([], []), (["a", "b"], ["a", "b"])),
    ),
}

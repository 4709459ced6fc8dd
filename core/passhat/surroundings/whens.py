"""Which calls of a tool a fault strikes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from passhat.surroundings.problems import Problem, is_number, is_whole, near_to


class When(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """Which calls of a tool a fault strikes; all that is stated must hold.

    Attributes:
        calls: These calls of the tool, counted from 1 in each trial.
        first: The first so many calls.
        after: Only calls after so many.
        rate: The chance with which it strikes, 0 to 1, drawn from the trial's seed.
        args: Only calls with these arguments.

    >>> When(first=2).counts(2), When(first=2).counts(3), When(after=1).counts(1)
    (True, False, False)
    """

    calls: tuple[int, ...] | None = None
    first: int | None = None
    after: int | None = None
    rate: float | None = None
    args: dict[str, Any] | None = None

    def counts(self, number: int) -> bool:
        """Whether the call of that number, counted from 1, is one of those it may strike."""
        if self.calls is not None and number not in self.calls:
            return False
        if self.first is not None and number > self.first:
            return False
        return self.after is None or number > self.after

    @classmethod
    def of(cls, stated: Any, expect: str | None = None) -> When:
        """The calls that a fault's `when` writes: a number, several, or a mapping; None is all.

        Args:
            stated: What is written.
            expect: What the agent should do; where a retry is expected, None is the first call.

        >>> When.of(2), When.of({"calls": 1, "rate": 0.5}), When.of(None, "retry")
        (When(calls=(2,)), When(calls=(1,), rate=0.5), When(first=1))
        """
        if stated is None:
            return cls(first=1) if expect == "retry" else cls()
        if isinstance(stated, When):
            return stated
        if isinstance(stated, int):
            return cls(calls=(stated,))
        if isinstance(stated, list | tuple):
            return cls(calls=tuple(stated))
        calls = stated.get("calls")
        if calls is None:
            return cls(**stated)
        return cls(**{**stated, "calls": (calls,) if isinstance(calls, int) else tuple(calls)})

    @property
    def passes(self) -> bool:
        """Whether there may be a call that it does not strike."""
        return self != When() and self.rate != 1


def when_problems(when: Any) -> Iterator[Problem]:
    """What cannot mean anything in a fault's `when`: the way to it, and why."""
    if when is None or isinstance(when, When):
        return
    said = when if isinstance(when, Mapping) else {"calls": when}
    if not said:
        yield ("when",), "is empty; leave it out for every call"
    for key, value in said.items():
        here: tuple[str | int, ...] = ("when", key) if isinstance(when, Mapping) else ("when",)
        if key == "calls":
            numbers = value if isinstance(value, list | tuple) else [value]
            if not numbers or not all(is_whole(number) and number >= 1 for number in numbers):
                yield here, f"are numbers of calls, counted from 1, not {value!r}"
        elif key in ("first", "after"):
            if not (is_whole(value) and value >= 1):
                yield here, f"is a number of calls, 1 or more, not {value!r}"
        elif key == "rate":
            if not (is_number(value) and 0 <= value <= 1):
                yield here, f"is a chance from 0 to 1, not {value!r}"
        elif key == "args":
            if not isinstance(value, Mapping) or not value:
                yield here, f"is a mapping of arguments, not {value!r}"
        else:
            yield here, f"unknown key, {near_to(key, When.__struct_fields__)}"

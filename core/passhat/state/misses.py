"""Where a value is not as wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from passhat.state.changes import plain, value_text
from passhat.state.equality import CONTAINERS, Sameness
from passhat.state.paths import Steps, path_text
from passhat.state.patterns import States
from passhat.state.wanted import Wanted
from passhat.values import ABSENT

_WIDTH = 80


class Miss(NamedTuple):
    """A place that is not as expected.

    Attributes:
        steps: The way to it.
        expected: What should be there; `ABSENT` where nothing should.
        actual: What is there; `ABSENT` where nothing is.
        row: Whether it is a table, and a row that it should have is expected.
    """

    steps: Steps
    expected: Any
    actual: Any
    row: bool = False

    def __str__(self) -> str:
        path = path_text(self.steps)
        if self.row:
            return f"{path} has no row {_said(self.expected)}"
        if self.expected is ABSENT or _is_nothing(self.expected):
            return f"{path} is there and should not be"
        if self.actual is ABSENT:
            return f"{path} is missing: {_said(self.expected)} was expected"
        return f"{path} is {value_text(self.actual, _WIDTH)}, not {_said(self.expected)}"

    def to_dict(self) -> dict[str, Any]:
        """The place as JSON; a value that is absent has no key."""
        found: dict[str, Any] = {"path": path_text(self.steps)}
        if self.expected is not ABSENT:
            found["expected"] = _plain(self.expected)
        if self.actual is not ABSENT:
            found["actual"] = plain(self.actual)
        return found


def misses(
    wanted: Any, actual: Any, steps: Steps, sameness: Sameness, states: States
) -> tuple[Miss, ...]:
    """The places in which a value is not as wanted; what is not spoken of may be anything.

    A mapping must have the wanted entries, a list as many items as wanted, each as wanted.

    Args:
        wanted: What is wanted, with `Wanted` where a matcher decides.
        actual: The value; `ABSENT` where there is none.
        steps: The way to it.
        sameness: When two values are the same.
        states: How far the patterns have come there.
    """
    found: list[Miss] = []
    todo = [(wanted, actual, steps, states)]
    while todo:
        want, have, way, states = todo.pop()
        after = sameness.patterns.after
        if sameness.ignored(states):
            continue
        if isinstance(want, Wanted):
            if not want.accepts(have):
                found.append(Miss(way, want, have))
        elif isinstance(want, Mapping) and isinstance(have, Mapping):
            todo += [
                (part, have.get(name, ABSENT), (*way, str(name)), after(states, name))
                for name, part in reversed(list(want.items()))
            ]
        elif sameness.as_sets and isinstance(want, list) and isinstance(have, list | tuple):
            if sameness.key(want, states) != sameness.key(have, states):
                found.append(Miss(way, want, have))
        elif isinstance(want, list) and isinstance(have, list | tuple) and len(want) == len(have):
            pairs = list(enumerate(zip(want, have, strict=True)))
            todo += [(w, h, (*way, at), after(states, at)) for at, (w, h) in reversed(pairs)]
        elif _differ(want, have, sameness):
            found.append(Miss(way, want, have))
    return tuple(found)


def _differ(want: Any, have: Any, sameness: Sameness) -> bool:
    if have is ABSENT or isinstance(want, CONTAINERS) or isinstance(have, CONTAINERS):
        return True
    return not sameness.leaves(have, want)


def _is_nothing(expected: Any) -> bool:
    return isinstance(expected, Wanted) and expected.matcher is None


def _said(expected: Any) -> str:
    return str(expected) if isinstance(expected, Wanted) else value_text(_shown(expected), _WIDTH)


def _plain(expected: Any) -> Any:
    return str(expected) if isinstance(expected, Wanted) else plain(_shown(expected))


def _shown(expected: Any) -> Any:
    """An expected value with the matchers in it as text, as far as anybody would read."""
    if isinstance(expected, Mapping):
        return {k: str(v) if isinstance(v, Wanted) else v for k, v in expected.items()}
    return expected

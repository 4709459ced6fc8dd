"""Patterns of places: which parts of a state are ignored, allowed to change, or joined by a key.

orders.updated_at        the column of every row: the key of a record may be left out
orders.*.updated_at      the same, said in full; `*` (or `[*]`) is any one step
orders[A17]              one record, and all that lies in it
*.updated_at             a field, anywhere: a `*` that comes first stands for any number of steps
users.**.zip             `**` stands for any number of steps, or none
*[A17]                   a record, anywhere: after any number of steps a name is that of a field
orders.*.*_at            a `*` or `?` inside a name stands for characters
["a.b"]["*"]             in quotes everything is taken as it is
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import msgspec

from passhat.errors import UsageError
from passhat.state.paths import Record, Steps, step_text


class _Part(NamedTuple):
    """One part of a pattern: a name to equal, characters to match, or any step (or steps)."""

    name: str | None = None
    shape: re.Pattern[str] | None = None
    deep: bool = False
    field: bool = False
    """Whether it is the name of a field alone, and no key of a record."""

    def fits(self, text: str) -> bool:
        if self.name is not None:
            return text == self.name
        return self.shape is None or self.shape.fullmatch(text) is not None


_ANY, _DEEP = _Part(), _Part(deep=True)
_STEP = re.compile(
    r"""\.(?P<name>[^.\[\]]+) | \[(?P<inner>[^"\[\]]+)\] | \["(?P<quoted>(?:[^"\\]|\\.)*)"\]""",
    re.VERBOSE,
)

States: TypeAlias = frozenset[tuple[int, int]]
"""How far each pattern has come on the way to a place: its number, and the part that is next."""


@lru_cache(maxsize=1024)
def _parts(pattern: str) -> tuple[_Part, ...]:
    text = pattern.removeprefix("$")
    if not text.startswith((".", "[")):
        text = f".{text}"
    parts: list[_Part] = []
    position = 0
    while position < len(text) and pattern != "$":
        step = _STEP.match(text, position)
        if step is None:
            raise UsageError(
                f"{pattern!r} is no path from character {len(pattern) - len(text) + position + 1} "
                'on; write orders.updated_at, orders[A17].lines[0], *.updated_at or ["odd.name"]'
            )
        position = step.end()
        if step["quoted"] is None:
            leads = step["name"] is not None and not parts
            found = _part(step["name"] or step["inner"], leads=leads)
            if step["name"] is not None and parts and parts[-1].deep and found[0] is not _ANY:
                # A row may be called like the column that is ignored everywhere.
                found = [part._replace(field=not part.deep) for part in found]
            parts += found
        else:
            parts.append(_Part(name=_unquoted(step["quoted"], pattern)))
    return tuple(parts)


def _unquoted(text: str, pattern: str) -> str:
    try:
        return msgspec.json.decode(f'"{text}"', type=str)
    except msgspec.DecodeError as error:
        raise UsageError(f"{pattern!r} is no path: in the quotes, {error}") from error


def _part(text: str, *, leads: bool) -> list[_Part]:
    if text == "**":
        return [_DEEP]
    if text == "*":
        return [_ANY, _DEEP] if leads else [_ANY]
    if "*" in text or "?" in text:
        return [_Part(shape=re.compile(translate(text)))]
    return [_Part(name=text)]


@dataclass(frozen=True)
class Patterns:
    """Patterns, followed all at once on the way down into a state.

    Args:
        entries: Each pattern with what it stands for.

    Raises:
        UsageError: A pattern is malformed.

    >>> patterns = Patterns.of(["*.updated_at", "orders[A17]"])
    >>> patterns.cover(("orders", Record(("A1",)), "updated_at"))
    True
    >>> patterns.cover(("orders", Record(("A17",)), "amount")), patterns.cover(("orders",))
    (True, False)
    """

    entries: tuple[tuple[str, Any], ...] = ()
    _parts: tuple[tuple[_Part, ...], ...] = field(init=False, repr=False, compare=False)
    start: States = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for text, _ in self.entries:
            if not isinstance(text, str) or not text:
                raise UsageError(f"a path is text such as orders.updated_at, not {text!r}")
        object.__setattr__(self, "_parts", tuple(_parts(text) for text, _ in self.entries))
        begin = ((number, 0) for number in range(len(self.entries)))
        object.__setattr__(self, "start", self._opened(begin))

    @classmethod
    def of(cls, patterns: Iterable[str], stands_for: Any = True) -> Patterns:
        """Patterns that all stand for one thing."""
        return cls(tuple((text, stands_for) for text in listed(patterns)))

    def after(self, states: States, step: Any) -> States:
        """How far the patterns have come one step further down."""
        if not states:
            return states
        text = step_text(step)
        left_out = isinstance(step, Record)
        reached: list[tuple[int, int]] = []
        for number, at in states:
            parts = self._parts[number]
            if at == len(parts):
                continue
            part = parts[at]
            if part.deep or (left_out and part is not _ANY):
                reached.append((number, at))
            if not part.deep and not (part.field and left_out) and part.fits(text):
                reached.append((number, at + 1))
        return self._opened(reached)

    def at(self, states: States) -> Sequence[Any]:
        """What the patterns stand for that lead to exactly this place."""
        return [self.entries[n][1] for n, at in sorted(states) if at == len(self._parts[n])]

    def cover(self, steps: Steps) -> bool:
        """Whether a pattern leads to this place, or to one that it lies in."""
        states = self.start
        if self.at(states):
            return True
        for step in steps:
            states = self.after(states, step)
            if self.at(states):
                return True
        return False

    def _opened(self, states: Iterable[tuple[int, int]]) -> States:
        """The states, with those that are reached by letting `**` stand for nothing."""
        todo = list(states)
        reached = set(todo)
        while todo:
            number, at = todo.pop()
            parts = self._parts[number]
            if at < len(parts) and parts[at].deep and (number, at + 1) not in reached:
                reached.add((number, at + 1))
                todo.append((number, at + 1))
        return frozenset(reached)


NO_PATTERNS = Patterns()


def first_name(pattern: str) -> str | None:
    """The name that a path begins with; None where it begins with a wildcard, or is `$`.

    >>> first_name("orders.lines"), first_name("*.lines")
    ('orders', None)
    """
    parts = _parts(pattern)
    return parts[0].name if parts else None


def listed(patterns: Iterable[str] | str | None) -> tuple[str, ...]:
    """Patterns as a tuple; a lone text is one pattern."""
    if patterns is None:
        return ()
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)

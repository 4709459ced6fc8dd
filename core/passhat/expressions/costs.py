"""What an evaluation costs at most, by the expression's form and the sizes of the values it is given.

The library that evaluates has no limit of its own: it copies what it gathers with each item, so that
`l.map(x, l)` over a thousand items runs for a minute. Sizes are carried through the expression: how
many items a value has, level by level, and how many parts in all. A bound is never below what an
evaluation takes; where a list is of unlike items it may be above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from passhat.expressions import patterns
from passhat.expressions.forms import (
    Arithmetic,
    Call,
    Choice,
    Form,
    Literal,
    Logic,
    Macro,
    Made,
    Name,
    Relation,
    Select,
)

MAX_COST = 200_000_000
"""How much an evaluation may cost; 1 is the copying of one part of a value, some 60 nanoseconds."""

_STEP = 4
"""What one operation costs, beside what it copies."""

_GATHERED = 3
"""What it costs to copy a part of what is gathered or looked up, which is made anew each time."""

_TEXT_PER_COPY = 8
"""How much of a text is copied as it is with a part of what is gathered, for a cost of 1."""

_GATHERING = ("filter", "map")
_TEXT_PER_PART = 8


class Size(NamedTuple):
    """How large a value is at most.

    Attributes:
        parts: How many values it is made of, itself included.
        longest: How many items its lists and mappings have, level by level.
        text: The length of its longest text, in units that cost 1 to make.
    """

    parts: int = 1
    longest: tuple[int, ...] = ()
    text: int = 0

    @property
    def items(self) -> int:
        """How many items it has itself."""
        return self.longest[0] if self.longest else 1

    @property
    def item(self) -> Size:
        """The size of one of its items."""
        parts = level = 1
        for length in self.longest[1:]:
            level *= length
            parts += level
        return Size(min(self.parts, parts), self.longest[1:], self.text)


@dataclass(frozen=True, slots=True)
class _Held:
    """A value that is known, not only its size, with the sizes that were measured before, by id."""

    value: Any
    measured: dict[int, Size] = field(default_factory=dict)

    @property
    def size(self) -> Size:
        """Its size, measured once."""
        key = id(self.value)
        if key not in self.measured:
            self.measured[key] = size_of(self.value)
        return self.measured[key]


_Sized: TypeAlias = "Size | _Held"
_SMALL = Size()


def size_of(value: Any) -> Size:
    """How large a value is, without recursion.

    >>> size_of([{"a": 1}, {"a": 2, "b": 3}])
    Size(parts=6, longest=(2, 2), text=0)
    """
    parts = text = 0
    longest: list[int] = []
    layer = [value]
    while layer:
        parts += len(layer)
        deeper: list[Any] = []
        length = 0
        for item in layer:
            if isinstance(item, Mapping):
                length = max(length, len(item))
                deeper.extend(item.values())
            elif isinstance(item, list | tuple):
                length = max(length, len(item))
                deeper.extend(item)
            elif isinstance(item, str):
                text = max(text, len(item))
        if length:
            longest.append(length)
        layer = deeper
    return Size(parts, tuple(longest), text // _TEXT_PER_PART)


def cost_of(form: Form, given: Mapping[str, Any]) -> int:
    """What it costs at most to evaluate an expression on these values.

    >>> from passhat.expressions.forms import form_of
    >>> few = cost_of(form_of("l.all(x, x > 0)"), {"l": [1] * 1000})
    >>> many = cost_of(form_of("l.map(x, l)"), {"l": [1] * 1000})
    >>> few < 50_000, many > 500_000_000
    (True, True)
    """
    return reckoned(form, given)[0]


def reckoned(form: Form, given: Mapping[str, Any]) -> tuple[int, Size]:
    """What an evaluation costs at most, and how large what it gives is at most."""
    measured: dict[int, Size] = {}
    cost, value = _cost(form, {name: _Held(value, measured) for name, value in given.items()})
    return cost, _sized(value)


def _sized(value: _Sized) -> Size:
    return value.size if isinstance(value, _Held) else value


def _cost(form: Form, names: Mapping[str, _Sized]) -> tuple[int, _Sized]:
    """What a form costs at most, and what it gives."""
    if isinstance(form, Name):
        return _STEP, names.get(form.name, _SMALL)
    if isinstance(form, Literal):
        return _STEP, Size(text=form.length // _TEXT_PER_PART)
    if isinstance(form, Select):
        return _selected(form, names)
    if isinstance(form, Macro):
        return _gone_through(form, names)
    costs, values = [], []
    for part in form.parts:
        cost, value = _cost(part, names)
        costs.append(cost)
        values.append(value)
    spent = _STEP + sum(costs)
    if isinstance(form, Logic):
        return spent, _SMALL
    sizes = [_sized(value) for value in values]
    parts = sum(size.parts for size in sizes)
    text = sum(size.text for size in sizes)
    if isinstance(form, Choice):
        most = max(size.parts for size in sizes)
        return spent, Size(most, _level_by_level(sizes), text)
    if isinstance(form, Relation):
        return spent + parts + text, _SMALL
    if isinstance(form, Arithmetic):
        # Of several operands the first ones are copied again with each that follows.
        again = max(1, len(sizes) - 1)
        first = sum(size.longest[0] for size in sizes if size.longest)
        deeper = _level_by_level([Size(1, size.longest[1:]) for size in sizes])
        return spent + (parts + text) * again, Size(parts, (first, *deeper) if first else (), text)
    if isinstance(form, Made):
        inner = _level_by_level(sizes)
        return spent + parts, Size(1 + parts, (len(sizes), *inner) if sizes else (), text)
    assert isinstance(form, Call)
    if form.name == "matches" and len(values) == 2:
        spent += _pattern(form.parts[1], values[1])
    return spent + parts + text, Size(text=text)


def _pattern(form: Form, value: _Sized) -> int:
    """What it costs to make the pattern of `matches` ready."""
    if isinstance(value, _Held) and isinstance(value.value, str):
        return patterns.weight_of(value.value)
    text = patterns.read(form.written) if isinstance(form, Literal) else None
    return patterns.MOST if text is None else patterns.weight_of(text)


def _selected(form: Select, names: Mapping[str, _Sized]) -> tuple[int, _Sized]:
    """What a look into a value costs: what is found there is copied, a name's value is not."""
    spent, value = _cost(form.of, names)
    if form.index is not None:
        spent += _cost(form.index, names)[0]
    if isinstance(value, _Held) and form.key is not None and isinstance(value.value, Mapping):
        held = _Held(value.value.get(form.key), value.measured)
        return spent + _STEP + _GATHERED * held.size.parts, held
    item = _sized(value).item
    return spent + _STEP + _GATHERED * item.parts, item


def _gone_through(form: Macro, names: Mapping[str, _Sized]) -> tuple[int, _Sized]:
    spent, value = _cost(form.of, names)
    size = _sized(value)
    each, kept = 0, _SMALL
    inner = {**names, form.name: size.item}
    for body in form.parts:
        cost, given = _cost(body, inner)
        each += cost
        kept = _sized(given)
    spent += size.items * (_STEP + each)
    if form.macro == "map":
        size = Size(1 + size.items * kept.parts, (size.items, *kept.longest), kept.text)
    if form.macro in _GATHERING:
        copied = size.items * size.parts // 2
        return spent + copied * (_GATHERED + size.text // _TEXT_PER_COPY), size
    return spent, _SMALL


def _level_by_level(sizes: list[Size]) -> tuple[int, ...]:
    depth = max((len(size.longest) for size in sizes), default=0)
    return tuple(
        max(size.longest[level] for size in sizes if level < len(size.longest))
        for level in range(depth)
    )

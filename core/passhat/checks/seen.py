"""What the agent could have seen before it made a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from passhat.case import Case
from passhat.checks.reading import answered_before
from passhat.trace import Message, ToolCall, Trace
from passhat.values.equality import json_equal
from passhat.values.matchers import normal_text

_PROSE = 3
"""Texts of more words than this are written, not looked up."""

_MOST = 10**300
"""Whole numbers from here on are not written out."""


class Source(NamedTuple):
    """A text that the agent was given.

    Attributes:
        at: The step it came with; -1 for what was there from the start.
        call: The call it answers, if it is a result.
        text: The text in a normal form.
    """

    at: int
    call: ToolCall | None
    text: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What an agent was given, in order."""

    sources: tuple[Source, ...]

    @classmethod
    def by(cls, trace: Trace, case: Case) -> Seen:
        """What the agent of a trace was given: words, results, state, and the case's input."""
        given: list[tuple[int, ToolCall | None, Any]] = [(-1, None, case.first_input)]
        if trace.initial_state is not UNSET:
            given.append((-1, None, trace.initial_state))
        elif not isinstance(case.initial_state, str):  # Text is the path of a file.
            given.append((-1, None, case.initial_state))
        for at, step in enumerate(trace.steps):
            if type(step) is Message and step.role != "assistant":
                given.append((at, None, [step.text, step.content]))
            elif type(step) is ToolCall:
                given.append((at, step, [step.result, step.error]))
        sources = (Source(at, call, _text(value)) for at, call, value in given)
        return cls(tuple(source for source in sources if source.text))

    def holds(self, value: str | int | float, at: int, call: ToolCall) -> bool:
        """Whether the value was there to see when the call, which is step `at`, was asked for."""
        pattern = _written(value)
        for source in self.sources:
            if source.at >= at:
                return False
            if source.call is not None and not answered_before(source.call, call):
                continue
            if pattern.search(source.text):
                return True
        return False


def _text(value: Any) -> str:
    """All the text of a value, in a normal form, numbers without marks for thousands."""
    if isinstance(value, str):
        text = value
    elif value is None or value is UNSET:
        return ""
    else:
        parts = value if isinstance(value, list) else [value]
        kept = [part for part in parts if part is not None and part is not UNSET]
        try:
            text = " ".join(
                part if isinstance(part, str) else msgspec.json.encode(part).decode()
                for part in kept
            )
        except (TypeError, ValueError, OverflowError, RecursionError):
            text = " ".join(str(leaf) for leaf in leaves(kept))
    return _without_marks(normal_text(text))


def _without_marks(text: str) -> str:
    """The text with the commas gone that stand between digits."""
    if "," not in text:
        return text
    return "".join(
        char
        for at, char in enumerate(text)
        if char != "," or not (text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit())
    )


def _written(value: str | int | float) -> re.Pattern[str]:
    """A pattern of the ways in which a value may be written in a text in the normal form."""
    if isinstance(value, str):
        text = _without_marks(normal_text(value))
        escaped = msgspec.json.encode(text).decode()[1:-1] if text.isprintable() else text
        return re.compile("|".join(re.escape(form) for form in {text, escaped}))
    if isinstance(value, int):
        digits = str(value) if abs(value) < _MOST else "(?!)"
        return re.compile(rf"(?<!\d)(?<!\d\.){digits}(\.0+)?(?!\d|\.\d)")
    forms = {f"{value:g}", f"{value:.2f}", str(value)}
    digits = "|".join(re.escape(form.lower()) for form in forms)
    return re.compile(rf"(?<!\d)(?<!\d\.)(?:{digits})(?!\d|\.\d)")


def leaves(value: Any) -> Iterator[Any]:
    """The scalars in a value, however deep, without the keys of its objects."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, Mapping):
            todo.extend(reversed(list(item.values())))
        elif isinstance(item, list | tuple):
            todo.extend(reversed(item))
        else:
            yield item


def judged_leaves(value: Any, schema: Mapping[str, Any]) -> list[str | int | float]:
    """The scalars of an argument that can be looked up: no prose, and no constants of the schema."""
    constants = (schema.get("default"), schema.get("const"), *_listed(schema.get("enum")))
    if any(json_equal(value, constant) for constant in constants):
        return []
    return [leaf for leaf in leaves(value) if _is_judged(leaf)]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _is_judged(leaf: Any) -> bool:
    if isinstance(leaf, bool):
        return False
    if isinstance(leaf, str):
        return 0 < len(leaf.split()) <= _PROSE
    return isinstance(leaf, int | float)

"""Places in a state: the steps that lead to one, and how people read them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct


class Record(Struct, frozen=True, repr_omit_defaults=True):
    """The step from a table to one of its records: a row of a list, or a document under its id.

    Attributes:
        key: The values of the columns that tell the row from others, or the document's id; empty
            where rows have no key.
        at: The row's position in its list, where it has no key.
    """

    key: tuple[Any, ...] = ()
    at: int | None = None


Step: TypeAlias = str | int | Record
Steps: TypeAlias = tuple[Step, ...]


class Facing(NamedTuple):
    """What stands on either side of a step; `ABSENT` where nothing does."""

    step: Step
    before: Any
    after: Any


ROOT = "$"
"""The table's name where the state itself is one."""

_PLAIN = re.compile(r"(?!\d+\Z)[\w/-]+")
_PLAIN_KEY = re.compile(r"[\w/,-]+")


def step_text(step: Any) -> str:
    """A step as a pattern names it: the key, the position, the parts of a row's key with commas.

    >>> step_text("date"), step_text(0), step_text(Record(("A1", 2))), step_text(Record(at=3))
    ('date', '0', 'A1,2', '#3')
    """
    if isinstance(step, Record):
        return ",".join(map(str, step.key)) if step.at is None else f"#{step.at}"
    return str(step)


def path_text(steps: Steps) -> str:
    """A place as people read it; as a pattern, it leads there.

    >>> path_text(("reservations", Record(("FQ8APE",)), "flights", 0, "date"))
    'reservations[FQ8APE].flights[0].date'
    >>> path_text((Record((7,)), "a.b")), path_text(("lines", Record(("A 1", 2))))
    ('$[7]["a.b"]', 'lines["A 1,2"]')
    """
    parts: list[str] = []
    for step in steps:
        text = step_text(step)
        if isinstance(step, Record):
            plain = step.at is not None or (
                _PLAIN_KEY.fullmatch(text) and not (text.isdigit() and isinstance(step.key[0], str))
            )
            parts.append(f"[{text if plain else _quoted(text)}]")
        elif isinstance(step, int):
            parts.append(f"[{text}]")
        elif _PLAIN.fullmatch(text):
            parts.append(f".{text}" if parts else text)
        else:
            parts.append(f"[{_quoted(text)}]")
    path = "".join(parts)
    return path if path and not path.startswith("[") else ROOT + path


def _quoted(text: str) -> str:
    return printable(msgspec.json.encode(text.encode(errors="replace").decode()).decode())


def printable(text: str) -> str:
    r"""The text with every character escaped that would not show, or would move what does.

    >>> print(printable("a\x9b2Jb\u202ec"))
    a\x9b2Jb\u202ec
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )

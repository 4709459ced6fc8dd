"""What a file of examples says that nobody reads: keys that nearly are those that expect something."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from passhat.case import EXPECTING
from passhat.errors import InputError, Place, SuiteFault
from passhat.jsontext import file_name, items
from passhat_langsmith.cases import LISTS
from passhat_langsmith.runs import is_run

_KNOWN = (*EXPECTING, *LISTS)
_NEAR = 0.88


def lint(path: Path) -> tuple[SuiteFault, ...]:
    """What is wrong with a file of examples beside what reading it tells.

    Raises:
        InputError: The file cannot be opened.
    """
    return tuple(_faults(path))


def _faults(path: Path) -> Iterator[SuiteFault]:
    seen: dict[str, int | None] = {}
    for item in items(path):
        if isinstance(item, InputError):
            yield SuiteFault(item.message, item.place)
            continue
        example: Any = item.value
        if not isinstance(example, dict) or is_run(example):
            continue  # Reading the file tells it.
        where = Place(file_name(path), item.place.line, item.place.path)
        id = example.get("id")
        if isinstance(id, str):
            if id in seen:
                yield SuiteFault(f"{id!r} is the id of another example too", where)
            seen[id] = item.place.line
        for name in ("outputs", "reference_outputs"):
            held = example.get(name)
            for key in held if isinstance(held, dict) else ():
                near = get_close_matches(key, _KNOWN, 1, _NEAR)
                if near and key not in _KNOWN:
                    yield SuiteFault(
                        f"{name}.{key} expects nothing; did you mean {near[0]}?", where
                    )

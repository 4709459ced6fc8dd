"""A document: the JSON value that a suite file writes, with the line of every part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from passhat.errors import Fault, Place, SuiteError

Steps: TypeAlias = tuple[str | int, ...]
"""A way into a value: `("cases", 3, "mode")`."""

MAX_DEPTH = 100

_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")


def path_text(steps: Steps) -> str:
    """The way as people read it.

    >>> path_text(("cases", 3, "checks", "my.check"))
    "$.cases[3].checks['my.check']"
    """
    parts = ["$"]
    for step in steps:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_KEY.fullmatch(step):
            parts.append(f".{step}")
        else:
            parts.append(f"[{step!r}]")
    return "".join(parts)


@dataclass
class Document:
    """A JSON value with the lines it was written on, and the faults found in it so far.

    Attributes:
        file: The file as the user named it; None for a value in memory.
        folder: The folder that paths in the document are relative to, where there is one.
        value: The value: dicts, lists, text, numbers, booleans, None; all of it the document's own.
        lines: The line of each part, by the way to it: for a key of a mapping the line of the key.
        moved: Where the parts stand that were written elsewhere: the way now to the way then.
    """

    file: str | None = None
    folder: Path | None = None
    value: Any = None
    lines: dict[Steps, int] = field(default_factory=dict)
    moved: dict[Steps, Steps] = field(default_factory=dict)
    _faults: list[tuple[Steps, Fault]] = field(default_factory=list)
    _spoiled: set[Steps] = field(default_factory=set)

    def written(self, steps: Steps) -> Steps:
        """The way as it was written, before the parts that were moved came to stand where they do."""
        for length in range(len(steps), -1, -1):
            old = self.moved.get(steps[:length])
            if old is not None:
                return old + steps[length:]
        return steps

    def place(self, steps: Steps) -> Place:
        """Where a part stands: its line, or that of what it stands in."""
        written = self.written(steps)
        line = next(
            (
                self.lines[written[:length]]
                for length in range(len(written), -1, -1)
                if written[:length] in self.lines
            ),
            None,
        )
        return Place(self.file, line, path_text(written))

    def fault(self, steps: Steps, message: str, line: int | None = None) -> None:
        """Notes a fault in a part, on the part's own line if no other is given."""
        if not self._known_bad(steps):
            place = self.place(steps)
            if line is not None:
                place = Place(place.file, line, place.path)
            self._faults.append((steps, Fault(message, place)))

    def spoil(self, steps: Steps, message: str, line: int | None = None) -> None:
        """Notes a fault that leaves nothing to judge in a part: nothing more is said of it."""
        self.fault(steps, message, line)
        self._spoiled.add(steps)

    def _known_bad(self, steps: Steps) -> bool:
        return any(steps[:length] in self._spoiled for length in range(len(steps) + 1))

    def sound(self, steps: Steps) -> bool:
        """Whether no fault was found so far in a part, or in anything inside it."""
        return not self._known_bad(steps) and not any(
            at[: len(steps)] == steps for at, _ in self._faults
        )

    def raise_faults(self) -> None:
        """Raises what was found, in the order it stands in the file.

        Raises:
            SuiteError: There is a fault.
        """
        if self._faults:
            faults = [fault for _, fault in self._faults]
            raise SuiteError(sorted(faults, key=lambda fault: fault.place.line or 0))

    def stop(self, message: str, line: int | None = None) -> SuiteError:
        """The error of a file that cannot be read further: what was found, and this."""
        found = [fault for _, fault in self._faults]
        return SuiteError([*found, Fault(message, Place(self.file, line))])


class Builder:
    """Puts a document's value together from its parts in the order they are written.

    Args:
        document: The document to fill; its lines and faults are noted in it.
        root: The way to the value being built, where it is a part of a larger one.
    """

    def __init__(self, document: Document, root: Steps = ()) -> None:
        self.document = document
        self.value: Any = None
        self.way: list[str | int] = list(root)
        self._open: list[dict[str, Any] | list[Any]] = []
        self._key: str | None = None
        self._dropped = False

    @property
    def depth(self) -> int:
        """How many mappings and lists are open."""
        return len(self._open)

    @property
    def in_mapping(self) -> bool:
        """Whether what is open is a mapping."""
        return bool(self._open) and isinstance(self._open[-1], dict)

    @property
    def wants_key(self) -> bool:
        """Whether the next part is a key."""
        return self.in_mapping and self._key is None

    def begin(self, container: dict[str, Any] | list[Any], line: int | None) -> Steps:
        """Opens a mapping or a list, and gives the way to it.

        Raises:
            SuiteError: It is nested too deep.
        """
        if len(self._open) >= MAX_DEPTH:
            raise self.document.stop(f"nested deeper than {MAX_DEPTH} levels", line)
        steps = self._put(container, line)
        self._open.append(container)
        self.way.append("" if isinstance(container, dict) else -1)
        return steps

    def end(self) -> None:
        """Closes what was opened last."""
        self._open.pop()
        self.way.pop()
        self._key = None

    def key(self, name: str, line: int | None) -> None:
        """Names the next part of the open mapping."""
        here = self._open[-1]
        steps = (*self.way[:-1], name)
        self._key, self._dropped = name, name in here
        if self._dropped:
            first = self.document.lines.get(steps)
            where = f" (first on line {first})" if first is not None else ""
            self.document.fault(steps, f"the key stands twice{where}; keep one", line)
        elif line is not None:
            self.document.lines[steps] = line
        if _SURROGATE.search(name):
            self.document.spoil(steps, "half a surrogate pair is no text")

    def scalar(self, value: Any, line: int | None) -> Steps:
        """Adds text, a number, a boolean or null, and gives the way to it."""
        return self._put(value, line)

    def _put(self, value: Any, line: int | None) -> Steps:
        if not self._open:
            self.value = value
            steps = tuple(self.way)
        else:
            here = self._open[-1]
            if isinstance(here, dict):
                assert self._key is not None
                if not self._dropped:
                    here[self._key] = value
                self.way[-1] = self._key
                self._key = None
                return tuple(self.way)
            here.append(value)
            self.way[-1] = len(here) - 1
            steps = tuple(self.way)
        if line is not None:
            self.document.lines.setdefault(steps, line)
        if isinstance(value, str) and _SURROGATE.search(value):
            self.document.spoil(steps, "half a surrogate pair is no text")
        return steps


def in_memory(value: Any, place: Place | None = None) -> Document:
    """A document of a Python value, all of it copied.

    What is no JSON value is noted as a fault.

    Raises:
        SuiteError: It is nested too deep.
    """
    place = place or Place()
    folder = Path(place.file).parent if place.file is not None else None
    document = Document(place.file, folder)
    if place.line is not None:
        document.lines[()] = place.line
    builder = Builder(document)
    todo: list[tuple[str, Any]] = [("value", value)]
    while todo:
        what, item = todo.pop()
        if what == "end":
            builder.end()
        elif what == "key":
            builder.key(item, None)
        elif isinstance(item, Mapping):
            steps = builder.begin({}, None)
            todo.append(("end", None))
            todo.extend(_entries(document, steps, item))
        elif isinstance(item, list | tuple):
            builder.begin([], None)
            todo.append(("end", None))
            todo.extend(("value", part) for part in reversed(item))
        else:
            steps = builder.scalar(item, None)
            why = not_json(item)
            if why:
                document.spoil(steps, why)
    document.value = builder.value
    return document


def _entries(
    document: Document, steps: Steps, item: Mapping[Any, Any]
) -> Iterable[tuple[str, Any]]:
    for key in reversed(list(item)):
        if isinstance(key, str):
            yield "value", item[key]
            yield "key", key
        else:
            document.fault(steps, f"a key is text, not {key!r}")


def not_json(item: Any) -> str | None:
    """Why a value that is no mapping and no list has no place in JSON, or None."""
    if isinstance(item, float) and (item != item or item in (float("inf"), float("-inf"))):
        return f"JSON has no {item}"
    if item is None or isinstance(item, str | int | float):
        return None
    return f"{type(item).__name__} {item!r} is no JSON value"

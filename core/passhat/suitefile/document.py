"""A document: the JSON value that a suite file writes, with the line of every part of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from passhat.errors import Place, SuiteError, SuiteFault

Steps: TypeAlias = tuple[str | int, ...]
"""A way into a value: `("cases", 3, "mode")`."""

_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)


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
        moved: Where the parts stand that were written elsewhere: the way now to the way then.
    """

    file: str | None = None
    folder: Path | None = None
    value: Any = None
    moved: dict[Steps, Steps] = field(default_factory=dict)
    _lines: dict[Steps, int] = field(default_factory=dict)
    _unread: list[Callable[[dict[Steps, int]], None]] = field(default_factory=list)
    _faults: list[SuiteFault] = field(default_factory=list)
    _blamed: set[Steps] = field(default_factory=set)
    _spoiled: set[Steps] = field(default_factory=set)

    @property
    def lines(self) -> dict[Steps, int]:
        """The line of each part, by the way to it: for a key of a mapping the line of the key."""
        unread, self._unread = self._unread, []
        for read in unread:
            read(self._lines)
        return self._lines

    def read_lines_later(self, read: Callable[[dict[Steps, int]], None]) -> None:
        """Leaves it until somebody asks for a line to find the lines of what was read.

        Args:
            read: What puts them into the lines that it is given.
        """
        self._unread.append(read)

    def written(self, steps: Steps) -> Steps:
        """The way as it was written, before the parts that were moved came to stand where they do."""
        for length in range(len(steps), -1, -1):
            old = self.moved.get(steps[:length])
            if old is not None:
                return old + steps[length:]
        return steps

    def place(self, steps: Steps) -> Place:
        """Where a part stands: its line, or that of what it stands in."""
        written, lines = self.written(steps), self.lines
        line = next(
            (
                lines[written[:length]]
                for length in range(len(written), -1, -1)
                if written[:length] in lines
            ),
            None,
        )
        return Place(self.file, line, path_text(written))

    def fault(self, steps: Steps, message: str, line: int | None = None) -> None:
        """Notes a fault in a part, on the part's own line if no other is given."""
        written = self.written(steps)
        if not self._known_bad(written):
            place = self.place(steps)
            if line is not None:
                place = Place(place.file, line, place.path)
            self._faults.append(SuiteFault(message, place))
            self._blamed.update(written[:length] for length in range(len(written) + 1))

    def spoil(self, steps: Steps, message: str, line: int | None = None) -> None:
        """Notes a fault that leaves nothing to judge in a part: nothing more is said of it."""
        self.fault(steps, message, line)
        self._spoiled.add(self.written(steps))

    def _known_bad(self, written: Steps) -> bool:
        return any(written[:length] in self._spoiled for length in range(len(written) + 1))

    def sound(self, steps: Steps) -> bool:
        """Whether no fault was found so far in a part, or in anything inside it."""
        if self.faultless:
            return True
        written = self.written(steps)
        return written not in self._blamed and not self._known_bad(written)

    @property
    def faultless(self) -> bool:
        """Whether no fault was found so far."""
        return not self._faults

    def raise_faults(self) -> None:
        """Raises what was found, in the order it stands in the file.

        Raises:
            SuiteError: There is a fault.
        """
        if self._faults:
            raise SuiteError(sorted(self._faults, key=lambda fault: fault.place.line or 0))

    def stop(self, message: str, line: int | None = None) -> SuiteError:
        """The error of a file that cannot be read further: what was found, and this."""
        return SuiteError([*self._faults, SuiteFault(message, Place(self.file, line))])

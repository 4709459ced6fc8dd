"""A document: the JSON value that a suite file writes, with the line of every part of it."""

from __future__ import annotations

import re
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
        lines: The line of each part, by the way to it: for a key of a mapping the line of the key.
        moved: Where the parts stand that were written elsewhere: the way now to the way then.
    """

    file: str | None = None
    folder: Path | None = None
    value: Any = None
    lines: dict[Steps, int] = field(default_factory=dict)
    moved: dict[Steps, Steps] = field(default_factory=dict)
    _faults: list[SuiteFault] = field(default_factory=list)
    _blamed: set[Steps] = field(default_factory=set)
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
            self._faults.append(SuiteFault(message, place))
            self._blamed.update(steps[:length] for length in range(len(steps) + 1))

    def spoil(self, steps: Steps, message: str, line: int | None = None) -> None:
        """Notes a fault that leaves nothing to judge in a part: nothing more is said of it."""
        self.fault(steps, message, line)
        self._spoiled.add(steps)

    def _known_bad(self, steps: Steps) -> bool:
        return any(steps[:length] in self._spoiled for length in range(len(steps) + 1))

    def sound(self, steps: Steps) -> bool:
        """Whether no fault was found so far in a part, or in anything inside it."""
        return steps not in self._blamed and not self._known_bad(steps)

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

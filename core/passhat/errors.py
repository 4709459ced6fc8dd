"""Every error passhat raises on purpose, and the place each one names.

PasshatError
├── InputError           a file, line or value that cannot be read
│   ├── TraceError       one recorded attempt that cannot be read; the others go on
│   ├── SuiteError       a suite with faults, all of them told at once
│   └── PolicyError      a policy of a gate with faults, likewise
├── UsageError           a call or an option that cannot mean anything
├── EstimationError      numbers an estimator is not defined for
└── MissingExtraError    an optional dependency that is not installed
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct


class Place(Struct, frozen=True, gc=False):
    """Where something stands: a file, a line in it, a path into its value.

    Args:
        file: The file as the user named it, or None for a value in memory.
        line: The line, counted from 1.
        path: A path into the value, `$.cases[3].mode`.

    >>> str(Place("support.yaml", 14, "$.cases[3].mode"))
    'support.yaml:14: $.cases[3].mode'
    >>> str(Place(path="$.steps[0]"))
    '$.steps[0]'
    """

    file: str | None = None
    line: int | None = None
    path: str | None = None

    def __str__(self) -> str:
        head = self.file or ""
        if self.line is not None:
            head = f"{head}:{self.line}" if head else f"line {self.line}"
        return ": ".join(part for part in (head, self.path) if part)


class PasshatError(Exception):
    """The root of passhat's errors: what is wrong, where, and what to do.

    Attributes:
        message: What is wrong, with what to do about it.
        place: Where it stands.

    >>> print(PasshatError("no such tool", Place("a.json", 3)))
    a.json:3: no such tool
    """

    def __init__(self, message: str, place: Place | None = None) -> None:
        super().__init__(message, place)
        self.message = message
        self.place = place or Place()

    def __str__(self) -> str:
        where = str(self.place)
        return f"{where}: {self.message}" if where else self.message


class InputError(PasshatError):
    """A file, a line or a value that cannot be read."""


class TraceError(InputError):
    """One recorded attempt that cannot be read. It costs itself alone: readers yield it and go on."""

    def under(self, path: str) -> TraceError:
        """The same error, of a value that itself stands at a path.

        >>> print(TraceError("no text", Place(path="$.name")).under("$.calls[2]"))
        $.calls[2].name: no text
        """
        inner = (self.place.path or "$")[1:]
        return TraceError(self.message, Place(self.place.file, self.place.line, path + inner))


@dataclass(frozen=True, slots=True)
class SuiteFault:
    """One thing wrong with a suite, or with a policy: what, and where."""

    message: str
    place: Place

    def __str__(self) -> str:
        where = str(self.place)
        return f"{where}: {self.message}" if where else self.message


class _FaultyError(InputError):
    """Something written that cannot be used, with every fault found in it."""

    def __init__(self, faults: list[SuiteFault] | tuple[SuiteFault, ...]) -> None:
        self.faults = tuple(faults)
        first = self.faults[0]
        super().__init__(first.message, first.place)
        self.args = (self.faults,)

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


class SuiteError(_FaultyError):
    """A suite that cannot be used, with every fault found in it.

    Attributes:
        faults: All the faults, in the order they stand in the file.

    >>> print(SuiteError([SuiteFault("unknown key", Place("a.yaml", 2)), SuiteFault("no id", Place("a.yaml", 9))]))
    a.yaml:2: unknown key
    a.yaml:9: no id
    """


class PolicyError(_FaultyError):
    """A policy that cannot be used, or not with these results: it names what they do not have.

    Attributes:
        faults: All the faults, in the order they stand in the file.
    """


class UsageError(PasshatError):
    """A call or an option that cannot mean anything."""


class EstimationError(PasshatError):
    """Numbers an estimator is not defined for, with the case they came from where there is one."""


class MissingExtraError(PasshatError):
    """An optional dependency that is not installed; the message names the pip line that brings it."""

    def __init__(self, distribution: str, extra: str) -> None:
        super().__init__(
            f"{distribution} is not installed; `pip install 'passhat[{extra}]'` brings it"
        )
        self.args = (distribution, extra)

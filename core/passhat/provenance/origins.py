"""Origins: where one scalar in the arguments of a call came from."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import Struct

Kind: TypeAlias = Literal["said", "returned", "given", "constant", "derived", "written", "nowhere"]


class Source(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """Where a value stood before it was used.

    Attributes:
        kind: `said` by the user, `returned` by a call, or `given` from the start.
        label: What holds it: `the user's words`, the tool's name, `the system prompt`.
        step: The index of that step in the trace; -1 for what was there from the start.
        call: The index, among all calls, of the call that returned it.
        path: The JSON path in what holds it, where that is JSON.
        value: The value as it stood there, where that is not the value itself.
        trusted: Whether it came from nowhere that an outsider writes.
    """

    kind: Literal["said", "returned", "given"]
    label: str
    step: int
    call: int | None = None
    path: str | None = None
    value: Any = None
    trusted: bool = True

    def __str__(self) -> str:
        """The source in words.

        >>> print(Source("returned", "get_user", 4, 0, "$.cards[0].id"))
        get_user (call 0) at $.cards[0].id
        """
        where = self.label if self.call is None else f"{self.label} (call {self.call})"
        if self.call is None and self.step >= 0:
            where += f" (step {self.step})"
        return f"{where} at {self.path}" if self.path not in (None, "$") else where


class Origin(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """Where one scalar in the arguments of one call came from.

    Attributes:
        call: The index of the call among all calls of the trace.
        tool: The tool it calls.
        arg: The argument it stands in.
        path: Its JSON path in the arguments.
        value: The value.
        kind: `said` (by the user), `returned` (by an earlier call), `given` (system prompt, initial
            state, the case's input), `constant` (of the tool's schema; true, false, null and empty
            text too), `derived` (from one of these), `written` (free text, which is not judged, or the
            number of an item in a list of the call's own) or `nowhere`.
        sources: Where it stood, the plainest place first; the terms of what was derived.
        how: How it was derived: `case`, `spacing`, `number`, `date`, `phone`, `part`, `words`,
            `spelling` (dictated), `composed` (put together), `range` (told by the ends of a row),
            `correction` (told by what differs), `unit`, `sum`, `difference`, `product` or `share`.
        note: The derivation as one would write it: `152 + 103`.
        identifier: Whether it names one particular thing, so that it must come from somewhere.
        tainted: Whether all it came from was untrusted.
        nearest: The seen value that a made-up one is most like, with where it stood.
        bounded: Whether numbers were left out of the search for a sum, or the search for a sum or
            for the nearest value was not made, as there were too many.
    """

    call: int
    tool: str
    arg: str
    path: str
    value: Any
    kind: Kind
    sources: tuple[Source, ...] = ()
    how: str = ""
    note: str = ""
    identifier: bool = False
    tainted: bool = False
    nearest: Source | None = None
    bounded: bool = False

    @property
    def made_up(self) -> bool:
        """Whether it is an identifier from nowhere."""
        return self.identifier and self.kind == "nowhere"

    def __str__(self) -> str:
        """The origin in words."""
        if self.kind == "derived":
            of = self.note or (str(self.sources[0]) if self.sources else "")
            said = f"derived ({self.how}): {of}" if of else f"derived ({self.how})"
        elif self.sources:
            said = f"{self.kind}: {self.sources[0]}"
        else:
            said = "made up" if self.made_up else self.kind
        if self.made_up and self.nearest is not None:
            said += f", nearest {self.nearest.value} in {self.nearest}"
        return f"{said}, tainted" if self.tainted else said

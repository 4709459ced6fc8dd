"""What is found while an eval set is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from passhat.adapter import FidelityKind, FidelityNote
from passhat.errors import InputError, Place, SuiteError, SuiteFault
from passhat_adk.native import snaked


@dataclass
class Findings:
    """What is found while an eval set is read: faults, and what became of what.

    Attributes:
        file: The file.
        parted: Whether it is to be found of each case where ADK would judge it otherwise.
        noted: Whether anybody asks for the notes.
        faults: What is wrong.
        notes: What became of what.
    """

    file: str | None = None
    parted: bool = True
    noted: bool = True
    faults: list[SuiteFault] = field(default_factory=list)
    notes: list[FidelityNote] = field(default_factory=list)

    def place(self, path: str) -> Place:
        """Where something stands."""
        return Place(self.file, None, path)

    def fault(self, path: str, message: str) -> None:
        """Notes what is wrong."""
        self.faults.append(SuiteFault(message, self.place(path)))

    def note(
        self,
        what: str,
        kind: FidelityKind,
        why: str,
        run: str = "",
        parts: tuple[str, ...] = (),
    ) -> None:
        """Notes what became of something."""
        self.notes.append(FidelityNote(what, kind, why, run, parts))

    def take(self, error: InputError, base: str = "$") -> None:
        """Takes the faults of an error that was raised on the way.

        Args:
            error: The error.
            base: Where the value stands whose path it names.
        """
        if isinstance(error, SuiteError):
            self.faults += error.faults
        else:
            path = base + (error.place.path or "$")[1:]
            place = Place(self.file, error.place.line, path)
            self.faults.append(SuiteFault(error.message, place))

    def name_case(self, item: Any, *, since: int) -> None:
        """Says in the faults found since then which eval case they are of, where it has an id."""
        name = (item.get("eval_id") or item.get("evalId")) if isinstance(item, dict) else None
        if isinstance(name, str):
            self.faults[since:] = [
                SuiteFault(f"case {name!r}: {fault.message}", fault.place)
                for fault in self.faults[since:]
            ]

    def raise_faults(self) -> None:
        """Raises what was found.

        Raises:
            SuiteError: There is a fault.
        """
        if self.faults:
            raise SuiteError(self.faults)

    def checked(
        self, value: Mapping[str, Any], known: frozenset[str], path: str
    ) -> Mapping[str, Any]:
        """The object with its keys in snake case; a key that is nearly a known one is a fault."""
        if value.keys() <= known:
            return value
        held = snaked(value, known)
        for key in held:
            near = None if key in known else _near(key, known)
            if near is not None:
                self.fault(f"{path}.{key}", f"unknown key, did you mean {near}?")
        return held


def note_final_state(name: str, found: Findings) -> None:
    """Notes that a case names the state of its session in the end."""
    why = "expected_final_state; ADK reads it nowhere"
    found.note(f"{name}: final_session_state", "translated", why)


@lru_cache(maxsize=256)
def _near(key: str, known: frozenset[str]) -> str | None:
    """The known key that a key is nearly; a file has the same ones again and again."""
    return next(iter(get_close_matches(key, known, 1, 0.8)), None)

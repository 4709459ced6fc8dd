"""The short row shapes people already write, put into ours.

| written | becomes |
|---|---|
| `required_tools` | `expected_calls` |
| `forbidden_tools` | `forbidden_calls` |
| `setup` (a mapping) | `initial_state`; anything else is carried |
| `expected_tools` | `expected_calls` |
| `trajectory_mode` | `mode`, by the meaning of its words |
| `mock_tools`, `pass_criteria` | carried in `extensions` |

A `trajectory_mode` compares sets of names: its `subset` asks that all expected tools were called
(our `superset`), its `any_order` that the two sets are equal (our `unordered`), both whatever the
number of calls (`counts: false`); its `exact` and `in_order` are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from passhat.adapter import Fidelity, FidelityKind, FidelityNote
from passhat.suitefile.document import Document, Steps, path_text
from passhat.suitefile.shapefaults import nearest, shown

_CALLS = {"required_tools": "expected_calls", "expected_tools": "expected_calls"}
_CARRIED = {"mock_tools": "a sandbox answers by it", "pass_criteria": "nothing here reads it"}
_MODES: dict[str, tuple[str, bool | None, str]] = {
    "exact": ("exact", None, "the same tools in the same order"),
    "in_order": ("in_order", None, "all expected tools, in order"),
    "any_order": (
        "unordered",
        False,
        "there it compares sets of names: the same tools, whatever the order and the number",
    ),
    "subset": (
        "superset",
        False,
        "there it asks that all expected tools were called, whatever the number",
    ),
}

ROW_KEYS = frozenset({*_CALLS, *_CARRIED, "forbidden_tools", "trajectory_mode", "setup"})
"""The keys of the short row shapes."""


@dataclass
class Notes:
    """What became of the parts of a document that were not written in our words."""

    notes: list[FidelityNote] = field(default_factory=list)

    def say(self, what: str, kind: FidelityKind, note: str) -> None:
        """Adds a note."""
        self.notes.append(FidelityNote(what, kind, note))

    @property
    def fidelity(self) -> Fidelity:
        """All of them."""
        return Fidelity(tuple(self.notes))


def expand_rows(document: Document, notes: Notes) -> None:
    """Puts the document's value into the long form: a mapping with cases, each in our keys.

    Parts keep the places where they were written. What cannot be put into ours is a fault.
    """
    if isinstance(document.value, list):
        document.value = {"cases": document.value}
        document.moved[("cases",)] = ()
    if not isinstance(document.value, dict):
        return
    cases = document.value.get("cases")
    rows: list[tuple[Steps, Any]] = [(("defaults",), document.value.get("defaults"))]
    if isinstance(cases, list):
        rows += [(("cases", index), row) for index, row in enumerate(cases)]
    for steps, row in rows:
        if isinstance(row, dict):
            _Row(document, notes, steps, row).expand()


class _Row:
    def __init__(self, document: Document, notes: Notes, steps: Steps, row: dict[str, Any]) -> None:
        self.document = document
        self.notes = notes
        self.steps = steps
        self.row = row

    def expand(self) -> None:
        for word, key in _CALLS.items():
            if word in self.row:
                self._rename(word, key, f"read as {key}")
        if "forbidden_tools" in self.row:
            self._rename("forbidden_tools", "forbidden_calls", "read as forbidden_calls")
        if "trajectory_mode" in self.row:
            self._mode()
        if "setup" in self.row:
            if isinstance(self.row["setup"], dict):
                self._rename("setup", "initial_state", "read as initial_state")
            else:
                self._carry("setup", "only a mapping is an initial state; not used")
        for word, note in _CARRIED.items():
            if word in self.row:
                self._carry(word, note)

    def _rename(
        self, word: str, key: str, note: str, change: Callable[[Any], Any] | None = None
    ) -> bool:
        steps = (*self.steps, word)
        if key in self.row:
            written = self.document.written((*self.steps, key))[-1]
            self.document.fault(steps, f"says the same as {written}; keep one")
            del self.row[word]
            return False
        value = self.row.pop(word)
        self.row[key] = value if change is None else change(value)
        self.document.moved[(*self.steps, key)] = self.document.written(steps)
        self.notes.say(self._what(word), "translated", note)
        return True

    def _mode(self) -> None:
        said = self.row["trajectory_mode"]
        if not isinstance(said, str) or said not in _MODES:
            steps = (*self.steps, "trajectory_mode")
            near = nearest(said, _MODES) if isinstance(said, str) else f"there are {_MODE_WORDS}"
            self.document.fault(steps, f"cannot be {shown(said)}, {near}")
            del self.row["trajectory_mode"]
            return
        mode, counts, meaning = _MODES[said]
        note = f"{said} read as mode: {mode}"
        if counts is not None and "counts" not in self.row:
            note += ", counts: false"
        read = self._rename("trajectory_mode", "mode", f"{note} ({meaning})", lambda _: mode)
        if read and counts is not None:
            self.row.setdefault("counts", counts)

    def _carry(self, word: str, note: str) -> None:
        held = self.row.setdefault("extensions", {})
        steps = (*self.steps, word)
        if not isinstance(held, dict):
            return
        if word in held:
            self.document.fault(steps, "stands in extensions too; keep one")
            del self.row[word]
            return
        held[word] = self.row.pop(word)
        self.document.moved[(*self.steps, "extensions", word)] = self.document.written(steps)
        self.notes.say(self._what(word), "carried", f"kept in extensions: {note}")

    def _what(self, word: str) -> str:
        name = self.row.get("id")
        if isinstance(name, str):
            return f"case {name}: {word}"
        return f"{path_text(self.document.written(self.steps))}: {word}"


_MODE_WORDS = ", ".join(_MODES)

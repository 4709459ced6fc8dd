"""What became of a trace that was written in another form: found by reading it back."""

from __future__ import annotations

from collections import Counter
from typing import Any

from passhat.adapter import FidelityKind, FidelityNote
from passhat.recordings.sidecar import default_of, fields_of
from passhat.trace import Step, Trace
from passhat.values.parts import changed_parts

PLURALS = {
    "Message": "messages",
    "ToolCall": "calls",
    "StateUpdate": "state updates",
    "NodeVisit": "node visits",
    "Interrupt": "interrupts",
}
"""What a report calls several steps of a kind."""

OPEN = frozenset({"metadata", "extensions", "pins", "scores"})
"""The fields that others may put any key into."""


def differences(before: Trace, after: Trace) -> list[FidelityNote]:
    """What is no longer as it was, a note for each field of the trace and of its steps.

    A value that is gone is `lost`, one that is another is `approximated`, and one with more keys
    beside those that it had is `translated`. Traces without a note are equal, but for their
    `source`, which names the form.

    >>> found = differences(Trace("t", source="adk", tags=("a",)), Trace("t", source="openai"))
    >>> [(note.what, note.kind) for note in found]
    [('t: tags', 'lost')]
    """
    notes = [
        FidelityNote(f"{before.id}: {name}", kind, parts=parts)
        for name, kind, parts in _changed(before, after)
        if name not in ("steps", "source")
    ]
    if before.steps != after.steps:
        notes += _steps_changed(before, after)
    return notes


def _steps_changed(before: Trace, after: Trace) -> list[FidelityNote]:
    notes: list[FidelityNote] = []
    for kind, name in PLURALS.items():
        old, new = _of_kind(before.steps, kind), _of_kind(after.steps, kind)
        if len(new) < len(old):
            notes.append(_note(before, name, "lost", share=(len(old) - len(new), len(old))))
        elif len(new) > len(old):
            notes.append(_note(before, name, "approximated", f"{len(new) - len(old)} were added"))
        else:
            counts: Counter[tuple[str, FidelityKind]] = Counter()
            parts: dict[tuple[str, FidelityKind], dict[str, None]] = {}
            for one, other in zip(old, new, strict=True):
                for field, how, inside in _changed(one, other):
                    counts[field, how] += 1
                    parts.setdefault((field, how), {}).update(dict.fromkeys(inside))
            notes += [
                _note(before, f"{name}' {field}", how, parts=inside, share=(number, len(old)))
                for ((field, how), number), inside in zip(
                    counts.items(), map(tuple, parts.values()), strict=True
                )
            ]
    if not notes:
        notes.append(_note(before, "steps", "approximated", "they stand in another order"))
    return notes


def _of_kind(steps: tuple[Step, ...], kind: str) -> list[Step]:
    return [step for step in steps if type(step).__name__ == kind]


def _note(
    trace: Trace,
    what: str,
    kind: FidelityKind,
    note: str = "",
    parts: tuple[str, ...] = (),
    share: tuple[int, int] | None = None,
) -> FidelityNote:
    return FidelityNote(f"{trace.id}: {what}", kind, note, parts=parts, share=share)


def _only_more(old: Any, new: Any) -> bool:
    """Whether all that was there is there still, with more beside it."""
    both = isinstance(old, dict) and isinstance(new, dict)
    return both and all(key in new and new[key] == held for key, held in old.items())


def _changed(one: Any, other: Any) -> list[tuple[str, FidelityKind, tuple[str, ...]]]:
    """The fields that are another, with the paths inside of those that are open to any key."""
    found: list[tuple[str, FidelityKind, tuple[str, ...]]] = []
    kind_of: type = type(one)
    for item in fields_of(kind_of):
        old, new = getattr(one, item.name), getattr(other, item.name)
        if old != new:
            kind: FidelityKind = "lost" if new == default_of(item) else "approximated"
            if item.name in OPEN and _only_more(old, new):
                kind = "translated"
            inside = changed_parts(old, new) if item.name in OPEN else ()
            found.append((item.name, kind, inside))
    return found

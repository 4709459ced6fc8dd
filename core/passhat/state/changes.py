"""What differs between two states: changes, by table and record, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from passhat.state.paths import ROOT, Record, Steps, path_text, printable, step_text
from passhat.state.patterns import Patterns
from passhat.values import ABSENT, canonical

DIFF_SCHEMA = "passhat.diff/1"

Kind: TypeAlias = Literal["added", "removed", "changed"]

_WIDTH = 120
_LINES = 200


class Change(Struct, frozen=True):
    """One place that differs.

    Attributes:
        steps: The way to it; `path` is the same as text.
        kind: `added`, `removed` or `changed`.
        before: What was there; `ABSENT` where nothing was, which is not null.
        after: What is there now; `ABSENT` where nothing is.

    >>> print(Change(("refunds", Record(("A1",)), "amount"), "changed", 10, 12))
    refunds[A1].amount: 10 -> 12
    """

    steps: Steps
    kind: Kind
    before: Any = ABSENT
    after: Any = ABSENT

    @property
    def path(self) -> str:
        """The place as people read it: `reservations[FQ8APE].flights[0].date`."""
        return path_text(self.steps)

    @property
    def table(self) -> str:
        """The table it lies in: the first step, or `$` where the state itself is a table."""
        return str(self._steps_from_table[0])

    @property
    def record(self) -> Any:
        """The step from the table to the record; None where the table as a whole changed."""
        return self._steps_from_table[1] if len(self._steps_from_table) > 1 else None

    @property
    def of_record(self) -> bool:
        """Whether a record as a whole came or went."""
        return self.kind != "changed" and len(self._steps_from_table) == 2

    @property
    def _steps_from_table(self) -> tuple[Any, ...]:
        if not self.steps or isinstance(self.steps[0], Record | int):
            return (ROOT, *self.steps)
        return (step_text(self.steps[0]), *self.steps[1:])

    def __str__(self) -> str:
        if self.kind == "changed":
            return f"{self.path}: {value_text(self.before)} -> {value_text(self.after)}"
        sign, value = ("+", self.after) if self.kind == "added" else ("-", self.before)
        return f"{sign} {self.path}: {value_text(value)}"

    def to_dict(self) -> dict[str, Any]:
        """The change as JSON; a value that is absent has no key."""
        sides = {"before": self.before, "after": self.after}
        return {
            "path": self.path,
            "kind": self.kind,
            **{side: plain(value) for side, value in sides.items() if value is not ABSENT},
        }


class RecordChange(Struct, frozen=True):
    """One row or document that came, went or changed, with the changes in it.

    Attributes:
        table: Its table.
        path: Its place as text.
        kind: `added`, `removed` or `changed`.
        changes: The places in it that differ; the record itself where it came or went.
    """

    table: str
    path: str
    kind: Kind
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class StateDiff:
    """What differs between two states.

    Attributes:
        changes: Every place that differs, in the order of the state before.
        schema: What differs in the tables' columns, a sentence each, where both states know them.
        gaps: What could not be compared, or only so far, a sentence each.

    >>> from passhat.state import diff
    >>> before = {"refunds": {"A1": {"amount": 10}}}
    >>> found = diff(before, {"refunds": {"A1": {"amount": 12}, "A2": {"amount": 5}}})
    >>> found.equal, found.counts()
    (False, {'refunds': {'added': 1, 'removed': 0, 'changed': 1, 'leaves': 1}})
    >>> print(found)
    refunds: 1 added, 1 changed (1 place)
      refunds[A1].amount: 10 -> 12
      + refunds[A2]: {"amount":5}
    """

    changes: tuple[Change, ...] = ()
    schema: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether nothing differs."""
        return not self.changes and not self.schema

    @cached_property
    def records(self) -> tuple[RecordChange, ...]:
        """The changes by record: a changed row is one entry with its places."""
        groups: dict[tuple[Any, ...], list[Change]] = {}
        for change in self.changes:
            record = change.record
            name = _told_apart(record)
            # What came may stand where something else was.
            came = change.of_record and change.kind == "added"
            groups.setdefault((change.table, name, came), []).append(change)
        return tuple(_record_change(table, group) for (table, *_), group in groups.items())

    @cached_property
    def by_table(self) -> dict[str, tuple[Change, ...]]:
        """The changes of each table that changed."""
        groups: dict[str, list[Change]] = {}
        for change in self.changes:
            groups.setdefault(change.table, []).append(change)
        return {table: tuple(group) for table, group in groups.items()}

    def counts(self) -> dict[str, dict[str, int]]:
        """How many records of each table that changed came, went or changed, and in how many places.

        `leaves` counts the differing places inside changed records; a key or list item that came
        or went is one place.
        """
        found: dict[str, dict[str, int]] = {}
        for record in self.records:
            counts = found.setdefault(
                record.table, {"added": 0, "removed": 0, "changed": 0, "leaves": 0}
            )
            counts[record.kind] += 1
            if record.kind == "changed":
                counts["leaves"] += len(record.changes)
        return found

    def without(self, patterns: Iterable[str] | Patterns) -> StateDiff:
        """The diff without the changes that lie in these places.

        Raises:
            UsageError: A pattern is malformed.
        """
        places = patterns if isinstance(patterns, Patterns) else Patterns.of(patterns)
        kept = tuple(change for change in self.changes if not places.cover(change.steps))
        return StateDiff(kept, self.schema, self.gaps)

    def __str__(self) -> str:
        return self.text()

    def text(self, *, lines: int | None = _LINES) -> str:
        """The diff for people: by table, a line for each place.

        Args:
            lines: The most changes to show; None shows all.
        """
        said: list[str] = []
        left = len(self.changes) if lines is None else lines
        counts = self.counts()
        for table, changes in self.by_table.items():
            name = table if table == ROOT else path_text((table,))
            said.append(f"{name}: {counted(counts[table])}")
            said += [f"  {change}" for change in changes[:left]]
            left = max(0, left - len(changes))
        hidden = len(self.changes) - lines if lines is not None else 0
        if hidden > 0:
            said.append(f"... and {hidden} more")
        said += [f"schema: {sentence}" for sentence in self.schema]
        said = said or ["no difference"]
        return "\n".join([*said, *(f"note: {printable(sentence)}" for sentence in self.gaps)])

    def to_dict(self) -> dict[str, Any]:
        """The diff as JSON: `passhat.diff/1`."""
        return {
            "schema": DIFF_SCHEMA,
            "equal": self.equal,
            "counts": self.counts(),
            "changes": [change.to_dict() for change in self.changes],
            "columns": list(self.schema),
            "gaps": list(self.gaps),
        }

    def markdown(self, *, lines: int | None = _LINES) -> str:
        """The diff as a Markdown table.

        Args:
            lines: The most changes to show; None shows all.
        """
        if self.equal:
            said = ["No difference."]
        else:
            said = ["| Place | Before | After |", "|---|---|---|"]
            said += [
                f"| {_cell(change.path)} | {_cell_of(change.before)} | {_cell_of(change.after)} |"
                for change in self.changes[:lines]
            ]
        if lines is not None and len(self.changes) > lines:
            said += ["", f"... and {len(self.changes) - lines} more"]
        notes = [*(f"Schema: {s}" for s in self.schema), *(f"Note: {s}" for s in self.gaps)]
        return "\n".join(said + [line for note in notes for line in ("", printable(note))])


def _record_change(table: str, changes: list[Change]) -> RecordChange:
    first = changes[0]
    whole = first.kind if first.of_record or first.record is None else "changed"
    steps = first.steps if first.record is None else first.steps[: _depth_of_record(first)]
    return RecordChange(table, path_text(steps), whole, tuple(changes))


def _told_apart(record: Any) -> Any:
    """What only steps to the same record share: `1` and `"1"` read the same, and are two keys."""
    if isinstance(record, Record) and record.at is None:
        return canonical(record.key)
    return None if record is None else step_text(record)


def _depth_of_record(change: Change) -> int:
    return 1 if isinstance(change.steps[0], Record | int) else 2


def counted(counts: dict[str, int]) -> str:
    """The counts of a table in words.

    >>> counted({"added": 1, "removed": 0, "changed": 2, "leaves": 5})
    '1 added, 2 changed (5 places)'
    """
    parts = [f"{counts[kind]} {kind}" for kind in ("added", "removed", "changed") if counts[kind]]
    if counts["changed"]:
        places = counts["leaves"]
        parts[-1] += f" ({places} place{'' if places == 1 else 's'})"
    return ", ".join(parts)


def value_text(value: Any, width: int = _WIDTH) -> str:
    """The value as short JSON text.

    >>> value_text({"a": [1, None]}), value_text(ABSENT)
    ('{"a":[1,null]}', 'absent')
    """
    if value is ABSENT:
        return "absent"
    if isinstance(value, str) and len(value) > width:
        value = value[:width]  # Enough to be cut below; the rest need not be encoded.
    text = printable(_json_text(value))
    return text if len(text) <= width else text[: width - 1] + "…"


def _json_text(value: Any) -> str:
    if value != value:
        return "NaN"  # JSON has none, and msgspec writes null.
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return f"<{type(value).__name__}>"


def plain(value: Any) -> Any:
    """The value if it is JSON, else a text that shows it."""
    try:
        msgspec.json.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return value_text(value)
    return value


def _cell(text: str) -> str:
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`"


def _cell_of(value: Any) -> str:
    return "" if value is ABSENT else _cell(value_text(value))

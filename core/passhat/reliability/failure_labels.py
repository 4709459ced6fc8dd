"""What people and judges say of failed trials: it goes before what the rules say."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from passhat.errors import InputError, Place, UsageError
from passhat.jsontext import decode, file_name, lines, read_bytes
from passhat.reliability.csvcells import unguarded
from passhat.result import Failure, Trial

Key: TypeAlias = str | tuple[str, int]
"""A trial: its trace's id, or its case and number."""

_LONGEST = 100
_NAMES = {
    "case": ("case", "case_id"),
    "trial": ("trial",),
    "trace_id": ("trace_id", "trace"),
    "failure_class": ("failure_class", "label", "class"),
    "by": ("by",),
    "note": ("note", "reason"),
}
"""The columns, and what else each may be called."""


class FailureLabel(Struct, frozen=True):
    """What somebody says of a failed trial.

    Attributes:
        failure_class: The class; one of `passhat.result.FAILURE_CLASSES`, or any other word.
        by: Who says so: `person`, `judge`, a name.
        note: Why.
    """

    failure_class: str
    by: str = "person"
    note: str = ""


@dataclass(frozen=True)
class FailureLabels:
    """Labels of failed trials.

    Args:
        labels: By the trace's id, or by `(case, trial)`. A text is a person's label.

    >>> labels = FailureLabels({("refund", 2): "gave_up"})
    >>> trial = Trial("refund", 2, "t", "failed", failure_class="incomplete")
    >>> labels.applied(trial).failure_class
    'gave_up'
    """

    labels: Mapping[Key, FailureLabel | str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.labels)

    def of(self, trial: Trial) -> FailureLabel | None:
        """The label of a trial, if it has one; by its case and number before its trace's id."""
        found = self.labels.get((trial.case_id or "", trial.trial))
        if found is None:
            found = self.labels.get(trial.trace_id)
        return FailureLabel(found) if isinstance(found, str) else found

    def applied(self, trial: Trial) -> Trial:
        """The trial with the class that its label says, and what the rules had said kept beside it.

        A trial that did not fail, or has no label or one that says the same, stays as it is.
        """
        return _labelled(trial, self.of(trial))

    def unused(self, trials: Iterable[Trial]) -> tuple[Key, ...]:
        """The labels that are of no failed trial among these."""
        lost = [trial for trial in trials if trial.lost]
        known: set[Key] = {trial.trace_id for trial in lost}
        known.update((trial.case_id or "", trial.trial) for trial in lost)
        return tuple(key for key in self.labels if key not in known)


def read_labels(path: str | Path) -> FailureLabels:
    """The labels that a CSV or JSONL file holds; `-` is standard input.

    Columns (keys of an object a line): `failure_class`, and `trace_id` or `case` and `trial`;
    `by` and `note` if you like. Further columns are passed over, so the table that
    `passhat report --format csv` writes can be filled in and given back; a row without a class, or
    of a trial that did not fail, labels nothing.

    Raises:
        InputError: It cannot be read; a row names no trial; or one trial has two classes.
    """
    labels: dict[Key, FailureLabel] = {}
    for line, row in _rows(path):
        place = Place(file_name(path), line)
        said = _text(row, "failure_class", place)
        if not said:
            continue
        if len(said) > _LONGEST:
            raise InputError(f"a class has at most {_LONGEST} characters", place)
        label = FailureLabel(
            said, _text(row, "by", place) or "person", _text(row, "note", place)[:500]
        )
        key = _key(row, place)
        if (held := labels.setdefault(key, label)).failure_class != said:
            raise InputError(f"{_named(key)} has two classes: {held.failure_class}, {said}", place)
    return FailureLabels(labels)


def _rows(path: str | Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows with their lines: of JSONL where the first character is `{`, else of CSV."""
    data = read_bytes(path)
    if data.lstrip()[:1] == b"{":
        for line, text in lines(path):
            row = decode(text, Place(file_name(path), line))
            if not isinstance(row, dict):
                raise InputError("a label is an object", Place(file_name(path), line))
            yield line, row
        return
    try:
        reader = csv.DictReader(io.StringIO(data.decode(), newline=""), strict=True)
        names = reader.fieldnames or []
        if not set(names) & set(_NAMES["failure_class"]):
            told = ", ".join(names[:8]) or "none"
            raise InputError(
                f"labels need a column failure_class; there are: {told}", Place(file_name(path), 1)
            )
        for row in reader:
            yield reader.line_num, row
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"not CSV: {error}", Place(file_name(path))) from error


def _key(row: Mapping[str, Any], place: Place) -> Key:
    case, number = _text(row, "case", place), _text(row, "trial", place)
    if case and number:
        if not number.isdecimal():
            raise InputError(f"trial is a number from 0, not {number!r}", place)
        return case, int(number)
    trace_id = _text(row, "trace_id", place)
    if not trace_id:
        raise InputError("a label names a trial: by case and trial, or by trace_id", place)
    return trace_id


def _text(row: Mapping[str, Any], name: str, place: Place) -> str:
    """A value as text; a formula's guard, as our own CSV has it, is taken off."""
    value = next((row[n] for n in _NAMES[name] if row.get(n) not in (None, "")), "")
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{name} is a text, not {value!r}", place)
    return unguarded(str(value).strip(" "))


def _named(key: Key) -> str:
    return f"trace {key}" if isinstance(key, str) else f"trial {key[1]} of case {key[0]}"


def _labelled(trial: Trial, label: FailureLabel | None) -> Trial:
    if label is None or not trial.lost or label.failure_class == trial.failed_as:
        return trial
    held = trial.failure or Failure()
    said = Failure(
        by=label.by,
        check=held.check,
        reason=label.note or held.reason,
        also=held.also,
        rule=held.rule if held.by != "rule" else trial.failed_as,
    )
    return replace(trial, failure_class=label.failure_class, failure=said)


Judge: TypeAlias = Callable[[Trial], "FailureLabel | str | None"]
"""Says of a failed trial how it failed, or nothing."""


def relabelled(
    labels: FailureLabels | Mapping[Key, FailureLabel | str] | Judge, trials: Iterable[Trial]
) -> Iterator[Trial]:
    """The trials with the classes that labels say: as read, as a mapping, or as a judge gives them.

    Raises:
        UsageError: They are none of these.
    """
    if isinstance(labels, Mapping):
        labels = FailureLabels(dict(labels))
    if isinstance(labels, FailureLabels):
        yield from map(labels.applied, trials)
        return
    if not callable(labels):
        raise UsageError(f"labels are FailureLabels, a mapping or a judge, not {labels!r}")
    for trial in trials:
        said = labels(trial) if trial.lost else None
        yield _labelled(trial, FailureLabel(said, "judge") if isinstance(said, str) else said)

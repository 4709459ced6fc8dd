"""Suites and rows of reference outputs with evaluator settings, one case a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from passhat.adapter import Fidelity, FidelityNote
from passhat.case import Case, Suite
from passhat.errors import InputError, Place, SuiteError, SuiteFault, UsageError
from passhat.jsontext import file_name, items, jsonable, replacing
from passhat.recordings.shapes import kind_of
from passhat.suitefile import suite_from, suite_value
from passhat_openevals.rows import NESTED, OURS, Row, read_row, settings_in, write_row
from passhat_openevals.settings import KEYS

_encode = msgspec.json.Encoder().encode
_TELLING = frozenset({"reference_outputs", OURS})


def to_suite(rows: Iterable[Mapping[str, Any]], *, name: str | None = None) -> Suite:
    """The suite of rows with reference outputs and evaluator settings.

    Args:
        rows: Rows with `reference_outputs` (messages, whose calls are expected), and the settings
            of the evaluator: `trajectory_match_mode`, `tool_args_match_mode`,
            `tool_args_match_overrides`, in the row or in its `evaluator`. A first row with nothing
            but settings speaks of all. Other keys are kept.
        name: The suite's name; by default the one that came along from `from_suite`, or `openevals`.

    Raises:
        SuiteError: Rows have faults; all are told at once.

    >>> call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> row = {"reference_outputs": [{"role": "assistant", "content": "", "tool_calls": [call]}],
    ...     "evaluator": {"trajectory_match_mode": "superset"}}
    >>> to_suite([row]).cases[0].mode
    'superset'
    """
    return _read([(jsonable(row), Place(path=f"$[{at}]")) for at, row in enumerate(rows)], name)[0]


def read_suite(source: Any) -> tuple[Suite, Fidelity]:
    """The suite that a file of rows holds, and what became of each row's settings.

    Raises:
        SuiteError: Rows have faults.
        InputError: The file cannot be read.
        UsageError: The rows expect nothing.
    """
    if not isinstance(source, str | Path):
        rows = [source] if isinstance(source, Mapping) else list(source)
        suite, notes = _read([(jsonable(r), Place(path=f"$[{i}]")) for i, r in enumerate(rows)])
        return suite, Fidelity(tuple(notes))
    found: list[tuple[Any, Place]] = []
    for item in items(source):
        if isinstance(item, InputError):
            raise item
        found.append((item.value, item.place))
    suite, notes = _read(found, file=file_name(source))
    return suite, Fidelity(tuple(notes))


def _read(
    rows: list[tuple[Any, Place]], name: str | None = None, file: str | None = None
) -> tuple[Suite, list[FidelityNote]]:
    faults: list[SuiteFault] = []
    notes: list[FidelityNote] = []
    cases: list[Case] = []
    places: dict[str, Place] = {}
    common, rest = _common(rows)
    if rest and not any(
        isinstance(row, dict) and (_TELLING & row.keys() or states_settings(row)) for row, _ in rest
    ):
        raise UsageError(
            "the rows have no reference_outputs: they record attempts, and expect nothing",
            Place(file),
        )
    head = _head(rest)
    for number, (row, place) in enumerate(rest, 1):
        if not isinstance(row, dict):
            faults.append(SuiteFault(f"a row is an object, not {kind_of(row)}", place))
            continue
        try:
            read = read_row({**common, **row}, f"row-{number}", place)
        except SuiteError as error:
            faults += [SuiteFault(fault.message, place) for fault in error.faults]
            continue
        except InputError as error:
            faults.append(SuiteFault(error.message, _inside(place, error.place)))
            continue
        if read.case.id in places:
            faults.append(SuiteFault(f"{read.case.id!r} is the id of another row too", place))
        places[read.case.id] = place
        cases.append(read.case)
        notes += read.notes
    if not rest and not faults:
        faults.append(
            SuiteFault("there are no rows: a suite without cases tests nothing", Place(file))
        )
    if faults:
        raise SuiteError(faults)
    bare = suite_from({"name": "openevals", **head, "cases": [{"id": "case"}]}, Place(file))
    made = replace(bare, name=name or bare.name, cases=tuple(cases))
    if common:
        notes.append(FidelityNote("evaluator", "translated", "said for all rows, now by each row"))
    return made, notes


def states_settings(row: Mapping[str, Any]) -> bool:
    """Whether a row states settings, whatever they are worth."""
    return any(row.get(key) is not None for key in (*KEYS, *NESTED))


def _common(rows: list[tuple[Any, Place]]) -> tuple[Row, list[tuple[Any, Place]]]:
    """What a first row without outputs says of all, and the others."""
    if not rows or not isinstance(rows[0][0], dict):
        return {}, rows
    first: Row = rows[0][0]
    spoken = {"outputs", "reference_outputs", "inputs", "id", OURS} & first.keys()
    try:
        alone = not spoken and settings_in(first) is not None
    except InputError:
        alone = False  # Read as a row, it is told with its place.
    if not alone or len(rows) == 1:
        return {}, rows
    return {key: item for key, item in first.items() if item is not None}, rows[1:]


def _head(rows: list[tuple[Any, Place]]) -> Row:
    """What the suite says of itself and of all cases, where it came along."""
    for row, _ in rows:
        ours = row.get(OURS) if isinstance(row, dict) else None
        if isinstance(ours, dict) and isinstance(ours.get("suite"), dict):
            return dict(ours["suite"])
    return {}


def _inside(outer: Place, inner: Place) -> Place:
    return Place(outer.file, outer.line, (outer.path or "$") + (inner.path or "$")[1:])


def from_suite(suite: Suite) -> list[Row]:
    """A suite as rows of reference outputs with evaluator settings, one a case.

    Each row has `reference_outputs` (messages with the expected calls) and an `evaluator`: settings
    of theirs where these mean the same, else `{"passhat": [checks]}`, which `evaluator_for` makes.
    `to_suite` of them is the suite again.

    Raises:
        UsageError: The suite has no cases, or something that JSON cannot hold.
    """
    return _written(suite)[0]


def _written(suite: Suite) -> tuple[list[Row], list[FidelityNote]]:
    head = {key: item for key, item in suite_value(suite).items() if key not in ("schema", "cases")}
    rows: list[Row] = []
    notes: list[FidelityNote] = []

    def completed(case: Case) -> Case:
        return Suite("", (case,), suite.tools, suite.writes, suite.defaults, suite.checks).cases[0]

    for case in suite.cases:
        row, more = write_row(case, completed)
        rows.append(row)
        notes += more
    if head != {"name": "openevals"}:
        rows[0][OURS] = {**rows[0].get(OURS, {}), "suite": head}
        notes += [FidelityNote(key, "carried", f"under {OURS} of the first row") for key in head]
    return [jsonable(row) for row in rows], notes


def write_suite(suite: Suite, target: str | Path) -> Fidelity:
    """Writes the rows of a suite, one a line, and says what became of each field.

    Raises:
        UsageError: The suite cannot be written.
    """
    rows, notes = _written(suite)
    with replacing(target) as file:
        for row in rows:
            file.write(_encode(row) + b"\n")
    return Fidelity(tuple(notes))

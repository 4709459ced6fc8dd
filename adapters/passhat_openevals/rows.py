"""One row: reference outputs with the settings of the evaluator, and the case that it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from passhat.adapter import FidelityKind, FidelityNote
from passhat.case import EXPECTING, Case, Suite
from passhat.errors import InputError, Place, TraceError, UsageError
from passhat.grading.catalogue import brought
from passhat.match.dialects import ways_of
from passhat.recordings.shapes import kind_of
from passhat.suitefile import suite_from, suite_value
from passhat_openevals.convert import are_messages
from passhat_openevals.needs import need_openevals
from passhat_openevals.references import (
    calls_of,
    expected_from,
    reference_messages,
    tools_of,
)
from passhat_openevals.sayable import judging_keys, says, settings_for, settings_it_came_with
from passhat_openevals.settings import KEYS, Settings

OURS = "passhat"
"""The key of a row under which rides what their settings cannot say, and our own evaluator."""

NESTED = ("evaluator", "evaluator_settings", "settings")
"""The keys under which a row may hold the settings of its evaluator."""

ROW = frozenset({"id", "inputs", "reference_outputs", "metadata", "library", OURS, *NESTED, *KEYS})
"""The keys of a row that a case is read from; the others ride along."""

SCHEMA = "passhat.case/1"
"""Marks a row that carries its case whole."""

Row = dict[str, Any]


@dataclass
class Read:
    """What was read of a row."""

    case: Case
    notes: list[FidelityNote] = field(default_factory=list)


def settings_in(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The settings that a row states, nested or beside the outputs; None where it states none.

    Raises:
        InputError: Settings are no mapping.
    """
    flat = {key: row[key] for key in KEYS if row.get(key) is not None}
    for name in NESTED:
        held = row.get(name)
        if held is None:
            continue
        if not isinstance(held, dict):
            said = f"an evaluator's settings are an object, not {kind_of(held)}"
            raise InputError(said, Place(path=f"$.{name}"))
        flat = {**flat, **held}
    if not flat:
        return None
    if row.get("library") is not None:
        flat.setdefault("library", row["library"])
    return flat


def read_row(row: Mapping[str, Any], id: str, place: Place | None = None) -> Read:
    """The case that a row is.

    Args:
        row: The row as JSON.
        id: The case's id, where the row has none.
        place: Where the row stands, for paths in it, which are relative to the folder of its file.

    Raises:
        InputError: The row has not the shape of one, or settings that are none of theirs.
        SuiteError: What rides in it has faults.
    """
    given = row.get("id")
    name = id if given is None else str(given)
    ours = row.get(OURS)
    if ours is not None and not isinstance(ours, dict):
        raise InputError(f"an object was expected, not {kind_of(ours)}", Place(path=f"$.{OURS}"))
    native = _native(row, name)
    if ours is None or "schema" not in ours:
        return native
    stated = {key: item for key, item in ours.items() if key not in ("schema", "suite")}
    value: Row = {"id": name, **stated}
    for key, own in (("inputs", "input"), ("metadata", "metadata")):
        if row.get(key) is not None:
            value[own] = row[key]
    case = suite_from({"name": "openevals", "cases": [value]}, place).cases[0]
    expected = native_row(case)[0]
    if all(row.get(key) == expected.get(key) for key in ("reference_outputs", "evaluator")):
        return Read(case)
    edited = {
        key: getattr(native.case, key)
        for key in ("expected_calls", "mode", "reference", "match", "retries", "parallel")
    }
    edited["extensions"] = {**case.extensions, **native.case.extensions}
    note = FidelityNote(
        f"{name}: reference_outputs",
        "translated",
        "edited since passhat wrote the row: the reference and its settings count",
    )
    return Read(replace(case, **edited), [note, *native.notes])


def _native(row: Mapping[str, Any], name: str) -> Read:
    """The case that a row is by their own keys alone."""
    notes: list[FidelityNote] = []
    kept = {key: item for key, item in row.items() if key not in ROW}
    stated = settings_in(row)
    is_ours = stated is not None and OURS in stated
    foreign = stated is not None and not is_ours and not (stated.keys() & set(KEYS))
    if stated is not None and not is_ours:
        kept["evaluator"] = stated
    if foreign:
        notes.append(FidelityNote(f"{name}: evaluator", "carried", "no setting of a trajectory"))
    case: dict[str, Any] = {"reference": row.get("reference_outputs"), "input": row.get("inputs")}
    judged = stated is not None and not foreign and not is_ours
    if judged and case["reference"] is None and "reference_outputs" in row:
        case["reference"] = []
        said = "null is no calls to their evaluators"
        notes.append(FidelityNote(f"{name}: reference_outputs", "translated", said))
    metadata = row.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        said = f"metadata is an object, not {kind_of(metadata)}"
        raise InputError(said, Place(path="$.metadata"))
    case["metadata"] = metadata or {}
    if are_messages(case["reference"]) or case["reference"] == []:
        try:
            groups = calls_of(case["reference"])
        except TraceError as error:
            inner = (error.place.path or "$")[1:]
            raise InputError(error.message, Place(path=f"$.reference_outputs{inner}")) from error
        if not foreign and not is_ours:
            try:
                settings = Settings.of(stated or {})
            except UsageError as error:
                raise InputError(error.message, Place(path="$.evaluator")) from error
            case["expected_calls"] = expected_from(groups, settings.expected_call)
            case["mode"] = settings.mode
            case |= ways_of(settings.ours, case["expected_calls"])
            if stated is None:
                kept["evaluator"] = {}
            notes += settings.notes(name, tools_of(groups))
            if stated is None:
                said = "none are stated: strict and exact, as their factory takes them"
                notes.append(FidelityNote(f"{name}: evaluator", "translated", said))
    elif judged and case["reference"] is None:
        said = "there are no reference_outputs: nothing is expected"
        notes.append(FidelityNote(f"{name}: evaluator", "carried", said))
    elif judged:
        said = "with these settings, reference_outputs are messages"
        raise InputError(said, Place(path="$.reference_outputs"))
    elif case["reference"] is not None and stated is None:
        notes.append(FidelityNote(f"{name}: reference_outputs", "kept", "a reference, no calls"))
    extensions = {"openevals": kept} if kept else {}
    return Read(Case(name, **case, extensions=extensions), notes)


def native_row(case: Case) -> tuple[Row, list[FidelityNote]]:
    """A case as a row of their own keys, as far as these can say it, and what became of what.

    The evaluator is one of theirs where it means the same; else ours, which `evaluator_for` makes.
    """
    kept = case.extensions.get("openevals")
    kept = kept if isinstance(kept, dict) else {}
    row: Row = {"id": case.id}
    notes = [FidelityNote(f"{case.id}: id", "kept")]
    if case.input is not None:
        row["inputs"] = case.input
        notes.append(FidelityNote(f"{case.id}: input", "kept", "inputs"))
    for key, item in kept.items():
        if key not in ROW:
            row[key] = item
    stated = kept.get("evaluator")
    came = settings_it_came_with(case, stated)
    settings, told = came or settings_for(case)
    notes += told
    own = case.reference is not None and (
        case.expected_calls is None or settings is None or says(case, settings)
    )
    if own:
        row["reference_outputs"] = case.reference
        notes.append(FidelityNote(f"{case.id}: reference", "kept", "reference_outputs"))
    elif case.expected_calls is not None:
        row["reference_outputs"] = reference_messages(case)
        said = "calls in the messages of reference_outputs"
        notes.append(FidelityNote(f"{case.id}: expected_calls", "translated", said))
    if isinstance(settings, Settings):
        evaluator = _bare(stated) if came and isinstance(stated, dict) else None
        if evaluator != {}:
            row["evaluator"] = evaluator or settings.kwargs
        if settings.library != Settings().library:
            row["library"] = settings.library
    elif isinstance(stated, dict) and stated and not brought(case):
        row["evaluator"] = stated
    elif judging_keys(case):
        row["evaluator"] = {OURS: judging_keys(case)}
    if case.metadata:
        row["metadata"] = case.metadata
        notes.append(FidelityNote(f"{case.id}: metadata", "kept"))
    return row, notes


def _bare(stated: Row) -> Row:
    """Settings without the library, which a row states beside them."""
    return {key: item for key, item in stated.items() if key != "library"}


def write_row(case: Case, completed: Callable[[Case], Case]) -> tuple[Row, list[FidelityNote]]:
    """A case as a row; what their keys do not say rides under `passhat`, complete in itself.

    Args:
        case: The case.
        completed: Puts what the suite says of all cases into one.

    Raises:
        UsageError: The case has something that JSON cannot hold.
    """
    row, notes = native_row(case)
    try:
        again = completed(read_row(row, case.id).case)
    except InputError:
        again = None
    if again == case:
        told = {note.what for note in notes}
        rest = [f"{case.id}: {key}" for key in case.stated]
        notes += [FidelityNote(what, "kept") for what in rest if what not in told]
        return row, notes
    stated = dict(suite_value(Suite("", (case,)))["cases"][0])
    for key in ("id", "input", "metadata"):
        stated.pop(key, None)
    row[OURS] = {"schema": SCHEMA, **stated}
    mine = OURS in row.get("evaluator", {})
    told = {note.what for note in notes}
    for key in stated:
        if f"{case.id}: {key}" not in told:
            judged = mine and key in EXPECTING
            kind: FidelityKind = "translated" if judged else "carried"
            said = f"under {OURS}" + (", for passhat_openevals.evaluator_for" if judged else "")
            notes.append(FidelityNote(f"{case.id}: {key}", kind, said))
    return row, notes


def evaluator_for(row: Mapping[str, Any]) -> Any:
    """The evaluator that a row asks for, to be called with the row's `outputs` and reference.

    Args:
        row: A row as `from_suite` writes it, or one with their settings.

    Returns:
        Their `create_trajectory_match_evaluator` with the row's settings; or ours, for all that the
        row's case expects, where no settings of theirs mean the same.

    Raises:
        InputError: The row cannot be read.
        MissingExtraError: It asks for an evaluator of theirs, and the library is not installed.
    """
    from passhat_openevals.evaluators import as_evaluator

    stated = settings_in(row)
    if stated is not None and OURS in stated:
        return as_evaluator(read_row(row, "row").case)
    settings = Settings.of(stated or {})
    need_openevals()
    if settings.library == "agentevals":
        from agentevals.trajectory import match as agentevals  # type: ignore[import-untyped]

        return agentevals.create_trajectory_match_evaluator(**settings.kwargs)
    from openevals.trajectory import match as openevals

    return openevals.create_trajectory_match_evaluator(**settings.kwargs)

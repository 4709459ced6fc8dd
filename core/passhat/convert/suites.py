"""A suite from one form into another."""

from __future__ import annotations

from dataclasses import replace as changed
from inspect import signature
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from passhat.adapter import Adapter, Fidelity
from passhat.case import Case, Suite
from passhat.convert.accounting import account
from passhat.convert.ledger import FidelityReport, FieldNote, from_adapter
from passhat.convert.singlesteps import step_cases
from passhat.convert.sources import OURS, As, Source, address_of, read_suite
from passhat.convert.targets import Draft, drafted
from passhat.convert.unread import unread
from passhat.errors import Place, TraceError, UsageError
from passhat.suitefile import case_from_trace
from passhat.suitefile import write_suite as write_suite_file

_STAND_IN = "passhat:file"


def convert_suite(
    source: Source, target: str, to: Adapter, *, way: As | None, force: bool, strict: bool
) -> FidelityReport:
    """Writes the suite of a source in another form.

    Raises:
        PasshatError: As `convert_file`.
    """
    suite, read = _read(source, way)
    if not suite.cases:
        raise UsageError("a suite without cases tests nothing, and is not written")
    if address_of(target) is not None:
        return _sent(source, suite, read, target, to, force=force, strict=strict)
    with drafted(target, to.name, force=force) as draft:
        written, said_again = _written(suite, to, draft)
        if source.format == to.name:
            read = [_as_it_was(note, said_again) for note in read]
        notes = read + written
        report = _report(source, target, to, suite, notes)
        if strict and not report.lossless:
            return unwritten(report)
        draft.commit()
    return report


def unwritten(report: FidelityReport) -> FidelityReport:
    """The account of a conversion that was not written."""
    return changed(report, written=False)


def _report(
    source: Source, target: str, to: Adapter, suite: Suite, notes: list[FieldNote]
) -> FidelityReport:
    return FidelityReport(
        source.given, source.format, target, to.name, "suite", len(suite.cases), tuple(notes)
    )


def _read(source: Source, way: As | None) -> tuple[Suite, list[FieldNote]]:
    if way in ("cases", "steps"):
        return _of_traces(source, way)
    suite, fidelity = source.suite()
    ids = set(suite.by_id)
    notes = from_adapter(fidelity.notes, ids, "read")
    return suite, [*notes, *unread(source, suite)]


def _of_traces(source: Source, way: As) -> tuple[Suite, list[FieldNote]]:
    """A suite of what was recorded: a case for each run, or for each step of one."""
    cases: dict[str, Case] = {}
    notes: list[FieldNote] = []
    for item in source.traces():
        if isinstance(item, TraceError):
            notes.append(FieldNote(None, "trace", "lost", str(item), side="read"))
            continue
        if way == "steps":
            made = step_cases(item)
        else:
            id = item.case_id if item.case_id and item.case_id not in cases else item.id
            made = [case_from_trace(item, id)]
        for case in made:
            if case.id in cases:
                raise UsageError(
                    f"two runs would be the case {case.id!r}; give them ids of their own"
                )
            cases[case.id] = case
        said = "its calls are what is expected now; look at them"
        notes += [
            FieldNote(case.id, "expected_calls", "translated", said, side="read") for case in made
        ]
    if not cases:
        raise UsageError("nothing could be read that a case could be made of", Place(source.given))
    name = Path(source.given).stem if source.is_file and source.given != "-" else source.format
    return Suite(name, tuple(cases.values())), notes


def _as_it_was(note: FieldNote, said_again: set[FieldNote]) -> FieldNote:
    """A note of the reader; where it says the same of the target, that has what was there."""
    if note in said_again:
        return changed(note, kind="kept", note="written back as it was", run="")
    return note


def _written(suite: Suite, to: Adapter, draft: Draft) -> tuple[list[FieldNote], set[FieldNote]]:
    """Writes a draft, and gives the account that reading it back shows, and what its reader says."""
    folder = Path(draft.target).resolve().parent if draft.target != "-" else Path.cwd()
    placed = _placed(suite, folder)
    seen = _stood_in(placed)
    fidelity = write_suite(seen, to, draft.path)
    again, said = read_suite(to, str(draft.path))
    notes = account(seen, again, from_adapter(fidelity.notes, set(suite.by_id), "written"))
    if seen is not placed:
        write_suite(placed, to, draft.path)
    return notes, set(from_adapter(said.notes, set(suite.by_id), "read"))


def _sent(
    source: Source,
    suite: Suite,
    read: list[FieldNote],
    target: str,
    to: Adapter,
    *,
    force: bool,
    strict: bool,
) -> FidelityReport:
    """Writes a suite to what is no file, after a draft has shown what becomes of it."""
    with drafted("-", to.name, force=True) as draft:
        notes = read + _written(suite, to, draft)[0]
    report = _report(source, target, to, suite, notes)
    if strict and not report.lossless:
        return unwritten(report)
    there: Any = target
    more = (
        {"overwrite": True} if force and "overwrite" in signature(to.write_suite).parameters else {}
    )
    fidelity = to.write_suite(suite, there, **more)
    ids = set(suite.by_id)
    left = [note for note in fidelity.notes if note.kind in ("lost", "approximated")]
    return changed(report, notes=(*report.notes, *from_adapter(left, ids, "written")))


def write_suite(suite: Suite, to: Adapter, path: Path) -> Fidelity:
    """Writes a suite in an adapter's form; ours is a suite file."""
    if to.name == OURS:
        write_suite_file(suite, path)
        return Fidelity()
    return to.write_suite(suite, path)


def _placed(suite: Suite, folder: Path) -> Suite:
    """The suite with the files that its states are named relative to a folder.

    Raises:
        UsageError: One lies outside of the folder.
    """

    def relative(state: Any) -> Any:
        if not isinstance(state, str) or not Path(state).is_absolute():
            return state
        path = Path(state).resolve()
        if not path.is_relative_to(folder):
            raise UsageError(
                f"the initial state {path.name!r} lies outside of the folder that the suite is "
                "written to; copy it beside the target"
            )
        return path.relative_to(folder).as_posix()

    return _with_states(suite, relative)


def _stood_in(suite: Suite) -> Suite:
    """The suite with a stand-in for each state that is a file: the draft does not lie beside it."""

    def stand_in(state: Any) -> Any:
        return {_STAND_IN: state} if isinstance(state, str) else state

    return _with_states(suite, stand_in)


def _with_states(suite: Suite, change: Any) -> Suite:
    states = [suite.defaults.get("initial_state"), *(case.initial_state for case in suite.cases)]
    if not any(isinstance(state, str) for state in states):
        return suite
    cases = tuple(replace(c, initial_state=change(c.initial_state)) for c in suite.cases)
    defaults = dict(suite.defaults)
    if "initial_state" in defaults:
        defaults["initial_state"] = change(defaults["initial_state"])
    return replace(suite, cases=cases, defaults=defaults)

"""A suite from one form into another."""

from __future__ import annotations

from dataclasses import replace as changed
from inspect import signature
from pathlib import Path
from typing import Any

from passhat.adapter import Adapter, Fidelity
from passhat.case import Case, Suite
from passhat.convert.accounting import account
from passhat.convert.again import Again
from passhat.convert.attempts import Attempts
from passhat.convert.comments import remarks_on
from passhat.convert.ledger import FidelityReport, FieldNote, from_adapter
from passhat.convert.leftout import left_out
from passhat.convert.nonnumbers import nonnumbers
from passhat.convert.singlesteps import step_cases
from passhat.convert.sources import OURS, As, Source, address_of, read_suite
from passhat.convert.states import placed, stood_in
from passhat.convert.targets import Draft, drafted
from passhat.convert.unread import unread
from passhat.convert.unrecorded import unrecorded
from passhat.errors import Place, TraceError, UsageError
from passhat.suitefile import case_from_trace
from passhat.suitefile import write_suite as write_suite_file
from passhat.wording import joined

_FEW = 3


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
        folder = Path.cwd() if target == "-" else Path(target).resolve().parent
        suite, moved = placed(suite, folder)
        written, said_again = _written(suite, to, draft, moved, at_home=source.format == to.name)
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
        source.given,
        source.format,
        target,
        to.name,
        "suite",
        len(suite.cases),
        tuple(notes),
        remarks=remarks_on(source.given) if source.format == OURS and source.is_file else (),
    )


def _read(source: Source, way: As | None) -> tuple[Suite, list[FieldNote]]:
    if way in ("cases", "steps"):
        return _of_traces(source, way)
    suite, fidelity = source.suite()
    ids = set(suite.by_id)
    notes = from_adapter(fidelity.notes, ids, "read")
    told = [part for note in notes for part in note.parts]
    return suite, [*notes, *nonnumbers(source, suite), *unread(source, suite, told)]


def _of_traces(source: Source, way: As) -> tuple[Suite, list[FieldNote]]:
    """A suite of what was recorded: a case for each task, or for each step of a run.

    Of several runs that name one case, the first makes it: a trace joins the case that it names. So
    it does of several that were asked the same, and name none.
    """
    cases: dict[str, Case] = {}
    attempts = Attempts()
    notes: list[FieldNote] = []
    again = Again(source.adapter)
    broken: TraceError | None = None
    for item in source.traces():
        if isinstance(item, TraceError):
            broken = broken or item
            notes.append(FieldNote(None, "trace", "lost", str(item), side="read"))
            continue
        if way == "steps":
            made = step_cases(item)
        elif item.case_id and item.case_id in cases:
            told = "the case that it names is made of the first run of it"
            notes.append(FieldNote(item.id, "run", "lost", told, side="read"))
            again.take(item)
            continue
        else:
            made = [case_from_trace(item, item.case_id or item.id)]
            attempts.take(item, made[0])
        for case in made:
            if case.id in cases:
                raise UsageError(
                    f"two runs would be the case {case.id!r}; give them ids of their own",
                    Place(source.given),
                )
            cases[case.id] = case
        said = "its calls are what is expected now; look at them"
        notes += [
            FieldNote(case.id, "expected_calls", "translated", said, side="read") for case in made
        ]
        notes += left_out(item, "steps" if way == "steps" else "cases")
        again.take(item)
    if not cases:
        told = "nothing could be read that a case could be made of"
        if broken is not None:
            raise UsageError(f"{told}: {broken.message}", broken.place)
        raise UsageError(told, Place(source.given))
    name = Path(source.given).stem if source.is_file and source.given != "-" else source.format
    if same := attempts.same():
        notes = [note for note in notes if note.case not in same]
        told = "it was asked the same as the first run of a case, which is made of that one"
        notes += [FieldNote(id, "run", "lost", told, side="read") for id in same]
    kept = tuple(case for case in cases.values() if case.id not in same)
    return Suite(name, kept), [*notes, *unrecorded(source, again)]


def _as_it_was(note: FieldNote, said_again: set[FieldNote]) -> FieldNote:
    """A note of the reader; where it says the same of the target, that has what was there."""
    if note in said_again:
        return changed(note, kind="kept", note="written back as it was", run="")
    return note


def _written(
    suite: Suite, to: Adapter, draft: Draft, moved: list[FieldNote], *, at_home: bool
) -> tuple[list[FieldNote], set[FieldNote]]:
    """Writes a draft, and gives the account that reading it back shows, and what its reader says.

    Where the reader finds that the target judges otherwise than what it gives back, that is what
    becomes of the suite there, unless it comes from that world (`at_home`) and only goes back.
    """
    seen = stood_in(suite)
    fidelity = write_suite(seen, to, draft.path)
    again, said = read_suite(to, str(draft.path))
    ids = set(suite.by_id)
    claims = [*moved, *from_adapter(fidelity.notes, ids, "written")]
    if not at_home:
        other = [note for note in said.notes if note.kind == "approximated"]
        claims += from_adapter(other, ids, "written")
    notes = account(seen, again, claims)
    if seen is not suite:
        write_suite(suite, to, draft.path)
    return notes, set(from_adapter(said.notes, ids, "read"))


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
    suite, moved = placed(suite, None)
    with drafted("-", to.name, force=True) as draft:
        notes = read + _written(suite, to, draft, moved, at_home=source.format == to.name)[0]
    report = _report(source, target, to, suite, notes)
    if strict and not report.lossless:
        return unwritten(report)
    there: Any = target
    ids = set(suite.by_id)
    if not force and (look := getattr(to, "would_leave", None)) is not None:
        kept_back = from_adapter(look(suite, there).notes, ids, "written")
        if kept_back:
            names = joined([str(note.case) for note in kept_back], _FEW)
            raise UsageError(
                f"{kept_back[0].note}: {names}; nothing was written. --force writes over them",
                Place(target),
            )
    more = (
        {"overwrite": True} if force and "overwrite" in signature(to.write_suite).parameters else {}
    )
    fidelity = to.write_suite(suite, there, **more)
    left = [note for note in fidelity.notes if note.kind in ("lost", "approximated")]
    return changed(report, notes=(*report.notes, *from_adapter(left, ids, "written")))


def write_suite(suite: Suite, to: Adapter, path: Path) -> Fidelity:
    """Writes a suite in an adapter's form; ours is a suite file."""
    if to.name == OURS:
        write_suite_file(suite, path)
        return Fidelity()
    return to.write_suite(suite, path)

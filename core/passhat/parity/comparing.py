"""Verdicts of every door beside those of `passhat.grade`, on the same runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace as replaced
from itertools import zip_longest
from typing import Any

from msgspec.structs import replace

from passhat.adapter import adapters, missing
from passhat.case import Suite
from passhat.errors import TraceError, UsageError
from passhat.grading import Grader
from passhat.parity.doors import (
    Attempt,
    BrokenDoor,
    Door,
    DoorAdapter,
    Told,
    Verdict,
    told_of,
)
from passhat.parity.ledger import DoorReport, Finding, Outcome, ParityReport
from passhat.parity.pytest_door import PytestDoor
from passhat.recordings.fidelity import differences
from passhat.suitefile.joining import Joiner
from passhat.trace import Trace
from passhat.wording import nearest_or_all

_FIELDS = ("status", "score", "reason")
_ESSENTIAL = frozenset({"calls", "calls' name", "calls' args"})
"""What every door has a place for: a verdict that another call makes another is no excuse."""
_ABSENT = Told("", "absent", None)


def compare_doors(
    suite: Suite,
    traces: Iterable[Trace | TraceError],
    *,
    doors: Sequence[str] | None = None,
    case_key: str | None = None,
    case: str | None = None,
) -> ParityReport:
    """What every door says of the same runs, beside what `passhat.grade` says.

    A verdict is `equal` where status, score and reason are, to the last bit, what `passhat.grade`
    says of the trace, as far as the door has a place for them. Where it is not, but is what
    `passhat.grade` says of the trace as the door handed it on, the door does `not_carried` what the
    check looks at. All else `differs`.

    Args:
        suite: The suite.
        traces: The recorded runs; each joins its case as `passhat score` joins them.
        doors: The doors to go through, by name; None goes through all that are installed, and tells
            of those that are not.
        case_key: The metadata key that names a trace's case.
        case: The case of traces that do not name theirs.

    Returns:
        The report. Nothing of it is ever sent anywhere.

    Raises:
        UsageError: There is no door of that name, or its framework is not installed.
    """
    offered = list(_offered(suite))
    if doors is not None:
        offered = [_named(name, offered) for name in dict.fromkeys(doors)]
        for door, line in offered:
            if line:
                raise UsageError(f"the door {door.name} needs what is not installed: {line}")
    joiner = Joiner(suite, case_key, case)
    attempts: list[Attempt] = []
    unmatched: list[str] = []
    unread: list[str] = []
    for trace in traces:
        if isinstance(trace, TraceError):
            unread.append(str(trace))
            continue
        joined = joiner.join(trace)
        if joined.case is None:
            unmatched.append(f"{trace.id}: {joined.reason}")
            continue
        known = replace(trace, case_id=joined.case.id, trial=joined.trial)
        attempts.append(Attempt(known, joined.case))
    grader = Grader(inform=False)
    expected = [told_of(grader.grade(one.trace, one.case)) for one in attempts]
    reports = tuple(
        _missing(door, line) if line else _through(door, suite, attempts, expected, grader)
        for door, line in offered
    )
    unjudged = [
        f"{one.trace.id}: {told[0].status}: {told[0].reason}"
        for one, told in zip(attempts, expected, strict=True)
        if told[0].score is None
    ]
    return ParityReport(
        suite.name,
        len(attempts),
        reports,
        tuple(unmatched),
        tuple(unread),
        tuple(unjudged),
        named=doors is not None,
    )


def _offered(suite: Suite) -> Iterator[tuple[Door, str]]:
    """The doors there are, each with the line that installs it where its framework is absent."""
    found: list[tuple[Door, str]] = [(PytestDoor(), "pip install pytest")]
    for name, adapter in adapters().items():
        if isinstance(adapter, DoorAdapter):
            try:
                offered: Sequence[Door] = adapter.doors(suite)
            except Exception as error:  # An adapter that breaks costs itself alone.
                offered = [BrokenDoor(name, error)]
            found += [(door, f"pip install 'passhat[{name}]'") for door in offered]
    for door, line in found:
        yield door, line if missing(door) else ""


def _named(name: str, offered: list[tuple[Door, str]]) -> tuple[Door, str]:
    found = next((item for item in offered if item[0].name == name), None)
    if found is None:
        known = [door.name for door, _ in offered]
        raise UsageError(f"there is no door {name!r}, {nearest_or_all(name, known)}")
    return found


def _missing(door: Door, line: str) -> DoorReport:
    return DoorReport(door.name, door.about, door.kind, missing=line)


def _through(
    door: Door,
    suite: Suite,
    attempts: Sequence[Attempt],
    expected: Sequence[tuple[Told, ...]],
    grader: Grader,
) -> DoorReport:
    report = DoorReport(door.name, door.about, door.kind, not_carried=door.not_carried)
    if not attempts:
        return report
    try:
        verdicts = door.verdicts(suite, attempts)
        if len(verdicts) != len(attempts):
            raise ValueError(f"it gave {len(verdicts)} verdicts on {len(attempts)} runs")
    except Exception as error:  # Whatever a framework does, the other doors are still compared.
        return replaced(report, broken=f"{type(error).__name__}: {error}")
    findings: list[Finding] = []
    fields: Counter[str] = Counter()
    judged = compared = 0
    for attempt, ours, verdict in zip(attempts, expected, verdicts, strict=True):
        if not verdict.told:
            if door.kind == "ours" or verdict.why_not:
                findings.append(_not_judged(attempt, verdict))
            continue
        judged += 1
        changed = _changed(attempt.trace, verdict.seen)
        fields.update(changed)
        number, found = _compared(door, attempt, ours, verdict, changed, grader)
        compared += number
        findings += found
    return replaced(
        report,
        runs=judged,
        verdicts=compared,
        findings=tuple(findings),
        fields=tuple(fields.most_common()),
    )


def _not_judged(attempt: Attempt, verdict: Verdict) -> Finding:
    why = verdict.why_not or "the door gave no verdict"
    return _finding(attempt, "not_judged", "case", "status", (None, None), why)


def _finding(
    attempt: Attempt,
    outcome: Outcome,
    key: str,
    field: str,
    values: tuple[Any, Any],
    why: str,
) -> Finding:
    return Finding(outcome, attempt.case.id, attempt.trace.id, key, field, *values, why)


def _changed(trace: Trace, seen: Trace | None) -> list[str]:
    """The fields that are not, in the trace that a door handed on, what they were."""
    if seen is None:
        return []
    known = replace(seen, id=trace.id, case_id=trace.case_id, trial=trace.trial)
    names = [note.what.rpartition(": ")[2] for note in differences(trace, known)]
    return [name for name in dict.fromkeys(names) if name not in ("source", "turn_ids")]


def _of_a_gap(told: Told, seen: Trace | None) -> bool:
    """Whether nothing could be judged, and the reason is a gap that the door itself states."""
    said = [gap.partition(": ")[2] for gap in (seen.gaps if seen is not None else ())]
    return told.status == "not_evaluated" and any(gap and gap in told.reason for gap in said)


def _compared(
    door: Door,
    attempt: Attempt,
    ours: tuple[Told, ...],
    verdict: Verdict,
    changed: list[str],
    grader: Grader,
) -> tuple[int, list[Finding]]:
    """How many verdicts were compared, and those that are not the same."""
    if door.kind == "theirs":
        return _beside_theirs(attempt, ours, verdict)
    found: list[Finding] = []
    handed: tuple[Told, ...] | None = None
    for at, (one, other) in enumerate(zip_longest(ours, verdict.told, fillvalue=_ABSENT)):
        mine = one if one is _ABSENT else door.carries(one)
        field = _parted(mine, other)
        if field is None:
            continue
        if handed is None and verdict.seen is not None:
            known = replace(verdict.seen, case_id=attempt.case.id, trial=attempt.trace.trial)
            handed = told_of(grader.grade(known, attempt.case))
        alike = (
            handed is not None
            and at < len(handed)
            and _parted(door.carries(handed[at]), other) is None
        )
        why = f"it has another {', '.join(changed)}" if alike and changed else ""
        excused = why and (
            not _ESSENTIAL & {*changed} or (field == "reason" and _of_a_gap(other, verdict.seen))
        )
        outcome: Outcome = "not_carried" if excused else "differs"
        values = getattr(mine, field), getattr(other, field)
        found.append(_finding(attempt, outcome, one.key or other.key, field, values, why))
    return max(len(ours), len(verdict.told)), found


def _parted(ours: Told, theirs: Told) -> str | None:
    """The first field that is not the same; None where all are."""
    if ours.key != theirs.key:
        return "key"
    return next((name for name in _FIELDS if getattr(ours, name) != getattr(theirs, name)), None)


def _beside_theirs(
    attempt: Attempt, ours: tuple[Told, ...], verdict: Verdict
) -> tuple[int, list[Finding]]:
    """A framework's own evaluator beside the check of ours that stands for it."""
    by_key = {one.key: one for one in ours}
    found: list[Finding] = []
    number = 0
    for other in verdict.told:
        one = by_key.get(other.key)
        if one is None:
            why = f"the case requires no {other.key} of passhat's to compare {other.status} with"
            found.append(_not_judged(attempt, Verdict(why_not=why)))
            continue
        number += 1
        if one.status != other.status:
            said = f"; passhat: {one.reason}" if one.reason else ""
            why = (other.reason or "it gives no reason") + said
            values = one.status, other.status
            found.append(_finding(attempt, "differs", other.key, "status", values, why))
    return number, found

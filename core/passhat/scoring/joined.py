"""Recorded traces, read, joined to their cases and graded, one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from passhat.adapter import Adapter
from passhat.case import Case, Suite
from passhat.errors import InputError, TraceError, UsageError
from passhat.grading import Grader
from passhat.jsontext import file_name
from passhat.recordings.failing import compiled, with_errors
from passhat.result import Trial
from passhat.scoring.sources import recording_reader, suite_of
from passhat.scoring.unjudged import caseless, informing, names_none, twin
from passhat.suitefile.hashes import case_hash, suite_hash, tools_hash
from passhat.suitefile.joining import Joiner, stated_case
from passhat.trace import Trace

if TYPE_CHECKING:
    from passhat.grading.planning import ChecksSpec


class Scoring:
    """Recorded traces on their way to verdicts: iterating reads, joins and grades them.

    Nothing is kept but the suite, the trial numbers and a number for each trace, so memory hardly
    grows with the traces. A run that stands in the recordings twice counts once.

    Args:
        sources: The files; `-` is standard input.
        suite: The suite to grade by, or its file.
        format: Which reader to use (`openai`, `tau-bench`, ...); None asks each file.
        success: The recorded score whose value (1 or more) is the verdict; then expectations
            inform.
        expected: Whether to grade by the expectations that the recordings themselves carry. Where
            no verdict is asked for otherwise, these still inform.
        case_key: The metadata key that names a trace's case.
        case: The case of traces that do not name theirs.
        checks: The checks to require, instead of those that the cases' expectations bring.
        allow_code: Whether the suite may name checks of its own to import.
        error_pattern: A regular expression; a call whose answer matches it has failed.
        timelines: Whether failed trials keep the steps of their runs, in short.

    Attributes:
        cases: The cases of the suite; empty where there is none.
        about: What is scored: `source`, `format`, `judged_by`.
        sources: The files, each with its reader.
        notes: What a reader of the suite should know.
        read: How many traces were read so far.

    Raises:
        UsageError: The options contradict each other, or there is no such reader.
        InputError: A file cannot be opened, or does not tell what it is.
        SuiteError: The suite has faults.
    """

    def __init__(
        self,
        sources: Sequence[str | Path],
        suite: Suite | str | Path | None = None,
        *,
        format: str | None = None,
        success: str | None = None,
        expected: bool = False,
        case_key: str | None = None,
        case: str | None = None,
        checks: ChecksSpec | None = None,
        allow_code: bool = False,
        error_pattern: str | None = None,
        timelines: bool = False,
    ) -> None:
        if suite is not None and expected:
            raise UsageError(
                "a suite and the expectations of the recording: give --suite or --expected"
            )
        self.notes: tuple[str, ...] = ()
        self.read = 0
        self._suite_name = ""
        self.suite = self._read_suite(suite, allow_code)
        self.sources = [(source, recording_reader(source, format)) for source in sources]
        self._success = success or self._recorded_verdict(expected, checks)
        self._expected = expected
        self._checks = checks
        self._failing = None if error_pattern is None else compiled(error_pattern)
        self._timelines = timelines
        self._case_key = case_key
        self._case = case
        self._suite_joiner: Joiner | None = None
        self._bare: dict[str, Case] = {}
        self._numbers: Counter[str] = Counter()
        self._known: set[int] = set()
        self._hashes: dict[str, str] | None = None
        self._suite_hash = ""
        self._tools_hashes: dict[bytes, str] = {}

    def _read_suite(self, suite: Suite | str | Path | None, allow_code: bool) -> Suite | None:
        if suite is None:
            return None
        found, self._suite_name, self.notes = suite_of(suite, allow_code=allow_code)
        return found

    def _recorded_verdict(self, expected: bool, checks: ChecksSpec | None) -> str | None:
        """The score that is the verdict in the recordings' own world, where nothing else is one."""
        if expected or checks is not None or self.suite is not None:
            return None
        own = set()
        for source, reader in self.sources:
            told = getattr(reader, "recorded_verdict", None)
            own.add(None if told is None else told(source))
        return own.pop() if len(own) == 1 else None

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases of the suite that was given."""
        return self.suite.cases if self.suite is not None else ()

    @property
    def about(self) -> dict[str, str]:
        """What is scored, with what."""
        one = len(self.sources) == 1
        return {
            "source": file_name(self.sources[0][0]) if one else f"{len(self.sources)} files",
            "format": ", ".join(dict.fromkeys(reader.name for _, reader in self.sources)),
            "judged_by": self._judged_by,
        }

    @property
    def _judged_by(self) -> str:
        if self._success is not None:
            return f"recorded score {self._success}"
        if self._expected:
            return "recorded expectations"
        if self.suite is not None:
            return self._suite_name
        return f"checks {', '.join(map(_key, self._checks))}" if self._checks else ""

    def __iter__(self) -> Iterator[Trial | TraceError]:
        """The trials, in the order of the traces; a trace that cannot be read is its error.

        In the end, each case of the suite that no trace joined is a trial that was not run.
        """
        seen: set[str] = set()
        for source, reader in self.sources:
            grader = Grader(self._checks, self._success, timelines=self._timelines)
            joiner = self._joiner(source, reader)
            for item in self._traces(source, reader):
                if isinstance(item, TraceError):
                    yield item
                    continue
                self.read += 1
                if self._again(item):
                    yield twin(item)
                    continue
                _, trial = self._judged(item, grader, joiner)
                if trial.case_id is not None:
                    seen.add(trial.case_id)
                yield trial
        if self._case is None:
            for case in self.cases:
                if case.id not in seen:
                    yield Trial(
                        case.id, 0, "", "not_run", reason="no trace joins the case", tags=case.tags
                    )

    def _traces(self, source: str | Path, reader: Adapter) -> Iterator[Trace | TraceError]:
        """The traces of a source, with the calls failed that the user's pattern says so of."""
        found = reader.read_traces(source)
        if self._failing is None:
            return found
        pattern = self._failing
        return (
            item if isinstance(item, TraceError) else with_errors(item, pattern) for item in found
        )

    def _again(self, trace: Trace) -> bool:
        """Whether the same run was read before: counted twice it would pass for an attempt.

        Where an id is a case's, runs that share it and say the same are attempts.
        """
        if self._case_key == "id":
            return False
        calls = (*[call.name for call in trace.calls], *[call.id for call in trace.calls])
        about = (trace.id, trace.case_id, trace.trial, trace.started)
        last = trace.messages[-1].text if trace.messages else None
        known = hash((about, len(trace.steps), last, calls))
        if known in self._known:
            return True
        self._known.add(known)
        return False

    def _joiner(self, source: str | Path, reader: Adapter) -> Joiner | None:
        """What joins the traces of a source: to the suite, or to the expectations it carries."""
        if self.suite is not None:
            if self._suite_joiner is None:
                self._suite_joiner = Joiner(self.suite, self._case_key, self._case)
            return self._suite_joiner
        try:
            found = reader.read_suite(source)[0]
        except UsageError:
            if self._expected:
                raise
            return None
        except InputError as error:
            if self._expected:
                raise
            self.notes = (*self.notes, f"the recorded expectations cannot be read: {error}")
            return None
        return Joiner(found, self._case_key, self._case if self._case in found.by_id else None)

    def find(self, name: str) -> tuple[Trace, Case | None, Trial]:
        """The trace of a trial with its case and its verdict.

        Args:
            name: The trace's id, or `CASE/TRIAL`.

        Raises:
            InputError: No trace that can be read is called so.
        """
        for source, reader in self.sources:
            grader = Grader(self._checks, self._success)
            joiner = self._joiner(source, reader)
            for item in self._traces(source, reader):
                if isinstance(item, TraceError):
                    continue
                case, trial = self._judged(item, grader, joiner)
                cases = (trial.case_id, item.case_id)
                if name in (item.id, *(f"{case_id}/{trial.trial}" for case_id in cases)):
                    return item, case, trial
        raise InputError(f"no run is called {name!r}: give a trace's id, or CASE/TRIAL")

    def _judged(
        self, trace: Trace, grader: Grader, joiner: Joiner | None
    ) -> tuple[Case | None, Trial]:
        """The case that a trace joins, and the verdict on it."""
        joined = joiner.join(trace) if joiner is not None else None
        if joined is not None and joined.case is not None:
            trial = grader.grade(trace, joined.case, trial=joined.trial)
        elif self._needs_no_expectations:
            trial = self._by_name_alone(trace, grader)
        else:
            trial = caseless(grader.grade(trace, None), joined.reason if joined else "")
        case = joined.case if joined is not None else None
        trial = self._pinned(trial, trace)
        return case, trial if self.has_verdict else informing(trial, trace)

    def _pinned(self, trial: Trial, trace: Trace) -> Trial:
        """The trial with the hashes of what it was held to: its suite, its case, its tools."""
        pins: dict[str, Any] = {}
        if trace.tools and "tools" not in trial.pins:
            key = msgspec.msgpack.encode(trace.tools)
            if key not in self._tools_hashes:
                self._tools_hashes[key] = tools_hash(trace.tools)
            pins["tools"] = self._tools_hashes[key]
        if self.suite is not None:
            if self._hashes is None:
                self._hashes = {case.id: case_hash(case) for case in self.suite.cases}
                self._suite_hash = suite_hash(self.suite, self._hashes)
            pins["suite"] = self._suite_hash
            if trial.case_id in self._hashes:
                pins["case"] = self._hashes[trial.case_id]
        return replace(trial, pins={**trial.pins, **pins}) if pins else trial

    @property
    def _needs_no_expectations(self) -> bool:
        """Whether a recorded score, or checks that were asked for by name, are the verdict."""
        named = self._checks is not None and not self._expected
        return self.suite is None and (self._success is not None or named)

    def _by_name_alone(self, trace: Trace, grader: Grader) -> Trial:
        """The verdict where a case need only have a name."""
        name = stated_case(trace, self._case_key)
        if name is None:
            name = trace.case_id if trace.case_id is not None else self._case
        if name is None:
            return caseless(grader.grade(trace, None), names_none(trace))
        if name not in self._bare:
            self._bare[name] = Case(name)
        number = self._numbers[name]
        self._numbers[name] += 1
        return grader.grade(trace, self._bare[name], trial=number)

    @property
    def has_verdict(self) -> bool:
        """Whether anything says what success is; without it, checks inform and nothing is judged."""
        return (
            self._expected
            or self.suite is not None
            or self._success is not None
            or self._checks is not None
        )


def _key(check: Any) -> str:
    return check if isinstance(check, str) else str(check.key)

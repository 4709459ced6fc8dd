"""The journal as lines of JSON, a record each.

A record that was cut by a kill is the last one, and was never finished: it is cut off when the file
is next written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from passhat.errors import InputError, Place
from passhat.result import Trial, TrialStatus, decode_trial, encode_trial
from passhat.trials.journal import (
    AGAIN,
    JOURNAL_SCHEMA,
    LEASE,
    NO_TRACE,
    Claim,
    Clock,
    JustBegunError,
    damaged,
)
from passhat.trials.jsonl_records import Finished, encode_record, read_key, read_line
from passhat.trials.locked_lines import LockedLines
from passhat.trials.pins import Pins
from passhat.trials.runner_ids import is_dead, own_id, retire


class _Held(NamedTuple):
    """A claim, or a finished trial with where its record stands."""

    runner: str
    lease: float
    status: TrialStatus | None = None
    finished: float = 0.0
    at: int = 0
    size: int = 0


@dataclass
class JsonlJournal:
    """Keeps trials as lines of JSON; in memory it knows where each stands."""

    _file: Path
    _clock: Clock
    notes: tuple[str, ...] = ()
    _held: dict[str, dict[int, _Held]] = field(default_factory=dict)
    _leases: dict[str, float] = field(default_factory=dict)
    _line: int = 0
    _pins: Pins | None = None
    _complete: bool = False
    _began: float = 0.0
    _runner: str = field(default_factory=own_id)
    _lines: LockedLines = field(init=False)

    def __post_init__(self) -> None:
        self._lines = LockedLines(self._file, self._take)

    @classmethod
    def begun(cls, file: Path, pins: Pins, clock: Clock) -> Self:
        """A new journal.

        Raises:
            UsageError: It cannot be written, or another runner has just begun it.
        """
        journal = cls(file, clock, _began=clock())
        with journal._lines.locked(create=True):
            if journal._pins is not None:
                raise JustBegunError(file)
            journal._append({"schema": JOURNAL_SCHEMA, "pins": pins})
        return journal

    @classmethod
    def taken_up(cls, file: Path, clock: Clock) -> Self:
        """A journal that is there.

        Raises:
            InputError: It is of another program, or its first record is damaged.
        """
        journal = cls(file, clock, _began=clock())
        with journal._lines.locked():
            if journal._pins is None:
                raise InputError(
                    "the first record of the journal is damaged, so what it is pinned to is lost; "
                    "it is left as it is",
                    Place(str(file), 1),
                )
        return journal

    @property
    def pins(self) -> Pins:
        """What the run is pinned to."""
        assert self._pins is not None
        return self._pins

    @property
    def is_complete(self) -> bool:
        """Whether all that was to be run is finished."""
        return self._complete

    @property
    def finished(self) -> int:
        """How many trials are finished."""
        self._catch_up()
        held = [entry for case in self._held.values() for entry in case.values()]
        return sum(entry.status is not None for entry in held)

    def busy(self) -> bool:
        """Whether another runner that may be alive is at it."""
        claims = [entry for case in self._held.values() for entry in case.values()]
        return any(self._stands(claim) for claim in claims if claim.status is None)

    def go_on(self, pins: Pins) -> None:
        """Takes the run up with these pins."""
        with self._lines.locked():
            self._append({"pins": pins, "complete": False})

    def together(self) -> AbstractContextManager[None]:
        """What is written within it is written in one go."""
        return self._lines.together()

    def claim(self, case_id: str, trial: int) -> Claim:
        """Asks for a trial to run."""
        with self._lines.locked():
            held = self._held.get(case_id, {}).get(trial)
            if held is not None and held.status is not None:
                if held.status not in AGAIN or held.finished >= self._began:
                    return "done"
            elif held is not None and self._stands(held):
                return "taken"
            lease = self._clock() + LEASE
            self._append({"claim": (case_id, trial), "runner": self._runner, "lease": lease})
        return "ours"

    def finish(self, trial: Trial, trace: bytes) -> bool:
        """Keeps a finished trial; False where another runner had taken it over."""
        assert trial.case_id is not None
        with self._lines.locked():
            held = self._held.get(trial.case_id, {}).get(trial.trial)
            if held is None or held.status is not None or held.runner != self._runner:
                return False
            kept = Finished(msgspec.Raw(encode_trial(trial)), msgspec.Raw(trace), self._clock())
            self._append({"finished": kept, "runner": self._runner})
        return True

    def release(self, case_id: str, trial: int) -> None:
        """Gives a trial back that was not finished."""
        with self._lines.locked():
            self._append({"release": (case_id, trial), "runner": self._runner})

    def renew(self) -> None:
        """Says that this runner is alive."""
        with self._lines.locked():
            self._append({"alive": self._runner, "lease": self._clock() + LEASE})

    def trial(self, case_id: str, number: int) -> Trial | None:
        """A finished trial."""
        held = self._held.get(case_id, {}).get(number)
        if held is None or held.status is None:
            return None
        try:
            return decode_trial(bytes(self._record(held).result), Place(str(self._file)))
        except InputError:
            self.notes = (*self.notes, damaged(self._file, case_id, number))
            del self._held[case_id][number]
            return None

    def trials(self, case_id: str) -> Iterator[Trial]:
        """The finished trials of a case, by number."""
        self._catch_up()
        for number in sorted(self._held.get(case_id, {})):
            found = self.trial(case_id, number)
            if found is not None:
                yield found

    def traces(self) -> Iterator[bytes]:
        """The traces of the finished trials, as JSON."""
        for case in list(self._held.values()):
            for held in list(case.values()):
                if held.status is None:
                    continue
                trace = bytes(self._record(held).trace)
                if trace != NO_TRACE:
                    yield trace

    def complete(self, done: bool) -> None:
        """Says whether all that was to be run is finished."""
        if done:
            with self._lines.locked():
                self._append({"complete": True})

    def close(self) -> None:
        """Lets go of the file."""
        self._lines.close()
        retire(self._runner)

    def _catch_up(self) -> None:
        """Takes in what others have written since."""
        with self._lines.locked():
            pass

    def _stands(self, claim: _Held) -> bool:
        """Whether a claim is another runner's that may be alive."""
        if claim.runner == self._runner:
            return False
        lease = max(claim.lease, self._leases.get(claim.runner, 0.0))
        return lease > self._clock() and not is_dead(claim.runner)

    def _record(self, held: _Held) -> Finished:
        record = read_line(self._lines.at(held.at, held.size)).finished
        assert record is not None
        return record

    def _append(self, record: dict[str, Any]) -> None:
        self._lines.append(encode_record(record) + b"\n")

    def _take(self, data: bytes, at: int) -> None:
        """Takes in one whole record, the next that was not yet known, and where it stands."""
        self._line += 1
        try:
            line = read_line(data)
            key = read_key(line.finished.result) if line.finished is not None else None
        except (msgspec.DecodeError, UnicodeDecodeError):
            told = f"{self._file}:{self._line}: a damaged record, whose trial is run again"
            self.notes = (*self.notes, told)
            return
        if line.pins is not None:
            self._pins = line.pins
        if line.complete is not None:
            self._complete = line.complete
        if line.alive is not None:
            self._leases[line.alive] = line.lease
        if line.claim is not None:
            case_id, number = line.claim
            self._held.setdefault(case_id, {})[number] = _Held(line.runner, line.lease)
        if line.release is not None:
            case_id, number = line.release
            held = self._held.get(case_id, {}).get(number)
            if held is not None and held.status is None and held.runner == line.runner:
                del self._held[case_id][number]
        if line.finished is not None and key is not None:
            self._held.setdefault(key.case_id, {})[key.trial] = _Held(
                line.runner, 0.0, key.status, line.finished.at, at, len(data)
            )

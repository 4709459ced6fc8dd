"""The journal: every finished trial on disk before the next is counted, and who works on which.

Two forms keep the same promises: an SQLite database (the default) and JSONL (a name that ends so).
Both belong to one machine: they rely on its locks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from passhat.errors import InputError, Place, UsageError
from passhat.result import Trial, TrialStatus
from passhat.trials.pins import Pins

JOURNAL_SCHEMA = "passhat.journal/1"
LEASE = 60.0
"""For how many seconds a claim holds unless it is renewed."""

AGAIN: frozenset[TrialStatus] = frozenset({"infrastructure_error", "not_run"})
"""The statuses of finished trials that a later run tries again."""

Claim = Literal["ours", "done", "taken"]
"""What asking for a trial gives: run it; it is finished; another runner is at it."""
Clock = Callable[[], float]
NO_TRACE = b"null"
"""What stands in the place of the trace of a trial that was refused."""


class Journal(Protocol):
    """Keeps finished trials and claims.

    Trials that the surroundings broke, before this runner began, may be claimed again.
    """

    notes: tuple[str, ...]

    @property
    def finished(self) -> int:
        """How many trials are finished."""
        ...

    def together(self) -> AbstractContextManager[None]:
        """What is written within it is written at once, at its end; all of it, or nothing."""
        ...

    def claim(self, case_id: str, trial: int) -> Claim:
        """Asks for a trial to run."""
        ...

    def finish(self, trial: Trial, trace: bytes) -> bool:
        """Keeps a finished trial; False where another runner had taken it over, and this is void."""
        ...

    def release(self, case_id: str, trial: int) -> None:
        """Gives a trial back that was not finished."""
        ...

    def renew(self) -> None:
        """Says that this runner is alive."""
        ...

    def trial(self, case_id: str, number: int) -> Trial | None:
        """A finished trial; one whose record is damaged is none, and may be claimed again."""
        ...

    def trials(self, case_id: str) -> Iterator[Trial]:
        """The finished trials of a case, by number; see `trial`."""
        ...

    def traces(self) -> Iterator[bytes]:
        """The traces of the finished trials, as JSON; those of which there is none are left out."""
        ...

    def complete(self, done: bool) -> None:
        """Says whether all that was to be run is finished."""
        ...

    def close(self) -> None:
        """Lets go of the file."""
        ...


@dataclass
class MemoryJournal:
    """Keeps trials in memory, for runs that nobody has to take up again."""

    notes: tuple[str, ...] = ()
    _trials: dict[str, dict[int, Trial]] = field(default_factory=dict)

    @property
    def finished(self) -> int:
        """How many trials are finished."""
        return sum(map(len, self._trials.values()))

    def together(self) -> AbstractContextManager[None]:
        """Nothing is written."""
        return nullcontext()

    def claim(self, case_id: str, trial: int) -> Claim:
        """Asks for a trial to run."""
        return "done" if trial in self._trials.get(case_id, {}) else "ours"

    def finish(self, trial: Trial, trace: bytes) -> bool:
        """Keeps a finished trial."""
        assert trial.case_id is not None
        self._trials.setdefault(trial.case_id, {})[trial.trial] = trial
        return True

    def release(self, case_id: str, trial: int) -> None:
        """Nothing was claimed."""

    def renew(self) -> None:
        """Nobody asks."""

    def trial(self, case_id: str, number: int) -> Trial | None:
        """A finished trial."""
        return self._trials.get(case_id, {}).get(number)

    def trials(self, case_id: str) -> Iterator[Trial]:
        """The finished trials of a case, by number."""
        held = self._trials.get(case_id, {})
        return (held[number] for number in sorted(held))

    def traces(self) -> Iterator[bytes]:
        """None are kept."""
        return iter(())

    def complete(self, done: bool) -> None:
        """Nobody asks."""

    def close(self) -> None:
        """There is no file."""


def open_journal(
    path: str | Path,
    pins: Pins,
    *,
    resume: bool = False,
    fresh: bool = False,
    vary: bool = False,
    clock: Clock = time.time,
) -> Journal:
    """The journal of a run, begun or taken up again.

    Args:
        path: The file. A new one is JSONL where the name ends in `.jsonl` or `.json`, else SQLite.
        pins: What the run is pinned to.
        resume: Whether to go on with what the file holds; a file that is not there is begun.
        fresh: Whether to throw away what it holds and begin anew.
        vary: Whether to go on although the pins are others.
        clock: The time, seconds since the Unix epoch.

    Raises:
        InputError: The file is of another program, or is damaged.
        UsageError: It holds trials and it was not said what to do with them; the pins are others;
            another runner is at it; it cannot be written.
    """
    from passhat.trials.jsonl_journal import JsonlJournal
    from passhat.trials.sqlite_journal import SqliteJournal

    if resume and fresh:
        raise UsageError("resume and fresh exclude each other: go on with the journal, or anew")
    file = Path(path)
    kind = _kind(file)
    jsonl = kind == "jsonl" if kind is not None else file.suffix in (".jsonl", ".json")
    opened: type[SqliteJournal] | type[JsonlJournal] = JsonlJournal if jsonl else SqliteJournal
    if kind is None:
        try:
            return opened.begun(file, pins, clock)
        except JustBegunError:
            if not resume:
                raise
    journal = opened.taken_up(file, clock)
    try:
        if fresh or (not resume and (journal.is_complete or not journal.finished)):
            busy = journal.busy()
            if busy:
                raise UsageError(
                    "another runner is at this journal; join it with --resume (resume=True)",
                    Place(str(file)),
                )
            journal.close()
            _remove(file)
            return opened.begun(file, pins, clock)
        if not resume:
            raise UsageError(
                f"holds {journal.finished} finished trials of a run that is not complete; go on "
                "with --resume (resume=True), or throw them away with --fresh (fresh=True)",
                Place(str(file)),
            )
        varied = _same_pins(file, journal.pins, pins, vary=vary)
        if varied:
            told = f"resumed under other pins, so what is added up differs in: {'; '.join(varied)}"
            journal.notes = (*journal.notes, told)
        journal.go_on(pins)
    except BaseException:
        journal.close()
        raise
    return journal


def _same_pins(file: Path, old: Pins, new: Pins, *, vary: bool) -> list[str]:
    """In what the pins differ.

    Raises:
        UsageError: They do, and they may not.
    """
    differences = old.differences(new)
    if differences and not vary:
        told = "".join(f"\n  {line}" for line in differences)
        raise UsageError(
            "the run that this journal holds was pinned to something else; go on all the same with "
            f"--vary (vary=True), or begin anew with --fresh (fresh=True):{told}",
            Place(str(file)),
        )
    return differences


def _kind(file: Path) -> str | None:
    """What a file is: `sqlite`, `jsonl`, or None where there is nothing yet.

    Raises:
        InputError: It cannot be read, or is neither.
    """
    try:
        with file.open("rb") as opened:
            head = opened.read(4096)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", Place(str(file))) from error
    if not head:
        return None
    if head.startswith(b"SQLite format 3\0"):
        from passhat.trials.sqlite_journal import is_blank

        return None if is_blank(file) else "sqlite"
    if head.startswith(b'{"schema":"' + JOURNAL_SCHEMA.encode()):
        return "jsonl"
    raise InputError(
        "no journal of passhat: it is left as it is; name another file", Place(str(file))
    )


class JustBegunError(UsageError):
    """That another runner was quicker to begin a journal."""

    def __init__(self, file: Path) -> None:
        super().__init__(
            "another runner has just begun this journal; join it with --resume (resume=True)",
            Place(str(file)),
        )


def unwritable(file: Path, why: object) -> UsageError:
    """That a journal cannot be written, and what becomes of it."""
    return UsageError(
        f"the journal cannot be written: {why}; what is finished stays, and --resume goes on from "
        "there",
        Place(str(file)),
    )


def damaged(file: Path, case_id: str, trial: int) -> str:
    """What is said of a finished trial whose record cannot be read."""
    return f"{file}: the record of {case_id} #{trial} is damaged, so it is run again"


def _remove(file: Path) -> None:
    for name in (file, *(file.with_name(file.name + end) for end in ("-wal", "-shm"))):
        with suppress(FileNotFoundError):
            name.unlink()

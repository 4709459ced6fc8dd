"""The journal as an SQLite database in WAL mode: what is committed outlives any kill of the process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import msgspec

from passhat.errors import InputError, Place, UsageError
from passhat.result import Trial, decode_trial, encode_trial
from passhat.trials.journal import (
    AGAIN,
    JOURNAL_SCHEMA,
    LEASE,
    NO_TRACE,
    Claim,
    Clock,
    JustBegunError,
    damaged,
    unwritable,
)
from passhat.trials.pins import Pins
from passhat.trials.runner_ids import is_dead, own_id, retire

_APPLICATION = 0x70617373
"""`pass`, in the header of the file."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS trials (case_id TEXT NOT NULL, trial INTEGER NOT NULL, "
    "runner TEXT NOT NULL, lease REAL NOT NULL, status TEXT, finished REAL, result BLOB, "
    "trace BLOB, UNIQUE (case_id, trial))",
    "CREATE INDEX IF NOT EXISTS claims ON trials (runner) WHERE status IS NULL",
)
_BUSY_SECONDS = 30.0
_READING = 200
_PAGES = 8000
"""How much is written beside the database before it is brought in, which takes a sync of the disk."""


def is_blank(file: Path) -> bool:
    """Whether a database holds nothing at all: a journal that was killed when it was begun."""
    try:
        with closing(sqlite3.connect(file, timeout=_BUSY_SECONDS)) as db:
            return not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.Error:
        return False


class SqliteJournal:
    """Keeps trials in an SQLite database; every statement is a transaction of its own."""

    notes: tuple[str, ...] = ()

    def __init__(self, file: Path, clock: Clock) -> None:
        self._file = file
        self._clock = clock
        self._began = clock()
        self._runner = own_id()
        self._db = sqlite3.connect(
            file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )

    @classmethod
    def begun(cls, file: Path, pins: Pins, clock: Clock) -> Self:
        """A new journal.

        Raises:
            UsageError: It cannot be written, or another runner has just begun it.
        """
        try:
            journal = cls(file, clock)
        except sqlite3.Error as error:
            raise UsageError(f"cannot be written: {error}", Place(str(file))) from error
        try:
            with journal._writing():
                journal._settle()
                told = {"schema": JOURNAL_SCHEMA, "pins": msgspec.json.encode(pins).decode()}
                journal._db.execute("BEGIN IMMEDIATE")
                for table in _TABLES:
                    journal._db.execute(table)
                journal._db.execute(f"PRAGMA application_id = {_APPLICATION}")
                if journal._about("pins") is not None:
                    journal._db.execute("ROLLBACK")
                    raise JustBegunError(file)
                journal._db.executemany("INSERT INTO about VALUES (?, ?)", told.items())
                journal._db.execute("COMMIT")
        except BaseException:
            journal.close()
            raise
        return journal

    @classmethod
    def taken_up(cls, file: Path, clock: Clock) -> Self:
        """A journal that is there.

        Raises:
            InputError: It is of another program, or is damaged.
        """
        journal = cls(file, clock)
        try:
            with journal._reading():
                found = journal._db.execute("PRAGMA application_id").fetchone()[0]
                if found != _APPLICATION:
                    raise InputError(
                        "a database of another program: it is left as it is; name another file",
                        Place(str(file)),
                    )
                schema = journal._about("schema")
                if schema != JOURNAL_SCHEMA:
                    raise InputError(
                        f"a journal of form {schema!r}, not {JOURNAL_SCHEMA!r}", Place(str(file))
                    )
                journal._settle()
        except BaseException:
            journal.close()
            raise
        return journal

    def _settle(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        # Outlives the process, not a power failure, of which the last trials may run again.
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute(f"PRAGMA wal_autocheckpoint = {_PAGES}")

    @property
    def pins(self) -> Pins:
        """What the run is pinned to.

        Raises:
            InputError: They cannot be read.
        """
        with self._reading():
            told = self._about("pins")
        try:
            return msgspec.json.decode(told or "", type=Pins)
        except msgspec.DecodeError as error:
            raise InputError(f"its pins are damaged: {error}", Place(str(self._file))) from error

    @property
    def is_complete(self) -> bool:
        """Whether all that was to be run is finished."""
        with self._reading():
            return self._about("complete") == "yes"

    @property
    def finished(self) -> int:
        """How many trials are finished."""
        with self._reading():
            asked = "SELECT count(*) FROM trials WHERE status IS NOT NULL"
            return int(self._db.execute(asked).fetchone()[0])

    def busy(self) -> bool:
        """Whether another runner that may be alive is at it."""
        with self._reading():
            asked = "SELECT DISTINCT runner FROM trials WHERE status IS NULL AND lease > ?"
            rows = self._db.execute(asked, (self._clock(),)).fetchall()
        return any(not is_dead(runner) for (runner,) in rows)

    def go_on(self, pins: Pins) -> None:
        """Takes the run up with these pins."""
        with self._writing():
            told = msgspec.json.encode(pins).decode()
            self._db.execute("INSERT OR REPLACE INTO about VALUES ('pins', ?)", (told,))
            self._db.execute("DELETE FROM about WHERE key = 'complete'")

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written within it is one transaction."""
        with self._writing():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def claim(self, case_id: str, trial: int) -> Claim:
        """Asks for a trial to run."""
        now = self._clock()
        with self._writing():
            taken = self._db.execute(
                "INSERT INTO trials (case_id, trial, runner, lease) VALUES (?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (case_id, trial, self._runner, now + LEASE),
            )
            if taken.rowcount == 1:
                return "ours"
            row = self._db.execute(
                "SELECT runner, lease, status, finished FROM trials "
                "WHERE case_id = ? AND trial = ?",
                (case_id, trial),
            ).fetchone()
            if row is None:  # It was given back in between.
                return "taken"
            runner, lease, status, finished = row
            if status is not None:
                if status not in AGAIN or finished >= self._began:
                    return "done"
            elif lease > now and not is_dead(runner):
                return "taken"
            taken = self._db.execute(
                "UPDATE trials SET runner = ?, lease = ?, status = NULL WHERE case_id = ? AND "
                "trial = ? AND runner = ? AND lease = ? AND status IS ?",
                (self._runner, now + LEASE, case_id, trial, runner, lease, status),
            )
            return "ours" if taken.rowcount == 1 else "taken"

    def finish(self, trial: Trial, trace: bytes) -> bool:
        """Keeps a finished trial; False where another runner had taken it over."""
        with self._writing():
            kept = self._db.execute(
                "UPDATE trials SET status = ?, finished = ?, result = ?, trace = ? "
                "WHERE case_id = ? AND trial = ? AND runner = ? AND status IS NULL",
                (
                    *(trial.status, self._clock(), encode_trial(trial), trace),
                    *(trial.case_id, trial.trial, self._runner),
                ),
            )
            return kept.rowcount == 1

    def release(self, case_id: str, trial: int) -> None:
        """Gives a trial back that was not finished."""
        with self._writing():
            self._db.execute(
                "DELETE FROM trials WHERE case_id = ? AND trial = ? AND runner = ? "
                "AND status IS NULL",
                (case_id, trial, self._runner),
            )

    def renew(self) -> None:
        """Says that this runner is alive."""
        with self._writing():
            self._db.execute(
                "UPDATE trials SET lease = ? WHERE runner = ? AND status IS NULL",
                (self._clock() + LEASE, self._runner),
            )

    def trial(self, case_id: str, number: int) -> Trial | None:
        """A finished trial."""
        asked = "SELECT result FROM trials WHERE case_id = ? AND trial = ? AND status IS NOT NULL"
        with self._reading():
            row = self._db.execute(asked, (case_id, number)).fetchone()
        return self._decoded(case_id, number, row[0]) if row else None

    def trials(self, case_id: str) -> Iterator[Trial]:
        """The finished trials of a case, by number."""
        asked = (
            "SELECT trial, result FROM trials WHERE case_id = ? AND trial > ? "
            f"AND status IS NOT NULL ORDER BY trial LIMIT {_READING}"
        )
        last = -1
        while True:
            with self._reading():
                rows = self._db.execute(asked, (case_id, last)).fetchall()
            for number, result in rows:
                found = self._decoded(case_id, number, result)
                if found is not None:
                    yield found
            if len(rows) < _READING:
                return
            last = rows[-1][0]

    def _decoded(self, case_id: str, number: int, result: bytes) -> Trial | None:
        """A finished trial; one that cannot be read is let go of."""
        try:
            return decode_trial(result, Place(str(self._file)))
        except InputError:
            self.notes = (*self.notes, damaged(self._file, case_id, number))
        with self._writing():
            self._db.execute(
                "DELETE FROM trials WHERE case_id = ? AND trial = ? AND result = ?",
                (case_id, number, result),
            )
        return None

    def traces(self) -> Iterator[bytes]:
        """The traces of the finished trials, as JSON."""
        asked = (
            "SELECT rowid, trace FROM trials WHERE rowid > ? AND status IS NOT NULL "
            "ORDER BY rowid LIMIT 1"
        )
        last = -1
        while True:
            with self._reading():
                row: tuple[int, bytes] | None = self._db.execute(asked, (last,)).fetchone()
            if row is None:
                return
            last = row[0]
            if row[1] != NO_TRACE:
                yield row[1]

    def complete(self, done: bool) -> None:
        """Says whether all that was to be run is finished."""
        if done:
            with self._writing():
                self._db.execute("INSERT OR REPLACE INTO about VALUES ('complete', 'yes')")

    def close(self) -> None:
        """Lets go of the file."""
        self._db.close()
        retire(self._runner)

    def _about(self, key: str) -> str | None:
        row: tuple[Any] | None = self._db.execute(
            "SELECT value FROM about WHERE key = ?", (key,)
        ).fetchone()
        return None if row is None else str(row[0])

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise InputError(
                f"the journal cannot be read: {error}; it is left as it is", Place(str(self._file))
            ) from error
        except sqlite3.Error as error:
            raise InputError(
                f"the journal is damaged: {error}; it is left as it is", Place(str(self._file))
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise unwritable(self._file, error) from error
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"the journal is damaged: {error}; it is left as it is", Place(str(self._file))
            ) from error

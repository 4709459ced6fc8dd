"""The traces in a journal of `passhat run`, be it SQLite or JSONL; the journal is left as it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from passhat.errors import InputError, Place
from passhat.jsontext import RawItem

APPLICATION = 0x70617373
"""`pass`, in the header of an SQLite journal."""
_SQLITE = b"SQLite format 3\0"
_JSONL = b'{"schema":"passhat.journal/'
_NONE = b"null"
_AT = 68
"""Where SQLite's header has the number of the application."""


class _Key(msgspec.Struct):
    case_id: str
    trial: int


class _Finished(msgspec.Struct):
    result: _Key
    trace: msgspec.Raw


class _Line(msgspec.Struct):
    finished: _Finished | None = None


def is_journal(path: Path, head: bytes) -> bool:
    """Whether a file is a journal, by its first bytes and, for a database, by its header."""
    if head.startswith(_JSONL):
        return True
    if not head.startswith(_SQLITE):
        return False
    if head[_AT : _AT + 4] == APPLICATION.to_bytes(4, "big"):
        return True
    # What was written last may stand beside the database still.
    with suppress(sqlite3.Error, OSError), closing(_opened(path)) as db:
        return bool(db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION)
    return False


def journal_traces(path: Path) -> Iterator[RawItem]:
    """The traces of a journal's finished trials, as they stand in it.

    Raises:
        InputError: It cannot be read.
    """
    with path.open("rb") as opened:
        head = opened.read(len(_SQLITE))
    return _of_sqlite(path) if head == _SQLITE else _of_jsonl(path)


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30)


def _of_sqlite(path: Path) -> Iterator[RawItem]:
    place = Place(str(path))
    asked = (
        "SELECT case_id, trial, trace FROM trials WHERE status IS NOT NULL AND trace IS NOT NULL "
        "ORDER BY case_id, trial"
    )
    try:
        with closing(_opened(path)) as db:
            for case_id, trial, trace in db.execute(asked):
                if trace != _NONE:
                    yield RawItem(bytes(trace), Place(str(path), path=f"{case_id} #{trial}"))
    except sqlite3.Error as error:
        raise InputError(f"the journal cannot be read: {error}", place) from error


def _of_jsonl(path: Path) -> Iterator[RawItem]:
    """Of a trial that was run again, the last record holds."""
    decode = msgspec.json.Decoder(_Line).decode
    at: dict[tuple[str, int], tuple[int, int, int]] = {}
    with path.open("rb") as opened:
        begins = 0
        for number, line in enumerate(opened, 1):
            with suppress(msgspec.DecodeError, UnicodeDecodeError):  # Cut or damaged: run again.
                finished = decode(line).finished
                if finished is not None:
                    key = finished.result
                    at[key.case_id, key.trial] = (begins, len(line), number)
            begins += len(line)
        for begins, size, number in at.values():
            opened.seek(begins)
            finished = decode(opened.read(size)).finished
            if finished is not None and bytes(finished.trace) != _NONE:
                yield RawItem(bytes(finished.trace), Place(str(path), number))

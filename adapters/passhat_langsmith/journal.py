"""What was done so far, in a file, so that long work goes on where it stopped.

What was finished is not gone on with: there the file begins anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from passhat.errors import InputError, Place, TraceError, UsageError
from passhat.result import Trial, decode_trial, encode_trial
from passhat_langsmith.cases import Json

_DONE = {"done": True}


class _File:
    """The file of a journal, a row a line; without a path nothing is kept."""

    def __init__(self, path: str | Path | None) -> None:
        self._path = None if path is None else Path(path)

    def rows(self) -> list[tuple[Place, bytes, Any]]:
        """The lines, as written and as read; the end of one that was cut off is dropped.

        Raises:
            InputError: A line is no JSON.
        """
        if self._path is None or not self._path.exists():
            return []
        *whole, rest = self._path.read_bytes().split(b"\n")
        found = []
        for number, line in enumerate(whole, 1):
            place = Place(str(self._path), number)
            try:
                found.append((place, line, json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise InputError("a line of the journal is no JSON", place) from error
        if rest:
            self._path.write_bytes(b"\n".join([*whole, b""]))
        return found

    def write(self, row: Any) -> None:
        """Adds a row."""
        self.append(json.dumps(row).encode())

    def append(self, line: bytes) -> None:
        """Adds a line."""
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(line + b"\n")

    def clear(self) -> None:
        """Takes all lines away."""
        if self._path is not None:
            self._path.write_bytes(b"")


class PullJournal:
    """The examples that were read, in a file where one is named: a head, then a page a line.

    Args:
        path: The file; None keeps nothing.
        head: What is read.
        pin: Gives the version to read, so that all pages are of one: offsets into a dataset that
            somebody changes meanwhile would skip examples.

    Attributes:
        examples: What was read so far.
        as_of: The version that is read.

    Raises:
        UsageError: The file is of something else.
        InputError: A line of it cannot be read.
    """

    def __init__(self, path: str | Path | None, head: Json, pin: Callable[[], str | None]) -> None:
        self.examples: list[Json] = []
        self.as_of: str | None = None
        self._file = _File(path)
        told = {"schema": "passhat.pull/1", **head}
        rows = self._file.rows()
        if rows:
            held = rows[0][2]
            if not isinstance(held, dict) or {key: held.get(key) for key in told} != told:
                raise UsageError(
                    f"{path} keeps another dataset, version, splits or choice of files; name "
                    "another file"
                )
            if rows[-1][2] == _DONE:
                self._file.clear()
                rows = []
            else:
                self.as_of = held.get("as_of")
        if not rows:
            self.as_of = pin()
            self._file.write({**told, "as_of": self.as_of})
        for place, _, page in rows[1:]:
            if not isinstance(page, list) or not all(map(_is_example, page)):
                raise InputError("a line of the journal is no page of examples", place)
            self.examples += page

    def add(self, page: list[Json]) -> None:
        """Keeps a page."""
        self.examples += page
        self._file.write(page)

    def finish(self) -> None:
        """Says that all was read."""
        self._file.write(_DONE)


def _is_example(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str)


class ScoringJournal:
    """The trials of a scoring, in a file where one is named: a head, then a trial a line.

    Between them stand the traces that could not be read, and the time before which all are still to
    be read.

    Args:
        path: The file; None keeps nothing.
        head: What is scored, and how.

    Attributes:
        trials: The trials so far, by their traces.
        unread: The errors of traces that could not be read.

    Raises:
        UsageError: The file is of something else.
        InputError: A line of it cannot be read.
    """

    def __init__(self, path: str | Path | None, head: Json) -> None:
        self.trials: dict[str, Trial] = {}
        self.unread: list[TraceError] = []
        self._file = _File(path)
        self._head: Json = {"schema": "passhat.scoring/1", **head}
        self._window: dict[str, datetime | None] = {}
        for place, line, row in self._file.rows():
            if not isinstance(row, dict):
                raise InputError("a line of the journal is no object", place)
            if not self._window:
                if {key: row.get(key) for key in self._head} != self._head:
                    raise UsageError(f"{path} keeps another scoring; name another file")
                self._window = {key: _time(row, key, place) for key in ("since", "until")}
            elif "until" in row:
                self._window["until"] = _time(row, "until", place)
            elif "unread" in row:
                inner = row.get("path")
                self.unread.append(TraceError(str(row["unread"]), Place(path=inner and str(inner))))
            elif row == _DONE:
                self.trials, self.unread, self._window = {}, [], {}
                self._file.clear()
            else:
                trial = decode_trial(line, place)
                self.trials[trial.trace_id] = trial

    def window(self, since: datetime | None, until: datetime) -> tuple[datetime | None, datetime]:
        """The times between which traces are scored: those of the scoring that goes on."""
        if not self._window:
            self._window = {"since": since, "until": until}
            told = {key: time and time.isoformat() for key, time in self._window.items()}
            self._file.write({**self._head, **told})
        return self._window["since"], self._window["until"] or until

    def add(self, trial: Trial, horizon: datetime) -> None:
        """Keeps a trial, and the time before which all traces are still to be read."""
        self._file.append(encode_trial(trial).rstrip(b"\n"))
        if horizon.timestamp() > 0 and horizon != self._window["until"]:
            self._window["until"] = horizon
            self._file.write({"until": horizon.isoformat()})

    def add_unread(self, error: TraceError) -> None:
        """Keeps why a trace could not be read, once."""
        if str(error) not in map(str, self.unread):
            self.unread.append(error)
            self._file.write({"unread": error.message, "path": error.place.path})

    def finish(self) -> None:
        """Says that all was scored."""
        self._file.write(_DONE)


def _time(row: Json, key: str, place: Place) -> datetime | None:
    try:
        return None if row[key] is None else datetime.fromisoformat(row[key])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{key} is no time", place) from error

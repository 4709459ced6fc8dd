"""What was done so far, in a file, so that long work goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from passhat.errors import InputError, Place, UsageError
from passhat.result import Trial, decode_trial, encode_trial
from passhat_langsmith.cases import Json


def _lines(path: Path) -> list[tuple[bytes, Any]]:
    """The lines of a journal, as written and as read; the end of one that was cut off is dropped.

    Raises:
        InputError: A line is no JSON.
    """
    *whole, rest = path.read_bytes().split(b"\n")
    found = []
    for number, line in enumerate(whole):
        try:
            found.append((line, json.loads(line)))
        except ValueError as error:
            place = Place(str(path), number + 1)
            raise InputError("a line of the journal is no JSON", place) from error
    if rest:
        path.write_bytes(b"\n".join([*whole, b""]))
    return found


def _append(path: Path, line: bytes) -> None:
    with path.open("ab") as file:
        file.write(line + b"\n")


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
        self._path = Path(path) if path is not None else None
        told = {"schema": "passhat.pull/1", **head}
        found = _lines(self._path) if self._path is not None and self._path.exists() else []
        if found:
            held = found[0][1]
            if not isinstance(held, dict) or {key: held.get(key) for key in told} != told:
                raise UsageError(
                    f"{path} keeps another dataset, version or splits; name another file"
                )
            self.as_of: str | None = held.get("as_of")
        else:
            self.as_of = pin()
            if self._path is not None:
                _append(self._path, json.dumps({**told, "as_of": self.as_of}).encode())
        for _, page in found[1:]:
            self.examples += page

    def add(self, page: list[Json]) -> None:
        """Keeps a page."""
        self.examples += page
        if self._path is not None:
            _append(self._path, json.dumps(page).encode())


class ScoringJournal:
    """The trials of a scoring, in a file where one is named: a head, then a trial a line.

    Between them stands the time before which all traces are still to be read.

    Args:
        path: The file; None keeps nothing.
        head: What is scored, and how.

    Attributes:
        trials: The trials so far, by their traces.

    Raises:
        UsageError: The file is of something else.
        InputError: A line of it cannot be read.
    """

    def __init__(self, path: str | Path | None, head: Json) -> None:
        self.trials: dict[str, Trial] = {}
        self._path = Path(path) if path is not None else None
        self._head: Json = {"schema": "passhat.scoring/1", **head}
        self._found: Json = {}
        self._until: str | None = None
        lines = _lines(self._path) if self._path is not None and self._path.exists() else []
        for number, (line, row) in enumerate(lines):
            if number == 0:
                self._found = row
                if {key: row.get(key) for key in self._head} != self._head:
                    raise UsageError(f"{path} keeps another scoring; name another file")
            elif "until" in row:
                self._until = row["until"]
            else:
                trial = decode_trial(line)
                self.trials[trial.trace_id] = trial

    def window(self, since: datetime | None, until: datetime) -> tuple[datetime | None, datetime]:
        """The times between which traces are scored: those of the scoring that goes on."""
        if self._found:
            began = self._found["since"]
            since = datetime.fromisoformat(began) if began else None
            return since, datetime.fromisoformat(self._until or self._found["until"])
        if self._path is not None:
            told = {"since": since.isoformat() if since else None, "until": until.isoformat()}
            _append(self._path, json.dumps({**self._head, **told}).encode())
        return since, until

    def add(self, trial: Trial, horizon: datetime) -> None:
        """Keeps a trial, and the time before which all traces are still to be read."""
        if self._path is not None:
            _append(self._path, encode_trial(trial).rstrip(b"\n"))
            if horizon.timestamp() > 0 and horizon.isoformat() != self._until:
                self._until = horizon.isoformat()
                _append(self._path, json.dumps({"until": self._until}).encode())

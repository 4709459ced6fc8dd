"""Where the results of a run are kept: a plain file in a folder, named after its time."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from passhat.errors import Place, UsageError


def run_path(folder: str | Path, when: datetime) -> Path:
    """A file that does not exist yet, for a run of that time; the folder is made if it must be.

    Names sort by time: `2026-11-30T08-15-00Z.jsonl`, with `-2` behind for a second run in the same
    second.

    Args:
        folder: The folder of all runs.
        when: The time of the run; without a zone it is taken as UTC.

    Raises:
        UsageError: The folder cannot be made, or is a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_path(folder, datetime(2026, 11, 30, 8, 15)).name
    '2026-11-30T08-15-00Z.jsonl'
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"no folder for runs: {error.strerror}", Place(str(folder))) from error
    moment = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    stamp = f"{moment:%Y-%m-%dT%H-%M-%SZ}"
    for number in count(1):
        path = target / f"{stamp}{f'-{number}' if number > 1 else ''}.jsonl"
        if not path.exists():
            return path
    raise AssertionError("count() does not end")

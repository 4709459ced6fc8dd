"""Bulk exports: Parquet files of runs, read a batch at a time.

A first pass counts the runs of each trace, so that the second gives each trace once it is whole and
keeps no more in memory than the traces that are still open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from passhat.errors import InputError, MissingExtraError, Place, TraceError
from passhat.jsontext import decode
from passhat_langsmith.cases import Json

MAGIC = b"PAR1"
_TEXTS = frozenset(
    {"inputs", "outputs", "extra", "events", "tags", "feedback_stats", "metadata", "parent_run_ids"}
)
"""Columns whose values are JSON in a text, where they are no structures of Parquet's own."""
_ROWS = 1_000


def is_parquet(path: Any) -> bool:
    """Whether a path leads to a Parquet file."""
    if not isinstance(path, str | Path) or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(4) == MAGIC


def files_of(folder: str | Path) -> list[Path]:
    """The Parquet files below a folder, as an export lays them out.

    Raises:
        InputError: There are none.
    """
    found = sorted(Path(folder).rglob("*.parquet"))
    if not found:
        raise InputError("there is no Parquet file below this folder", Place(str(folder)))
    return found


def exported_traces(files: Sequence[Path]) -> Iterator[list[Json] | TraceError]:
    """The runs of each trace in files of an export, in the order in which the traces are whole.

    A run that is broken costs its trace: what it did is not known, and might be what counts.

    Raises:
        InputError: A file is no Parquet file, or not one of runs.
        MissingExtraError: pyarrow is not installed.
    """
    counts: Counter[str] = Counter()
    for path in files:
        for rows in _batches(path, ["id", "trace_id"]):
            counts.update(_home(row) for row in rows)
    opened: dict[str, list[Json]] = {}
    broken: set[str] = set()
    for path in files:
        for number, row in enumerate(row for rows in _batches(path, None) for row in rows):
            home = _home(row)
            if home in broken:
                continue
            try:
                run = {key: _value(key, held) for key, held in row.items() if held is not None}
            except InputError as error:
                broken.add(home)
                opened.pop(home, None)
                said = f"run {_id(row['id'])}: a column is no JSON: {error.message}"
                yield TraceError(said, Place(str(path), path=f"$[{number}]"))
                continue
            opened.setdefault(home, []).append(run)
            if len(opened[home]) == counts[home]:
                yield opened.pop(home)


def _batches(path: Path, columns: list[str] | None) -> Iterator[list[Json]]:
    try:
        import pyarrow  # type: ignore[import-untyped]  # it has no types
        from pyarrow.parquet import ParquetFile  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    try:
        with ParquetFile(path) as file:
            names = file.schema_arrow.names
            if missing := {"id", "run_type"} - set(names):
                raise InputError(f"it has no column {min(missing)!r}", Place(str(path)))
            kept = [name for name in columns or names if name in names]
            for batch in file.iter_batches(batch_size=_ROWS, columns=kept):
                yield batch.to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        line = str(error).split("\n")[0]
        raise InputError(f"it cannot be read as Parquet: {line}", Place(str(path))) from error


def _home(row: Json) -> str:
    return str(_id(row.get("trace_id") or row["id"]))


def _id(held: Any) -> Any:
    return UUID(bytes=held) if isinstance(held, bytes) and len(held) == 16 else held


def _value(key: str, held: Any) -> Any:
    if key in _TEXTS and isinstance(held, str | bytes):
        return decode(held) if held.strip() else None
    found = _id(held)
    return str(found) if isinstance(found, UUID) else found

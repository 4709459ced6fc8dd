"""A snapshot: a state as it was at one moment, with what its source says about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Snapshot:
    """A state as it was at one moment, sharing nothing with where it came from.

    Attributes:
        value: The state as JSON: tables (lists of rows) or documents by name, or what a lone file
            holds. It is what a trace's or a case's state wants.
        source: What it was taken of, as a person would name it, without passwords.
        primary_keys: The key of each table, where a database says so.
        columns: The columns of each table with their types, where a database says so; those of a
            CSV file have none.
        gaps: What was left out, a sentence each: views, blobs over the limit, files of other kinds.

    >>> taken = Snapshot({"orders": [{"id": 1}]}, "shop.db")
    >>> taken["orders"], len(taken)
    ([{'id': 1}], 1)
    """

    value: Any
    source: str = ""
    primary_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()

    def __getitem__(self, name: Any) -> Any:
        return self.value[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)


def schema_changes(before: Snapshot, after: Snapshot) -> list[str]:
    """What differs in the columns of the tables that both have, a sentence each.

    Databases name their types in their own words, so types compare between snapshots of one kind
    of source alone: both then have every column's.

    >>> old = Snapshot({}, columns={"orders": {"id": "INTEGER", "note": "TEXT"}})
    >>> schema_changes(old, Snapshot({}, columns={"orders": {"id": "TEXT", "at": "TEXT"}}))
    ['orders.id was INTEGER and is TEXT', 'orders.note is gone', 'orders.at (TEXT) is new']
    """
    said: list[str] = []
    for table in sorted(before.columns.keys() & after.columns.keys()):
        old, new = before.columns[table], after.columns[table]
        for name, kind in old.items():
            if name not in new:
                said.append(f"{table}.{name} is gone")
            elif kind and new[name] and new[name] != kind:
                said.append(f"{table}.{name} was {kind} and is {new[name]}")
        said += [
            f"{table}.{name}{f' ({kind})' if kind else ''} is new"
            for name, kind in new.items()
            if name not in old
        ]
    return said

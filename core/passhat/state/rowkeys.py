"""The key of a table: the columns that tell its rows apart, declared or found."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, TypeGuard

from passhat.errors import InputError, Place
from passhat.state.changes import value_text
from passhat.values import canonical

Row: TypeAlias = Mapping[str, Any]
Columns: TypeAlias = tuple[str, ...]

_ID_NAMES = ("id", "_id", "uuid", "guid", "key")
_SAMPLE = 1000
_MANY = 100_000


def is_table(rows: Any) -> TypeGuard[list[Row]]:
    """Whether a value is a list of rows: of mappings, all of it."""
    return isinstance(rows, list | tuple) and all_mappings(rows)


def all_mappings(values: Iterable[Any]) -> bool:
    """Whether every value is a mapping."""
    return all(kind is dict or issubclass(kind, Mapping) for kind in set(map(type, values)))


def declared_keys(rows: Sequence[Row], columns: Columns, table: str, side: str) -> list[Hashable]:
    """The key of each row by declared columns.

    Raises:
        InputError: A row lacks one of them, or two rows have the same key.
    """
    found = key_values(rows, columns)
    if found is None:
        at, lacking = next(
            (at, name) for at, row in enumerate(rows) for name in columns if name not in row
        )
        raise InputError(f"row {at} {side} has no {lacking}, which is its key", Place(path=table))
    if len(set(found)) < len(found):
        first: dict[Hashable, int] = {}
        for at, key in enumerate(found):
            if key in first:
                said = ", ".join(value_text(rows[at][name], 40) for name in columns)
                raise InputError(
                    f"rows {first[key]} and {at} {side} have the same {'+'.join(columns)}: {said}",
                    Place(path=table),
                )
            first[key] = at
    return found


def key_values(rows: Sequence[Row], columns: Columns) -> list[Hashable] | None:
    """The key of each row, as JSON compares it; None if a row lacks a column."""
    try:
        values = list(map(itemgetter(*columns), rows))
    except KeyError:
        return None
    if len(columns) == 1 and set(map(type, values)) <= {str, int}:
        return values
    return [canonical(value) for value in values]


class Index(NamedTuple):
    """A column that tells rows apart, its value in each row before, and the rows after by theirs."""

    column: str
    before: list[Hashable]
    after: dict[Hashable, Row]


def found_key(
    name: str, before: Sequence[Row], after: Sequence[Row], ignored: Collection[str] = ()
) -> Index | None:
    """The column that tells the rows of both sides apart, if there is one, with its values.

    A column named as an id (`id`, `order_id` in `orders`) is taken if it is unique on both sides.
    Any other must also have at least half of its values on both, so that chance makes no key; so
    must an id that is ignored, since ids that are made anew each time join nothing. Among these,
    the one with the most values in common.

    Args:
        name: The table's name.
        before: Its rows on one side.
        after: Its rows on the other.
        ignored: Columns whose values are ignored.

    >>> found_key("orders", [{"order_id": 1, "n": 5}], [{"order_id": 1, "n": 6}]).column
    'order_id'
    """
    ids = _id_names(name)
    columns = next((row for side in (before, after) for row in side[:1]), {})
    ranked = sorted(columns, key=lambda column: ids.get(column, len(ids)))
    best: tuple[float, Index] | None = None
    fewer = min(len(before), len(after))
    near = _by_place(after)
    for column in ranked:
        values = _unique(before, column)
        others = _by_value(near, column) if values is not None else None
        if values is None or others is None:
            continue
        found = Index(column, values, others)
        if column in ids and column not in ignored:
            return found
        shared = len(found.after.keys() & values) / fewer if fewer else 0.0
        if shared == 1:
            return found
        if shared >= 0.5 and (best is None or shared > best[0]):
            best = (shared, found)
    return best[1] if best else None


def _id_names(table: str) -> dict[str, int]:
    """The names an id of a table goes by, the likeliest first."""
    last = table.rpartition("/")[2].rpartition(".")[2].lower()
    stems = dict.fromkeys((last, last.removesuffix("s"), last.removesuffix("es")))
    if last.endswith("ies"):
        stems[f"{last[:-3]}y"] = None
    own = [form for stem in stems for form in (f"{stem}_id", f"{stem}Id", f"{stem}_key")]
    return {name: rank for rank, name in enumerate((*_ID_NAMES, *own))}


def _unique(rows: Sequence[Row], column: str) -> list[Hashable] | None:
    """The values of a column if every row has one of its own, and each is text or a whole number."""
    values: list[Hashable] | None = None
    for part in (rows[:_SAMPLE], rows) if len(rows) > _SAMPLE else (rows,):
        values = _keys(part, column)
        if values is None or len(set(values)) < len(values):
            return None
    return values


def _by_value(rows: Sequence[Row], column: str) -> dict[Hashable, Row] | None:
    """The rows by their values of a column, if it tells them apart as in `_unique`."""
    found: dict[Hashable, Row] = {}
    for part in (rows[:_SAMPLE], rows) if len(rows) > _SAMPLE else (rows,):
        values = _keys(part, column)
        found = {} if values is None else dict(zip(values, part, strict=True))
        if values is None or len(found) < len(values):
            return None
    return found


def _keys(rows: Sequence[Row], column: str) -> list[Hashable] | None:
    try:
        values = list(map(itemgetter(column), rows))
    except KeyError:
        return None
    return values if set(map(type, values)) <= {str, int} else None


def _by_place(rows: Sequence[Row]) -> Sequence[Row]:
    """Many rows in the order of their places in memory: each look at a row far from the last costs."""
    return sorted(rows, key=id) if len(rows) > _MANY else rows

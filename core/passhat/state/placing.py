"""Which row of a table each expected row speaks of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from passhat.state.documents import label
from passhat.state.equality import CONTAINERS
from passhat.state.rowkeys import Columns, Row
from passhat.state.wanted import Wanted
from passhat.values import canonical

_ALIKE = 0.5
"""The share of its fields that a row must have in common with the row that was meant by it."""


def placed_rows(
    rows: Sequence[Row],
    documents: Mapping[str, Row],
    columns: Columns | None,
    fits: Callable[[Row, Row], bool],
    telling: Callable[[str, Any], bool] = lambda field, value: isinstance(value, str),
    *,
    by_key: bool = True,
) -> list[str | None]:
    """The label of the row that each expected row speaks of; each speaks of another one.

    A row with the table's key speaks of the row of that key. The others are matched so that as
    many as can be have a row that fits; one that has none speaks of the row that is most like it,
    if that has at least half of its fields.

    Args:
        rows: The expected rows.
        documents: The rows of the table by their labels.
        columns: The columns that make the labels, if any do.
        fits: Whether a row of the table (second) is as expected (first).
        telling: Whether a row that fits must have this very value in this field.
        by_key: Whether a row with the table's key speaks of the row of that key whatever it holds; where
            the key is ignored, it does so if that one fits.

    >>> table = {"R1": {"id": "R1", "n": 1}, "R2": {"id": "R2", "n": 2}}
    >>> placed_rows([{"n": 2}, {"id": "R1"}], table, ("id",), lambda e, a: e.items() <= a.items())
    ['R2', 'R1']
    """
    found: list[str | None] = [None] * len(rows)
    open_rows: list[int] = []
    for at, row in enumerate(rows):
        own = own_label(row, columns)
        if own is not None and own in documents and (by_key or fits(row, documents[own])):
            found[at] = own
        elif own is None or not by_key:
            open_rows.append(at)
    taken = set(found)
    index = _Index({name: row for name, row in documents.items() if name not in taken})
    candidates = [
        [name for name in index.candidates(rows[at], telling) if fits(rows[at], documents[name])]
        for at in open_rows
    ]
    for at, name in zip(open_rows, _matched(candidates), strict=True):
        found[at] = name
    taken = set(found)
    for at in open_rows:
        if found[at] is None:
            found[at] = index.nearest(rows[at], taken)
            taken.add(found[at])
    return found


def own_label(row: Row, columns: Columns | None) -> str | None:
    """The label that an expected row names by itself: it has the table's key."""
    if columns is None or not all(_is_plain(row.get(name, ())) for name in columns):
        return None
    return label(row, columns)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, (*CONTAINERS, Wanted))


class _Index:
    """The rows of a table by the values of their fields."""

    def __init__(self, documents: Mapping[str, Row]) -> None:
        self.documents = documents
        self._by_value: dict[str, dict[Hashable, list[str]]] = {}

    def with_value(self, field: str, value: Any) -> list[str]:
        """The labels of the rows that have this value in a field."""
        if field not in self._by_value:
            held: dict[Hashable, list[str]] = defaultdict(list)
            for name, row in self.documents.items():
                if field in row and _is_plain(row[field]):
                    held[canonical(row[field])].append(name)
            self._by_value[field] = held
        return self._by_value[field].get(canonical(value), [])

    def candidates(self, row: Row, telling: Callable[[str, Any], bool]) -> list[str]:
        """The labels of the rows that could be as expected: those that have its rarest value."""
        found = [self.with_value(field, v) for field, v in row.items() if telling(field, v)]
        fewest: list[str] = min(found, key=len) if found else list(self.documents)
        return fewest

    def nearest(self, row: Row, taken: set[str | None]) -> str | None:
        """The label of the free row that shares most of an expected row's fields, if half of them."""
        shared: dict[str, int] = defaultdict(int)
        for field, value in row.items():
            if _is_plain(value):
                for name in self.with_value(field, value):
                    if name not in taken:
                        shared[name] += 1
        if not shared:
            return None
        best = max(shared, key=lambda name: shared[name])
        return best if shared[best] >= _ALIKE * len(row) else None


def _matched(candidates: Sequence[Sequence[str]]) -> list[str | None]:
    """One candidate for each, no one twice, for as many as can be."""
    if all(len(names) <= 1 for names in candidates) and len(
        {name for names in candidates for name in names}
    ) == sum(map(len, candidates)):
        return [names[0] if names else None for names in candidates]
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    names = sorted({name for some in candidates for name in some})
    numbers = {name: number for number, name in enumerate(names)}
    pairs = [(at, numbers[name]) for at, some in enumerate(candidates) for name in some]
    ends = np.array(pairs, dtype=np.int64).T
    graph = csr_array((np.ones(len(pairs)), tuple(ends)), shape=(len(candidates), len(names)))
    chosen = maximum_bipartite_matching(graph, perm_type="column")
    return [names[number] if number >= 0 else None for number in chosen.tolist()]

"""The diff of two states: what may be said about how they compare, and the diff itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeAlias

from passhat.errors import UsageError
from passhat.state.changes import StateDiff
from passhat.state.equality import IGNORED, Sameness, Tolerance
from passhat.state.items import LIST_MODES, ListMode
from passhat.state.paths import ROOT
from passhat.state.patterns import Patterns, first_name, listed
from passhat.state.rowkeys import Columns
from passhat.state.snapshots import Snapshot, schema_changes
from passhat.state.tables import DeclaredKey
from passhat.state.walking import Walk

KeySpec: TypeAlias = "str | Sequence[str] | Mapping[str, str | Sequence[str]]"


def diff(
    before: Any,
    after: Any,
    *,
    ignore: Iterable[str] = (),
    keys: KeySpec | None = None,
    tolerance: float | Mapping[str, float] | None = None,
    lists: ListMode = "align",
) -> StateDiff:
    """What differs between two states.

    A state is any JSON value, or a `Snapshot`. The entries of its outermost mapping are tables: a
    list of rows, a mapping of id to document, or anything else. Documents pair by their id. Rows
    pair by their key: the declared one, that of the database, or a column that is unique on both
    sides; without one, by their content, then by least difference. The order of rows is no matter.

    Values compare as JSON: `1` is `1.0`, `True` is not `1`, null is not absent. Neither state is
    changed.

    Args:
        before: The state before.
        after: The state after.
        ignore: Paths whose places are passed over: `orders.updated_at`, `*.updated_at`; see
            `passhat.state.patterns`. An ignored column may still be the key.
        keys: The key of tables, by their paths: `{"orders": "id", "lines": ["order", "line"]}`; or
            one for every table. A path may lead to a list inside documents, too.
        tolerance: How far numbers may be apart and be the same: the largest difference, or
            `{"abs": ..., "rel": ...}`.
        lists: How lists that are no tables compare: by the shortest edit (`align`), item by item
            (`position`), or without order (`set`).

    Raises:
        UsageError: An option cannot mean anything.
        InputError: A declared key is missing in a row or stands twice, or a value lies in itself.

    >>> before = {"orders": [{"id": 1, "status": "open"}, {"id": 2, "status": "open"}]}
    >>> after = {"orders": [{"id": 2, "status": "paid"}, {"id": 1, "status": "open"}]}
    >>> print(diff(before, after))
    orders: 1 changed (1 place)
      orders[2].status: "open" -> "paid"
    """
    if lists not in LIST_MODES:
        raise UsageError(f"lists is {', '.join(LIST_MODES)}, not {lists!r}")
    schema: list[str] = []
    gaps: list[str] = []
    known: dict[str, Columns] = {}
    if isinstance(before, Snapshot) and isinstance(after, Snapshot):
        schema = schema_changes(before, after)
    sides = {"before": before, "after": after}
    snapshots = {side: state for side, state in sides.items() if isinstance(state, Snapshot)}
    for side, state in snapshots.items():
        known.update(state.primary_keys)
        for sentence in state.gaps:
            both = all(sentence in other.gaps for other in snapshots.values())
            gaps.append(sentence if both else f"{side}: {sentence}")
    sameness = Sameness(patterns_of(ignore, keys), Tolerance.of(tolerance), lists == "set")
    walk = Walk(sameness, lists, known)
    changes = walk.over(_value(before), _value(after))
    gaps += keys_of_nothing(keys, _value(before), _value(after))
    return StateDiff(tuple(changes), tuple(schema), tuple(dict.fromkeys((*gaps, *walk.gaps))))


def keys_of_nothing(keys: KeySpec | None, before: Any, after: Any) -> list[str]:
    """The keys that are declared for tables which neither state has, a sentence each.

    >>> keys_of_nothing({"ordres": "id"}, {"orders": []}, {})
    ['keys: neither state has ordres, did you mean orders?']
    """
    if not isinstance(keys, Mapping):
        return []
    if not all(isinstance(state, Mapping) for state in (before, after)):
        return []
    names = [str(name) for name in dict.fromkeys((*before, *after))]
    said = []
    for path in keys:
        table = first_name(path)
        if table is not None and table not in names:
            near = get_close_matches(table, names, 1)
            hint = f", did you mean {near[0]}?" if near else ""
            said.append(f"keys: neither state has {table}{hint}")
    return said


def _value(state: Any) -> Any:
    return state.value if isinstance(state, Snapshot) else state


def patterns_of(ignore: Iterable[str] | str, keys: KeySpec | None) -> Patterns:
    """The patterns of what is ignored and of the keys that are declared.

    Raises:
        UsageError: One is malformed, or a key is none.
    """
    return Patterns((*((text, IGNORED) for text in listed(ignore)), *_declared(keys)))


def _declared(keys: KeySpec | None) -> list[tuple[str, DeclaredKey]]:
    """The patterns that declare keys."""
    if keys is None:
        return []
    named = isinstance(keys, Mapping)
    found = []
    for table, columns in (
        keys.items() if isinstance(keys, Mapping) else ((ROOT, keys), ("[*]", keys))
    ):
        stated = (columns,) if isinstance(columns, str) else columns
        names = tuple(stated) if isinstance(stated, Iterable) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise UsageError(f"the key of {table} is a column or several, not {columns!r}")
        found.append((table, DeclaredKey(names, named)))
    return found

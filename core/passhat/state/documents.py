"""Tables as documents: each row under a label that is the same before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from passhat.errors import UsageError
from passhat.state.equality import Sameness, TooDeepError
from passhat.state.paths import Record, step_text
from passhat.state.patterns import States
from passhat.state.rowkeys import Columns, Row, is_table
from passhat.state.tables import DeclaredKey, key_of, regrouped
from passhat.state.twins import twins
from passhat.values import ABSENT


@dataclass(frozen=True, slots=True)
class Documents:
    """The rows of a table by their labels, before and after.

    Attributes:
        columns: The columns whose values make the label; None where rows have no key, and are
            labelled by their position: `#3`.
        before: The rows before.
        after: The rows after; a row that stayed, or changed, has the label it had.
    """

    columns: Columns | None
    before: Mapping[str, Row]
    after: Mapping[str, Row]


def as_documents(
    name: str, before: Sequence[Row], after: Sequence[Row], sameness: Sameness
) -> Documents:
    """The rows of a table by their labels.

    >>> table = as_documents("t", [{"id": 1, "n": 1}], [{"id": 2, "n": 1}], Sameness())
    >>> table.before, table.after
    ({'1': {'id': 1, 'n': 1}}, {'2': {'id': 2, 'n': 1}})
    """
    states = sameness.patterns.after(sameness.patterns.start, name)
    declared = next((k for k in sameness.patterns.at(states) if isinstance(k, DeclaredKey)), None)
    keyed = key_of(name, before, after, sameness, states, declared)
    if keyed is not None:
        columns = keyed.columns
        old, new = ({label(row, columns): row for row in rows} for rows in (before, after))
        if len(old) == len(before) and len(new) == len(after):
            if keyed.ignored:
                old = _before_by_content(name, old, new, sameness, states)
            return Documents(columns, old, new)
    try:
        found = twins(before, after, sameness, sameness.patterns.after(states, Record()))
    except TooDeepError as error:
        raise UsageError(f"the rows of {name} have no key and are too deep to compare") from error
    was = {f"#{j}": after[j] for j in range(len(after))}
    for j in found.added:
        del was[f"#{j}"]
    was |= {f"#{j}": before[i] for i, j in found.pairs}
    was |= {f"#{i} before": before[i] for i in found.removed}
    return Documents(None, was, {f"#{j}": row for j, row in enumerate(after)})


def _before_by_content(
    name: str,
    old: Mapping[str, Row],
    new: Mapping[str, Row],
    sameness: Sameness,
    states: States,
) -> dict[str, Row]:
    """The rows before under the labels of the rows after that they are, where content tells."""
    names = list(dict.fromkeys((*old, *new)))
    joined = [(old.get(key, ABSENT), new.get(key, ABSENT)) for key in names]
    try:
        found = regrouped(joined, sameness, sameness.patterns.after(states, Record()))
    except TooDeepError as error:
        raise UsageError(f"the rows of {name} are too deep to compare") from error
    was: dict[str, Row] = {names[j]: joined[j][1] for _, j in found.same}
    was |= {names[j]: joined[i][0] for i, j in found.changed}
    gone = {names[i]: joined[i][0] for i in found.removed}
    return was | {(f"{key} before" if key in new else key): row for key, row in gone.items()}


def label(row: Row, columns: Columns) -> str:
    """The label of a row that has these columns."""
    if len(columns) == 1:
        return str(row[columns[0]])
    return step_text(Record(tuple(row[name] for name in columns)))


def by_label(value: Any, name: str = "") -> Any:
    """A table as documents by the key that its rows have; anything else as it is.

    >>> by_label([{"id": "A1", "n": 1}])
    {'A1': {'id': 'A1', 'n': 1}}
    """
    return as_documents(name, (), value, Sameness()).after if is_table(value) else value


def as_states_of_documents(
    before: Any, after: Any, sameness: Sameness, names: Iterable[str]
) -> tuple[Any, Any, dict[str, Columns | None]]:
    """Two states with the named tables as documents, and the columns that make the labels of each.

    Tables that are not there face ones without rows; what is no table stays as it is.
    """
    if not isinstance(after, Mapping) or not (isinstance(before, Mapping) or before is ABSENT):
        return before, after, {}
    old = dict(before) if before is not ABSENT else {}
    new = dict(after)
    columns: dict[str, Columns | None] = {}
    for name in names:
        rows, others = old.get(name, ()), new.get(name, ())
        if (rows or others) and is_table(rows) and is_table(others):
            table = as_documents(name, rows, others, sameness)
            columns[name] = table.columns
            if name in old:
                old[name] = table.before
            if name in new:
                new[name] = table.after
    return old if before is not ABSENT else ABSENT, new, columns

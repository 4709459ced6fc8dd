"""What stands in a source and not in the suite that was read of it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from passhat.adapter import FidelityKind
from passhat.case import Suite
from passhat.convert.ledger import FieldNote
from passhat.convert.sources import OURS, Source
from passhat.errors import InputError, PasshatError
from passhat.jsontext import items
from passhat.values import canonical
from passhat.values.parts import plain

Leaf = tuple[str | None, str, str, Any]
"""A case's id, the path, the last key of it, and the value."""

_NOTHING: tuple[Any, ...] = (None, "", 0, 0.0, False, [], {})
_NOTHING_SAID = "null, empty or zero, which says no more than if it were absent"
_IDS = ("eval_id", "evalId", "id", "name")


def unread(source: Source, suite: Suite) -> list[FieldNote]:
    """The parts of a source that its suite does not hold, each with its path.

    The suite is written in the form that it was read from, and what is missing there is told: no
    reader is believed. A part that came to stand under another key is `translated`.
    """
    if source.format == OURS or not source.is_file:
        return []
    values = [item.value for item in items(source.given) if not isinstance(item, InputError)]
    ids = set(suite.by_id)
    pool = Counter((key, canonical(value)) for key, value in _again(source, suite))
    left: list[Leaf] = []
    for leaf in _leaves(values, ids):
        at = (_spelt(leaf[2]), canonical(leaf[3]))
        if pool[at] > 0:
            pool[at] -= 1
        else:
            left.append(leaf)
    texts: Counter[str] = Counter()
    for (_, value), number in pool.items():
        if isinstance(value, str):
            texts[value] += number
    for _, _, _, value in _leaves([plain(suite)], set()):
        if isinstance(value, str):
            texts[value] += 1
    grouped: dict[tuple[str | None, str, FidelityKind, str], list[str]] = {}
    for case, path, key, value in left:
        kind, how = _fate(value, texts)
        name = "empty fields" if kind == "kept" else key
        grouped.setdefault((case, name, kind, how), []).append(path)
    return [
        FieldNote(case, key, kind, how, parts=tuple(paths), side="read")
        for (case, key, kind, how), paths in grouped.items()
    ]


def _fate(value: Any, texts: Counter[str]) -> tuple[FidelityKind, str]:
    if any(value == nothing and type(value) is type(nothing) for nothing in _NOTHING):
        return "kept", _NOTHING_SAID
    if isinstance(value, str) and texts[str(canonical(value))] > 0:
        texts[str(canonical(value))] -= 1
        return "translated", "read under another key"
    return "lost", "it was not read"


def _again(source: Source, suite: Suite) -> Iterator[tuple[str, Any]]:
    """The leaves of the suite, written in the form it was read from; nothing if that cannot be."""
    with tempfile.TemporaryDirectory(prefix="passhat-") as folder:
        target = Path(folder) / "again.jsonl"
        try:
            source.adapter.write_suite(suite, target)
            values = [item.value for item in items(target) if not isinstance(item, InputError)]
        except PasshatError:
            values = [plain(suite)]
    for _, _, key, value in _leaves(values, set()):
        yield _spelt(key), value


def _spelt(key: str) -> str:
    """A key however it is spelt: `evalSetId` is `eval_set_id`."""
    return key.replace("_", "").casefold()


def _leaves(values: list[Any], ids: set[str]) -> Iterator[Leaf]:
    todo: list[tuple[str | None, str, str, Any]] = [(None, "$", "", values)]
    if len(values) == 1:
        todo = [(None, "$", "", values[0])]
    while todo:
        case, path, key, item = todo.pop()
        if isinstance(item, Mapping) and item:
            named = (
                next((item[name] for name in _IDS if item.get(name) in ids), None) if ids else None
            )
            case = named or case
            todo += reversed([(case, f"{path}.{k}", k, held) for k, held in item.items()])
        elif isinstance(item, list | tuple) and item:
            todo += reversed([(case, f"{path}[{at}]", key, one) for at, one in enumerate(item)])
        else:
            yield case, path, key, item


@dataclass
class Keys:
    """The keys of JSON values that pass, with how often each stands there and where first.

    Attributes:
        found: For each key: how often it stands there, how often with something to say, and the
            path where it stands first.
    """

    found: dict[str, tuple[int, int, str]] = field(default_factory=dict)

    def take(self, value: Any, path: str = "$") -> None:
        """Adds the keys of a value."""
        todo: list[tuple[str, Any]] = [(path, value)]
        while todo:
            at, item = todo.pop()
            if isinstance(item, Mapping):
                for key, held in item.items():
                    number, telling, first = self.found.get(key, (0, 0, f"{at}.{key}"))
                    self.found[key] = (number + 1, telling + (not _empty(held)), first)
                    todo.append((f"{at}.{key}", held))
            elif isinstance(item, list | tuple):
                todo += [(f"{at}[{n}]", held) for n, held in enumerate(item)]

    def names(self) -> set[str]:
        """The keys, however they are spelt."""
        return {_spelt(key) for key in self.found}


def unread_keys(source: Source, of_traces: Keys) -> list[FieldNote]:
    """The keys of recorded runs that are neither in their traces nor in what these are written as.

    Args:
        source: The source.
        of_traces: The keys of the traces that were read of it.
    """
    if not source.is_file:
        return []
    raw = Keys()
    try:
        for at, item in enumerate(items(source.given)):
            if not isinstance(item, InputError):
                raw.take(item.value, f"$[{at}]")
    except InputError:
        return []  # No JSON: a database, of which the reader's gaps tell.
    known = of_traces.names()
    open_keys = {key for key in raw.found if _spelt(key) not in known}
    if open_keys:
        known |= _written_keys(source)
    notes: list[FieldNote] = []
    empty: list[str] = []
    for key in sorted(open_keys):
        if _spelt(key) in known:
            continue
        number, telling, path = raw.found[key]
        where = f"{path}" + (f" and in {number - 1} more places" if number > 1 else "")
        if not telling:
            empty.append(where)
            continue
        notes.append(FieldNote(None, key, "lost", "it was not read", parts=(where,), side="read"))
    if empty:
        notes.append(
            FieldNote(None, "empty fields", "kept", _NOTHING_SAID, parts=tuple(empty), side="read")
        )
    return notes


def _written_keys(source: Source) -> set[str]:
    """The keys that the traces of a source have when they are written in the form they came from."""
    found = Keys()
    with tempfile.TemporaryDirectory(prefix="passhat-") as folder:
        target = Path(folder) / "again.jsonl"
        good = (item for item in source.traces() if not isinstance(item, InputError))
        try:
            source.adapter.write_traces(good, target)
            for item in items(target):
                if not isinstance(item, InputError):
                    found.take(item.value)
        except PasshatError:
            return set()  # An adapter that only reads: then what is in no trace is told.
    return found.names()


def _empty(value: Any) -> bool:
    return any(value == nothing and type(value) is type(nothing) for nothing in _NOTHING[:2]) or (
        isinstance(value, list | dict) and not value
    )

"""What stands in a source and not in the suite that was read of it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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

Leaf = tuple[str | None, str, tuple[str, ...], Any]
"""A case's id, the path, its last keys, and the value."""

_NEAR = 4

_NOTHING: tuple[Any, ...] = (None, "", 0, 0.0, False, [], {})
NOTHING_SAID = "null, empty or zero, which says no more than if it were absent"
_IDS = ("eval_id", "evalId", "id", "name")


def unread(source: Source, suite: Suite, told: Iterable[str] = ()) -> list[FieldNote]:
    """The parts of a source that its suite does not hold, each with its path.

    The suite is written in the form that it was read from, and what is missing there is told: no
    reader is believed. A part that came to stand under another key is `translated`.

    Args:
        source: The source.
        suite: The suite that was read of it.
        told: Paths of which the reader's own notes tell what became of them.
    """
    if source.format == OURS or not source.is_file:
        return []
    values = [item.value for item in items(source.given) if not isinstance(item, InputError)]
    ids = set(suite.by_id)
    within = tuple(f"{path}." for path in told)
    pool = Counter(at for leaf in _again(source, suite) for at in _standing(leaf))
    left = [leaf for leaf in _not_in(pool, _leaves(values, ids)) if not leaf[1].startswith(within)]
    texts: Counter[str] = Counter()
    for (keys, value), number in pool.items():
        if len(keys) <= 1 and isinstance(value, str):
            texts[value] += number
    for _, _, _, value in _leaves([plain(suite)], set()):
        if isinstance(value, str):
            texts[value] += 1
    grouped: dict[tuple[str | None, str, FidelityKind, str], list[str]] = {}
    for case, path, keys, value in left:
        kind, how = _fate(value, texts)
        name = "empty fields" if kind == "kept" else "".join(keys[-1:])
        grouped.setdefault((case, name, kind, how), []).append(path)
    return [
        FieldNote(case, key, kind, how, parts=tuple(paths), side="read")
        for (case, key, kind, how), paths in grouped.items()
    ]


def _standing(leaf: Leaf) -> list[tuple[tuple[str, ...], Any]]:
    """What a leaf is known by elsewhere: its value under its last keys, fewer and fewer of them."""
    keys, value = tuple(map(spelt, leaf[2])), canonical(leaf[3])
    return [(keys[at:], value) for at in range(max(1, len(keys)))]


def _not_in(pool: Counter[tuple[tuple[str, ...], Any]], leaves: Iterable[Leaf]) -> list[Leaf]:
    """The leaves that do not stand in a pool, which loses those that do: the nearest paths first."""
    left = [(leaf, _standing(leaf)) for leaf in leaves]
    for near in range(_NEAR, 0, -1):
        others = []
        for leaf, known in left:
            if len(known) >= near and pool[known[-near]] > 0:
                pool.subtract(known)
            else:
                others.append((leaf, known))
        left = others
    return [leaf for leaf, _ in left]


def _fate(value: Any, texts: Counter[str]) -> tuple[FidelityKind, str]:
    if any(value == nothing and type(value) is type(nothing) for nothing in _NOTHING):
        return "kept", NOTHING_SAID
    if isinstance(value, str) and texts[str(canonical(value))] > 0:
        texts[str(canonical(value))] -= 1
        return "translated", "read under another key"
    return "lost", "it was not read"


def _again(source: Source, suite: Suite) -> Iterator[Leaf]:
    """The leaves of the suite, written in the form it was read from; nothing if that cannot be."""
    with tempfile.TemporaryDirectory(prefix="passhat-") as folder:
        target = Path(folder) / "again.jsonl"
        try:
            source.adapter.write_suite(suite, target)
            values = [item.value for item in items(target) if not isinstance(item, InputError)]
        except PasshatError:
            values = [plain(suite)]
    yield from _leaves(values, set())


def spelt(key: str) -> str:
    """A key however it is spelt: `evalSetId` is `eval_set_id`."""
    return key.replace("_", "").casefold()


def _leaves(values: list[Any], ids: set[str]) -> Iterator[Leaf]:
    todo: list[Leaf] = [(None, "$", (), values[0] if len(values) == 1 else values)]
    while todo:
        case, path, keys, item = todo.pop()
        if isinstance(item, Mapping) and item:
            case = next((item[name] for name in _IDS if _is_id(item.get(name), ids)), case)
            above = keys[1 - _NEAR :]
            todo += reversed(
                [(case, f"{path}.{k}", (*above, str(k)), held) for k, held in item.items()]
            )
        elif isinstance(item, list | tuple) and item:
            todo += reversed([(case, f"{path}[{at}]", keys, one) for at, one in enumerate(item)])
        else:
            yield case, path, keys, item


def _is_id(value: Any, ids: set[str]) -> bool:
    return isinstance(value, str) and value in ids

"""What stands in a file of recorded runs and in none of the traces that were read of it."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from passhat.adapter import FidelityKind
from passhat.convert.ledger import FieldNote
from passhat.convert.sources import Source
from passhat.convert.unread import NOTHING_SAID, spelt
from passhat.errors import InputError, PasshatError
from passhat.jsontext import decode, items
from passhat.trace import Trace
from passhat.values import canonical
from passhat.values.parts import plain

_MOST_LEAVES = 10_000
"""The leaves of one path whose values are looked for elsewhere; of more, only their number is known."""

_MOST_PLACES = 20
_DEEPEST = 12
_AT_ONCE = 64
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_EPOCH = 100_000_000
_JOINT = "\x1f"
_ELSEWHERE, _REPEATED, _LOST = (
    "read under another key, or in another spelling",
    "the same is read where it stands elsewhere",
    "it was not read",
)
_KIND: dict[str, FidelityKind] = {
    _LOST: "lost",
    _ELSEWHERE: "translated",
    _REPEATED: "translated",
}
_GRAVEST = tuple(_KIND)


@dataclass
class Paths:
    """How often a leaf stands at each path, whatever its place in a list and however keys are spelt.

    Attributes:
        found: For each path the number of its leaves.
        telling: The same of those that are not null and not empty.
    """

    found: Counter[str] = field(default_factory=Counter)
    telling: Counter[str] = field(default_factory=Counter)

    def take(self, value: Any) -> None:
        """Adds the leaves of a value."""
        for path, item in _leaves(value):
            self.found[path] += 1
            if not _empty(item):
                self.telling[path] += 1


@dataclass
class Again:
    """The traces of a source, each written in the form that it came from, as they pass.

    Attributes:
        adapter: The adapter of that form.
        paths: What was written.
        able: Whether traces can be written in that form at all.
    """

    adapter: Any
    paths: Paths = field(default_factory=Paths)
    able: bool = True
    _waiting: list[Trace] = field(default_factory=list)

    def take(self, trace: Trace) -> None:
        """Writes a trace, sooner or later."""
        self._waiting.append(trace)
        if len(self._waiting) >= _AT_ONCE:
            self.finish()

    def finish(self) -> None:
        """Writes those that still wait."""
        for row in self.rows(self._waiting):
            self.paths.take(row)
        self._waiting = []

    def rows(self, traces: Iterable[Trace]) -> Iterator[Any]:
        """Traces in the form that they came from, as JSON; nothing where that cannot be."""
        if not self.able:
            return
        try:
            if callable(make := getattr(self.adapter, "from_trace", None)):
                for trace in traces:
                    yield make(trace)
                return
            with tempfile.TemporaryDirectory(prefix="passhat-") as folder:
                target = Path(folder) / "again.jsonl"
                self.adapter.write_traces(traces, target)
                for item in items(target):
                    if not isinstance(item, InputError):
                        yield item.value
        except PasshatError:
            self.able = False  # An adapter that only reads: what is in no trace is told.


@dataclass
class _Leaf:
    """A leaf of the source that may not have been read."""

    key: str
    place: str
    held: tuple[int, ...]
    text: int | None
    is_time: bool


def unrecorded(source: Source, again: Again) -> list[FieldNote]:
    """The parts of recorded runs that are neither in their traces nor in what these are written as.

    It compares path by path how often something stands in the source, and how often in the traces
    as they are written in the form that they came from. Only where that falls short is the source
    read once more, for where the values stand, and whether they do under another key.

    Args:
        source: The source.
        again: Its traces as they passed.
    """
    if not source.is_file:
        return []
    again.finish()
    raw = Paths()
    try:
        for item in items(source.given):
            if not isinstance(item, InputError):
                raw.take(item.value)
    except InputError:
        return []  # No JSON: a database, of which the reader's gaps tell.
    written = again.paths if again.able else Paths()
    short: dict[str, int] = {}
    for path, number in raw.found.items():
        telling = raw.telling[path]
        missing = telling - written.telling[path] if telling else number - written.found[path]
        if missing > 0:
            short[path] = missing
    if not short:
        return []
    left = _left(source, again, short, raw, _surplus(raw.found, written.found))
    notes: list[FieldNote] = []
    empty: list[str] = []
    for path, leaves in left.items():
        key = leaves[0][0].key
        if not raw.telling[path]:
            empty.append(_places([leaf for leaf, _ in leaves], short[path])[0])
            continue
        for how, kind in _KIND.items():
            mine = [leaf for leaf, fate in leaves if fate == how]
            beyond = short[path] - len(leaves) if raw.telling[path] > _MOST_LEAVES else 0
            number = len(mine) + (beyond if how == _LOST else 0)
            if mine:
                parts = _places(mine, number)
                notes.append(FieldNote(None, key, kind, how, parts=parts, side="read"))
    if empty:
        notes.append(
            FieldNote(None, "empty fields", "kept", NOTHING_SAID, parts=tuple(empty), side="read")
        )
    return notes


def _surplus(raw: Counter[str], written: Counter[str]) -> Counter[str]:
    """For each key how often it is written where the source has it not."""
    found: Counter[str] = Counter()
    for path, number in written.items():
        found[_last(path)] += max(0, number - raw[path])
    return found


def _left(
    source: Source, again: Again, short: dict[str, int], raw: Paths, surplus: Counter[str]
) -> dict[str, list[tuple[_Leaf, str]]]:
    """The leaves that were not read where they stand, with what became of each."""
    asked: dict[str, list[_Leaf]] = {}
    used: Counter[int] = Counter()
    for at, item in enumerate(items(source.given)):
        if isinstance(item, InputError):
            continue
        for key, place, path, held in _placed(item.value, f"$[{at}]"):
            if raw.telling[path] and _empty(held):
                continue
            told = _told(path, held)
            mine = asked.setdefault(path, []) if path in short else None
            if mine is None or len(mine) >= _MOST_LEAVES:
                used.update(told)
            else:
                text = _said(held) if isinstance(held, str) else None
                mine.append(_Leaf(key, place, told, text, _is_time(held)))
    wanted = {number for leaves in asked.values() for leaf in leaves for number in leaf.held}
    texts = {leaf.text for leaves in asked.values() for leaf in leaves if leaf.text is not None}
    there, said = _there(source, again, wanted, texts)
    known = {told for told, number in there.items() if number}
    for value, number in used.items():
        if value in wanted:
            there[value] -= number
    for path, leaves in asked.items():
        asked[path] = [leaf for leaf in leaves if not _taken(leaf, -1, there)]
        surplus[_last(path)] -= len(leaves) - len(asked[path])
    found: dict[str, list[tuple[_Leaf, str]]] = {}
    for path, missing in asked.items():
        fates: list[tuple[_Leaf, str]] = []
        for leaf in missing:
            how = _LOST
            if _taken(leaf, 0, there):
                surplus[_last(path)] -= 1
                how = _ELSEWHERE
            elif leaf.text is not None and said[leaf.text] > 0:
                said[leaf.text] -= 1
                how = _ELSEWHERE
            elif leaf.held[0] in known:
                how = _REPEATED
            elif leaf.is_time and surplus[_last(path)] > 0:
                surplus[_last(path)] -= 1
                how = _ELSEWHERE
            fates.append((leaf, how))
        fates.sort(key=lambda one: _GRAVEST.index(one[1]))
        if fates[: short[path]]:
            found[path] = fates[: short[path]]
    return found


def _there(
    source: Source, again: Again, wanted: set[int], texts: set[int]
) -> tuple[Counter[int], Counter[int]]:
    """How often wanted leaves stand in the traces as written again, and texts in the traces."""
    there: Counter[int] = Counter()
    said: Counter[int] = Counter()

    def passing() -> Iterator[Trace]:
        for trace in source.traces():
            if isinstance(trace, InputError):
                continue
            for path, held in _leaves(plain(trace)):
                if isinstance(held, str) and (told := _said(held)) in texts:
                    said[told] += 1
                if not again.able:
                    there.update(told for told in _told(path, held) if told in wanted)
            yield trace

    for row in again.rows(passing()):
        for path, held in _leaves(row):
            there.update(told for told in _told(path, held) if told in wanted)
    if not again.able:
        there.clear()
        said.clear()
        for _ in passing():
            pass
    return there, said


def _taken(leaf: _Leaf, near: int, there: Counter[int]) -> bool:
    """Whether a leaf stands there, and takes that from the others: under like keys, or its own."""
    if there[leaf.held[near]] <= 0:
        return False
    for told in leaf.held:
        there[told] -= 1
    return True


def _told(path: str, held: Any) -> tuple[int, ...]:
    """Numbers for a value under its last key, its last two and its last three."""
    if isinstance(held, str) and held[:1] in ("{", "["):
        with suppress(InputError):
            held = decode(held.encode("utf-8", "surrogatepass"))  # JSON as text, however it is set.
    value = str(canonical(held))
    keys = path.split(_JOINT)[1:][-3:] or [""]
    return tuple(hash((*keys[at:], value)) for at in reversed(range(len(keys))))


def _said(text: str) -> int:
    return hash(("", text))


def _is_time(held: Any) -> bool:
    """Whether a value may be a time, which can be spelt in many ways."""
    if isinstance(held, str):
        return _DATE.match(held) is not None
    return isinstance(held, int | float) and held > _EPOCH


def _last(path: str) -> str:
    return path.rpartition(_JOINT)[2]


def _places(leaves: list[_Leaf], number: int) -> tuple[str, ...]:
    shown = [leaf.place for leaf in leaves[:_MOST_PLACES]]
    more = number - len(shown)
    return (*shown, f"and {more} more places") if more > 0 else tuple(shown)


@lru_cache(maxsize=4096)
def _key(key: str) -> str:
    return spelt(key)


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """The leaves of a value with their paths, without their places in lists."""
    todo: list[tuple[str, int, Any]] = [("$", 0, value)]
    while todo:
        path, deep, item = todo.pop()
        if isinstance(item, Mapping) and item:
            if deep < _DEEPEST:
                todo += [
                    (f"{path}{_JOINT}{_key(str(k))}", deep + 1, held) for k, held in item.items()
                ]
            else:
                todo += [(path, deep, held) for held in item.values()]
        elif isinstance(item, list | tuple) and item:
            todo += [(path, deep, held) for held in item]
        else:
            yield path, item


def _placed(value: Any, at: str) -> Iterator[tuple[str, str, str, Any]]:
    """The leaves of a value: the last key, the place, the path and what stands there."""
    todo: list[tuple[str, str, str, int, Any]] = [("", at, "$", 0, value)]
    while todo:
        key, place, path, deep, item = todo.pop()
        if isinstance(item, Mapping) and item:
            inner: list[tuple[str, str, str, int, Any]] = []
            for name, held in item.items():
                under = f"{path}{_JOINT}{_key(str(name))}" if deep < _DEEPEST else path
                inner.append((str(name), f"{place}.{name}", under, deep + 1, held))
            todo += reversed(inner)
        elif isinstance(item, list | tuple) and item:
            inner = [(key, f"{place}[{n}]", path, deep, held) for n, held in enumerate(item)]
            todo += reversed(inner)
        else:
            yield key, place, path, item


def _empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, list | dict) and not value)

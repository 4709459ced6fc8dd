"""What stands in a file of recorded runs and in none of the traces that were read of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from passhat.adapter import FidelityKind
from passhat.convert.again import Again
from passhat.convert.leaves import (
    Paths,
    is_empty,
    is_time,
    keyed_numbers,
    last_key,
    leaves,
    placed,
    text_number,
)
from passhat.convert.ledger import FieldNote
from passhat.convert.sources import Source
from passhat.convert.unread import NOTHING_SAID
from passhat.errors import InputError
from passhat.jsontext import items
from passhat.trace import Trace
from passhat.values.parts import plain

_MOST_LEAVES = 10_000
"""The leaves of one path whose values are looked for elsewhere; of more, only their number is known."""

_MOST_PLACES = 20
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
class _Leaf:
    """A leaf of the source that may not have been read.

    Attributes:
        key: Its key, as it is spelt there.
        place: Where it stands.
        held: Numbers for it under its last key, its last two and its last three.
        text: A number for its text, where it is one.
        is_time: Whether it may be a time.
    """

    key: str
    place: str
    held: tuple[int, ...]
    text: int | None
    is_time: bool


@dataclass
class _Elsewhere:
    """What stands in the traces; a leaf that is found there takes its own from the others.

    Attributes:
        there: How often each keyed value stands there, less what was read where it stands.
        said: How often each text does, whatever its key.
        surplus: For each key how often it is written where the source has it not.
        known: The keyed values that stand there at all.
    """

    there: Counter[int]
    said: Counter[int]
    surplus: Counter[str]
    known: set[int]

    def takes(self, leaf: _Leaf, near: int) -> bool:
        """Whether a leaf stands there: under its last three keys (`near` -1), or the last alone (0)."""
        if self.there[leaf.held[near]] <= 0:
            return False
        for number in leaf.held:
            self.there[number] -= 1
        return True

    def fate(self, leaf: _Leaf, key: str) -> str:
        """What became of a leaf that was not read where it stands."""
        if self.takes(leaf, 0):
            self.surplus[key] -= 1
            return _ELSEWHERE
        if leaf.text is not None and self.said[leaf.text] > 0:
            self.said[leaf.text] -= 1
            return _ELSEWHERE
        if leaf.held[0] in self.known:
            return _REPEATED
        if leaf.is_time and self.surplus[key] > 0:
            self.surplus[key] -= 1
            return _ELSEWHERE
        return _LOST


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
    short = _short(raw, written)
    if not short:
        return []
    left = _left(source, again, short, raw, _surplus(raw.found, written.found))
    notes: list[FieldNote] = []
    empty: list[str] = []
    for path, fates in left.items():
        if raw.telling[path]:
            beyond = short[path] - len(fates) if raw.telling[path] > _MOST_LEAVES else 0
            notes += _notes(fates, beyond)
        else:
            empty.append(_places([leaf for leaf, _ in fates], short[path])[0])
    if empty:
        notes.append(
            FieldNote(None, "empty fields", "kept", NOTHING_SAID, parts=tuple(empty), side="read")
        )
    return notes


def _short(raw: Paths, written: Paths) -> dict[str, int]:
    """The paths at which less is written than stands in the source, and how much less."""
    short: dict[str, int] = {}
    for path, number in raw.found.items():
        telling = raw.telling[path]
        missing = telling - written.telling[path] if telling else number - written.found[path]
        if missing > 0:
            short[path] = missing
    return short


def _notes(fates: list[tuple[_Leaf, str]], beyond: int) -> Iterator[FieldNote]:
    """What became of the leaves of one path, and of so many beyond them that are known by number."""
    key = fates[0][0].key
    for how, kind in _KIND.items():
        mine = [leaf for leaf, fate in fates if fate == how]
        if mine:
            parts = _places(mine, len(mine) + (beyond if how == _LOST else 0))
            yield FieldNote(None, key, kind, how, parts=parts, side="read")


def _surplus(raw: Counter[str], written: Counter[str]) -> Counter[str]:
    """For each key how often it is written where the source has it not."""
    found: Counter[str] = Counter()
    for path, number in written.items():
        found[last_key(path)] += max(0, number - raw[path])
    return found


def _left(
    source: Source, again: Again, short: dict[str, int], raw: Paths, surplus: Counter[str]
) -> dict[str, list[tuple[_Leaf, str]]]:
    """The leaves that were not read where they stand, with what became of each."""
    asked, used = _asked(source, short, raw)
    every = [leaf for missing in asked.values() for leaf in missing]
    wanted = {number for leaf in every for number in leaf.held}
    texts = {leaf.text for leaf in every if leaf.text is not None}
    there, said = _there(source, again, wanted, texts)
    known = {number for number, times in there.items() if times}
    there.subtract({number: times for number, times in used.items() if number in wanted})
    elsewhere = _Elsewhere(there, said, surplus, known)
    for path, standing in asked.items():
        asked[path] = [leaf for leaf in standing if not elsewhere.takes(leaf, -1)]
        surplus[last_key(path)] -= len(standing) - len(asked[path])
    found: dict[str, list[tuple[_Leaf, str]]] = {}
    for path, missing in asked.items():
        fates = [(leaf, elsewhere.fate(leaf, last_key(path))) for leaf in missing]
        fates.sort(key=lambda one: _GRAVEST.index(one[1]))
        if fates[: short[path]]:
            found[path] = fates[: short[path]]
    return found


def _asked(
    source: Source, short: dict[str, int], raw: Paths
) -> tuple[dict[str, list[_Leaf]], Counter[int]]:
    """The leaves at the paths that fall short, and how often the values at all others stand there."""
    asked: dict[str, list[_Leaf]] = {}
    used: Counter[int] = Counter()
    for at, item in enumerate(items(source.given)):
        if isinstance(item, InputError):
            continue
        for key, place, path, held in placed(item.value, f"$[{at}]"):
            if raw.telling[path] and is_empty(held):
                continue
            told = keyed_numbers(path, held)
            mine = asked.setdefault(path, []) if path in short else None
            if mine is None or len(mine) >= _MOST_LEAVES:
                used.update(told)
            else:
                text = text_number(held) if isinstance(held, str) else None
                mine.append(_Leaf(key, place, told, text, is_time(held)))
    return asked, used


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
            for path, held in leaves(plain(trace)):
                if isinstance(held, str) and (told := text_number(held)) in texts:
                    said[told] += 1
                if not again.able:
                    there.update(told for told in keyed_numbers(path, held) if told in wanted)
            yield trace

    for row in again.rows(passing()):
        for path, held in leaves(row):
            there.update(told for told in keyed_numbers(path, held) if told in wanted)
    if not again.able:
        there.clear()
        said.clear()
        for _ in passing():
            pass
    return there, said


def _places(leaves: list[_Leaf], number: int) -> tuple[str, ...]:
    shown = [leaf.place for leaf in leaves[:_MOST_PLACES]]
    more = number - len(shown)
    return (*shown, f"and {more} more places") if more > 0 else tuple(shown)
